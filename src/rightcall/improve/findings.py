"""The result of `analyze`: ordered findings, tables, and their JSON format."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from rightcall.core.text import percent, pluralize
from rightcall.files.documents import pointer_parts
from rightcall.improve.causes import all_hypotheses
from rightcall.improve.changes import ChangeItem
from rightcall.improve.counters import Case, GoldenTrials, most_common
from rightcall.improve.evidence import THIS_RUN, Evidence
from rightcall.improve.golden_facts import typical_goldens
from rightcall.improve.hypothesis import Cause, ProposedChange
from rightcall.improve.rank import Explained, Ranking, rank
from rightcall.improve.reference import SincePassing
from rightcall.improve.suspicion import find_suspect, settle_suspects
from rightcall.improve.symptom import Symptom, symptom_sentence
from rightcall.improve.votes import RunVotes, Voter
from rightcall.lint.engine import lint
from rightcall.records.failure import SORTS
from rightcall.records.tool import Tool
from rightcall.stats.clusters import estimate, sample

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

    What is `likely` is no chance, but may be seen in too few goldens to be stated.
    `goldens` lists up to 1,000 of them; `count` is their number. `trials` are failed trials, each of which
    is in one finding only. `change` is empty where no text can be derived. `danger` is the worst sort of danger (see
    `model.danger`) in `dangerous` of its trials. `since` is the run in which its goldens last passed, and `changed`
    what changed after it, the most suspect first.
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
    likely: bool = False
    since: str = ""
    changed: tuple[ChangeItem, ...] = ()

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
    """Why a run fails: findings, what changed first, then the most certain and largest, and wrong parameters.

    `attempts` of the run, attacks and their benign twins, are not analyzed: a planted text is no fault of a definition,
    and the attempts on a task repeat its failures. `failing` are goldens with a failed trial. `owned` is false where
    the definitions belong to the agent's code.
    """

    run: str
    failed: int
    trials: int
    goldens: int
    findings: tuple[RunFinding, ...]
    parameters: tuple[ParameterRow, ...]
    known: bool = True
    attempts: int = 0
    failing: int = 0
    owned: bool = True
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
    system: str | None = "",
    voter: Voter = THIS_RUN,
    others: Mapping[str, RunVotes] | None = None,
    inputs: Inputs | None = None,
    known: bool = True,
    since: Sequence[SincePassing] = (),
) -> Analysis:
    """Explain the failures of goldens as they stream by. `others` are the votes of further runs, by run.

    `known` is false for tools of which only names are known. Goldens that passed before are explained by what changed
    `since`, and by other causes only where no change touches them.
    """
    others = others or {}
    green = frozenset().union(*(change.goldens for change in since))
    by_change = {
        golden: at
        for at, change in enumerate(since)
        if change.items or change.sure
        for golden in change.goldens
    }
    broken = Evidence(tools, system=system, known=known)
    evidence = Evidence(
        tools,
        system=system,
        lint_codes=lint_places(tools) if known else {},
        voter=voter,
        others=others.values(),
        known=known,
        suspect_of=find_suspect,
        green=green,
    )
    attempts = 0
    for trials_of_golden in trials:
        golden = trials_of_golden.golden
        if golden.safety is not None:
            attempts += 1
        elif trials_of_golden.failed and golden.id in by_change:
            broken.add(trials_of_golden)
        else:
            evidence.add(trials_of_golden)
    for part in (evidence, broken):
        part.cases.sort(key=lambda case: case.id)
    settle_suspects(evidence)
    hypotheses = [h for h in all_hypotheses(evidence) if known or h.cause not in ABOUT_TEXTS]
    ranking = rank(evidence, hypotheses)
    cases = [*evidence.cases, *broken.cases]
    findings = [
        *findings_of_changes(broken, since, by_change, inputs, of=len(cases)),
        *(
            _finding(evidence, 0, explained, ranking.background, inputs=inputs)
            for explained in ranking.explained
        ),
        *_rest(evidence, ranking),
    ]
    findings = [msgspec.structs.replace(finding, rank=at) for at, finding in enumerate(findings, start=1)]
    return Analysis(
        run="",
        failed=sum(case.failed for case in cases),
        trials=sum(case.trials for case in cases),
        goldens=len(cases),
        findings=tuple(findings),
        parameters=_parameter_rows(evidence),
        known=known,
        attempts=attempts,
        failing=sum(case.failed > 0 for case in cases),
    )


def _finding(
    evidence: Evidence, number: int, explained: Explained, background: float, inputs: Inputs | None
) -> RunFinding:
    hypothesis = explained.hypothesis
    ids = [case.id for case in evidence.goldens_with(explained.symptoms)]
    counts = {evidence.seen[number].symptom: evidence.seen[number].trials for number in explained.symptoms}
    return RunFinding(
        rank=number,
        cause=hypothesis.cause,
        stated=explained.stated,
        likely=explained.likely,
        tools=hypothesis.tools,
        parameters=hypothesis.parameters,
        goldens=tuple(ids[:MOST_GOLDENS]),
        count=len(ids),
        what=hypothesis.what if explained.stated else symptom_sentence(counts),
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


NOTHING_CHANGED = (
    "Nothing that can be read has changed since they passed: it may be chance, a service or its data."
)


def findings_of_changes(
    broken: Evidence,
    since: Sequence[SincePassing],
    by_change: Mapping[str, int],
    inputs: Inputs | None,
    *,
    of: int,
) -> list[RunFinding]:
    """A finding for each change that goldens broke by, and for those since which nothing that can be read changed."""
    findings = []
    for at, change in enumerate(since):
        cases = [case for case in broken.cases if by_change.get(case.id) == at]
        if not cases:
            continue
        symptoms = Counter[Symptom]()
        for case in cases:
            for number, times in case.cells:
                symptoms[broken.seen[number].symptom] += times
        ids = [case.id for case in cases]
        dangers = Counter(symptom.danger for symptom in symptoms.elements() if symptom.danger)
        share = round(sum(case.failed / case.trials for case in cases), 2)
        first = change.items[0] if change.items else None
        findings.append(
            RunFinding(
                rank=0,
                cause="changed" if first else "unexplained",
                stated=bool(first) and change.sure,
                tools=(first.tool,) if first and first.tool else (),
                parameters=(first.parameter,) if first and first.parameter else (),
                goldens=tuple(ids[:MOST_GOLDENS]),
                count=len(ids),
                what=symptom_sentence(symptoms),
                advice="Take it back, or let the goldens say what is right now."
                if first
                else NOTHING_CHANGED,
                won_back=WonBack(share, 0.0, share, of),
                plausibility=1.0 if first else 0.0,
                trials=sum(case.failed for case in cases),
                examples=typical_goldens(ids, inputs),
                danger=next((sort for sort in SORTS if dangers[sort]), ""),
                dangerous=dangers.total(),
                since=change.run,
                changed=change.items,
            )
        )
    return sorted(findings, key=lambda finding: (not finding.stated, -finding.count))


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


def _rest(evidence: Evidence, ranking: Ranking) -> list[RunFinding]:
    """Unexplained failures: goldens that pass sometimes, and others."""
    left = frozenset(ranking.left)
    counts = [(case, sum(times for number, times in case.cells if number in left)) for case in evidence.cases]
    flaky = [(case, count) for case, count in counts if count and case.failed < case.trials]
    solid = [(case, count) for case, count in counts if count and case.failed >= case.trials]
    findings: list[RunFinding] = []
    for group in filter(None, (flaky, solid)):
        ids = tuple(case.id for case, _ in group)
        trials = sum(count for _, count in group)
        if group is flaky:
            what = f"{pluralize(len(ids), 'golden')} with trials that pass and trials that fail"
            advice = f"They fail in {trials} trials and pass in others. "
            advice += "More trials would show whether there is a pattern."
        else:
            what = f"{trials} failures without a pattern"
            chance = percent(ranking.background, 0)
            advice = f"No pattern: {trials} failures, about as many as expected by chance ({chance})."
        most = round(sum(count / case.trials for case, count in group), 2)
        findings.append(
            RunFinding(
                rank=0,
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


def _parameter_rows(evidence: Evidence) -> tuple[ParameterRow, ...]:
    rows = []
    for (tool, name), row in evidence.parameters.items():
        wrong = row.kinds.total()
        if wrong and name:
            kinds = dict(most_common(row.kinds))
            shown = tuple((*row.raw[pair], times) for pair, times in most_common(row.pairs)[:MOST_VALUES])
            rows.append(ParameterRow(tool, name, row.expected, wrong, kinds=kinds, expected_actual=shown))
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
