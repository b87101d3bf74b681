"""Doubts from what agents do instead: many agree, none passes, another tool or value fits as well."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rightcall.core.text import percent, pluralize
from rightcall.core.words import words
from rightcall.improve.argument_kind import is_held
from rightcall.improve.golden_edit import accept_alternative
from rightcall.improve.suspect import Reason, SuspectGolden, difference_lines, values_of
from rightcall.lint.confusability.word_use import request_words
from rightcall.metrics.matching.base import MISSING
from rightcall.model.golden import request_of
from rightcall.run.rehearsal.toolset import is_default
from rightcall.run.rehearsal.values import results_before

LEAST_AGREEMENT = 0.5
ENOUGH_AGENTS = 3


def agents_agree(suspect: SuspectGolden) -> Iterator[Reason]:
    """Half of the agents or more make the same other call, of at least two makers, and fewer pass."""
    votes, agreement = suspect.votes, suspect.votes.agreement
    if agreement is None or agreement.share < LEAST_AGREEMENT or agreement.share <= votes.passing:
        return
    if votes.n == 2 and len(agreement.agents) < 2:
        return
    likely = votes.n >= ENOUGH_AGENTS or (votes.n == 2 and not votes.passing)
    if votes.n == 1:
        sentence = f"the only agent ({agreement.agents[0]}) does something else" + (
            "" if not votes.passing else f" in {percent(agreement.share)} of its trials"
        )
    else:
        makers = pluralize(len(agreement.families), "maker")
        state = " leave the same other state" if agreement.in_world else ""
        passing = f"{percent(votes.passing)} pass" if votes.passing else "none passes"
        sentence = f"{len(agreement.agents)} of {votes.n} agents, of {makers},{state or ' agree'}; {passing}"
    yield Reason(
        "likely" if likely else "look",
        sentence,
        agreement,
        accept_alternative(suspect.golden, agreement.calls),
        tuple(difference_lines(suspect.difference)),
    )


FEWEST, MOST_PASSING = 5, 0.05
FEWEST_IN_WORLD, MOST_PASSING_IN_WORLD = 4, 0.15
"""Final states are reached in many ways, so that a few agents say more."""


def nobody_passes(suspect: SuspectGolden) -> Iterator[Reason]:
    """Enough agents tried, and next to none passes."""
    votes = suspect.votes
    fewest, most = (FEWEST_IN_WORLD, MOST_PASSING_IN_WORLD) if votes.in_world else (FEWEST, MOST_PASSING)
    if votes.n >= fewest and votes.passing <= most:
        who = "none" if not votes.passing else percent(votes.passing)
        lines = tuple(difference_lines(suspect.difference)) if votes.agreement else ()
        yield Reason("likely", f"{who} of {votes.n} agents passes", votes.agreement, evidence=lines)


ALIKE, SAME_COVER = 0.7, 0.05


def two_tools_fit(suspect: SuspectGolden) -> Iterator[Reason]:
    """Agents call another tool whose text is easily confused with the expected one's, and the request fits both."""
    agreement, tools = suspect.votes.agreement, suspect.difference.other_tool
    if agreement is None or tools is None:
        return
    (wanted, called), wording = tools, suspect.toolset.wording
    request = request_words(request_of(suspect.golden))
    apart = abs(wording.cover(request, wanted) - wording.cover(request, called))
    if suspect.toolset.confusability(wanted, called) >= ALIKE and apart <= SAME_COVER:
        sentence = f"the request fits {called} as well as {wanted}, and their texts are easily confused"
        yield Reason("look", sentence, agreement, accept_alternative(suspect.golden, agreement.calls))


def from_nowhere(suspect: SuspectGolden) -> Iterator[Reason]:
    """A required value stands in nothing that the agent reads, and agents pass another."""
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
