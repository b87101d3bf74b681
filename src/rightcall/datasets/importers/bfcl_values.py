"""How BFCL compares one argument: the matcher `{"bfcl": {"type", "items", "values"}}`.

`type` and `items` are BFCL's type names, as the function declares them; `values` are the answers as BFCL
lists them, where "" means that the parameter may be omitted. `optional` around this matcher expresses that;
the "" is kept because it also changes how a value is compared. docs/evidence.md#bfcl has the rules, and a test
checks them against the official checker.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import msgspec

from rightcall.core.codec import convert
from rightcall.core.errors import InputError
from rightcall.core.text import shorten

TypeName = Literal["string", "integer", "float", "boolean", "array", "tuple", "dict", "any"]

PYTHON_TYPES: dict[str, type] = {
    "string": str,
    "integer": int,
    "float": float,
    "boolean": bool,
    "array": list,
    "tuple": list,
    "dict": dict,
    "any": str,
}

CLEANED_AWAY = str.maketrans("", "", " ,./-_*^")
LONGEST_DESCRIPTION = 160


def bfcl_matcher(spec: Any, options: dict[str, Any], scope: object) -> BfclMatcher:
    """The matcher of a golden's `{"bfcl": spec}`."""
    try:
        return convert(spec, BfclMatcher, "")
    except InputError as error:
        raise InputError("", f"matcher 'bfcl': {error.problem}", error.hint) from None


class BfclMatcher(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Accepts a value that BFCL's checker accepts for a parameter of this type with these answers."""

    declared: TypeName = msgspec.field(name="type")
    values: list[Any]
    items: TypeName | None = None

    def score(self, value: Any, at: int) -> float:
        return 1.0 if value is not msgspec.UNSET and self.accepts(value) else 0.0

    def describe(self) -> str:
        options = [value for value in self.values if value != ""] or self.values
        text = " or ".join(msgspec.json.encode(option).decode() for option in options) or "nothing"
        return f"{shorten(text, LONGEST_DESCRIPTION)} by BFCL's rules for {self.declared}"

    def accepts(self, value: Any) -> bool:
        declared = PYTHON_TYPES[self.declared]
        answered = first_type(self.values)
        if self.declared == "float" and type(value) is int:
            try:
                value = float(value)
            except OverflowError:
                return False
        if type(value) is not declared:
            return type(value) is answered and value in self.values
        if self.items is not None and not elements_fit(value, PYTHON_TYPES[self.items], self.values):
            return False
        if declared not in COMPARISONS or (answered is not None and answered is not declared):
            return value in self.values  # by Python's equality: 1, 1.0 and true are the same
        if declared is list and self.items == "dict":
            return list_of_objects_among(value, self.values)
        return COMPARISONS[declared](value, self.values)


def first_type(answers: list[Any]) -> type | None:
    """The type of the first non-empty answer, which the checker applies to all of them."""
    return next((type(answer) for answer in answers if answer != ""), None)


def elements_fit(value: Any, declared: type, answers: list[Any]) -> bool:
    """One level deep, and only when every answer is a list: optional parameters are not checked."""
    return any(
        not isinstance(answer, list)
        or all(type(element) in (declared, first_type(answer)) for element in value)
        for answer in answers
    )


def clean_text(value: Any) -> Any:
    """Text without spaces and some punctuation, in lower case, with one kind of quotes; other values unchanged."""
    return value.translate(CLEANED_AWAY).lower().replace("'", '"') if type(value) is str else value


def text_among(value: str, answers: list[Any]) -> bool:
    return clean_text(value) in [clean_text(answer) for answer in answers if type(answer) is str]


def list_among(value: list[Any], answers: list[Any]) -> bool:
    """The answer "" is read as an empty list."""
    accepted_lists = [
        [clean_text(element) for element in answer] for answer in answers if _is_sequence(answer)
    ]
    return [clean_text(element) for element in value] in accepted_lists


def object_among(value: dict[str, Any], answers: list[Any]) -> bool:
    return any(object_fits(value, answer) for answer in answers if isinstance(answer, dict))


def object_fits(value: dict[str, Any], answer: dict[str, Any]) -> bool:
    """Every key is known and has one of its options; omitted keys have "" among theirs."""
    for key, member in value.items():
        options: Any = answer.get(key)
        if not _is_sequence(options) or clean_text(member) not in [clean_text(option) for option in options]:
            return False
    return all(key in value or (_is_sequence(options) and "" in options) for key, options in answer.items())


def list_of_objects_among(value: Any, answers: list[Any]) -> bool:
    return any(
        len(value) == len(answer)
        and all(
            isinstance(actual, dict) and isinstance(expected, dict) and object_fits(actual, expected)
            for actual, expected in zip(value, answer, strict=True)
        )
        for answer in answers
        if _is_sequence(answer)
    )


def _is_sequence(value: Any) -> bool:
    return isinstance(value, list | str)


COMPARISONS: dict[type, Callable[[Any, list[Any]], bool]] = {
    str: text_among,
    list: list_among,
    dict: object_among,
}
