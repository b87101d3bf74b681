"""What surrounds a case: the request the model got, the same golden in other runs, the command that reruns it."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from rightcall.model.golden import AnyGolden
from rightcall.model.record import Record
from rightcall.model.run import CaseResult
from rightcall.show.view.grouped_trials import GoldenRow, golden_row
from rightcall.store.base import ResultFilter, RunFilter

if TYPE_CHECKING:
    from rightcall.improve.run_setup import RunRecord
    from rightcall.store.base import StoredRun
    from rightcall.store.sql.store import Store

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
    """What the model was given, as the store has it: no key, no header."""
    return {
        "model": record.setup.model,
        "system": system_prompt(record, golden),
        "settings": record.setup.settings,
        "tools": record.tools,
        "messages": result.trajectory.messages if result.trajectory else (),
    }


def golden_history(store: Store, run: StoredRun, golden_id: str) -> list[PastTrials]:
    """The same golden in the newest other runs of the suite, newest first."""
    history, tools = [], store.tools_of(run)
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
