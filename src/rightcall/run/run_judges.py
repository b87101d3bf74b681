"""The judges of a run, stored with it: what each was asked, and who it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from rightcall.core import codec
from rightcall.core.digest import hex_digest
from rightcall.core.errors import InputError, suggestion
from rightcall.core.redaction.clean_text import scrubber
from rightcall.metrics.base import asks_model
from rightcall.metrics.resolve import JUDGED
from rightcall.metrics.score_case import Scorer
from rightcall.recording.canonical import scrub_value
from rightcall.records.run import Run

if TYPE_CHECKING:
    from rightcall.metrics.judged.form import RunJudge
    from rightcall.store.base import StoredRun
    from rightcall.store.sql.store import Store

JUDGES = "judges"
LABELS = "labels"
"""Documents of a run: its judges, and the index of its labels."""


def judges_document(scorer: Scorer) -> dict[str, bytes]:
    """The judged metrics of a scorer as a document of the store, without secrets; empty when there are none."""
    if not any(map(asks_model, (*scorer.metrics, *scorer.observe))):
        return {}
    from rightcall.metrics.judged.form import run_judges

    judges = run_judges(scorer.metrics, scorer.observe)
    return {JUDGES: codec.encode(scrub_value(codec.to_plain(judges), scrubber()))} if judges else {}


def with_judges(run: Run, documents: dict[str, bytes]) -> Run:
    """The run with the fingerprints of its judges and of the index of its labels, if it has judges."""
    others = {kind: name for kind, name in run.fingerprints.items() if kind not in (JUDGES, LABELS)}
    own = {JUDGES: hex_digest(documents[JUDGES]), LABELS: run.id} if JUDGES in documents else {}
    return msgspec.structs.replace(run, fingerprints=others | own)


def judges_of(store: Store, run: StoredRun) -> list[RunJudge]:
    """The judged metrics of a stored run."""
    from rightcall.metrics.judged.form import RunJudge

    name = run.run.fingerprints.get(JUDGES, "")
    content = store.runs.document(JUDGES, name) if name else None
    return codec.decode(content, list[RunJudge], f"judges of run {run.id}") if content else []


def require_judge(store: Store, run: StoredRun, metric: str) -> RunJudge:
    """The judge of a metric of a run; the only one when none is named."""
    judges = {judge.metric: judge for judge in judges_of(store, run)}
    if not judges:
        stored = (
            "was stored before judges were; score it again: `rightcall runs rescore`"
            if run.run.summary is not None and _asks_model(run)
            else "name one under `metrics`, such as task_completion(model=…)"
        )
        raise InputError(f"run {run.id}", "has no judged metric", stored)
    if not metric:
        if len(judges) > 1:
            raise InputError(
                f"run {run.id}",
                f"has {len(judges)} judged metrics: {', '.join(judges)}",
                "choose one: --metric",
            )
        return next(iter(judges.values()))
    if metric not in judges:
        hint = suggestion(metric, judges) or f"it has {', '.join(judges)}"
        raise InputError(f"run {run.id}", f"has no judged metric '{metric}'", hint)
    return judges[metric]


def _asks_model(run: StoredRun) -> bool:
    return run.run.summary is not None and any(name in JUDGED for name in run.run.summary.named)
