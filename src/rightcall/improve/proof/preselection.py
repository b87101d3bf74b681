"""Proposals on tune: which are better than the current definitions, and which of their sentences have no effect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from rightcall.improve.hypothesis import ProposedChange
from rightcall.improve.patch import applied, tokens_of
from rightcall.improve.proof.arms import Arm, Arms, Measured
from rightcall.improve.proposals import Proposal
from rightcall.lint.features.text import sentences
from rightcall.model.golden import AnyGolden
from rightcall.model.tool import Tool

FILLER = "This text describes what the tool does and how it is called in the usual way. "
WORDS_PER_TOKEN = 1 / 1.2


async def screened(arms: Arms, one: Proposal, tune: Sequence[AnyGolden], bar: float) -> float | None:
    """The rate on tune, one trial each; None when it was stopped because it could not reach the bar."""
    allowed = (1 - bar) * len(tune)

    def hopeless(measured: Sequence[Measured]) -> bool:
        return sum(r.judged and not r.passed for r in measured[0].results) > allowed + 1e-9

    (found,) = await arms.run([arms.arm(one, tune, 1, "screening")], hopeless)
    return found.rate() if len(found.results) >= len(tune) else None


async def shortened(
    arms: Arms, one: Proposal, tune: Sequence[AnyGolden], rate: float
) -> tuple[Proposal, tuple[str, ...]]:
    """The proposal without added sentences that have no effect on tune, and those sentences."""
    struck: list[str] = []
    for at, sentence in [*_added(one)]:
        shorter = _without(one, at, sentence)
        if shorter.changes[at].after in ("", shorter.changes[at].before):
            continue
        without = await screened(arms, shorter, tune, rate)
        if without is not None and without >= rate:
            one = shorter
            struck.append(sentence)
    return one, tuple(struck)


def _added(one: Proposal) -> Iterator[tuple[int, str]]:
    """Sentences that a proposal adds, where it adds more than one."""
    for at, change in enumerate(one.changes):
        if not isinstance(change.before, str | None) or not isinstance(change.after, str):
            continue
        old = set(sentences(change.before or ""))
        fresh = [sentence for sentence in sentences(change.after) if sentence not in old]
        if len(fresh) > 1:
            yield from ((at, sentence) for sentence in fresh)


def _without(one: Proposal, at: int, sentence: str) -> Proposal:
    change = one.changes[at]
    text = re.sub(rf"\s*{re.escape(sentence)}[.!?。！？]*", "", str(change.after), count=1).strip()
    fresh = ProposedChange(change.tool, change.path, change.before, text)
    return msgspec.structs.replace(one, changes=(*one.changes[:at], fresh, *one.changes[at + 1 :]))


def padded(
    tools: Sequence[Tool], system: str, one: Proposal, goldens: Sequence[AnyGolden], trials: int
) -> Arm:
    """The control for a longer text: the old one padded with meaningless words."""
    after = applied(one.changes, tools, system)
    tokens = tokens_of(*after) - tokens_of(tools, system)
    words = (FILLER * (1 + tokens // 12)).split()
    text = " ".join(words[: max(1, round(tokens * WORDS_PER_TOKEN))])
    if any(not change.tool for change in one.changes):
        return Arm(tools, f"{system} {text}".strip(), goldens, trials, "control")
    longer = one.changes[0].tool
    made = [
        msgspec.structs.replace(tool, description=f"{tool.description} {text}")
        if tool.name == longer
        else tool
        for tool in tools
    ]
    return Arm(made, system, goldens, trials, "control")
