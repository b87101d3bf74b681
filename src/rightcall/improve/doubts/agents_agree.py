"""Half of the agents or more make the same other call, of at least two makers, and fewer pass."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.core.text import percent, pluralize
from rightcall.improve.golden_edit import accept_alternative
from rightcall.improve.suspect import Reason, SuspectGolden, difference_lines

LEAST_SHARE = 0.5
ENOUGH = 3


def reasons(suspect: SuspectGolden) -> Iterator[Reason]:
    votes, agreement = suspect.votes, suspect.votes.agreement
    if agreement is None or agreement.share < LEAST_SHARE or agreement.share <= votes.passing:
        return
    if votes.n == 2 and len(agreement.agents) < 2:
        return
    likely = votes.n >= ENOUGH or (votes.n == 2 and not votes.passing)
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
