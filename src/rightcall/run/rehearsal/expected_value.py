"""A value that an expectation accepts, where one can be read off it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rightcall.core.errors import InputError
from rightcall.metrics.matching.compile import matcher_key

LEFT_OUT = object()
"""The parameter may be omitted, and is."""


class NoValue(Exception):  # noqa: N818  not an error: the golden is not audited
    """Nothing can be read off an expectation; the text says why."""


FindResult = Callable[[str, str], Any]
"""What the call with this id returned at this path; raises `NoValue`."""


def value_accepted_by(spec: Any, result_of: FindResult) -> Any:
    """A value that the expectation accepts, or `LEFT_OUT`; raises `NoValue` where it states none."""
    if callable(spec):
        raise NoValue("a function decides")
    key = matcher_key(spec) if isinstance(spec, dict) else None
    if key is None:
        return spec
    try:
        return _accepted_value(key, spec, result_of)
    except (AttributeError, TypeError, ValueError, KeyError, StopIteration):
        raise NoValue(f"'{key}' cannot be read") from None


def _accepted_value(key: str, spec: dict[str, Any], result_of: FindResult) -> Any:
    inner = spec[key]
    if key in ("optional", "any", "absent", "default"):
        return LEFT_OUT
    if key in ("one_of", "any_of"):
        return _first(inner, result_of)
    if key in ("set", "multiset", "superset_of", "subset_of", "items"):
        return [value_accepted_by(item, result_of) for item in inner]
    if key == "object":
        members = {name: value_accepted_by(value, result_of) for name, value in inner.items()}
        return {name: value for name, value in members.items() if value is not LEFT_OUT}
    if key == "ref":
        settings = inner if isinstance(inner, dict) else {"call": inner, "path": spec.get("path", "")}
        return result_of(str(settings.get("call", "")), str(settings.get("path", "")))
    return _value_of_matcher(key, inner)


def _value_of_matcher(key: str, inner: Any) -> Any:
    match key:
        case "exact" | "contains" | "icontains" | "date":
            return inner
        case "text" | "number":
            return inner.get("value") if isinstance(inner, dict) else inner
        case "range":
            ends = (inner.get("min"), inner.get("max")) if isinstance(inner, dict) else tuple(inner)
            return next(end for end in ends if end is not None)
        case "bfcl":
            answers = [answer for answer in inner.get("values", ()) if answer != ""]
            if answers:
                return _first_answers(answers[0])
    raise NoValue(f"'{key}' states no value")


def _first_answers(answer: Any) -> Any:
    """BFCL lists the answers of each member of an object."""
    if isinstance(answer, dict):
        chosen = {
            name: next((value for value in values if value != ""), LEFT_OUT)
            for name, values in answer.items()
            if isinstance(values, list)
        }
        return {name: value for name, value in chosen.items() if value is not LEFT_OUT}
    if isinstance(answer, list):
        return [_first_answers(item) for item in answer]
    return answer


def _first(choices: Any, result_of: FindResult) -> Any:
    why = "no choices"
    for choice in choices if isinstance(choices, list | tuple) else ():
        try:
            return value_accepted_by(choice, result_of)
        except (NoValue, InputError) as problem:
            why = str(problem)
    raise NoValue(why)


def values_listed_in(spec: Any) -> list[Any]:
    """The values that an expectation lists one by one; none unless it lists several."""
    if not isinstance(spec, dict):
        return []
    key = matcher_key(spec)
    inner = spec[key] if key else None
    if key == "optional":
        return values_listed_in(inner)
    if key in ("one_of", "any_of") and isinstance(inner, list | tuple):
        return [item["exact"] if isinstance(item, dict) and "exact" in item else item for item in inner]
    return list(inner.get("values", ())) if key == "bfcl" and isinstance(inner, dict) else []
