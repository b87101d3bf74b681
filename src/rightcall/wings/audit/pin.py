"""An expectation that states no more than is known: what every right call had, and what its user can have meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rightcall.core.dates import day_of
from rightcall.core.words import words
from rightcall.run.rehearsal.values import is_identifier
from rightcall.wings.audit.mutants.arguments import later_date
from rightcall.wings.audit.scene import Argument


class NotPinned(Exception):  # noqa: N818  an answer: the text says why
    """No expectation can be stated."""


def pin(arguments: Sequence[Argument]) -> Any:
    """What to expect of a parameter whose right values these are; raises `NotPinned` when their wording is free."""
    if not arguments:
        raise NotPinned("no right call passes it")
    if any(argument.is_open for argument in arguments):
        raise NotPinned("no right value is known: run the suite once, or write what is expected")
    if not all(map(is_grounded, arguments)):
        raise NotPinned("not pinned: the wording is free")
    matchers: list[Any] = []
    for argument in arguments:
        matcher = _matcher(argument, argument.value)
        if matcher not in matchers:
            matchers.append(matcher)
    return matchers[0] if len(matchers) == 1 else {"any_of": matchers}


def is_grounded(argument: Argument) -> bool:
    """Whether a value was to be expected: a choice of the schema, or something that the request or a result says."""
    if isinstance(argument.value, bool) or "enum" in argument.schema:
        return True
    return argument.stands or is_identifier(argument.name, argument.schema, argument.value)


def _matcher(argument: Argument, value: Any) -> Any:
    exact = "enum" in argument.schema or is_identifier(argument.name, argument.schema, value)
    if isinstance(value, list):
        return {"multiset": [_matcher(argument, item) for item in value]}
    if exact or not isinstance(value, str):
        return {"exact": value} if isinstance(value, dict) else value
    if day_of(value) is not None:
        return {"date": value} if later_date(value) is not None else value
    told = list(dict.fromkeys(word for word in words(value) if len(word) > 2))
    if not told:
        return {"text": value}
    return {"icontains": told[0]} if len(told) == 1 else {"any_of": [{"icontains": word} for word in told]}
