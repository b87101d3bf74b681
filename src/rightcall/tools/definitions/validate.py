"""Arguments and results against JSON Schemas: compiled once, nothing fetched, nothing that can hang.

The validator is jsonschema-rs: complete for drafts 4 to 2020-12 and cheaper than parsing the arguments.
Three things it leaves to its caller are done here: a reference to another document is refused instead of
fetched, formats are checked, and values that JSON cannot represent (NaN, an unpaired surrogate, unlimited
depth) are reported before the validator sees them.

References let a schema of a kilobyte ask for a billion steps (`anyOf` of two references to the next of thirty, or a
recursive one against a deep value), and the validator cannot be interrupted. Most schemas are small when every
reference is followed, and are not examined again; the others are walked together with each value, up to a limit of
steps, before the validator starts.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from itertools import islice
from typing import Any

import jsonschema_rs

from rightcall.core.codec import encode
from rightcall.core.depth import values_in
from rightcall.core.errors import InputError
from rightcall.core.text import shorten
from rightcall.records.record import Record
from rightcall.records.tool import Tool
from rightcall.schema.schema_errors import explain
from rightcall.schema.subschemas import DEFINITIONS, HOLDERS, References, applications, subschemas
from rightcall.tools.runtime.json_values import is_json, what_json_cannot_hold

MOST_PROBLEMS = 100
"""Maximum problems reported per value: a million wrong items do not need a million messages."""

LARGE = 200_000
"""Bytes of JSON from which only the first problem is looked for: the validator collects all or one, and
collecting a million takes seconds."""

MOST_VALIDATORS = 2048
"""Compiled schemas kept. A suite has at most a few hundred tools; goldens may bring their own."""

BACKTRACK_LIMIT = 100_000
"""Steps a pattern with look-around or back-references may take: about 4 ms. Others run in linear time."""

_validators: dict[int, tuple[Any, Any, bool]] = {}
_validators_lock = threading.Lock()
_relaxed: dict[int, tuple[Any, dict[str, Any]]] = {}


class Problem(Record, frozen=True):
    """One thing that is wrong with a value.

    `path` is empty for the value itself and otherwise such as `attendees[0].email`; `keyword` is the
    schema keyword (or `json` when the value is not JSON); `allowed` the values or names that
    are valid; `suggestion` the nearest of them, or the value as it was probably meant.
    """

    path: str
    message: str
    keyword: str
    allowed: tuple[Any, ...] = ()
    suggestion: Any = None


def problems(tool: Tool, arguments: Any) -> list[Problem]:
    """Everything wrong with the arguments of a call; empty when they fit the tool's schema.

    Raises `InputError` when the schema itself cannot be used.
    """
    if not isinstance(arguments, dict):
        return [Problem("", "the arguments must be a JSON object", "type", ("object",))]
    kept = _validators.get(id(tool.input_schema))
    if kept is not None and not kept[2] and is_json(arguments) and kept[1].is_valid(arguments):
        return []  # nearly every call takes this path: no paths are built for messages
    return schema_problems(tool.input_schema, arguments, f"tool '{tool.name}'")


def is_valid(tool: Tool, arguments: Any) -> bool:
    """Whether `problems` would be empty, without finding out what they are."""
    return isinstance(arguments, dict) and fits(tool.input_schema, arguments, f"tool '{tool.name}'")


def check_schema(tool: Tool) -> None:
    """Raise `InputError` when arguments could not be validated against the tool's schemas."""
    validator_of(tool.input_schema, f"tool '{tool.name}'")
    if tool.output_schema is not None:
        validator_of(tool.output_schema, f"tool '{tool.name}', output schema")


def schema_problems(schema: dict[str, Any], value: Any, where: str) -> list[Problem]:
    """Everything wrong with any value under any schema; `where` names the schema's place in errors."""
    validator = validator_of(schema, where)
    if not is_json(value):
        return [Problem(path, message, "json") for path, message in what_json_cannot_hold(value)]
    taken = steps(schema, value) if _is_large(schema) else 0
    if taken and too_many(taken, value):
        return [Problem("", "checking the value against the schema takes too many steps", "schema")]
    if validator.is_valid(value):
        return []
    if taken > MOST_ERROR_STEPS:
        return [Problem("", "the value matches none of the alternatives in the schema", "schema")]
    errors = _errors(validator, value)
    return [Problem(*parts) for error in errors for parts in explain(error, schema)][:MOST_PROBLEMS]


def fits(schema: dict[str, Any], value: Any, where: str) -> bool:
    """Whether a value is JSON and valid under the schema."""
    validator = validator_of(schema, where)
    if not is_json(value) or (_is_large(schema) and too_many(steps(schema, value), value)):
        return False
    return bool(validator.is_valid(value))


def validator_of(schema: dict[str, Any] | bool, where: str) -> Any:
    """The validator of a schema, compiled on first use and found again by the schema's identity.

    A schema that is changed in place after its first use keeps its old validator: make another instead.
    """
    kept = _validators.get(id(schema))
    if kept is not None:
        return kept[1]
    validator = _compile(schema, where)
    with _validators_lock:
        while len(_validators) >= MOST_VALIDATORS:
            del _validators[next(iter(_validators))]
        # The schema is stored with its validator, so that its id is not reused.
        _validators[id(schema)] = (schema, validator, is_large(schema))
    return validator


@lru_cache(maxsize=1024)
def pattern_test(pattern: str, *, whole: bool = True) -> Callable[[str], bool]:
    """A predicate for texts that fit a regular expression from end to end, or in which it is found.

    The syntax is that of JSON Schema's `pattern` (ECMA 262, with inline flags such as `(?i)`). A hostile
    pattern cannot hang: it is refused as too large, or gives up and does not match. Raises `InputError`
    when the pattern is not one.
    """
    validator: Any = None
    # The pattern alone first: `a)|(b` is broken, and would not be once inside brackets.
    for text in (pattern, f"^(?:{pattern})$") if whole else (pattern,):
        try:
            validator = _validator_for({"pattern": text})
        except (ValueError, UnicodeEncodeError):
            raise InputError(
                "", f"{pattern[:200]!r} is not a valid regular expression, or is too large", "see ECMA 262"
            ) from None

    def matches(text: str) -> bool:
        try:
            return bool(validator.is_valid(text))
        except UnicodeEncodeError:  # an unpaired surrogate matches no pattern
            return False

    return matches


def _is_large(schema: Any) -> bool:
    kept = _validators.get(id(schema))
    return is_large(schema) if kept is None else kept[2]  # another thread may have pushed it out


def _errors(validator: Any, value: Any) -> list[Any]:
    if len(encode(value)) < LARGE:
        return list(islice(validator.iter_errors(value), MOST_PROBLEMS))
    try:
        validator.validate(value)
    except jsonschema_rs.ValidationError as error:
        return [error]
    return []


def _compile(schema: Any, where: str) -> Any:
    try:
        return _validator_for(schema)
    except jsonschema_rs.ValidationError as error:
        at = "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.instance_path)
        place = f" at {at.removeprefix('.')}" if at else ""
        raise InputError(where, f"the schema cannot be used{place}: {_reason(error)}") from None
    except UnicodeEncodeError:
        raise InputError(where, "the schema contains a lone surrogate") from None
    except ValueError as error:
        problem = "is nested too deeply" if "Recursion" in str(error) else f"cannot be used: {error}"
        raise InputError(where, f"the schema {problem}") from None


def _reason(error: Any) -> str:
    text = str(error.message)
    quoted = text.split("'")[1:2]
    if "is not present in a registry" in text:
        return f"it refers to {quoted[0]}, but other documents are never fetched; move it under $defs"
    if "Unknown meta-schema" in text:
        return f"its $schema {quoted[0]} is not a draft from 4 to 2020-12"
    return shorten(text, 201)


def _validator_for(schema: Any) -> Any:
    return jsonschema_rs.validator_for(
        schema,
        validate_formats=True,
        retriever=_refuse_to_fetch,
        pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=BACKTRACK_LIMIT),
    )


def _refuse_to_fetch(uri: str) -> Any:
    raise ValueError("other documents are never fetched")


def argument_problems(tool: Tool, name: str, value: Any) -> list[Problem]:
    """What is wrong with this value of this parameter; the schema's `$defs` are available."""
    schema = tool.input_schema
    kept = _relaxed.get(id(schema))
    if kept is None:
        if len(_relaxed) >= MOST_VALIDATORS:
            _relaxed.clear()
        # The schema is stored with what is derived from it, so that its id is not reused.
        kept = _relaxed[id(schema)] = (schema, {k: v for k, v in schema.items() if k != "required"})
    return schema_problems(kept[1], {name: value}, f"tool '{tool.name}'")


SMALL = 2_000
"""Parts of a schema, with references followed, above which values are examined too."""

MOST_STEPS = 50_000
"""Steps allowed for one value of a large schema, plus `STEPS_A_PART` for each part of the value: about 0.1 s."""
STEPS_A_PART = 50

MOST_ERROR_STEPS = 5_000
"""Steps up to which the validator is asked what is wrong: explaining takes thirty times as long as deciding."""


def is_large(schema: Any) -> bool:
    """Whether the schema, with references followed, has more than `SMALL` parts; then values must be checked."""
    left = SMALL
    references = References(schema)
    waiting: list[Any] = [schema]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, dict):
            continue
        left -= 1
        if left < 0:
            return True
        waiting.extend(references.targets(part))
        waiting.extend(inner for key, _, inner in subschemas(part, HOLDERS) if key not in DEFINITIONS)
    return False


def steps(schema: Any, value: Any) -> int:
    """About how many steps the validator takes; counting stops beyond what is allowed for the value."""
    allowed = _steps_allowed(value)
    taken = 0
    references = References(schema)
    # Each schema with those that led to it for the same value: the validator does not follow cycles either.
    waiting: list[tuple[Any, Any, frozenset[int]]] = [(schema, value, frozenset())]
    while waiting and taken <= allowed:
        part, here, before = waiting.pop()
        if not isinstance(part, dict) or id(part) in before:
            continue
        taken += 1
        round_here = before | {id(part)}
        waiting.extend((target, here, round_here) for target in references.targets(part))
        waiting.extend(
            (inner, item, round_here if item is here else frozenset())
            for inner, item in applications(part, here)
        )
    return taken


def too_many(taken: int, value: Any) -> bool:
    """Whether that is more than is allowed for the value."""
    return taken > _steps_allowed(value)


def _steps_allowed(value: Any) -> int:
    return MOST_STEPS + STEPS_A_PART * sum(1 for _ in values_in(value))
