"""The result of a check: its verdict, and which goldens changed, from its trials."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec

from rightcall.check.decision import few_hint, finding_of, with_failed_tools
from rightcall.check.design import CheckDesign
from rightcall.check.evidence import CheckEvidence, silence_notes
from rightcall.check.words import base_moved, hint_words, never_seen_chance, notes_on_confirmation
from rightcall.core.text import one_line, pluralize, shorten
from rightcall.decide.check_result import BaselineFacts, CheckCalls, CheckResult, GoldenChange, NewGoldens
from rightcall.decide.check_rule import CheckWord, Decided, StratumState, settles_at_best
from rightcall.decide.golden_outcomes import outcomes_of, unanswered_trials
from rightcall.metrics.matching.reasons import reason
from rightcall.records.failure import TOOL_ERROR
from rightcall.records.open_call import unknown_calls_text
from rightcall.records.run import CaseResult, Summary
from rightcall.run.baseline_file import BaselineLine, mark_excerpts, result_marks, tool_of
from rightcall.run.baseline_pool import models_that_answered
from rightcall.stats.gaffke import case_units, gaffke_bounds

MOST_SHOWN = 20


HINTS = {
    "errors": "check again when it answers: a service that is silent says nothing about your change",
    "new": "run the suite with this dataset on the main branch, then check again",
    "judged": "label the same cases of a run before and after the change, and compare them: `rightcall judge label`, "
    "`rightcall compare`; or write `judge: {uncalibrated: allow}` in the suite",
}
"""What would give a verdict, by what prevents one."""


def check_result(
    seen: CheckEvidence,
    decided: Decided,
    states: tuple[StratumState, ...],
    *,
    p: float | None,
    base: bool,
    left: int,
    forbidden: Sequence[str],
) -> CheckResult:
    """The result of a check.

    `base` says that the control was the version before the change, `left` counts goldens that were not tried, and
    `forbidden` are the codes that the gate forbids.
    """
    design = seen.design
    summary = seen.tally.summary()
    finding = finding_of(seen, decided, states, base=base)
    if TOOL_ERROR in forbidden:
        finding = with_failed_tools(finding, summary)
    unanswered = unanswered_trials(outcomes_of(seen.tried))
    missing = f"; {unanswered.text}" if unanswered.trials and finding.cause != "errors" else ""
    unknown = f"; {unknown_calls_text(summary.unknown_calls)}" if summary.unknown_calls else ""
    confirm = seen.confirm
    compared = design.compared.words if design.ownership != "owned" else ""
    notes = [compared] if compared else []
    notes += [*design.notes, *seen.notes, *filter(None, [design.rescored])]
    if summary.judges:  # their errors differ between agents, and labels are of one
        names = ", ".join(summary.judges)
        notes.append(
            f"judged, not corrected: {names}; the difference is the judge's, and a changed agent needs new labels"
        )
    if finding.cause == "errors":
        notes += silence_notes(seen.results, design.compared.services)
    notes += notes_on_confirmation(confirm)
    compared_with_base = confirm is not None and confirm.alarm and confirm.mode == "base"
    if finding.worse_by_trials and not compared_with_base and _only_rest_moved(states, design):
        notes.append(
            "only goldens that no changed tool affects changed: `check: {control: 40}` tells whether the provider did"
        )
    notes += [*result_notes(design.baseline.goldens, seen.results), *_notes_on_models(seen)]
    broken = _golden_changes(seen, "broken")
    fixed = _golden_changes(seen, "fixed")
    return msgspec.structs.replace(
        result_without_trials(design, finding.word, finding.reason + missing + unknown),
        cause=finding.cause,
        hint=HINTS.get(finding.cause)
        or (few_hint(seen) if finding.word == "NO LOSS SEEN" else "")
        or hint_words(
            Decided(finding.word, decided.cause),
            too_small=not all(map(settles_at_best, design.strata)),
            everything=bool(design.everything) or design.most_calls >= design.full,
            moved=base_moved(confirm),
        ),
        strata=states,
        hard=tuple(seen.hard),
        broken=tuple(broken[:MOST_SHOWN]),
        fixed=tuple(fixed[:MOST_SHOWN]),
        broken_more=max(0, len(broken) - MOST_SHOWN),
        fixed_more=max(0, len(fixed) - MOST_SHOWN),
        new=_new_goldens(seen),
        calls=seen.spent_calls,
        cost_usd=_cost(summary, seen.base_tally.summary()),
        estimate=_estimate(states, len(design.goldens)),
        estimate_error=_estimate_error(states, len(design.goldens)),
        hard_chance=never_seen_chance(design.baseline.trials, seen.trials) if seen.hard else None,
        notes=tuple(notes),
        left=left,
        p=p,
        confirm=confirm,
        warnings=(*summary.warnings, *design.warnings),
    )


def _cost(candidate: Summary, base: Summary) -> float | None:
    costs = [cost for summary in (candidate, base) if (cost := summary.usage.cost_usd) is not None]
    return math.fsum(costs) if costs else None


def _notes_on_models(seen: CheckEvidence) -> list[str]:
    """Notes on a model that answers under another name than in the baseline, though the same one was requested."""
    before = seen.design.baseline.header.served_model
    asked = seen.design.inputs.agent.get("model", "")
    service = asked.startswith(("http:", "https:"))
    now = models_that_answered(seen.tried, asked)
    new = [name for name in now if name not in before]
    if not before or not new or any(change.kind in ("model", "base_url") for change in seen.design.changes):
        return []
    if service:
        reported = [", ".join("none" if name == asked else name for name in names) for names in (now, before)]
        return [
            f"the version that the service reports is {reported[0]} now, and was {reported[1]} in the baseline"
        ]
    return [
        f"{asked} is served by {', '.join(new)} now, by {', '.join(before)} in the baseline: not your change; "
        "`check: {control: 40}` tells whether untouched goldens moved too"
    ]


def _golden_changes(seen: CheckEvidence, way: str) -> list[GoldenChange]:
    """Goldens that mostly passed and now mostly fail, or the other way round; the largest change first.

    One that answered in the baseline and never answers now is broken, before all others.
    """
    changes = []
    for name, results in seen.results.items():
        line = seen.design.baseline.goldens.get(name)
        if way == "broken" and line is not None and line.scores and seen.never_answered(name):
            changes.append((2.0, _change(seen, name, line.t, results)))
            continue
        after = [float(r.passed) for r in results if r.judged]
        if line is None or not after or not line.scores or name in seen.design.reach.new:
            continue
        old = math.fsum(line.scores) / len(line.scores)
        new = math.fsum(after) / len(after)
        if (old >= 0.5 > new) if way == "broken" else (new >= 0.5 > old):
            changes.append((abs(old - new), _change(seen, name, line.t, results)))
    return [change for _, change in sorted(changes, key=lambda pair: (-pair[0], pair[1].golden))]


def _change(
    seen: CheckEvidence, name: str, before: tuple[str, ...], results: Sequence[CaseResult]
) -> GoldenChange:
    file, line = seen.design.places.get(name, ("", 0))
    failing = next((r for r in results if r.checked and not r.passed), None)
    golden = seen.design.goldens[name]
    reach = seen.design.reach
    stratum = "affected" if name in reach.affected else "rest"
    expected = tuple(call_words(call.tool, call.args) for call in golden.expected_calls[:5])
    calls = failing.trajectory.calls if failing and failing.trajectory else ()
    return GoldenChange(
        name,
        " ".join(before),
        "".join("e" if r.error else "1" if r.passed else "0" for r in results),
        stratum,
        reason=_why(failing) if failing else "",
        expected=expected if failing else (),
        called=tuple(call_words(call.name, call.arguments) for call in calls[:5]),
        file=file,
        line=line,
    )


def _why(failing: CaseResult) -> str:
    """What a trial failed for: not its calls, most of which may be right."""
    if failing.error:
        return one_line(f"no answer: {failing.error}")
    overall = failing.metrics.get("overall")
    return one_line((overall.reason if overall else "") or reason(failing.codes))


def _new_goldens(seen: CheckEvidence) -> NewGoldens:
    ids = set(seen.design.reach.new)
    results = [r for r in chain.from_iterable(seen.results.get(name, ()) for name in ids) if not r.error]
    if not results:
        return NewGoldens(len(ids))
    passed = sum(r.passed for r in results)
    by_golden = [[float(r.passed) for r in seen.results.get(name, ()) if not r.error] for name in sorted(ids)]
    bounds = gaffke_bounds(case_units([scores for scores in by_golden if scores]), 0.025)
    return NewGoldens(len(ids), passed, len(results), bounds.low, high=bounds.high)


def call_words(tool: Any, arguments: Any) -> str:
    """A call on one line, cut."""
    name = tool if isinstance(tool, str) else json.dumps(msgspec.to_builtins(tool))
    inside = "" if arguments is None else msgspec.json.encode(arguments, enc_hook=repr).decode()
    return f"{name}({shorten(inside, 161)})"


def _only_rest_moved(states: Sequence[StratumState], design: CheckDesign) -> bool:
    one_tool = len([c for c in design.changes if c.tools]) == 1 and not any(
        c.reaches_everything for c in design.changes
    )
    by_name = {state.name: state for state in states}
    rest = by_name.get("rest")
    affected = by_name.get("affected")
    return bool(one_tool and rest and affected and rest.e_worse > affected.e_worse)


def _estimate(states: Sequence[StratumState], goldens: int) -> float | None:
    """D̂ = Σ (N_s/N) x̄_s over all goldens, untouched ones counting 0. Shown, never deciding."""
    measured_states = [state for state in states if state.difference is not None]
    if not measured_states or not goldens:
        return None
    return math.fsum(state.goldens / goldens * (state.difference or 0.0) for state in measured_states)


def _estimate_error(states: Sequence[StratumState], goldens: int) -> float | None:
    """SE² = Σ (N_s/N)² SE_s²."""
    variances = [(state.goldens / goldens * state.error) ** 2 for state in states if state.error is not None]
    return math.sqrt(math.fsum(variances)) if variances else None


def result_without_trials(design: CheckDesign, word: CheckWord, reason: str) -> CheckResult:
    header = design.baseline.header
    return CheckResult(
        design.suite,
        word,
        reason,
        changes=design.changes,
        lint=design.lint,
        untouched=len(design.reach.untouched),
        compared=design.compared,
        unknown=design.unknown,
        quarantined=design.reach.quarantined,
        calls=CheckCalls(0, design.planned_calls, design.full),
        alpha=round(design.settings.regressed_risk, 9),
        beta=design.settings.beta,
        notes=design.notes,
        seed=design.seed,
        baseline=BaselineFacts(
            header.id,
            header.branch,
            header.commit,
            round(header.age_days(), 1),
            runs=len(header.runs),
            trials=design.baseline.trials,
        ),
        plan=tuple(design.stratum_plans()),
        everything=design.everything,
        warnings=design.warnings,
    )


def result_notes(
    goldens: Mapping[str, BaselineLine], results: Mapping[str, Sequence[CaseResult]]
) -> Iterator[str]:
    """A note on each tool, with a result before and now. What varied in the baseline is not compared."""
    compared = Counter[str]()
    different = Counter[str]()
    examples: dict[str, str] = {}
    for golden, mark, key, before in _pairs(goldens, results):
        tool = tool_of(key)
        compared[tool] += 1
        if mark != before:
            different[tool] += 1
            earlier, now = mark_excerpts(before, mark)
            examples.setdefault(tool, f"{earlier} in the baseline, {now} now ({golden})")
    for tool, times in different.most_common():
        calls = pluralize(compared[tool], "call")
        yield f"the result of {tool} differs in {times:,} of {calls}: {examples[tool]}"


def _pairs(
    goldens: Mapping[str, BaselineLine], results: Mapping[str, Sequence[CaseResult]]
) -> Iterator[tuple[str, str, str, str]]:
    """Golden, mark now, key and mark before of each call that both versions made."""
    for golden, trials in sorted(results.items()):
        before = goldens[golden].results if golden in goldens else {}
        for trajectory in (trial.trajectory for trial in trials if before and trial.trajectory is not None):
            for key, mark in result_marks(trajectory.calls).items():
                if before.get(key):
                    yield golden, mark, key, before[key]
