"""A required value stands in nothing that the agent reads, and agents pass another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.core.words import words
from rightcall.improve.argument_kind import is_held
from rightcall.improve.suspect import Reason, SuspectGolden, difference_lines, values_of
from rightcall.metrics.matching.base import MISSING
from rightcall.run.rehearsal.call_key import is_default
from rightcall.run.rehearsal.grounds import results_before


def reasons(suspect: SuspectGolden) -> Iterator[Reason]:
    agreement = suspect.votes.agreement
    if agreement is None:
        return
    read = "\n".join((suspect.words, results_before(agreement.calls, len(agreement.calls))))
    for argument in suspect.difference.arguments:
        values = values_of(argument.expected) if argument.expected is not MISSING else []
        schema = suspect.toolset.parameter(argument.tool, argument.parameter)
        if not values or "enum" in schema or any(isinstance(value, bool) for value in values):
            continue
        stands = any(
            _stands(value, read) or is_default(suspect.toolset, argument.tool, argument.parameter, value)
            for value in values
        )
        if not stands:
            sentence = f"nothing that the agent reads says the value of {argument.tool}.{argument.parameter}"
            yield Reason("look", sentence, agreement, evidence=tuple(difference_lines(suspect.difference)))


def _stands(value: Any, text: str) -> bool:
    """Whether a text says a value, a multiple of it by a unit, or half of its words."""
    if is_held(value, text):
        return True
    if isinstance(value, list):
        return bool(value) and all(_stands(item, text) for item in value)
    if not isinstance(value, str):
        return False
    value_words, text_words = set(words(value[:2_000])), set(words(text[:20_000]))
    return bool(value_words) and 2 * len(value_words & text_words) >= len(value_words)
