"""`check`: the one command for a pull request. Tries what a change can affect, and stops as soon as it can decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import msgspec

from rightcall.agents.agent import is_address
from rightcall.agents.observed.observed_agent import ObservedAgent
from rightcall.check.base_process import BaseAgent
from rightcall.check.base_version import BaseTrials, BaseVersion, base_of_baseline, outside_git
from rightcall.check.design import CheckDesign, design_check
from rightcall.check.first_requests import FirstRequests, compare_first_requests
from rightcall.check.options import CheckOptions
from rightcall.check.result import result_without_trials
from rightcall.check.stored_checks import StoredVerdicts, question_of
from rightcall.check.trials import CheckTrials
from rightcall.check.version_trials import Watch
from rightcall.check.words import words_for_untouched
from rightcall.core.errors import ConfigError, RightCallError
from rightcall.core.text import first_names, names_and_more, percent, pluralize, shorten
from rightcall.decide.check_result import EXIT_CODES, CheckResult
from rightcall.decide.check_settings import CheckSettings
from rightcall.metrics.score_case import Scorer
from rightcall.recording.judged_trial import tape_judges
from rightcall.recording.library import Recordings
from rightcall.records.golden import AnyGolden
from rightcall.records.run import CaseResult
from rightcall.run.baseline_file import BaselineLine, BaselinePool
from rightcall.run.baseline_pool import mark_of, merged_baseline, scores_by_run
from rightcall.run.conclude import NOTHING_CHECKED
from rightcall.run.inputs import digest, golden_hash
from rightcall.run.plan import Plan
from rightcall.run.rehearsal.known_good import goldens_never_met
from rightcall.run.run_record import tools_of_run
from rightcall.run.suite import QuarantinedGolden, Suite
from rightcall.run.suite_actions import record_settings, with_record_mode
from rightcall.run.suite_plan import plan_suite
from rightcall.store.sql.store import Store

BASE_CONTROL = 40
"""Number of goldens run on the base version [default of `control`]."""


async def check_suite(
    suite: Suite,
    file: Path,
    store: Store,
    options: CheckOptions,
    *,
    watch: Watch | None = None,
    compared: Watch | None = None,
) -> CheckResult:
    """Check a suite, as its file has it, against a baseline; with `plan_only` nothing is sent.

    `watch` is called with the calls so far and at most, `compared` with the first requests compared so far and of all.
    """
    suite = _with_live_answers(suite, options)
    plan = _approved_plan(suite, file, options)
    baseline = merged_baseline(store, options.baseline, suite.name)
    settings, base, problem = _base_to_run(file, baseline, suite.check, options)
    plan, left_out = await _without_wrong_goldens(plan, baseline)
    baseline, moved = await _same_metrics(plan, baseline, store)
    verdicts = StoredVerdicts(store)
    is_code = plan.own_agent or isinstance(plan.agent.model, ObservedAgent)
    first = FirstRequests()
    if is_code and not options.full:
        first = await compare_first_requests(plan, baseline, compared)

    def design_draw(draw: int) -> CheckDesign:
        # Drawing until PASS must not pay: the risk of a false one is halved with every draw that was asked for.
        halved = msgspec.structs.replace(settings, beta=settings.beta / 2**draw)
        drawn = msgspec.structs.replace(suite, check=halved if draw and options.again else settings)
        with_base = base is not None
        design = design_check(
            drawn, file.parent, plan, baseline, options=options, first=first, draw=draw, base=with_base
        )
        return replace(design, rescored=moved, base_problem=problem)

    design = design_draw(0)
    if settings.confirm == "base" and any(change.kind == "variable" for change in design.changes):
        # The base would run with the variable as it is now, and be as broken.
        settings = msgspec.structs.replace(settings, confirm="candidate")
        problem = "an environment variable changed, and its old value is not kept"
        design = design_draw(0)
    first_seed = design.seed
    asked = _question_hash(design, plan, options)
    draws = verdicts.count(first_seed)
    earlier = verdicts.all(first_seed, asked)
    again = options.again or bool(design.unknown)  # what is unknown may have changed since the last verdict
    if draws and again:
        design = design_draw(draws)
    result = None if options.plan_only else _without_a_tool(design)
    if (result := result or _without_asking(design, plan, options)) is not None:
        return _with_exit_code(_with_notes(result, left_out), settings, strict=options.strict)
    if earlier and not again:
        repeated = _with_notes(_repeat_verdict(earlier[-1]), left_out)
        return _with_exit_code(repeated, settings, strict=options.strict)
    # Where something is unknown, nobody knows whether trials of an interrupted check are of the same agent.
    asked_at = f"-{datetime.now(UTC):%y%m%d%H%M%S%f}" if design.unknown else ""
    question = f"{design.seed}-{asked}{asked_at}"
    trials = CheckTrials(
        design,
        plan,
        store,
        identify=lambda run: question_of(run, question),
        base=None if base is None else BaseTrials(base, _base_agent(design, plan, options)),
        max_calls=options.max_calls,
        watch=watch,
    )
    result = msgspec.structs.replace(await trials.run(), draws=draws + 1)
    if draws:
        result = _after_earlier_draws(result, [] if design.unknown else earlier, options)
    result = _with_exit_code(result, settings, strict=options.strict)
    verdicts.add(first_seed, asked, result)
    return _with_notes(result, left_out)


def _base_to_run(
    file: Path, baseline: BaselinePool, settings: CheckSettings, options: CheckOptions
) -> tuple[CheckSettings, BaseVersion | None, str]:
    """The version that confirms an alarm, and the settings with which that is possible; or why it cannot be run."""
    named = BaseVersion.of(file, options.base_ref) if options.base_ref else None
    if named is not None and not options.plan_only:
        named.require_trust(trust=options.trust)
    if settings.confirm != "base":
        if named is not None and not settings.control:
            settings = msgspec.structs.replace(settings, control=BASE_CONTROL)
        return settings, named, ""
    if named is None:
        base, problem = base_of_baseline(file, baseline.header, trust=options.trust)
    else:
        base = named
        problem = outside_git(baseline.header.given)
    if problem:
        settings = msgspec.structs.replace(settings, confirm="candidate")
    return settings, base, problem


def _base_agent(design: CheckDesign, plan: Plan, options: CheckOptions) -> BaseAgent:
    """How the base is run: sampled by another seed than the baseline and the candidate."""
    given = {} if options.base_ref else design.baseline.header.given.agent
    return BaseAgent(given, int(design.seed[7:14], 16), plan.concurrency)


def _after_earlier_draws(
    result: CheckResult, earlier: Sequence[CheckResult], options: CheckOptions
) -> CheckResult:
    """The result with what earlier draws of the same inputs showed: WORSE stands until a draw is PASS."""
    number = {2: "second", 3: "third"}.get(result.draws, f"{result.draws}th")
    note = f"this is the {number} {'draw' if options.again else 'check'} for these inputs"
    result = msgspec.structs.replace(result, notes=(*result.notes, note))
    if not earlier or not options.again:
        return result
    before = earlier[-1].drawn or tuple(draw.verdict for draw in earlier)
    words = (*before, result.verdict)
    since_pass = before[max((at + 1 for at, word in enumerate(before) if word == "PASS"), default=0) :]
    result = msgspec.structs.replace(result, drawn=words)
    if "WORSE" not in before or (result.verdict != "PASS" and "WORSE" not in since_pass):
        return result
    told = ", ".join(f"{word} in draw {draw}" for draw, word in enumerate(words, 1))
    stands = "PASS" if result.verdict == "PASS" else "WORSE"
    cause = result.cause if result.verdict == stands else "earlier_draw"
    return msgspec.structs.replace(
        result, verdict=stands, cause=cause, reason=f"{result.reason}; {told}", hint=""
    )


def _approved_plan(suite: Suite, file: Path, options: CheckOptions) -> Plan:
    """The plan of a suite; an error if a tool is not as its lockfile has it, or a quarantine is over."""
    plan = plan_suite(
        suite,
        file.parent,
        trials=options.trials,
    ).with_goldens()
    if plan.lock_problems:
        raise ConfigError(*plan.lock_problems)
    entries = [entry for entry in suite.quarantine if isinstance(entry, QuarantinedGolden)]
    if over := [entry.words for entry in entries if entry.until < datetime.now(UTC).date()]:
        end = "repair the golden and take it out of `quarantine`, or agree on another last day"
        raise ConfigError(f"{file}: the quarantine of {names_and_more(over, 3)} is over; {end}")
    return plan


async def _without_wrong_goldens(plan: Plan, baseline: BaselinePool) -> tuple[Plan, tuple[str, ...]]:
    """The plan without goldens that no agent can pass, and a note about each; one that passed before stays."""
    passed = {line.id for line in baseline.lines if any(score >= 1 for score in line.scores)}
    if not plan.agent.mocks and all(golden.id in passed for golden in plan.in_dataset_order()):
        return plan, ()  # nothing to rehearse, and no mocks whose faults that would show
    wrong = {name: why async for name, why in goldens_never_met(plan, passed)}
    if not wrong:
        return plan, ()
    shown = [f"{name} ({shorten(why, 100)})" for name, why in sorted(wrong.items())]
    note = (
        f"{pluralize(len(wrong), 'golden')} left out, because even the expected behaviour does not pass: "
        f"{first_names(shown, 5)}; see `rightcall audit --only doubts`"
    )
    return replace(plan, quarantine=plan.quarantine | wrong.keys()), (note,)


def _repeat_verdict(stored: CheckResult) -> CheckResult:
    note = "0 calls: the inputs have not changed since this verdict; pass --again to check again"
    calls = msgspec.structs.replace(stored.calls, spent=0)
    return _with_notes(msgspec.structs.replace(stored, calls=calls), (note,))


def _with_notes(result: CheckResult, notes: Sequence[str]) -> CheckResult:
    return msgspec.structs.replace(result, notes=(*result.notes, *notes))


def _with_live_answers(suite: Suite, options: CheckOptions) -> Suite:
    """The suite without recordings that would hide what is checked."""
    suite = with_record_mode(suite, options.record)
    if record_settings(suite).mode == "auto":
        if is_address(suite.agent.model):  # its old answers say nothing about it now
            return with_record_mode(suite, "none")
        if options.again:  # another draw must not replay the answers of the last one
            return with_record_mode(suite, "refresh")
    return suite


async def _same_metrics(plan: Plan, baseline: BaselinePool, store: Store) -> tuple[BaselinePool, str]:
    """The baseline as the suite's metrics judge it, and what that moved; unchanged when they are the same or that is
    unknown.
    """
    if baseline.header.given.metrics == plan.metrics_hash:
        return baseline, ""
    goldens = {golden.id: golden for golden in plan.goldens()}
    again = await rescore_baseline(baseline, store, plan.scorer, goldens, recordings=plan.agent.recordings)
    if again is None:
        return baseline, ""
    before, after = (
        percent(sum(sum(line.scores) for line in pool.lines) / max(1, pool.trials), 1)
        for pool in (baseline, again)
    )
    moved = f"{again.trials:,} trials of the baseline were scored again: {before} → {after} passed"
    return again, moved


def _question_hash(design: CheckDesign, plan: Plan, options: CheckOptions) -> str:
    """A hash of the question: another margin, budget or golden is another question."""
    goldens = [golden_hash(golden) for golden in design.goldens.values()]
    how = [
        options.full,
        options.max_calls,
        tuple(options.changed),
        options.base_ref,
        plan.trials,
        sorted(plan.quarantine),
    ]
    compared = [[line.id, line.t, line.s] for line in design.baseline.lines]
    return digest([msgspec.to_builtins(design.settings), how, goldens, compared])[:16]


def _with_exit_code(result: CheckResult, settings: CheckSettings, *, strict: bool) -> CheckResult:
    """The result with its exit code; a lint error on a changed tool is a failure regardless of the trials."""
    code = EXIT_CODES[result.verdict]
    undecided = result.verdict == "INCONCLUSIVE" and result.cause != "unchecked"
    if undecided and settings.on_inconclusive == "pass":
        code = 0
    if strict and result.verdict == "NO LOSS SEEN":
        code = 3
    if code == 0 and any(diagnostic.severity == "error" for diagnostic in result.lint):
        code = 1
    return msgspec.structs.replace(result, exit_code=code)


def _without_a_tool(design: CheckDesign) -> CheckResult | None:
    """WORSE, when goldens expect tools that are gone."""
    if not design.missing:
        return None
    hint = "restore the tool, or edit the goldens"
    result = result_without_trials(design, "WORSE", "; ".join(tool.words for tool in design.missing))
    return msgspec.structs.replace(result, cause="hard", hint=hint)


def _without_asking(design: CheckDesign, plan: Plan, options: CheckOptions) -> CheckResult | None:
    """Verdicts that cost nothing; None when something must be tried."""
    base = result_without_trials(design, "PASS", "")
    what = design.subject
    answer = msgspec.structs.replace

    def inconclusive(why: str, hint: str, cause: str = "") -> CheckResult:
        return answer(
            base,
            verdict="INCONCLUSIVE",
            reason=why,
            hint=hint,
            cause=cause or base.cause,
        )

    if options.plan_only:
        if not design.changes and not design.most_calls:
            what = words_for_untouched(design.ownership, design.compared)
        reason = f"{what}; {design.planned_calls:,} calls at most, {design.full:,} in a full run"
        return answer(base, verdict="INCONCLUSIVE", reason=reason, cause="plan")
    if any(change.kind == "metrics" for change in design.changes) and not design.rescored:
        return inconclusive(
            "the metrics changed since the baseline, so nothing can be compared with it",
            "the baseline's trials are not in this store, so they cannot be scored again; run the suite on the "
            "main branch with the new metrics, then check again",
        )
    if not design.reach.compared and not design.reach.new and not design.control:
        if not design.reach.untouched:
            nothing = "nothing was checked: no golden states a check and no metric decides"
            quarantined = f"{what}; every golden is quarantined, so nothing was compared or run"
            return (
                inconclusive(quarantined, "take goldens out of `quarantine`", "quarantine")
                if design.goldens
                else inconclusive(nothing, NOTHING_CHECKED, "unchecked")
            )
        reason = words_for_untouched(design.ownership, design.compared)
        reason += f"; {design.rescored}" if design.rescored else ""
        return answer(base, verdict="SAME", reason=reason, cause="untouched")
    recordings = plan.agent.recordings
    if recordings is not None and recordings.replays_only and design.reach.compared:
        why = f"{what}; 0 live calls: the model was not tested"
        hint = "recordings contain answers to the old requests; check with a key: --record auto, or --record none"
        return answer(inconclusive(why, hint), everything="")
    return None


async def rescore_baseline(
    pool: BaselinePool,
    store: Store,
    scorer: Scorer,
    goldens: Mapping[str, AnyGolden],
    recordings: Recordings | None = None,
) -> BaselinePool | None:
    """The same trials scored by these metrics; None when a run or its trajectories are not in the store.

    Goldens edited since are left unchanged: they are not compared anyway. Judges are recorded or replayed as in a run.
    """
    runs = []
    for run in pool.header.runs:
        results_of_run = await _rescore_run(store, run.id, scorer, goldens, recordings=recordings)
        if results_of_run is None:
            return None
        runs.append(results_of_run)
    lines = []
    for line in pool.lines:
        golden = goldens.get(line.id)
        if golden is None or golden_hash(golden) != line.golden:
            lines.append(line)
            continue
        lines.append(_line(line, [results[line.id] for results in runs if line.id in results]))
    return BaselinePool(pool.header, tuple(lines))


async def _rescore_run(
    store: Store,
    run: str,
    scorer: Scorer,
    goldens: Mapping[str, AnyGolden],
    recordings: Recordings | None,
) -> dict[str, list[CaseResult]] | None:
    try:
        stored = store.runs.get(run)
    except RightCallError:
        return None
    tools = tools_of_run(store, stored)
    results_by_golden: dict[str, list[CaseResult]] = {}
    for result in store.runs.results(stored.id, trajectories=True):
        golden = goldens.get(result.golden_id)
        if golden is None:
            continue
        if result.trajectory is None:
            if not result.error:
                return None  # trajectories were not kept
            scored = result
        else:
            with tape_judges(recordings, golden, result.trial, keep_others=True):
                scored = await scorer.result(golden, result.trial, result.trajectory, tools)
        results_by_golden.setdefault(result.golden_id, []).append(scored)
    return results_by_golden


def _line(line: BaselineLine, runs: list[list[CaseResult]]) -> BaselineLine:
    failures = chain.from_iterable(result.codes for result in chain.from_iterable(runs))
    codes = {failure.code for failure in failures}
    return msgspec.structs.replace(
        line,
        t=tuple("".join(map(mark_of, results)) for results in runs),
        s=scores_by_run(runs),
        hard=tuple(sorted({*line.hard, *codes})),
    )
