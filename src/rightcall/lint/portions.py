"""The work of a lint cut into portions that do not need each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rightcall.lint.checks import Found, features_of, found_in_set, found_in_tools, tool_features
from rightcall.lint.config import LintConfig
from rightcall.lint.diagnostic import Diagnostic
from rightcall.lint.evidence import Evidence
from rightcall.lint.features.effects import Kind
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.lockfile import Locked
from rightcall.lint.placing import diagnostic_of, not_ignored
from rightcall.lint.report import MOST_PAIRS, PairSummary
from rightcall.lint.rule import Rule
from rightcall.lint.source.tools import ToolSet
from rightcall.model.record import Record

WORTH_SHARING = 1000
"""Tools from which on starting further processes pays."""


class Portion(NamedTuple):
    """Tools `start` to `stop` of the set at a position; with `as_set`, the rules about sets too.

    A portion of no tools is about the set alone.
    """

    set: int
    start: int
    stop: int
    as_set: bool


class Linted(Record, frozen=True):
    """What came of a portion: findings, and tokens and effect of each of its tools."""

    set: int
    start: int
    diagnostics: list[Diagnostic]
    ignored: int
    facts: list[tuple[int, Kind]]
    pairs: list[PairSummary] = []


@dataclass(frozen=True)
class Work:
    """All that is needed to lint any portion of some sets."""

    sets: Sequence[ToolSet]
    config: LintConfig
    chosen: Sequence[Rule]
    locked: Locked | None
    evidence: Evidence
    queries: Sequence[tuple[str, str]]

    def do(self, share: Sequence[Portion]) -> list[Linted]:
        """Lint some portions."""
        return [self._lint(portion) for portion in share]

    def _lint(self, portion: Portion) -> Linted:
        tools = self.sets[portion.set]
        found: list[Found] = []
        pairs: list[PairSummary] = []
        mine: list[ToolFeatures] = []
        if portion.as_set:
            features = features_of(tools, self.config, self.locked, self.queries)
            mine = features.tools[portion.start : portion.stop]
            found += found_in_set(features, self.chosen)
            if "pairs" in features.__dict__:  # computed only when a rule asked for them
                pairs = [
                    PairSummary(pair.first.name, pair.second.name, round(pair.score, 4), pair.why, tools.name)
                    for pair in features.pairs[:MOST_PAIRS]
                ]
        else:
            mine = tool_features(tools.tools[portion.start : portion.stop], self.config)
        found += found_in_tools(mine, self.chosen)
        shown, ignored = not_ignored(found, self.config)
        diagnostics = [diagnostic_of(each, where, self.evidence) for each, where in shown]
        facts = [(tool.tokens, tool.effect.kind) for tool in mine]
        return Linted(portion.set, portion.start, diagnostics, ignored, facts, pairs)


def portions(sets: Sequence[ToolSet], processes: int) -> list[list[Portion]]:
    """A share of the portions for each process, of about equal weight; a single share for few tools."""
    total = sum(len(each.tools) for each in sets)
    if processes < 2 or total < WORTH_SHARING:
        return [[Portion(at, 0, len(each.tools), True) for at, each in enumerate(sets)]]
    most = math.ceil(total / processes)
    cut: list[Portion] = []
    for at, each in enumerate(sets):
        size = len(each.tools)
        if size <= most // 2:
            cut.append(Portion(at, 0, size, True))
        else:  # seeing all tools of a large set side by side takes about as long as seeing each alone
            cut.append(Portion(at, size, size, True))
            step = math.ceil(size / max(1, processes - 1))
            cut += [Portion(at, start, min(start + step, size), False) for start in range(0, size, step)]
    shares: list[list[Portion]] = [[] for _ in range(processes)]
    weights = [0] * processes
    for portion in sorted(cut, key=lambda each: -_weight(each, sets)):
        lightest = weights.index(min(weights))
        shares[lightest].append(portion)
        weights[lightest] += _weight(portion, sets)
    return [share for share in shares if share]


def _weight(portion: Portion, sets: Sequence[ToolSet]) -> int:
    return portion.stop - portion.start + portion.as_set * len(sets[portion.set].tools)
