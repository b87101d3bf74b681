"""Proposals before proof: which must not be tried, which are better on tune, and which sentences have no effect.

A proposal must not copy goldens, nor give the linter anything new to find.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

import msgspec

from rightcall.improve.argument_kind import UNJUDGED, plain_value
from rightcall.improve.golden_facts import calls_expected
from rightcall.improve.hypothesis import ProposedChange
from rightcall.improve.patch import apply_changes, tokens_of
from rightcall.improve.proof.arms import Arm, Arms, Measured
from rightcall.improve.proposals import Proposal
from rightcall.lint.engine import lint
from rightcall.lint.features.text import sentences
from rightcall.model.golden import AnyGolden, request_of
from rightcall.model.tool import Tool

COPIED_WORDS = 6
SHORTEST_VALUE = 4
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W_]+(?:['’][^\W_]+)*", re.UNICODE)
"""A word, or a single character of a script that writes words without spaces."""
_CHARACTERS = 2
"""Characters of such a script that count as one word."""


def refusal(proposal: Proposal, tools: Sequence[Tool], system: str, tune: Iterable[AnyGolden]) -> str:
    """Why a proposal must not be tried; empty when it may."""
    after, _ = apply_changes(proposal.changes, tools, system)
    if copied := _words_of_goldens(proposal, tools, tune):
        return f"it copies '{copied[:60]}' from a golden, which would leak the test into the definition"
    gained = _diagnostics(after) - _diagnostics(tools)
    if gained:
        code, tool = min(gained)
        return f"the linter finds {code} on {tool or 'the set'}, which was not there before"
    return ""


def _words_of_goldens(proposal: Proposal, tools: Sequence[Tool], tune: Iterable[AnyGolden]) -> str:
    old, new = (" ".join(_texts(proposal.changes, side)).lower() for side in ("before", "after"))
    old_words, new_words = f" {' '.join(words_of(old))} ", f" {' '.join(words_of(new))} "
    allowed = _schema_words(tools, proposal)

    def is_added(words: str) -> bool:
        return f" {words} " in new_words and f" {words} " not in old_words

    for golden in tune:
        for run in _runs(words_of(request_of(golden).lower())):
            if is_added(run):
                return run
        for value in _values(golden):
            spoken = " ".join(words_of(value.lower()))
            telling = " " in spoken or (proposal.source == "model" and spoken not in allowed)
            if telling and len(spoken) >= SHORTEST_VALUE and is_added(spoken):
                return value
    return ""


def _texts(changes: Iterable[ProposedChange], side: str) -> list[str]:
    texts = [
        getattr(change, side) for change in changes if change.path[-1:] in (("description",), ("system",))
    ]
    return [text for text in texts if isinstance(text, str)]


def words_of(text: str) -> list[str]:
    """The words of a text in any script; without spaces between words, every character is one."""
    return _WORD.findall(text)


def _runs(words: Sequence[str]) -> Iterator[str]:
    """Six consecutive words, or twelve characters of a script without spaces."""
    for at in range(len(words)):
        length, end = 0.0, at
        while end < len(words) and length < COPIED_WORDS:
            length += 1.0 / _CHARACTERS if len(words[end]) == 1 and ord(words[end]) > 0x3000 else 1.0
            end += 1
        if length >= COPIED_WORDS:
            yield " ".join(words[at:end])


def _values(golden: AnyGolden) -> Iterator[str]:
    for _, args in calls_expected(golden):
        for value in args.values():
            plain = plain_value(value)
            if plain is not UNJUDGED and isinstance(plain, str):
                yield plain


def _schema_words(tools: Sequence[Tool], proposal: Proposal) -> set[str]:
    """Values that a description may name: those of an enum, and names of tools and parameters."""
    words = {tool.name for tool in tools}
    for tool in tools:
        for name, schema in tool.parameters.items():
            words.add(name)
            if isinstance(schema, dict) and isinstance(schema.get("enum"), list):
                words |= {str(value) for value in schema["enum"]}
    for change in proposal.changes:
        if change.path[-1:] == ("enum",) and isinstance(change.after, list):
            words |= {str(value) for value in change.after}
    return {" ".join(words_of(text.lower())) for text in words}


def _diagnostics(tools: Sequence[Tool]) -> frozenset[tuple[str, str]]:
    return _diagnostics_of(msgspec.json.encode(list(tools)))


@lru_cache(maxsize=32)  # every proposal is compared with the same definitions
def _diagnostics_of(encoded: bytes) -> frozenset[tuple[str, str]]:
    report = lint(msgspec.json.decode(encoded, type=list[Tool]))
    return frozenset(
        (diagnostic.code, diagnostic.tool)
        for diagnostic in report.diagnostics
        if diagnostic.severity in ("error", "warning")
    )


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
