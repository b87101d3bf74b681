"""Proposals before proof: which must not be tried, and which are better on tune.

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
from rightcall.improve.patch import apply_changes
from rightcall.improve.proof.arms import Arms, Measured
from rightcall.improve.proposals import Proposal
from rightcall.lint.engine import lint
from rightcall.records.golden import AnyGolden, request_of
from rightcall.records.tool import Tool

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
    old_words = f" {' '.join(words_of(old))} "
    new_words = f" {' '.join(words_of(new))} "
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
        length = 0.0
        end = at
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


async def screening_rate(
    arms: Arms, proposal: Proposal, tune: Sequence[AnyGolden], bar: float
) -> float | None:
    """The rate on tune, one trial each; None when it was stopped because it could not reach the bar."""
    allowed = (1 - bar) * len(tune)

    def hopeless(measured: Sequence[Measured]) -> bool:
        return sum(r.judged and not r.passed for r in measured[0].results) > allowed + 1e-9

    (screening,) = await arms.run([arms.arm(proposal, tune, 1, "screening")], hopeless)
    return screening.rate() if len(screening.results) >= len(tune) else None
