"""Runs whose id the user chose: begun once, resumed when unfinished, shown again when finished."""

from __future__ import annotations

import re

from rightcall.errors import ConfigError, InputError
from rightcall.gate import Verdict, Word
from rightcall.metrics import Tally
from rightcall.store import Store, StoredRun
from rightcall.suite.decisions import gate_run
from rightcall.suite.outcome import verdict_without_gate
from rightcall.suite.plan import Plan
from rightcall.suite.runner import RunOutcome

ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


def run_named(store: Store, run_id: str) -> StoredRun | None:
    """The run with exactly this id; None when there is none."""
    if not ID.fullmatch(run_id) or run_id == "last":
        raise ConfigError(
            f"--id: '{run_id}' cannot be an id; use letters, digits, '.', '_' and '-', such as nightly-2026-11-15"
        )
    try:
        found = store.run(run_id)
    except InputError:
        return None
    return found if found.id == run_id else None


def stored_outcome(plan: Plan, store: Store, stored: StoredRun) -> RunOutcome:
    """What a finished run came to, as it was told when it finished."""
    summary = stored.run.summary or Tally(plan.scorer.names).summary()
    verdict = (
        gate_run(store, stored.id, plan.gate, plan.quarantine)
        if plan.gate is not None
        else verdict_without_gate(summary)
    )
    if stored.verdict and verdict.word != stored.verdict:  # decided early, or by another gate
        word: Word = stored.verdict  # type: ignore[assignment]
        verdict = Verdict(word, f"{word}: decided when the run finished")
    return RunOutcome(stored.run, summary, verdict, planned=stored.planned, done=stored.results)
