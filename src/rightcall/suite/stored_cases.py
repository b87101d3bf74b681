"""Scored test cases as a run in the store."""

from __future__ import annotations

import datetime
import hashlib
import platform
import secrets
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from rightcall.files import git_revision
from rightcall.gate import Verdict
from rightcall.metrics import Scorer, Tally
from rightcall.model.case import AnyTestCase
from rightcall.model.codec import encode, encode_as
from rightcall.model.described import fingerprinted, stable_repr
from rightcall.model.golden import with_id
from rightcall.model.run import CaseResult, Run, Summary
from rightcall.store import Persistence, Store
from rightcall.suite.decisions import gate_run
from rightcall.suite.outcome import verdict_without_gate
from rightcall.suite.request import Options

RECORDED = "recorded"
"""What the agent of a run is called when nobody ran one."""


def keep_cases(
    store: Store,
    cases: Sequence[AnyTestCase],
    results: Sequence[CaseResult],
    scorer: Scorer,
    options: Options,
) -> tuple[str, Summary, Verdict]:
    """Store results that are all there already; the id of their run, what they add up to, the verdict."""
    goldens = list({with_id(case.golden).id: with_id(case.golden) for case in cases}.values())
    tools = {name: tool for case in cases for name, tool in case.tools.items()}
    documents = {"tools": encode(list(tools.values()))} if tools else {}
    now = datetime.datetime.now(datetime.UTC)
    run = Run(
        id=f"{now:%y%m%d-%H%M%S}-{secrets.token_hex(3)}",
        name=options.name,
        started_at=now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        agent=RECORDED,
        trials=max(result.trial for result in results) + 1,
        group=options.group or options.name,
        settings=dict(options.settings),
        fingerprints={
            "dataset": _fingerprint([encode_as(golden, fingerprinted) for golden in goldens]),
            "measures": _fingerprint(
                [stable_repr(metric).encode() for metric in (*scorer.metrics, *scorer.observe)]
            ),
            **{kind: hashlib.sha256(content).hexdigest() for kind, content in documents.items()},
        },
        versions={"rightcall": version("rightcall"), "python": platform.python_version()}
        | git_revision(Path.cwd()),
    )
    persist = Persistence()
    writer = store.begin_run(run, planned=len(results), documents=documents)
    persist(lambda: writer.add_goldens(goldens))
    persist(lambda: writer.add(results))
    tally = Tally(scorer.names)
    for result in results:
        tally.add(result)
    summary = tally.summary()
    verdict = gate_run(store, run.id, options.gate) if options.gate else verdict_without_gate(summary)
    persist(lambda: store.finish_run(run.id, summary, verdict.word))
    return run.id, summary, verdict


def _fingerprint(parts: Sequence[bytes]) -> str:
    return hashlib.sha256(b"\0".join(parts)).hexdigest()
