"""The trials of a check: tried in waves, judged in the drawn order, whatever finishes first."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from rightcall import stats
from rightcall.errors import ConfigError
from rightcall.gate import (
    BaselineFacts,
    CheckCalls,
    CheckResult,
    CheckRule,
    CheckWord,
    Decided,
    GoldenChange,
    HardFailure,
    NewGoldens,
    Step,
    StratumState,
)
from rightcall.metrics import Tally
from rightcall.model.failure import FATAL, Failure
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult
from rightcall.store import Store
from rightcall.suite.base_version import BaseVersion
from rightcall.suite.baseline_pool import served_models
from rightcall.suite.case_runner import CaseRunner
from rightcall.suite.check_design import CheckDesign
from rightcall.suite.check_record import CheckRecord
from rightcall.suite.check_words import change_words, hint_words, never_seen_chance, risk_words, sentence
from rightcall.suite.plan import Plan
from rightcall.suite.preparation import Prepared, preflight
from rightcall.tools.idempotency import run_keys

WAVE = 16
"""Trials under way at once at most: results are judged in their drawn order, so those beyond a decision are wasted."""
MOST_ERRORS = 0.05
MORE_TRIES = 3
MOST_SHOWN = 20

Watch = Callable[[int, int], None]


class CheckTrials:
    """One check under way."""

    def __init__(
        self,
        design: CheckDesign,
        plan: Plan,
        store: Store,
        *,
        question: str = "",
        max_calls: int | None = None,
        watch: Watch | None = None,
        base: BaseVersion | None = None,
    ) -> None:
        self._question = question
        self._base, self._notes = base, list[str]()
        self._design, self._plan, self._store = design, plan, store
        self._max_calls, self._watch = max_calls, watch
        self._rule = CheckRule(design.strata, design.settings.risks)
        self._results: dict[str, list[CaseResult]] = {}
        self._hard: list[HardFailure] = []
        self._spent = self._errors = self._skipped = 0
        self._tally = Tally(plan.scorer.names)
        self._perform: Callable[[AnyGolden, int], Awaitable[CaseResult]]
        self._record: CheckRecord

    async def run(self) -> CheckResult:
        design, plan = self._design, self._plan
        # Sampled by seeds that depend on the inputs alone, other than those of the baseline.
        async with await preflight(replace(plan, seed=int(design.seed[:7], 16))) as prepared:
            return await self._run(prepared)

    async def _run(self, prepared: Prepared) -> CheckResult:
        design, store = self._design, self._store
        self._record = record = CheckRecord(store, prepared, self._question, design.planned)
        if record.answered:
            self._notes.append(
                f"{len(record.answered):,} trials were stored when this check was interrupted, and are not asked again"
            )
        await record.add_goldens([design.goldens[name] for name in sorted(self._all_ids())])
        prepared.session.begin(record.run.id, run_keys(store.file, store.url))
        self._perform = CaseRunner(prepared.plan, prepared.session).result
        async with record.saving():
            decided, moved = await self._both_versions()
        result = self._result(decided, moved, record.run.id)
        await record.finish(self._tally.summary(), result.verdict)
        return result

    async def _both_versions(self) -> tuple[Decided, float | None]:
        """The decision, and the p-value of whatever was asked as a control."""
        if self._base is None:
            return await self._decided(), await self._control_moved()
        # At the same time, so that whatever the provider does happens to both.
        again = asyncio.create_task(self._base.passes(self._design.control))
        try:
            return await self._decided(), await self._base_moved(again)
        finally:
            again.cancel()

    @property
    def _wave_size(self) -> int:
        return max(1, min(self._plan.concurrency, WAVE))

    def _all_ids(self) -> set[str]:
        design = self._design
        drawn = {golden for each in design.strata for unit in each.order for golden in unit}
        return drawn | {*design.reach.hard, *design.reach.new, *design.control}

    async def _decided(self) -> Decided:
        for wave in self._waves():
            if self._over_budget(sum(len(step.unit) for step in wave)):
                break
            results = await self._tried([(golden, step.round) for step in wave for golden in step.unit])
            for step in wave:
                if await self._found_damage([r for r in results if r.golden_id in step.unit]):
                    return Decided("REGRESSED", "hard")
                self._rule.feed(
                    step, {r.golden_id: self._score(r) for r in results if r.golden_id in step.unit}
                )
        decided = self._rule.end()
        if decided.word == "REGRESSED":
            return decided
        guards = [golden for golden in self._design.reach.hard if golden not in self._results]
        for goldens, trials in ((guards, 1), (self._design.reach.new, self._design.trials)):
            jobs = [(golden, trial) for golden in goldens for trial in range(trials)]
            for at in range(0, len(jobs), self._wave_size):
                some = jobs[at : at + self._wave_size]
                if self._over_budget(len(some)):
                    self._skipped += len(jobs) - at
                    break
                results = await self._tried(some)
                if await self._found_damage(
                    [r for r in results if r.golden_id not in self._design.reach.new]
                ):
                    return Decided("REGRESSED", "hard")
        return decided

    def _waves(self) -> Iterator[list[Step]]:
        """Steps that may run at once: never across the end of a round, where a stratum may turn out settled."""
        wave: list[Step] = []
        for step in self._rule.steps():
            wave.append(step)
            last = step.unit == self._design.strata[step.stratum].order[-1]
            if last or sum(len(each.unit) for each in wave) >= self._wave_size:
                yield wave
                wave = []
        if wave:
            yield wave

    def _over_budget(self, calls: int) -> bool:
        return self._max_calls is not None and self._spent + calls > self._max_calls

    async def _tried(self, jobs: Sequence[tuple[str, int]]) -> list[CaseResult]:
        """Results in the order of the jobs; what got no answer is asked once more."""
        results = await self._asked(jobs)
        again = [(r.golden_id, r.trial) for r in results if r.error]
        if again:
            second = {(r.golden_id, r.trial): r for r in await self._asked(again)}
            results = [second.get((r.golden_id, r.trial), r) for r in results]
        for result in results:
            if result.error:
                self._record.add(result)
        self._errors += sum(bool(r.error) for r in results)
        for result in results:
            self._tally.add(result)
            self._results.setdefault(result.golden_id, []).append(result)
        if self._watch is not None:
            self._watch(self._spent, self._design.planned)
        return results

    async def _asked(self, jobs: Sequence[tuple[str, int]]) -> list[CaseResult]:
        self._spent += len(jobs)
        return list(await asyncio.gather(*(self._one(name, trial) for name, trial in jobs)))

    async def _one(self, name: str, trial: int) -> CaseResult:
        """One trial, stored as soon as it is known; an error is not, because it is asked again."""
        if (known := self._record.answered.get((name, trial))) is not None:
            return known
        result = await self._perform(self._design.goldens[name], trial)
        if not result.error:
            self._record.add(result)
        return result

    async def _found_damage(self, results: Sequence[CaseResult]) -> bool:
        """Whether a trial did damage that the baseline never showed for its golden; it is then tried again."""
        for result in results:
            new = self._new_damage(result)
            if new is None:
                continue
            name, tries = result.golden_id, 5 if self._design.settings.hard == "confirm" else MORE_TRIES
            first = max(r.trial for r in self._results[name]) + 1
            more = await self._tried([(name, first + i) for i in range(tries)])
            did = [r for r in (result, *more) if any(f.code == new.code for f in r.codes)]
            tried = [r for r in (result, *more) if not r.error]
            file, line = self._design.places.get(name, ("", 0))
            detail = new.detail or " ".join(filter(None, (new.tool, str(new.actual or ""))))
            self._hard.append(HardFailure(name, new.code, detail[:200], len(did), len(tried), file, line))
            if self._design.settings.hard == "stop" or len(did) > 1:
                return True
        return False

    def _new_damage(self, result: CaseResult) -> Failure | None:
        line = self._design.baseline.goldens.get(result.golden_id)
        known = set(line.hard) if line else set()
        if result.error or result.golden_id in {hard.golden for hard in self._hard}:
            return None
        forbidden = set(self._plan.gate.forbid) if self._plan.gate else set()
        hard = FATAL | forbidden
        return next((f for f in result.codes if f.code in hard and f.code not in known), None)

    async def _control_moved(self) -> float | None:
        """The p-value of untouched goldens asked again; None when none was asked for."""
        control = self._design.control
        if not control:
            return None
        results = await self._tried([(golden, 0) for golden in control])
        return self._p_of({r.golden_id: float(r.passed) for r in results if not r.error})

    async def _base_moved(self, again: asyncio.Task[dict[str, float]]) -> float | None:
        """The p-value of the base version; None, and said so, when it could not be run."""
        try:
            passes = await again
        except ConfigError as error:
            self._notes.append(str(error))
            return None
        self._spent += len(passes)
        return self._p_of(passes)

    def _p_of(self, passes: Mapping[str, float]) -> float:
        """The p-value of goldens asked again that should do as at the baseline."""
        before = self._design.baseline.goldens
        return stats.exchange_p([stats.ExchangeTable(before[g].scores, (x,)) for g, x in passes.items()])

    def _result(self, decided: Decided, moved: float | None, run_id: str) -> CheckResult:
        design, settings = self._design, self._design.settings
        states = self._rule.states()
        word: CheckWord = decided.word
        what = change_words(design.changes)
        said = sentence(decided, states, settings, what) if states else f"PASS: {what}"
        notes, cause = [*design.notes, *self._notes, *filter(None, [design.rescored])], str(decided.cause)
        if not states:
            said = f"PASS: {what}; no golden of the baseline is affected"
        if decided.cause == "hard":
            said = self._damage_sentence(what)
        elif self._hard:
            word, cause = "INCONCLUSIVE", "hard"
            said = (
                f"INCONCLUSIVE: {what}; {self._hard[0].golden} did {self._hard[0].code} once, and not again"
            )
        if moved is not None and moved <= settings.alpha / 2 and word == "REGRESSED" and cause != "hard":
            word, cause = "INCONCLUSIVE", "control"
            who = "untouched goldens pass" if self._base is None else "the version before the change passes"
            said = f"INCONCLUSIVE: {what}; the provider changed too: {who} less often as well (p {moved:.2g})"
        if self._spent and self._errors > MOST_ERRORS * self._spent and word != "REGRESSED":
            word, cause = "ERROR", "errors"
            said = f"ERROR: {self._errors:,} of {self._spent:,} trials got no answer, too many for a verdict"
        if self._skipped and word == "PASS":
            word, cause = "INCONCLUSIVE", "budget"
            said = f"INCONCLUSIVE: {what}; the budget ran out with {self._skipped:,} trials left"
        if word == "REGRESSED" and cause != "hard" and _only_rest_moved(states, design):
            notes.append(
                "only goldens that no changed tool affects changed: --control 40 tells whether the provider did"
            )
        recordings = self._plan.agent.recordings
        replayed = recordings.replayed if recordings else 0
        # Trials stored before an interruption may have been replayed as well.
        unasked = recordings is not None and not recordings.asked and (replayed or self._record.answered)
        if unasked and word == "PASS":
            word, said = (
                "INCONCLUSIVE",
                f"INCONCLUSIVE: {what}; 0 live calls: the model was not tested",
            )
        notes += self._served_notes()
        broken, fixed = self._moved("broken"), self._moved("fixed")
        now, before = self._trials_now(), design.baseline.trials
        return msgspec.structs.replace(
            unasked_result(design, word, said),
            cause=cause,
            hint=hint_words(Decided(word, decided.cause), states, settings, notes, design.everything),
            strata=states,
            hard=tuple(self._hard),
            broken=tuple(broken[:MOST_SHOWN]),
            fixed=tuple(fixed[:MOST_SHOWN]),
            broken_more=max(0, len(broken) - MOST_SHOWN),
            fixed_more=max(0, len(fixed) - MOST_SHOWN),
            new=self._new(),
            calls=CheckCalls(self._spent, design.planned, design.full, replayed),
            cost_usd=self._tally.summary().usage.cost_usd,
            estimate=_estimate(states, len(design.goldens)),
            estimate_error=_estimate_error(states, len(design.goldens)),
            hard_chance=never_seen_chance(before, now) if self._hard else None,
            notes=(risk_words(settings, states, self._spent, design.full), *notes),
            run_id=run_id,
            p=self._rule.p if states else None,
        )

    def _served_notes(self) -> list[str]:
        """A model that answers under another name than at the baseline, though the same one was asked for."""
        before, asked = self._design.baseline.header.served_model, self._design.inputs.agent.get("model", "")
        now = served_models((r for each in self._results.values() for r in each), asked)
        new = [name for name in now if name not in before]
        if (
            not before
            or not new
            or any(change.kind in ("model", "base_url") for change in self._design.changes)
        ):
            return []
        return [
            f"{asked} is served by {', '.join(new)} now, by {', '.join(before)} at the baseline: not your change; "
            "--control 40 tells whether untouched goldens moved too"
        ]

    def _damage_sentence(self, what: str) -> str:
        one = self._hard[-1]
        chance = never_seen_chance(self._design.baseline.trials, max(1, self._trials_now()))
        main = [line for line in self._design.baseline.lines if one.code in line.hard]
        if main:
            known = f"at the baseline {len(main)} other goldens did"
        else:
            known = f"none did in {self._design.baseline.trials:,} trials of the baseline; chance at most {chance:.1%}"
        return (
            f"REGRESSED: {what}; {one.golden} did {one.code} in {one.times} of {one.tries} trials ({known})"
        )

    def _score(self, result: CaseResult) -> float | None:
        graded = self._design.settings.compare == "score"
        return None if result.error else result.score if graded else float(result.passed)

    def _trials_now(self) -> int:
        return sum(not r.error for results in self._results.values() for r in results)

    def _moved(self, way: str) -> list[GoldenChange]:
        """Goldens that mostly passed and now mostly fail, or the other way round; the largest change first."""
        found = []
        for name, results in self._results.items():
            line = self._design.baseline.goldens.get(name)
            after = [float(r.passed) for r in results if not r.error]
            if line is None or not after or not line.scores or name in self._design.reach.new:
                continue
            old, new = math.fsum(line.scores) / len(line.scores), math.fsum(after) / len(after)
            if (old >= 0.5 > new) if way == "broken" else (new >= 0.5 > old):
                found.append((abs(old - new), self._change(name, line.t, results)))
        return [change for _, change in sorted(found, key=lambda pair: (-pair[0], pair[1].golden))]

    def _change(self, name: str, before: tuple[str, ...], results: Sequence[CaseResult]) -> GoldenChange:
        file, line = self._design.places.get(name, ("", 0))
        failing = next((r for r in results if not r.passed and not r.error), None)
        golden = self._design.goldens[name]
        reach = self._design.reach
        stratum = "affected" if name in reach.affected else "rest"
        expected = tuple(call_words(call.tool, call.args) for call in golden.expected_calls[:5])
        calls = failing.trajectory.calls if failing and failing.trajectory else ()
        return GoldenChange(
            name,
            " ".join(before),
            "".join("e" if r.error else "1" if r.passed else "0" for r in results),
            stratum,
            _reason(failing) if failing else "",
            expected if failing else (),
            tuple(call_words(call.name, call.arguments) for call in calls[:5]),
            file,
            line,
        )

    def _new(self) -> NewGoldens:
        ids = set(self._design.reach.new)
        results = [r for name in ids for r in self._results.get(name, ()) if not r.error]
        if not results:
            return NewGoldens(len(ids))
        passed = sum(r.passed for r in results)
        by_golden = [
            [float(r.passed) for r in self._results.get(name, ()) if not r.error] for name in sorted(ids)
        ]
        bounds = stats.gaffke_bounds(stats.case_units([each for each in by_golden if each]), 0.025)
        return NewGoldens(len(ids), passed, len(results), bounds.low, bounds.high)


def call_words(tool: Any, arguments: Any) -> str:
    """A call on one line, cut."""
    name = tool if isinstance(tool, str) else json.dumps(msgspec.to_builtins(tool))
    inside = "" if arguments is None else msgspec.json.encode(arguments, enc_hook=repr).decode()
    return f"{name}({inside[:160]}{'…' if len(inside) > 160 else ''})"


def _reason(result: CaseResult) -> str:
    return ", ".join(
        dict.fromkeys(" ".join(filter(None, (f.code, f.tool, f.parameter))) for f in result.codes[:3])
    )


def _only_rest_moved(states: Sequence[StratumState], design: CheckDesign) -> bool:
    one_tool = len([c for c in design.changes if c.tools]) == 1 and not any(
        c.reaches_everything for c in design.changes
    )
    by_name = {state.name: state for state in states}
    rest, affected = by_name.get("rest"), by_name.get("affected")
    return bool(one_tool and rest and affected and rest.e_worse > affected.e_worse)


def _estimate(states: Sequence[StratumState], goldens: int) -> float | None:
    """D̂ = Σ (N_s/N) x̄_s over all goldens, untouched ones counting 0. Shown, never deciding."""
    known = [state for state in states if state.difference is not None]
    if not known or not goldens:
        return None
    return math.fsum(state.goldens / goldens * (state.difference or 0.0) for state in known)


def _estimate_error(states: Sequence[StratumState], goldens: int) -> float | None:
    """SE² = Σ (N_s/N)² SE_s²."""
    known = [(state.goldens / goldens * state.error) ** 2 for state in states if state.error is not None]
    return math.sqrt(math.fsum(known)) if known else None


def unasked_result(design: CheckDesign, word: CheckWord, said: str) -> CheckResult:
    header = design.baseline.header
    return CheckResult(
        design.suite,
        word,
        said,
        changes=design.changes,
        lint=design.lint,
        untouched=len(design.reach.untouched),
        quarantined=design.reach.quarantined,
        calls=CheckCalls(0, design.planned, design.full),
        alpha=design.settings.alpha,
        beta=design.settings.beta,
        notes=design.notes,
        seed=design.seed,
        baseline=BaselineFacts(
            header.id,
            header.branch,
            header.commit,
            round(header.age_days(), 1),
            len(header.runs),
            design.baseline.trials,
        ),
        plan=tuple(design.stratum_plans()),
        everything=design.everything,
    )
