"""Thirty-nine cases with the verdict each must get, whichever door it comes through.

To add one: a row in `SINGLE` or `TALKS`. To add a door: a function in `doors.py`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from rightcall.records import (
    ConversationalGolden,
    ConversationalTestCase,
    ExpectedCall,
    Golden,
    Message,
    TestCase,
    ToolCall,
    Trajectory,
    Turn,
)
from rightcall.records.dialects import trajectory_from_messages
from rightcall.records.expected_call import AgentBudget
from rightcall.records.golden import AnyGolden
from rightcall.records.trajectory import AgentAnswer


class Scored(NamedTuple):
    """A case and its verdict: passed, failed or error, the score, the codes."""

    golden: AnyGolden
    trajectory: Trajectory
    outcome: str
    score: float
    codes: tuple[str, ...] = ()

    @property
    def case(self) -> Any:
        kind = TestCase if isinstance(self.golden, Golden) else ConversationalTestCase
        return kind(self.golden, self.trajectory)


WEATHER = ExpectedCall("weather", {"city": "Hanoi"})
RIGHT = ToolCall("weather", {"city": "Hanoi"})
HUE = ToolCall("weather", {"city": "Hue"})
TIME = ToolCall("time", {})
BEFORE = {"bank": {"an": 900, "bob": 0}}
AFTER = {"bank": {"an": 400, "bob": 500}}
PAID = {"bank": {"an": 400, "bob": 500}}


TO_BILLING = ToolCall(
    "transfer_to_billing",
    {},
    step=0,
    status="ok",
    notes={"handoff": "billing"},
    agent="triage",
    path=("triage",),
)
TO_SUPPORT = ToolCall(
    "transfer_to_support",
    {},
    step=0,
    status="ok",
    notes={"handoff": "support"},
    agent="triage",
    path=("triage",),
)
TO_TRIAGE = ToolCall(
    "transfer_to_triage",
    {},
    step=0,
    status="ok",
    notes={"handoff": "triage"},
    agent="billing",
    path=("billing",),
)
BY_BILLING = ToolCall("weather", {"city": "Hanoi"}, step=1, agent="billing", path=("billing",))
BY_TRIAGE = ToolCall("weather", {"city": "Hanoi"}, step=1, agent="triage", path=("triage",))
INNER = ToolCall("look", {}, step=2, agent="lookup", path=("billing", "lookup"))
TEAM = (
    ExpectedCall(handoff="billing", by="triage"),
    ExpectedCall("weather", {"city": "Hanoi"}, by="billing"),
)
NONE_FOR_BILLING = {"billing": AgentBudget(max_calls=0)}
ANSWERS = {
    "answers": (
        AgentAnswer("triage", ("triage",), 0, 110, 5.0),
        AgentAnswer("billing", ("billing",), 1, 110, 5.0),
    )
}


def one(
    name: str,
    calls: tuple[ToolCall, ...],
    outcome: str,
    score: float,
    *codes: str,
    expected: tuple[ExpectedCall, ...] = (WEATHER,),
    did: dict[str, Any] | None = None,
    **golden: Any,
) -> Scored:
    made = Trajectory(calls=calls, **{"latency_ms": 5.0, **(did or {})})
    return Scored(
        Golden(f"Do {name}", id=name, expected_calls=expected, **golden), made, outcome, score, codes
    )


SINGLE = [
    one("right", (RIGHT,), "passed", 1.0),
    one("wrong-value", (HUE,), "failed", 0.1, "wrong_value"),
    one("no-call", (), "failed", 0.4, "no_call"),
    one("wrong-tool", (TIME,), "failed", 0.1, "wrong_tool"),
    one("extra-call", (RIGHT, TIME), "failed", 0.85, "unexpected_call"),
    one("extra-allowed", (RIGHT, TIME), "passed", 0.85, extra_calls="allow"),
    one("content", (RIGHT,), "passed", 1.0, output_contains=("31",), did={"output": "31 °C"}),
    one("no-content", (RIGHT,), "failed", 0.9, "missing_content", output_contains=("31",)),
    one(
        "content-only", (TIME,), "passed", 1.0,
        expected=(), extra_calls="allow", output_contains=("31",), did={"output": "31 °C"},
    ),
    one(
        "content-only-missing", (TIME,), "failed", 0.0, "missing_content",
        expected=(), extra_calls="allow", output_contains=("31",),
    ),
    one("quiet-no-content", (), "failed", 0.75, "missing_content", expected=(), output_contains=("31",)),
    one("silent", (), "passed", 1.0, expected=(), no_calls=True),
    one("not-silent", (TIME,), "failed", 0.0, "unexpected_call", expected=(), no_calls=True),
    one("negative", (TIME,), "failed", 0.0, "unexpected_call", expected=(), category="negative"),
    one(
        "forbidden", (RIGHT, TIME), "failed", 0.0, "forbidden_call",
        forbidden_calls=("time",), extra_calls="allow",
    ),
    one("state", (RIGHT,), "passed", 1.0, expected_state=PAID, did={"state_before": BEFORE, "state": AFTER}),
    one(
        "wrong-state", (RIGHT,), "failed", 1.0, "wrong_state",
        expected_state=PAID, did={"state_before": BEFORE, "state": BEFORE},
    ),
    one(
        "state-only", (TIME,), "failed", 0.0, "wrong_state",
        expected=(), extra_calls="allow", expected_state=PAID,
        did={"state_before": BEFORE, "state": BEFORE},
    ),
    one("no-world", (RIGHT,), "error", 1.0, expected_state=PAID),
    one("slow", (RIGHT,), "failed", 1.0, "over_latency", max_latency_ms=4.0),
    one("too-many", (RIGHT, TIME), "failed", 0.85, "over_calling", extra_calls="allow", max_calls=1),
    one("no-answer", (), "error", 0.4, "infra_error", "no_call", did={"stop_reason": "infra_error"}),
    one("team", (TO_BILLING, BY_BILLING), "passed", 1.0, expected=TEAM, answered_by="billing", did=ANSWERS),
    one("team-unknown", (RIGHT,), "passed", 1.0, expected=TEAM[1:], max_depth=0),
    one("wrong-agent", (TO_BILLING, BY_TRIAGE), "failed", 0.625, "wrong_agent", expected=TEAM),
    one("wrong-handoff", (TO_SUPPORT,), "failed", 0.1, "wrong_tool", expected=TEAM),
    one("lost", (TO_BILLING,), "failed", 0.7, "lost_handoff", expected=TEAM),
    one("too-deep", (TO_BILLING, BY_BILLING, INNER), "failed", 1.0, "too_deep", expected=TEAM, max_depth=0),
    one(
        "loop", (TO_BILLING, TO_TRIAGE) * 3, "failed", 0.75, "handoff_loop",
        expected=TEAM[:1], extra_calls="allow",
    ),
    one("budget", (TO_BILLING, BY_BILLING), "failed", 1.0, "over_calling", expected=TEAM, agents=NONE_FOR_BILLING),
    one(
        "forbidden-agent", (BY_TRIAGE,), "failed", 0.0, "forbidden_call", expected=(), extra_calls="allow",
        forbidden_calls=({"tool": "weather", "by": {"not": "billing"}},),
    ),
    one("metric-fails", (RIGHT,), "failed", 1.0, "failed_metric", metadata={"mood": "bad"}),
    one("metric-harmful", (RIGHT,), "failed", 1.0, "double_effect", metadata={"mood": "harmful"}),
    one("metric-breaks", (RIGHT,), "error", 1.0, metadata={"mood": "raises"}),
]  # fmt: skip


def talk(
    name: str,
    calls: tuple[ToolCall, ...],
    answer: str,
    outcome: str,
    score: float,
    *codes: str,
    **golden: Any,
) -> Scored:
    """A conversation: a greeting, then a question that `weather` answers."""
    turns = (Turn("user", "Hello"), Turn("assistant", "Hi!"), Turn("user", "Weather in Hanoi?", (WEATHER,)))
    said = (
        Message("user", "Hello"),
        Message("assistant", "Hi!"),
        Message("user", "Weather in Hanoi?"),
        Message("assistant", answer, calls),
    )
    wanted = ConversationalGolden(f"Talk about {name}", id=f"talk-{name}", turns=turns, **golden)
    return Scored(wanted, trajectory_from_messages(said), outcome, score, codes)


TALKS = [
    talk("right", (RIGHT,), "31 °C", "passed", 1.0, output_contains=("31",)),
    talk("wrong", (HUE,), "31 °C", "failed", 0.1, "wrong_value"),
    talk("no-content", (RIGHT,), "Sunny.", "failed", 0.5, "missing_content", output_contains=("31",)),
    talk(
        "forbidden", (RIGHT, TIME), "", "failed", 0.0, "forbidden_call",
        forbidden_calls=("time",), extra_calls="allow",
    ),
    talk("metric-breaks", (RIGHT,), "", "error", 1.0, metadata={"mood": "nonsense"}),
]  # fmt: skip
ALL = [*SINGLE, *TALKS]
BY_THEIR_GOLDEN = [row for row in ALL if "mood" not in row.golden.metadata]
"""Those that no metric decides."""
BY_ID = {row.golden.id: row for row in ALL}


def agent(golden: AnyGolden) -> Trajectory:
    """An agent that does what the table says."""
    return BY_ID[golden.id].trajectory
