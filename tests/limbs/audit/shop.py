"""A small shop: tools of every effect, and goldens of every strength."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from rightcall.limbs.audit.audit import Auditor, AuditPlan
from rightcall.limbs.audit.mutation import mutants_of, select_operators
from rightcall.limbs.audit.result import AuditResult
from rightcall.limbs.audit.scene import Mutant, Scene, SeenValues
from rightcall.limbs.audit.suite_audit import AuditCall, TightenedGoldens, plan_of, subject_of
from rightcall.metrics.score_case import Scorer
from rightcall.metrics.value_sources import words_of
from rightcall.records import ExpectedCall, Golden, Tool, ToolCall, Trajectory
from rightcall.records.golden import AnyGolden
from rightcall.run.rehearsal.known_good import KnownBehaviour
from rightcall.run.rehearsal.toolset import Toolset
from rightcall.run.rehearsal.trial import Trial


def schema(required: Sequence[str] = (), **parameters: Any) -> dict[str, Any]:
    return {"type": "object", "properties": parameters, "required": list(required)}


TEXT = {"type": "string"}
NUMBER = {"type": "number"}
TOOLS = {
    tool.name: tool
    for tool in (
        Tool("find_order", "Finds an order.", schema(["order_id"], order_id=TEXT)),
        Tool("list_orders", "Lists orders of a customer.", schema(["email"], email=TEXT, limit={"type": "integer", "default": 10})),
        Tool("refund_order", "Refunds an order.", schema(["order_id", "amount"], order_id=TEXT, amount={**NUMBER, "description": "Amount in euros"}, notify={"type": "boolean"})),
        Tool("cancel_order", "Cancels an order.", schema(["order_id"], order_id=TEXT, reason={"enum": ["late", "broken", "other"]})),
        Tool("send_email", "Sends an e-mail.", schema(["to", "subject"], to=TEXT, subject=TEXT)),
        Tool("book_flight", "Books a flight.", schema(["from_city", "to_city", "date"], from_city=TEXT, to_city=TEXT, date={"type": "string", "format": "date"}, seats={"type": "integer"}, tags={"type": "array", "items": TEXT})),
        Tool("set_alarm", "Sets an alarm.", schema(["minutes"], minutes={"type": "integer", "description": "In minutes"}, loud={"type": "boolean"}, volume={"type": "integer", "description": "Volume; default is 5"})),
        Tool("add", "Adds two numbers.", schema(["a", "b"], a=NUMBER, b=NUMBER)),
        Tool("get_weather", "Weather of a city.", schema(["city"], city=TEXT, temperature={**NUMBER, "description": "degrees Celsius"})),
    )
}  # fmt: skip


def call(name: str, _output: Any = None, **arguments: Any) -> ToolCall:
    return ToolCall(name, arguments, status="ok", output=_output)


def trajectory(*calls: ToolCall, output: str = "Done.") -> Trajectory:
    numbered = [ToolCall(c.name, c.arguments, f"c{i}", i, "ok", c.output) for i, c in enumerate(calls)]
    return Trajectory(calls=numbered, output=output)


def scene(golden: AnyGolden, *good: Trajectory, others: Sequence[ToolCall] = (), seed: str = "s") -> Scene:
    values = SeenValues()
    values.add([call for t in good for call in t.calls] + list(others))
    return Scene(golden, Toolset(TOOLS), words_of(golden), good, values, seed)


def mutants(
    golden: AnyGolden, *good: Trajectory, operators: Sequence[str] = (), **options: Any
) -> list[Mutant]:
    return mutants_of(scene(golden, *good, **options), select_operators(operators))


def audit_goldens(
    *goldens: AnyGolden,
    known: dict[str, list[KnownBehaviour]] | None = None,
    scorer: Scorer | None = None,
    tools: dict[str, Tool] | None = None,
    **plan: Any,
) -> tuple[AuditResult, dict[str, AnyGolden]]:
    """The audit of goldens, and the goldens with all proposed changes."""
    changes = TightenedGoldens()
    auditor = Auditor(
        Trial(scorer or Scorer(), TOOLS if tools is None else tools),
        AuditPlan(select_operators(), seed="s", **plan),
        lambda golden: (known or {}).get(golden.id, []),
        [changes],
    )

    async def run() -> None:
        await auditor.learn(("", golden) for golden in goldens)
        for golden in goldens:
            await auditor.audit(f"goldens.jsonl:{golden.id}", golden)

    asyncio.run(run())
    return auditor.result(), changes.by_id


def judged_mutants(call: AuditCall) -> list[tuple[Mutant, str]]:
    """Every mutant of an audit as it went, with what the suite says of it."""
    subject = subject_of(call)
    auditor = Auditor(subject.trial, plan_of(call, subject))

    async def run() -> list[tuple[Mutant, str]]:
        await auditor.learn(subject.goldens())
        scenes = [(await auditor.scene_of(golden))[0] for _, golden in subject.goldens()]
        planted = [
            (scene, mutant) for scene in scenes if scene is not None for mutant in auditor.mutants(scene)
        ]
        return [(await auditor.judge(scene, mutant))[:2] for scene, mutant in planted]

    return asyncio.run(run())


REFUND = Golden(
    "Refund 12.5 euros of order A-17, please.",
    id="refund",
    expected_calls=[ExpectedCall("refund_order", {"order_id": "A-17", "amount": 12.5})],
)
