"""Stores scored test cases as a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec

from rightcall.core.codec import encode, encode_as, fingerprint_value, stable_repr
from rightcall.core.digest import hex_digest
from rightcall.decide.config import Gate
from rightcall.decide.verdict import Verdict
from rightcall.metrics.score_case import Scorer
from rightcall.metrics.tally import Tally
from rightcall.providers.hosts import server_of
from rightcall.records.case import AnyTestCase
from rightcall.records.floor import Floor
from rightcall.records.golden import with_id
from rightcall.records.run import CaseResult, Summary
from rightcall.run.answers import RECORDED
from rightcall.run.conclude import verdict_without_gate, with_verdict
from rightcall.run.decisions import gate_run
from rightcall.run.gate_evidence import facts_of_run
from rightcall.run.run_judges import judges_document, with_judges
from rightcall.run.run_record import new_run
from rightcall.store.address import Persistence
from rightcall.store.sql.store import Store


def keep_cases(  # noqa: PLR0913
    store: Store,
    cases: Sequence[AnyTestCase],
    results: Sequence[CaseResult],
    scorer: Scorer,
    *,
    name: str,
    group: str,
    gate: Gate | None,
    settings: Mapping[str, Any],
    floor: Floor | None = None,
) -> tuple[str, Summary, Verdict]:
    """Store existing results; returns the run's id, summary and verdict."""
    goldens = list({with_id(case.golden).id: with_id(case.golden) for case in cases}.values())
    tools = dict(chain.from_iterable(case.tools.items() for case in cases))
    documents = {"tools": encode(list(tools.values()))} if tools else {}
    run = new_run(
        name,
        RECORDED,
        trials=max(result.trial for result in results) + 1,
        group=group,
        settings=settings,
        fingerprints={
            "dataset": _fingerprint([encode_as(golden, fingerprint_value) for golden in goldens]),
            "measures": _fingerprint(
                [
                    f"{stable_repr(metric)}{server_of(getattr(metric, 'model', ''))}".encode()
                    for metric in (*scorer.metrics, *scorer.observe)
                ]
            ),
            **{kind: hex_digest(content) for kind, content in documents.items()},
            **_simulators(cases),
        },
    )
    judges = judges_document(scorer)
    run = with_judges(run, judges)
    persist = Persistence()
    writer = store.runs.begin(run, planned=len(results), documents=documents | judges)
    persist(lambda: writer.add_goldens(goldens))
    persist(lambda: writer.add(results))
    summary = msgspec.structs.replace(Tally(scorer.names).add_all(results).summary(), floor=floor)
    if gate:
        verdict = gate_run(store, run.id, gate, floor=floor)
    else:
        verdict = verdict_without_gate(summary, facts_of_run(store, run).get("judged"))
    summary = with_verdict(summary, verdict)
    persist(lambda: store.runs.finish(run.id, summary, verdict.word))
    return run.id, summary, verdict


def _simulators(cases: Sequence[AnyTestCase]) -> dict[str, str]:
    """Who played users in these conversations, so that runs with other users are not compared by accident."""
    held = {
        (talk.user, talk.prompt_hash)
        for case in cases
        if (talk := case.trajectory.dialogue) and talk.prompt_hash
    }
    return (
        {"simulator": _fingerprint([part.encode() for part in chain.from_iterable(sorted(held))])}
        if held
        else {}
    )


def _fingerprint(parts: Sequence[bytes]) -> str:
    return hex_digest(b"\0".join(parts))
