"""Which of two answers to the same request a judge prefers, asked in both orders.

The place of an answer sways judges: in public data the first place won 3.6 times as often where the orders disagreed. So a
preference counts only if both orders agree; else the pair is a tie with the code `judge_split`, and never a win.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, Literal

from rightcall.metrics.judged.question import votes_of
from rightcall.metrics.judged.vote import Vote
from rightcall.model.failure import JudgeCode
from rightcall.model.record import Record
from rightcall.model.trajectory import Usage
from rightcall.models.base import Provider
from rightcall.models.endpoint import ModelEndpoint

RULE = (
    "The material has two answers to the same request, `first` and `second`. It passes if and only if `first` is better "
    "than `second` by this rubric: {rubric}"
)


class Preference(Record, frozen=True):
    """The answer that both orders prefer, or a tie; `code` says why there is no preference.

    `first_place` says that each order preferred the answer that it showed first.
    """

    winner: Literal["a", "b", "tie", ""]
    reason: str = ""
    code: JudgeCode | None = None
    first_place: bool = False
    usage: Usage = Usage()


Prefers = Callable[[Any, Any, Any], Coroutine[Any, Any, Preference]]


def prefers(model: str | ModelEndpoint | Provider, rubric: str, *, seed: int = 0, cache: str = "") -> Prefers:
    """A judge of pairs: called with a request and the two answers, it says which is better by the rubric."""

    async def preference(request: Any, a: Any, b: Any) -> Preference:
        rule = RULE.format(rubric=rubric)
        shown = [{"request": request, "first": one, "second": other} for one, other in ((a, b), (b, a))]
        asked = (votes_of(model, rule, material, votes=1, seed=seed, cache=cache) for material in shown)
        (a_first,), (b_first,) = await asyncio.gather(*asked)
        return combine_orders(a_first, b_first)

    return preference


def combine_orders(a_first: Vote, b_first: Vote) -> Preference:
    """What the two orders say together."""
    used = a_first.usage.plus(b_first.usage)
    for vote in (a_first, b_first):
        if vote.error:
            return Preference("", vote.error, vote.code, usage=used)
    if a_first.passed == b_first.passed:
        why = "the two orders disagree"
        return Preference("tie", why, "judge_split", first_place=a_first.passed, usage=used)
    return Preference("a" if a_first.passed else "b", a_first.reason, usage=used)
