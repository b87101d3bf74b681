"""The goldens of a run, each with all its trials in one row, danger first; its request, other runs, how to rerun it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Mapping
from itertools import chain, groupby
from operator import itemgetter
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from rightcall.records.failure import NO_TOOLS, SORTS, dangers_of
from rightcall.records.golden import AnyGolden
from rightcall.records.golden_id import is_generated
from rightcall.records.record import Record
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool
from rightcall.show.view.case import reason_of
from rightcall.show.view.failures import CaseName, case_dangers, case_names, danger_text
from rightcall.store.base import ResultFilter, RunFilter

if TYPE_CHECKING:
    from rightcall.improve.run_setup import RunRecord
    from rightcall.store.base import StoredRun
    from rightcall.store.sql.store import Store

GoldenOutcome = Literal["passed", "failed", "flaky", "error", "unchecked"]
ORDER: tuple[GoldenOutcome, ...] = ("failed", "flaky", "error", "unchecked", "passed")


class GoldenRow(Record, frozen=True):
    """All trials of one golden. `flaky` means that some passed and some failed.

    `danger` are the sorts of danger of all trials (`model/danger.py`). `reason` is that of the first dangerous trial,
    or else of the first that did not pass; `score` and `latency_ms` are means over the judged trials (the latter also
    over unchecked trials, if no other was made); `title` is the request of a golden whose id was generated.
    """

    golden_id: str
    outcome: GoldenOutcome
    passed: int
    judged: int
    errors: int
    reason: str = ""
    codes: tuple[str, ...] = ()
    category: str = ""
    score: float | None = None
    latency_ms: float | None = None
    title: str = ""
    unchecked: int = 0
    danger: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The id, and the title if there is one."""
        return f"{self.golden_id} {self.title}".rstrip()

    @property
    def trials(self) -> int:
        return self.judged + self.errors + self.unchecked

    @property
    def danger_text(self) -> str:
        """`DANGER forbidden call`; empty without danger."""
        return danger_text(self.danger)

    @property
    def why(self) -> str:
        """The reason; of several trials also how many did not pass."""
        return f"{self.trials_text}: {self.reason}" if self.trials_text and self.reason else self.reason

    @property
    def trials_text(self) -> str:
        """`2 of 3 trials failed`; empty if there is one trial, or all passed."""
        failed = self.judged - self.passed
        if self.trials < 2 or self.trials == self.passed:
            return ""
        if failed:
            return f"{failed} of {self.trials} trials failed"
        if self.errors:
            return f"{self.errors} of {self.trials} trials without an answer"
        return f"{self.trials} trials"


def golden_row(
    golden_id: str, trials: Iterable[CaseResult], tools: Mapping[str, Tool] = NO_TOOLS
) -> GoldenRow:
    """All trials of one golden in one row. `tools` are those of the run: their hints say what is destructive."""
    all_trials = list(trials)
    judged = [trial for trial in all_trials if trial.judged]
    failed = [trial for trial in judged if not trial.passed]
    unchecked = [trial for trial in all_trials if not trial.checked]
    broken = [trial for trial in all_trials if trial.checked and trial.error]
    dangerous = [trial for trial in (*failed, *broken) if case_dangers(trial, tools)]
    example = next(iter(dangerous or failed or broken or unchecked), None)
    outcome: GoldenOutcome = "passed"
    if failed:
        outcome = "flaky" if len(failed) < len(judged) else "failed"
    elif broken:
        outcome = "error"
    elif unchecked and not judged:
        outcome = "unchecked"
    return GoldenRow(
        golden_id,
        outcome,
        len(judged) - len(failed),
        len(judged),
        errors=len(broken),
        reason="" if example is None else reason_of(example, tools),
        codes=tuple(dict.fromkeys(failure.code for trial in failed for failure in trial.codes)),
        category=all_trials[0].category if all_trials else "",
        score=_mean(trial.score for trial in judged),
        latency_ms=_mean(trial.latency_ms for trial in judged or unchecked if trial.latency_ms is not None),
        unchecked=len(unchecked),
        danger=dangers_of(chain.from_iterable(trial.codes for trial in dangerous), tools),
    )


def failed_goldens(store: Store, run: str, keep: int) -> tuple[list[GoldenRow], int]:
    """At most `keep` goldens of a run that did not pass, the dangerous ones first, and how many more there are."""
    stored = store.runs.get(run)
    tools = store.tools_of(stored)
    failures = store.runs.failures(stored.id)
    dangerous = failures.dangerous_goldens(tools)
    listed = store.runs.goldens_page(stored.id, ResultFilter(), limit=keep, dangerous=dangerous)
    rows = (golden_row(golden.golden_id, golden.trials, tools) for golden in listed)
    failed = [row for row in rows if row.outcome not in ("passed", "unchecked")]
    more = max(0, failures.goldens() - len(failed))
    return with_titles(danger_first(failed), case_names(store, stored.id)), more


def unchecked_goldens(store: Store, run: str, keep: int) -> list[GoldenRow]:
    """At most `keep` goldens of a run with a trial that nothing checks."""
    listed = store.runs.goldens_page(run, ResultFilter(outcome="unchecked"), limit=keep)
    keys = [(golden.golden_id, trial.trial) for golden in listed for trial in golden.trials]
    trials = store.runs.results_of(run, keys, trajectories=True)  # what was called is in them
    rows = [golden_row(at, map(trials.__getitem__, group)) for at, group in groupby(keys, key=itemgetter(0))]
    return with_titles(rows, case_names(store, run))


def danger_first(rows: Iterable[GoldenRow]) -> list[GoldenRow]:
    """The rows in the order of every list: by sort of danger, never passed, sometimes passed, without an answer."""

    def rank(row: GoldenRow) -> tuple[int, int]:
        return min(map(SORTS.index, row.danger), default=len(SORTS)), ORDER.index(row.outcome)

    return sorted(rows, key=rank)


def with_titles(rows: Iterable[GoldenRow], name: CaseName) -> list[GoldenRow]:
    """The rows with the titles of the goldens whose ids were generated."""
    return [
        msgspec.structs.replace(row, title=name(row.golden_id).removeprefix(row.golden_id).strip())
        if is_generated(row.golden_id)
        else row
        for row in rows
    ]


def _mean(values: Iterable[float]) -> float | None:
    numbers = list(values)
    return fmean(numbers) if numbers else None


MOST_HISTORY = 8


class PastTrials(Record, frozen=True):
    """A golden in another run of the suite."""

    run: str
    started_at: str
    agent: str
    trials: GoldenRow


def system_prompt(record: RunRecord, golden: AnyGolden | None) -> str:
    """The system prompt of a case: the golden's own, or that of the run."""
    return record.system if golden is None or golden.system is None else golden.system


def model_request(record: RunRecord, golden: AnyGolden | None, result: CaseResult) -> dict[str, Any]:
    """What the model was given, as the store has it: no key, no header. None: sent, but not heard."""
    unstated = None if "watched" in record.fingerprints else ""
    return {
        "model": record.setup.model,
        "system": system_prompt(record, golden) or unstated,
        "settings": record.setup.settings or (None if unstated is None else {}),
        "tools": record.tools,
        "messages": result.trajectory.messages if result.trajectory else (),
    }


def golden_history(store: Store, run: StoredRun, golden_id: str) -> list[PastTrials]:
    """The same golden in the newest other runs of the suite, newest first."""
    history = []
    tools = store.tools_of(run)
    for other in store.runs.page(RunFilter(name=run.run.name), limit=MOST_HISTORY + 1):
        if other.id == run.id:
            continue
        if trials := list(store.runs.results(other.id, ResultFilter(golden_id=golden_id))):
            row = golden_row(golden_id, trials, tools)
            history.append(PastTrials(other.id, other.run.started_at, other.run.agent, row))
    return history[:MOST_HISTORY]


def rerun_command(run: StoredRun, golden_id: str) -> str:
    """The command that runs this golden again, for a shell; for a run that was started in Python, the call."""
    suite, options = (run.run.versions.get(name, "") for name in ("suite_file", "run_options"))
    if not suite:
        return f"rc.evaluate(agent, dataset, only=[{json.dumps(golden_id, ensure_ascii=False)}])"
    parts = ["rightcall run", shlex.quote(suite), options, f"--only {shlex.quote(golden_id)}"]
    return " ".join(part for part in parts if part)
