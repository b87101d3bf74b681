"""A store to look at: a shop's assistant, tested every other day while its tools and models changed.

What the agent does is drawn from a seed; how it is scored is real.
"""

from __future__ import annotations

import hashlib
import random
from datetime import UTC, datetime, timedelta

import msgspec

from rightcall.improve.run_setup import AgentSetup
from rightcall.metrics.case_result import result_of
from rightcall.metrics.tally import Tally
from rightcall.records import (
    ExpectedCall,
    Golden,
    Message,
    Run,
    Tool,
    ToolCall,
    ToolResult,
    Trajectory,
    Usage,
)
from rightcall.store.sql.store import Store

SYSTEM = (
    "You are the assistant of an online shop. Use the tools for anything about orders; never guess an order."
)
EPOCH = datetime(2026, 3, 2, 6, 30, tzinfo=UTC)


def tool(
    name: str, description: str, properties: dict, required: tuple[str, ...], **annotations: bool
) -> Tool:
    schema = {
        "type": "object",
        "additionalProperties": False,
        "required": list(required),
        "properties": properties,
    }
    return msgspec.convert(
        {"name": name, "description": description, "input_schema": schema, "annotations": annotations}, Tool
    )


ORDER = {"order_id": {"type": "string", "description": "For example A-1042"}}
TOOLS = [
    tool("get_order", "One order by its id: items, price, state.", ORDER, ("order_id",), read_only=True),
    tool(
        "search_orders",
        "Orders of a customer, newest first. Use get_order when the id is known.",
        {
            "email": {"type": "string"},
            "status": {"type": "string", "enum": ["open", "sent", "delivered", "returned"]},
            "limit": {"type": "integer", "minimum": 1, "maximum": 50},
        },
        ("email",),
        read_only=True,
    ),
    tool("track_shipment", "Where a parcel is right now.", ORDER, ("order_id",), read_only=True),
    tool(
        "cancel_order",
        "Cancel an order that was not sent yet.",
        {**ORDER, "reason": {"type": "string"}},
        ("order_id",),
        destructive=True,
    ),
    tool(
        "refund_order",
        "Pay money back for a delivered order.",
        {**ORDER, "amount": {"type": "number", "description": "In euros"}},
        ("order_id", "amount"),
        destructive=True,
    ),
    tool(
        "update_address",
        "Change where an order goes.",
        {**ORDER, "street": {"type": "string"}, "city": {"type": "string"}},
        ("order_id", "street", "city"),
        idempotent=True,
    ),
    tool(
        "search_products",
        "Products by words, cheapest first.",
        {"query": {"type": "string"}, "max_price": {"type": "number"}},
        ("query",),
        read_only=True,
    ),
]
REWRITTEN = [
    msgspec.structs.replace(
        each, description="Cancel an order before it is sent. For delivered ones use refund_order."
    )
    if each.name == "cancel_order"
    else each
    for each in TOOLS
]
NEIGHBOURS = {
    "get_order": "search_orders",
    "track_shipment": "get_order",
    "cancel_order": "refund_order",
    "refund_order": "cancel_order",
    "search_orders": "get_order",
    "update_address": "get_order",
    "search_products": "search_orders",
}


def goldens() -> list[Golden]:
    """Twelve of each kind that needs a tool, eight that need none."""
    made = []
    for n in range(12):
        order = f"A-{1040 + n * 7}"
        email = ("kim", "noor", "ada", "luis")[n % 4] + "@example.org"
        city = ("Hue", "Lyon", "Porto", "Gent")[n % 4]
        street = f"{n + 3} Garden Street"
        limit = 2 + n % 4
        amount = 12.5 + 4 * n
        made += [
            _golden(
                f"order-details-{n:02}", f"What did I buy in order {order}?", "get_order", order_id=order
            ),
            _golden(
                f"track-{n:02}",
                f"Where is my parcel? The order is {order}.",
                "track_shipment",
                order_id=order,
            ),
            _golden(
                f"recent-orders-{n:02}",
                f"Show the last {limit} orders of {email} that were sent.",
                "search_orders",
                email=email,
                status="sent",
                limit=limit,
            ),
            _golden(
                f"cancel-{n:02}",
                f"Please cancel {order}, I do not need it any more.",
                "cancel_order",
                order_id=order,
            ),
            _golden(
                f"refund-{n:02}",
                f"{order} arrived broken. Pay back {amount:g} euros.",
                "refund_order",
                order_id=order,
                amount=amount,
            ),
            _golden(
                f"address-{n:02}",
                f"Send {order} to {street} in {city} instead.",
                "update_address",
                order_id=order,
                street=street,
                city=city,
            ),
        ]
    for n, said in enumerate(
        ("Thanks, that is all.", "Are you a person?", "Which languages do you speak?", "Good morning!")
    ):
        made.append(
            Golden(said, id=f"smalltalk-{n:02}", category="negative", no_calls=True, tags=("smalltalk",))
        )
    return made


def _golden(golden_id: str, said: str, name: str, **arguments: object) -> Golden:
    matchers = {"cancel_order": {**arguments}}.get(name, arguments)
    return Golden(
        said,
        id=golden_id,
        expected_calls=(ExpectedCall(name, matchers),),
        tags=(name.partition("_")[0],),
        system=SYSTEM,
    )


def behaviour(golden: Golden, skill: float, dice: random.Random) -> list[ToolCall]:
    """What an agent of this skill does: mostly the right thing."""
    wanted = [ToolCall(str(each.tool), dict(each.args or {})) for each in golden.expected_calls]
    if dice.random() < skill:
        return wanted
    if not wanted:
        return [ToolCall("search_products", {"query": golden.input})]
    call = wanted[0]
    slip = dice.random()
    if slip < 0.4:
        return [msgspec.structs.replace(call, arguments=_slip(dict(call.arguments or {}), dice))]
    if slip < 0.7:
        return [ToolCall(NEIGHBOURS[call.name], dict(list((call.arguments or {}).items())[:1]))]
    if slip < 0.85:
        return []
    return [call, ToolCall("get_order", {"order_id": "A-1"})]


def _slip(arguments: dict, dice: random.Random) -> dict:
    name = dice.choice(list(arguments))
    value = arguments[name]
    if isinstance(value, (int, float)):
        return {**arguments, name: value * 10}
    if name in ("status", "city"):
        return {**arguments, name: {"sent": "open"}.get(value, "Hanoi")}
    return {**arguments, name: value.replace("A-", "").upper()}


def trajectory(golden: Golden, calls: list[ToolCall], dice: random.Random) -> Trajectory:
    """The whole conversation around the calls, with plausible times."""
    thinking = dice.uniform(350, 900)
    answering = dice.uniform(250, 700)
    done = []
    results = []
    spent = 0.0
    for place, call in enumerate(calls):
        took = dice.uniform(20, 240)
        spent = max(spent, took)
        output = {
            "order_id": (call.arguments or {}).get("order_id", "A-1042"),
            "state": "sent",
            "total": 38.5,
        }
        done.append(
            msgspec.structs.replace(
                call, id=f"call_{place}", step=0, status="ok", output=output, latency_ms=round(took, 1)
            )
        )
        results.append(ToolResult(f"call_{place}", output, name=call.name))
    said = "Done: it is on its way." if calls else "I am happy to help."
    messages = [Message("system", golden.system or SYSTEM), Message("user", golden.input)]
    if calls:
        asked = tuple(
            ToolCall(call.name, call.arguments, id=f"call_{n}", step=0) for n, call in enumerate(calls)
        )
        messages += [
            Message("assistant", calls=asked, latency_ms=round(thinking, 1)),
            Message("tool", results=tuple(results)),
        ]
    messages.append(Message("assistant", said, latency_ms=round(answering, 1)))
    total = answering + (thinking + spent if calls else 0.0)
    return Trajectory(
        tuple(messages), tuple(done), said, Usage(820 + 9 * len(golden.input), 64, 0.0011), round(total, 1)
    )


def add_run(
    store: Store,
    run_id: str,
    *,
    skill: float,
    seed: int,
    day: int = 0,
    agent: str = "openai:model-a",
    name: str = "shop",
    tools: list[Tool] = TOOLS,
    trials: int = 1,
    part: float = 1.0,
    some: list[Golden] | None = None,
    verdict: str = "",
) -> str:
    """A run in the store; `part` below 1 leaves it unfinished."""
    chosen = some or goldens()
    offered = {each.name: each for each in tools}
    document = msgspec.json.encode(tools)
    settings = {"temperature": 0.2, "max_tokens": 1024}
    setup = msgspec.json.encode(AgentSetup(agent, SYSTEM, "agent", settings, {"max_steps": 8}))
    run = Run(
        run_id,
        name,
        (EPOCH + timedelta(days=day)).isoformat().replace("+00:00", "Z"),
        agent=agent,
        trials=trials,
        seed=seed,
        group="nightly",
        fingerprints={
            "tools": hashlib.sha256(document).hexdigest(),
            "dataset": "d" * 64,
            "setup": hashlib.sha256(setup).hexdigest(),
        },
        versions={"rightcall": "0.1.0", "suite_file": f"suites/{name}.yaml"},
    )
    writer = store.runs.begin(
        run, planned=len(chosen) * trials, documents={"tools": document, "setup": setup}
    )
    writer.add_goldens(chosen)
    tally = Tally()
    results = []
    for place, golden in enumerate(chosen):
        for trial in range(trials):
            dice = random.Random(f"{seed} {golden.id} {trial}")
            done = trajectory(golden, behaviour(golden, skill, dice), dice)
            result = msgspec.structs.replace(result_of(golden, trial, done, offered), trajectory=done)
            if place < len(chosen) * part:
                results.append(result)
                tally.add(result)
    writer.add(results)
    if part >= 1:
        passed = tally.summary().overall.pass_rate >= 0.85
        store.runs.finish(run_id, tally.summary(), verdict or ("PASS" if passed else "FAIL"))
    return run_id


def fill(store: Store) -> None:
    """Six weeks of a suite, another suite, another model, one run that is still going."""
    skills = [0.62, 0.64, 0.6, 0.67, 0.7, 0.72, 0.71, 0.83, 0.85, 0.86, 0.88, 0.9, 0.87, 0.92]
    for n, skill in enumerate(skills):
        add_run(
            store,
            f"shop-{n + 1:02}",
            skill=skill,
            seed=n,
            day=3 * n,
            tools=TOOLS if n < 7 else REWRITTEN,
            agent="openai:model-a" if n % 3 else "anthropic:model-b",
        )
    for n in range(5):
        add_run(
            store,
            f"refunds-{n + 1:02}",
            skill=0.8 + 0.03 * n,
            seed=50 + n,
            day=8 * n + 1,
            name="refunds",
            trials=3,
            some=[golden for golden in goldens() if golden.id.startswith(("refund", "cancel"))],
        )
    add_run(store, "shop-15", skill=0.9, seed=99, day=43, part=0.55, tools=REWRITTEN)
    store.runs.tag("shop-07", "before the rewrite")
    store.runs.tag("shop-14", "baseline")
