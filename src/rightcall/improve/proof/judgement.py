"""Which proposals are tried, which are better on tune, and what one does in proof: its gain, its effect elsewhere."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from statistics import NormalDist

import msgspec

from rightcall.core.text import points
from rightcall.decide.comparison import compare
from rightcall.improve.argument_kind import UNJUDGED, plain_value
from rightcall.improve.counters import mean
from rightcall.improve.golden_facts import calls_expected, first_expected_tool
from rightcall.improve.hypothesis import ProposedChange
from rightcall.improve.improvement import DangerLeft, ToolEffect, Tried, apply_changes
from rightcall.improve.proof.arms import Arms, Measured
from rightcall.improve.proposals import Proposal
from rightcall.lint.engine import lint
from rightcall.records.failure import SORTS, dangers_of
from rightcall.records.golden import AnyGolden, request_of
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool
from rightcall.stats.paired_tests import paired_t
from rightcall.stats.permutation import sign_flip

MARGIN = 0.05
WORSE = 0.10
FEWEST_OF_TOOL = 5
NO_CALL = "no call"
LOSS_ALPHA = 0.05


def judge_proposal(
    seen: Tried, exposed: Sequence[AnyGolden], proof: Sequence[AnyGolden], before: Measured, after: Measured
) -> Tried:
    """A proposal with its numbers in proof, over the goldens that are finished in both arms.

    What got no answer counts against the proposal: as passed before and as failed after it.
    """
    old = before.rates(unanswered=1.0)
    new = after.rates(unanswered=0.0)
    both = frozenset(old) & frozenset(new)
    ids, d, clusters = differences(exposed, old, new)
    interval = paired_t(d, clusters).interval if d else None
    whole = compare(before.outcomes(both), after.outcomes(both), margin=MARGIN)
    effects, worse = _by_tool([golden for golden in proof if golden.id in both], before, after)
    unclear = [e for e in effects if e.goldens < FEWEST_OF_TOOL or e.low is None or e.low < -WORSE]
    seen = msgspec.structs.replace(
        seen,
        before=mean([old[name] for name in ids]),
        after=mean([new[name] for name in ids]),
        low=max(-1.0, interval.low) if interval else None,
        high=min(1.0, interval.high) if interval else None,
        p=one_sided(d, clusters),
        whole=whole.change,
        by_tool=effects,
        worse_tools=worse,
        not_shown=tuple(effect.tool for effect in unclear),
        fixed=whole.fixed,
        broken=whole.broken,
    )
    return msgspec.structs.replace(seen, refused=_harm(seen, {c: g for c, g in whole.alarms.items() if g}))


def danger_left(
    tools: Sequence[Tool], before: Iterable[CaseResult], after: Iterable[CaseResult]
) -> tuple[DangerLeft, ...]:
    """Every sort of danger that trials had before or have after, the worst first."""
    by_name = {tool.name: tool for tool in tools}
    old = Counter(chain.from_iterable(dangers_of(result.codes, by_name) for result in before))
    new = [(sort, result.golden_id) for result in after for sort in dangers_of(result.codes, by_name)]
    return tuple(
        DangerLeft(sort, old[sort], len(ids), tuple(sorted(set(ids))))
        for sort in SORTS
        if (ids := [golden for some, golden in new if some == sort]) or old[sort]
    )


def differences(
    goldens: Sequence[AnyGolden], old: Mapping[str, float], new: Mapping[str, float]
) -> tuple[list[str], list[float], list[str]]:
    """Ids, differences and clusters of the goldens that both arms finished."""
    kept = [golden for golden in goldens if golden.id in old and golden.id in new]
    return (
        [golden.id for golden in kept],
        [new[golden.id] - old[golden.id] for golden in kept],
        [golden.cluster or golden.id for golden in kept],
    )


def one_sided(d: Sequence[float], clusters: Sequence[str]) -> float:
    """The probability of such a gain if the proposal had no effect: one-sided sign-flip test over clusters."""
    return sign_flip(d, clusters=clusters) / 2 if sum(d) > 0 else 1.0


def significantly_different(first: Measured, second: Measured, goldens: Sequence[AnyGolden]) -> bool:
    """Whether two proposals differ beyond noise."""
    _, d, clusters = differences(goldens, first.rates(), second.rates())
    interval = paired_t(d, clusters).interval if d else None
    return interval is not None and not interval.low <= 0 <= interval.high


def _by_tool(
    goldens: Sequence[AnyGolden], before: Measured, after: Measured
) -> tuple[tuple[ToolEffect, ...], tuple[str, ...]]:
    """The effect on the goldens of each tool; and tools that lost more than ten points, or negatives more than five,
    beyond what trials vary by.
    """
    old = before.rates(unanswered=1.0)
    new = after.rates(unanswered=0.0)
    trials = before.arm.trials
    groups: dict[str, list[AnyGolden]] = {}
    for golden in goldens:
        groups.setdefault(first_expected_tool(golden) or NO_CALL, []).append(golden)
    effects = list[ToolEffect]()
    worse = list[str]()
    for name, members in sorted(groups.items()):
        ids, d, clusters = differences(members, old, new)
        interval = paired_t(d, clusters).interval
        means = mean([old[golden_id] for golden_id in ids]), mean([new[golden_id] for golden_id in ids])
        effect = ToolEffect(name, len(ids), *means, interval.low if interval else None)
        effects.append(effect)
        spread = sum(_spread(old[golden_id], trials) + _spread(new[golden_id], trials) for golden_id in ids)
        z = effect.difference * len(ids) / spread**0.5 if spread else 0.0
        limit, level = (MARGIN, LOSS_ALPHA) if name == NO_CALL else (WORSE, LOSS_ALPHA / len(groups))
        if effect.difference < -limit and NormalDist().cdf(z) <= level:
            worse.append(name)
    return tuple(effects), tuple(worse)


def _spread(rate: float, trials: int) -> float:
    """The variance of a golden's rate over trials; half a pass and half a failure are added to what was seen."""
    p = (rate * trials + 0.5) / (trials + 1)
    return p * (1 - p) / trials


def _harm(seen: Tried, alarms: Mapping[str, Sequence[str]]) -> str:
    """Why a proposal is rejected despite its gain; empty when it harms nothing."""
    if alarms:
        code, ids = next(iter(alarms.items()))
        return f"{code} is new in {', '.join(ids[:3])}"
    for effect in seen.by_tool:
        if effect.tool in seen.worse_tools:
            difference = points(effect.difference, 0)
            where = "goldens that want no call" if effect.tool == NO_CALL else f"goldens of {effect.tool}"
            return f"it makes {where} worse: {difference} on {effect.goldens}"
    return ""


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
