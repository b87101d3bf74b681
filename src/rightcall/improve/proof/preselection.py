"""Proposals on tune: which are better than the current definitions, and which of their sentences have no effect."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import msgspec

from rightcall.improve.hypothesis import ProposedChange
from rightcall.improve.patch import apply_changes, tokens_of
from rightcall.improve.proof.arms import Arm, Arms, Measured
from rightcall.improve.proposals import Proposal
from rightcall.lint.features.text import sentences
from rightcall.model.golden import AnyGolden
from rightcall.model.tool import Tool

FILLER = "This text describes what the tool does and how it is called in the usual way. "
WORDS_PER_TOKEN = 1 / 1.2


async def screening_rate(
    arms: Arms, proposal: Proposal, tune: Sequence[AnyGolden], bar: float
) -> float | None:
    """The rate on tune, one trial each; None when it was stopped because it could not reach the bar."""
    allowed = (1 - bar) * len(tune)

    def hopeless(measured: Sequence[Measured]) -> bool:
        return sum(r.judged and not r.passed for r in measured[0].results) > allowed + 1e-9

    (screening,) = await arms.run([arms.arm(proposal, tune, 1, "screening")], hopeless)
    return screening.rate() if len(screening.results) >= len(tune) else None


async def shorten_proposal(
    arms: Arms, proposal: Proposal, tune: Sequence[AnyGolden], rate: float
) -> tuple[Proposal, tuple[str, ...]]:
    """The proposal without added sentences that have no effect on tune, and those sentences."""
    struck: list[str] = []
    for at, sentence in [*_added_sentences(proposal)]:
        shorter = _without(proposal, at, sentence)
        if shorter.changes[at].after in ("", shorter.changes[at].before):
            continue
        without = await screening_rate(arms, shorter, tune, rate)
        if without is not None and without >= rate:
            proposal = shorter
            struck.append(sentence)
    return proposal, tuple(struck)


def _added_sentences(proposal: Proposal) -> Iterator[tuple[int, str]]:
    """Sentences that a proposal adds, where it adds more than one."""
    for at, change in enumerate(proposal.changes):
        if not isinstance(change.before, str | None) or not isinstance(change.after, str):
            continue
        old = set(sentences(change.before or ""))
        fresh = [sentence for sentence in sentences(change.after) if sentence not in old]
        if len(fresh) > 1:
            yield from ((at, sentence) for sentence in fresh)


def _without(proposal: Proposal, at: int, sentence: str) -> Proposal:
    change = proposal.changes[at]
    text = re.sub(rf"\s*{re.escape(sentence)}[.!?。！？]*", "", str(change.after), count=1).strip()
    fresh = ProposedChange(change.tool, change.path, change.before, text)
    return msgspec.structs.replace(
        proposal, changes=(*proposal.changes[:at], fresh, *proposal.changes[at + 1 :])
    )


def padded_control(
    tools: Sequence[Tool], system: str, proposal: Proposal, goldens: Sequence[AnyGolden], trials: int
) -> Arm:
    """The control for a longer text: the old one padded with meaningless words."""
    after = apply_changes(proposal.changes, tools, system)
    tokens = tokens_of(*after) - tokens_of(tools, system)
    words = (FILLER * (1 + tokens // 12)).split()
    text = " ".join(words[: max(1, round(tokens * WORDS_PER_TOKEN))])
    if any(not change.tool for change in proposal.changes):
        return Arm(tools, f"{system} {text}".strip(), goldens, trials, "control")
    longer = proposal.changes[0].tool
    padded_tools = [
        msgspec.structs.replace(tool, description=f"{tool.description} {text}")
        if tool.name == longer
        else tool
        for tool in tools
    ]
    return Arm(padded_tools, system, goldens, trials, "control")
