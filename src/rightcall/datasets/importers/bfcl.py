"""The Berkeley Function Calling Leaderboard as goldens whose verdicts are BFCL's own.

Reads the files of the `bfcl-eval` wheel (JSON lines) for the single-turn Python categories. docs/evidence.md#bfcl has
the rules. Where an ordinary matcher is equivalent it is used; the rest use `{"bfcl": …}`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from rightcall.core.codec import convert, decode
from rightcall.core.errors import InputError, suggestion
from rightcall.core.text import shorten
from rightcall.files.checked_read import numbered_lines, open_checked, require_file
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import Golden

WITH_ANSWERS = (
    "simple_python", "multiple", "parallel", "parallel_multiple",
    "live_simple", "live_multiple", "live_parallel", "live_parallel_multiple",
)  # fmt: skip
NO_CALL_IS_RIGHT = ("irrelevance", "live_irrelevance")
ANY_CALL_IS_RIGHT = ("live_relevance",)
CATEGORIES = WITH_ANSWERS + NO_CALL_IS_RIGHT + ANY_CALL_IS_RIGHT

ANY_CALL = ExpectedCall({"regex": "(?s).*"})
NEVER: dict[str, Any] = {"not": {"any": True}}
"""A matcher that accepts nothing, for parameters that BFCL's checker both requires and rejects."""

EXACT_WHOLE = 2**53
"""Below this, an integer equals a float exactly when it does after conversion, which is how BFCL compares."""

T = TypeVar("T")


class BfclAnswer(msgspec.Struct):
    role: str
    content: str


class Question(msgspec.Struct):
    id: str
    question: list[list[BfclAnswer]]
    function: list[BfclFunction]


class Answer(msgspec.Struct):
    id: str
    ground_truth: list[dict[str, dict[str, list[Any]]]]


def import_bfcl(questions: Path, answers: Path | None = None) -> Iterator[Golden]:
    """One golden per question, in the order of the file, read lazily.

    `answers` is the file of the same name under `possible_answer`; the categories `irrelevance`,
    `live_irrelevance` and `live_relevance` have none. Answers are found by id, in any order.
    """
    require_file(questions)
    bfcl_answers = BfclAnswers(require_file(answers)) if answers is not None else None
    return _goldens(questions, bfcl_answers)


def category_of(identifier: str, where: str) -> str:
    """The category in an id such as `live_simple_12-3-0`."""
    category = identifier.rpartition("_")[0]
    if category not in CATEGORIES:
        near = suggestion(category, CATEGORIES) if category else ""
        hint = near or f"RightCall reads single-turn Python: {', '.join(CATEGORIES)}"
        raise InputError(where, f"the id '{identifier}' has no BFCL category that can be imported", hint)
    return category


class BfclAnswers:
    """Answers by id, read only as far as needed: the two files of a category usually have the same order."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lines = _records(path, Answer)
        self._passed_over: dict[str, tuple[str, Answer]] = {}

    def of(self, identifier: str, where: str) -> tuple[str, Answer]:
        """The answer to a question and its location."""
        if identifier in self._passed_over:
            return self._passed_over.pop(identifier)
        for place, answer in self._lines:
            if answer.id == identifier:
                return place, answer
            self._passed_over[answer.id] = (place, answer)
        hint = "pass the file of the same name from the folder possible_answer"
        raise InputError(where, f"{self._path} has no answer to '{identifier}'", hint)


def _goldens(questions: Path, answers: BfclAnswers | None) -> Iterator[Golden]:
    seen: set[str] = set()
    for where, question in _records(questions, Question):
        if question.id in seen:
            raise InputError(where, f"duplicate id '{question.id}'", "remove one of the two questions")
        seen.add(question.id)
        category = category_of(question.id, where)
        yield _golden(question, category, answers, where)


def _records(path: Path, as_type: type[T]) -> Iterator[tuple[str, T]]:
    with open_checked(path) as file:
        for number, line in numbered_lines(file, str(path)):
            if not line.isspace():
                where = f"{path}:{number}"
                yield where, decode(line, as_type, where)


def _golden(question: Question, category: str, answers: BfclAnswers | None, where: str) -> Golden:
    if len(question.question) != 1:
        problem = f"question must have one turn, got {len(question.question)}"
        raise InputError(where, problem, "BFCL's multi-turn categories cannot be imported")
    messages = [message for message in question.question[0] if message.role != "system"]
    system = [message.content for message in question.question[0] if message.role == "system"]
    golden = Golden(
        input=_input(messages),
        id=question.id,
        category="negative" if category in NO_CALL_IS_RIGHT else "golden",
        tools=tuple(tool_definition(function) for function in question.function),
        system="\n\n".join(system) if system else None,
        defaults="strict",
        tags=("bfcl", category),
    )
    if category in NO_CALL_IS_RIGHT:
        return replace(golden, no_calls=True)
    if category in ANY_CALL_IS_RIGHT:
        return replace(golden, expected_calls=(ANY_CALL,), extra_calls="allow")
    if answers is None:
        hint = "also pass the file of the same name from the folder possible_answer"
        raise InputError(where, f"the category {category} requires answers", hint)
    place, answer = answers.of(question.id, where)
    return replace(golden, expected_calls=_calls_of_answer(question, answer, place))


def _input(messages: list[BfclAnswer]) -> str:
    """The user's messages, with the assistant's in between, if any."""
    if all(message.role == "user" for message in messages):
        return "\n\n".join(message.content for message in messages)
    return "\n\n".join(f"{message.role.capitalize()}: {message.content}" for message in messages)


def _calls_of_answer(question: Question, answer: Answer, where: str) -> tuple[ExpectedCall, ...]:
    named = {function.name: function for function in reversed(question.function)}
    calls = []
    for at, truth in enumerate(answer.ground_truth):
        if len(truth) != 1:
            raise InputError(where, f"ground_truth[{at}] must name one function, got {len(truth)}")
        ((name, parameters),) = truth.items()
        if name not in named:
            hint = suggestion(name, named) or f"its functions: {', '.join(named)}"
            raise InputError(where, f"ground_truth[{at}]: question '{answer.id}' has no '{name}'", hint)
        calls.append(ExpectedCall(name, _args(named[name], parameters, f"{where}: ground_truth[{at}]")))
    return tuple(calls)


def _args(function: BfclFunction, answers: dict[str, list[Any]], where: str) -> dict[str, Any]:
    """A matcher per parameter.

    An answer for a parameter that is not in the schema can only be satisfied by omitting it; a required
    parameter without an answer cannot be satisfied.
    """
    properties = function.parameters.properties
    required = function.parameters.required
    args: dict[str, Any] = {name: NEVER for name in required if name not in answers}
    for name, values in answers.items():
        has_schema = name in properties
        may_be_absent = "" in values and name not in required
        matcher = _matcher(properties[name], values, f"{where}.{name}") if has_schema else NEVER
        if not may_be_absent:
            args[name] = matcher
        elif matcher is NEVER:
            args[name] = {"absent": True}
        else:
            args[name] = {"optional": matcher}
    return args


def _matcher(schema: dict[str, Any], values: list[Any], where: str) -> Any:
    declared = schema.get("type")
    if declared not in PYTHON_TYPES:
        raise InputError(where, f"'{declared}' is not a BFCL type", f"known: {', '.join(PYTHON_TYPES)}")
    options = [value for value in values if value != ""]
    if _says_it_plainly(declared, options):
        return NEVER if not options else options[0] if len(options) == 1 else {"one_of": options}
    spec = {"type": declared, "values": values}
    if PYTHON_TYPES[declared] is list:
        items = schema.get("items")
        spec["items"] = items.get("type") if isinstance(items, dict) else None
        if spec["items"] not in PYTHON_TYPES:
            raise InputError(
                where, f"the {declared} needs items with a BFCL type", "see docs/evidence.md#bfcl"
            )
    return {"bfcl": spec}


def _says_it_plainly(declared: str, options: list[Any]) -> bool:
    """Whether plain values, compared exactly, accept exactly what BFCL accepts."""
    if all(value is None for value in options):
        return declared in ("float", "boolean", "integer")
    if declared == "float":
        return all(type(value) in (int, float) and abs(value) < EXACT_WHOLE for value in options)
    return declared == "boolean" and all(type(value) is bool for value in options)


JSON_TYPES = {"dict": "object", "float": "number", "tuple": "array"}
"""BFCL types that have another name in JSON Schema. `any` is omitted: a schema without a type allows any."""

NOT_A_KEYWORD = frozenset(("optional",))
"""BFCL's marker for optional parameters; in JSON Schema they are missing from `required`."""


class Parameters(msgspec.Struct):
    properties: dict[str, dict[str, Any]]
    required: list[str] = []


class BfclFunction(msgspec.Struct):
    name: str
    parameters: Parameters
    description: str = ""


def tool_definition(function: BfclFunction) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {name: json_schema(schema) for name, schema in function.parameters.properties.items()},
        "required": function.parameters.required,
    }
    return {"name": function.name, "description": function.description, "input_schema": schema}


def json_schema(schema: dict[str, Any]) -> dict[str, Any]:
    """A parameter's schema with the types of JSON Schema, at every depth."""
    converted: dict[str, Any] = {}
    for keyword, value in schema.items():
        if keyword == "type" and isinstance(value, str):
            if value != "any":
                converted["type"] = JSON_TYPES.get(value, value)
        elif keyword == "properties" and isinstance(value, dict):
            converted[keyword] = {
                name: json_schema(inner) if isinstance(inner, dict) else inner
                for name, inner in value.items()
            }
        elif keyword == "items" and isinstance(value, dict):
            converted[keyword] = json_schema(value)
        elif keyword not in NOT_A_KEYWORD:
            converted[keyword] = value
    return converted


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
