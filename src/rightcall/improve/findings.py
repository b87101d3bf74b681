"""The result of `analyze`: ordered findings, tables, and their JSON format."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from rightcall.core.text import percent, pluralize
from rightcall.files.documents import pointer_parts
from rightcall.improve.causes import all_hypotheses
from rightcall.improve.counters import Case, GoldenTrials, most_common
from rightcall.improve.evidence import THIS_RUN, Evidence, seeds_guidance
from rightcall.improve.golden_facts import typical_goldens
from rightcall.improve.hypothesis import Cause, ProposedChange
from rightcall.improve.rank import Explained, Ranking, rank
from rightcall.improve.suspicion import find_suspect, settle_suspects
from rightcall.improve.votes import RunVotes, Voter
from rightcall.lint.engine import lint
from rightcall.model.tool import Tool
from rightcall.stats.clusters import sample
from rightcall.stats.mean_interval import estimate

FORMAT = "rightcall/analysis/1"
ABOUT_TEXTS = frozenset(
    ("required_missing", "parameter_description_missing", "descriptions_swapped", "ambiguous_name", "type_unclear",
     "no_abstention_guidance")
)  # fmt: skip
"""Causes for which the definitions and the prompt must be known."""
MOST_GOLDENS = 1_000
MOST_VALUES = 5

Inputs = Callable[[Sequence[str]], Mapping[str, str]]
"""From golden ids to their inputs, for choosing typical examples."""


class WonBack(msgspec.Struct, frozen=True):
    """Upper bound on the goldens that would pass if the cause were gone, with its 95 % interval."""

    cases: float
    low: float
    high: float
    of: int


class RunFinding(msgspec.Struct, frozen=True):
    """One explained group of failures. `stated` means that it is unlikely to be chance; others are weak.

    `goldens` lists up to 1,000 of them; `count` is their number. `trials` are failed trials, each of which
    is in one finding only. `change` is empty where no text can be derived. `danger` is the worst sort of danger (see
    `model.danger`) in `dangerous` of its trials.
    """

    rank: int
    cause: Cause
    stated: bool
    tools: tuple[str, ...]
    goldens: tuple[str, ...]
    what: str
    advice: str
    won_back: WonBack
    plausibility: float
    trials: int
    parameters: tuple[str, ...] = ()
    lint: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    change: tuple[ProposedChange, ...] = ()
    examples: tuple[str, ...] = ()
    count: int = 0
    danger: str = ""
    dangerous: int = 0

    @property
    def place(self) -> str:
        """Where it is, as `tool.parameter`, `one, two` or nothing for the whole set."""
        tools = ", ".join(self.tools)
        return f"{tools}.{', '.join(self.parameters)}" if self.parameters else tools


class ParameterRow(msgspec.Struct, frozen=True):
    """One parameter: how often it was wrong, and how."""

    tool: str
    parameter: str
    expected: int
    wrong: int
    kinds: dict[str, int]
    expected_actual: tuple[tuple[Any, Any, int], ...] = ()


class Analysis(msgspec.Struct, frozen=True):
    """Why a run fails: findings, dangerous first, then the most certain and largest, and the tables behind them.

    `attempts` of the run, attacks and their benign twins, are not analyzed: a planted text is no fault of a definition,
    and the attempts on a task repeat its failures.
    """

    run: str
    failed: int
    trials: int
    goldens: int
    findings: tuple[RunFinding, ...]
    confusion: tuple[tuple[str, str, int], ...]
    parameters: tuple[ParameterRow, ...]
    guidance: tuple[str, ...] = ()
    known: bool = True
    attempts: int = 0
    format: str = FORMAT

    @property
    def attempts_note(self) -> str:
        """That attempts are not analyzed, and where they are shown; empty for a run without attacks."""
        count = pluralize(self.attempts, "golden")
        return (
            f"{count} with attacks or benign twins not analyzed: see `rightcall runs report`"
            if self.attempts
            else ""
        )

    @property
    def stated(self) -> tuple[RunFinding, ...]:
        """The findings that are unlikely to be chance."""
        return tuple(finding for finding in self.findings if finding.stated)


def analyze_trials(
    tools: Sequence[Tool],
    trials: Iterable[GoldenTrials],
    *,
    system: str = "",
    voter: Voter = THIS_RUN,
    others: Mapping[str, RunVotes] | None = None,
    inputs: Inputs | None = None,
    known: bool = True,
) -> Analysis:
    """Explain the failures of goldens as they stream by. `others` are the votes of further runs, by run.

    `known` is false for tools of which only names are known.
    """
    others = others or {}
    evidence = Evidence(
        tools,
        system=system,
        lint_codes=lint_places(tools) if known else {},
        voter=voter,
        others=others.values(),
        known=known,
        suspect_of=find_suspect,
    )
    attempts = 0
    for trials_of_golden in trials:
        if trials_of_golden.golden.safety is None:
            evidence.add(trials_of_golden)
        else:
            attempts += 1
    evidence.cases.sort(key=lambda case: case.id)
    settle_suspects(evidence)
    hypotheses = [h for h in all_hypotheses(evidence) if known or h.cause not in ABOUT_TEXTS]
    ranking = rank(evidence, hypotheses)
    findings = [
        _finding(evidence, number, explained, ranking.background, inputs)
        for number, explained in enumerate(ranking.explained, start=1)
    ]
    findings += _rest(evidence, ranking, len(findings))
    return Analysis(
        run="",
        failed=sum(case.failed for case in evidence.cases),
        trials=sum(case.trials for case in evidence.cases),
        goldens=len(evidence.cases),
        findings=tuple(findings),
        confusion=_confusion(evidence),
        parameters=_parameter_rows(evidence),
        guidance=seeds_guidance(evidence),
        known=known,
        attempts=attempts,
    )


def _finding(
    evidence: Evidence, number: int, explained: Explained, background: float, inputs: Inputs | None
) -> RunFinding:
    hypothesis = explained.hypothesis
    ids = [case.id for case in evidence.goldens_with(explained.symptoms)]
    return RunFinding(
        rank=number,
        cause=hypothesis.cause,
        stated=explained.stated,
        tools=hypothesis.tools,
        parameters=hypothesis.parameters,
        goldens=tuple(ids[:MOST_GOLDENS]),
        count=len(ids),
        what=hypothesis.what,
        advice=hypothesis.advice,
        won_back=_gain(evidence, explained, background),
        plausibility=round(hypothesis.weight.plausibility, 3),
        trials=explained.trials,
        lint=hypothesis.lint,
        evidence=tuple(hypothesis.weight.reasons) if evidence.known else (),
        change=hypothesis.change if evidence.known else (),
        examples=typical_goldens(ids, inputs),
        danger=explained.danger,
        dangerous=explained.dangerous,
    )


def _gain(evidence: Evidence, cause: Explained, background: float) -> WonBack:
    """The gain with the interval of the explained share over the exposed goldens, minus what chance explains."""
    symptoms = frozenset(cause.symptoms)
    exposed = [case for case in evidence.cases if _is_exposed(case, cause)]
    trials = []
    for case in exposed:
        explained = sum(count for number, count in case.cells if number in symptoms)
        trials.append([1.0] * explained + [0.0] * (case.trials - explained))
    by_chance = background * len(exposed)
    if not trials:
        return WonBack(round(cause.gain, 2), 0.0, round(cause.share, 2), len(evidence.cases))
    gain = estimate(sample(trials, [case.cluster for case in exposed]))
    low, high = (max(0.0, edge * len(exposed) - by_chance) for edge in (gain.low, gain.high))
    return WonBack(
        round(cause.gain, 2),
        round(min(low, cause.gain), 2),
        round(max(high, cause.gain), 2),
        len(evidence.cases),
    )


def _is_exposed(case: Case, explained: Explained) -> bool:
    if explained.hypothesis.about == "golden":
        return case.suspect
    return explained.hypothesis.exposed is None or not case.classes.isdisjoint(explained.hypothesis.exposed)


def _rest(evidence: Evidence, ranking: Ranking, taken: int) -> list[RunFinding]:
    """Unexplained failures: goldens that pass sometimes, and others."""
    left = frozenset(ranking.left)
    counts = [(case, sum(times for number, times in case.cells if number in left)) for case in evidence.cases]
    flaky = [(case, count) for case, count in counts if count and case.failed < case.trials]
    solid = [(case, count) for case, count in counts if count and case.failed >= case.trials]
    findings: list[RunFinding] = []
    for group in filter(None, (flaky, solid)):
        ids, trials = tuple(case.id for case, _ in group), sum(count for _, count in group)
        if group is flaky:
            what = f"{pluralize(len(ids), 'golden')} with trials that pass and trials that fail"
            advice = f"They fail in {trials} trials and pass in others. "
            advice += "More trials would show whether there is a pattern."
        else:
            what, chance = f"{trials} failures without a pattern", percent(ranking.background, 0)
            advice = f"No pattern: {trials} failures, about as many as expected by chance ({chance})."
        most = round(sum(count / case.trials for case, count in group), 2)
        findings.append(
            RunFinding(
                rank=taken + len(findings) + 1,
                cause="flaky" if group is flaky else "unexplained",
                stated=False,
                tools=(),
                goldens=ids[:MOST_GOLDENS],
                what=what,
                advice=advice,
                won_back=WonBack(0.0, 0.0, most, len(evidence.cases)),
                plausibility=0.0,
                trials=trials,
                examples=ids[:2],
                count=len(ids),
            )
        )
    return findings


def _confusion(evidence: Evidence) -> tuple[tuple[str, str, int], ...]:
    counts = Counter[tuple[str, str]]()
    for seen in evidence.seen:
        symptom = seen.symptom
        if symptom.group == "miss":
            cell = symptom.tool, symptom.called or "none"
        elif symptom.group == "invented":
            cell = symptom.tool or "none", "invented"
        elif symptom.group == "extra":
            cell = "none", symptom.tool
        else:
            continue
        counts[cell] += seen.trials
    return tuple((*cell, times) for cell, times in most_common(counts) if times)


def _parameter_rows(evidence: Evidence) -> tuple[ParameterRow, ...]:
    rows = []
    for (tool, name), row in evidence.parameters.items():
        wrong = row.kinds.total()
        if wrong and name:
            kinds = dict(most_common(row.kinds))
            shown = tuple((*row.raw[pair], times) for pair, times in most_common(row.pairs)[:MOST_VALUES])
            rows.append(ParameterRow(tool, name, row.expected, wrong, kinds, shown))
    return tuple(sorted(rows, key=lambda r: (-r.wrong, r.tool, r.parameter)))


MOST_LINTED = 400
"""Tools beyond which linting would take longer than the analysis."""


def lint_places(tools: Sequence[Tool]) -> Mapping[tuple[str, str], frozenset[str]]:
    """Codes by (tool, parameter), with "" for the tool itself, and by (tool, other tool) for pairs."""
    if not tools or len(tools) > MOST_LINTED:
        return {}
    codes_by_place: defaultdict[tuple[str, str], set[str]] = defaultdict(set)
    for diagnostic in lint(tools).diagnostics:
        codes_by_place[diagnostic.tool, _parameter(diagnostic.pointer)].add(diagnostic.code)
        for other in diagnostic.others:
            codes_by_place[diagnostic.tool, other].add(diagnostic.code)
            codes_by_place[other, diagnostic.tool].add(diagnostic.code)
    return {place: frozenset(codes) for place, codes in codes_by_place.items()}


def _parameter(pointer: str) -> str:
    """The parameter that a JSON pointer refers to; "" for the tool itself."""
    parts = ["", *pointer_parts(pointer)]
    for at, part in enumerate(parts[:-1]):
        if part == "properties" and at >= 1:
            return parts[at + 1]
    return ""
