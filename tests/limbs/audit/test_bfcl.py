"""Mutants of BFCL's goldens, judged by BFCL's own checker: what is provably wrong is rejected officially.

pytest tests/limbs/audit/test_bfcl.py -m nightly -s        prints the counts that docs/audit.md quotes
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence

import msgspec
import pytest

from rightcall.limbs.audit.audit import Auditor, AuditPlan
from rightcall.limbs.audit.mutation import mutants_of, select_operators
from rightcall.limbs.audit.suite_audit import TightenedGoldens
from rightcall.metrics.score_case import Scorer
from rightcall.records import Golden, ToolCall, Trajectory
from rightcall.run.rehearsal.known_good import KnownBehaviour
from rightcall.run.rehearsal.trial import Trial
from tests.datasets.bfcl_candidates import right_answers
from tests.datasets.bfcl_official import Item, OfficialChecker

Cases = Sequence[tuple[Item, Golden]]


def auditor_of(chosen: Cases) -> Auditor:
    auditor = Auditor(Trial(Scorer(), {}), AuditPlan(select_operators(), seed="bfcl"))
    asyncio.run(auditor.learn(("", golden) for _, golden in chosen))
    return auditor


def tally_of(chosen: Cases, official: OfficialChecker) -> tuple[int, list[str], list[str]]:
    """The number of mutants, those accepted officially, and disagreements."""
    auditor = auditor_of(chosen)
    planted = 0
    accepted: list[str] = []
    disagreements: list[str] = []

    async def judge() -> None:
        nonlocal planted
        for item, golden in chosen:
            scene, _ = await auditor.scene_of(golden)
            for mutant in mutants_of(scene, auditor.plan.operators) if scene else ():
                calls = [(call.name, call.arguments or {}) for call in mutant.trajectory.calls]
                theirs = bool(official.verdict(item, calls))
                ours, _ = await auditor.trial.judge(golden, mutant.trajectory)
                what = f"{mutant.operator} {item.id} {mutant.before} -> {mutant.after}"
                planted += 1
                if theirs and not differs_in_case(mutant):
                    accepted.append(what)
                if theirs != (ours == "passed") and not official.accepts_in_some_order(item, calls):
                    disagreements.append(what)

    asyncio.run(judge())
    return planted, accepted, disagreements


def differs_in_case(mutant: object) -> bool:
    """`AA` and `Aa`: different values of the enum, which the official checker does not tell apart."""
    before = getattr(mutant, "before", "")
    after = getattr(mutant, "after", "")
    return isinstance(before, str) and isinstance(after, str) and before.lower() == after.lower()


def with_calls(cases: Cases) -> Cases:
    return [(item, golden) for item, golden in cases if "relevance" not in item.category]


def test_every_twentieth_item(cases: Cases, official: OfficialChecker) -> None:
    planted, accepted, disagreements = tally_of(with_calls(cases)[::20], official)
    assert planted > 500
    assert accepted == [] and disagreements == []


@pytest.mark.nightly
def test_every_item(cases: Cases, official: OfficialChecker) -> None:
    planted, accepted, disagreements = tally_of(with_calls(cases), official)
    print(f"\n{planted} mutants, {len(accepted)} of them accepted: {accepted}")
    assert len(accepted) <= planted / 1000 and disagreements == []


WEAKENED = ("names", "half", "extra calls", "present")


def weaker(golden: Golden, how: str) -> Golden:
    """The golden as a hasty author would write it."""
    if how == "extra calls":
        return msgspec.structs.replace(golden, extra_calls="allow")
    calls = []
    for call in golden.expected_calls:
        args = call.args or {}
        if how == "names":
            calls.append(msgspec.structs.replace(call, args=None))
        elif how == "half":
            calls.append(
                msgspec.structs.replace(call, args=dict(list(args.items())[::2]), extra_args="ignore")
            )
        else:
            open_args = {
                n: {"any": True} if "optional" in str(spec)[:12] else {"present": True}
                for n, spec in args.items()
            }
            calls.append(msgspec.structs.replace(call, args=open_args))
    return msgspec.structs.replace(golden, expected_calls=tuple(calls))


def closed(chosen: Cases, official: OfficialChecker, how: str, agents: int) -> tuple[int, int, int, int]:
    """Survivors, those with a proposal, right answers scored by the tightened goldens, and those that fail."""
    rights = {item.id: [calls for _, calls in right_answers(item, _seeded(item)) if official.verdict(item, calls)]
              for item, _ in chosen}  # fmt: skip
    weak = [(item, weaker(golden, how)) for item, golden in chosen if rights[item.id]]
    auditor = auditor_of(weak)
    changes = TightenedGoldens()
    auditor.listeners = [changes]
    auditor.known = lambda golden: [
        KnownBehaviour(f"agent {n}", _trajectory(calls)) for n, calls in enumerate(rights[golden.id][:agents])
    ]

    async def audit() -> tuple[int, int]:
        for _, golden in weak:
            await auditor.audit("", golden)
        judged = [
            (await auditor.trial.judge(tight, _trajectory(calls)))[0] == "passed"
            for name, tight in changes.by_id.items()
            for calls in rights[name]
        ]
        return len(judged), judged.count(False)

    scored, failing = asyncio.run(audit())
    survivors = auditor.result().survivors
    return len(survivors), sum(s.proposal is not None for s in survivors), scored, failing


def _seeded(item: Item) -> random.Random:
    return random.Random(item.id)


def _trajectory(calls: Sequence[tuple[str, dict[str, object]]]) -> Trajectory:
    return Trajectory(
        calls=[ToolCall(n, a, step=i, status="ok") for i, (n, a) in enumerate(calls)], output="Done."
    )


@pytest.mark.parametrize("how", WEAKENED)
def test_weak_goldens_are_tightened(cases: Cases, official: OfficialChecker, how: str) -> None:
    survivors, caught, scored, failing = closed(with_calls(cases)[::40], official, how, 1)
    assert survivors > 5 and caught >= 0.98 * survivors
    assert failing <= 0.08 * scored


@pytest.mark.nightly
@pytest.mark.parametrize("agents", [1, 3])
@pytest.mark.parametrize("how", WEAKENED)
def test_weak_goldens_are_tightened_everywhere(
    cases: Cases, official: OfficialChecker, how: str, agents: int
) -> None:
    survivors, caught, scored, failing = closed(with_calls(cases), official, how, agents)
    print(
        f"\n{how}, {agents} agents: {caught} of {survivors} closed, {failing} of {scored} right answers fail"
    )
    assert caught >= (0.98 if agents == 1 else 0.9) * survivors
    assert failing <= (0.06 if agents == 1 else 0.01) * scored
