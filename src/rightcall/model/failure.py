"""The closed list of failure codes, each with its evidence."""

from __future__ import annotations

from typing import Any, Literal

from rightcall.model.record import Record

Code = Literal[
    "no_call",
    "missing_call",
    "unexpected_call",
    "duplicate_call",
    "retry",
    "wrong_tool",
    "unknown_tool",
    "missing_arg",
    "extra_arg",
    "wrong_value",
    "wrong_type",
    "bad_json",
    "schema_violation",
    "order_violation",
    "forbidden_call",
    "forbidden_arg",
    "hallucinated_ref",
    "over_calling",
    "over_latency",
    "missing_content",
    "wrong_state",
    "double_effect",
    "loop_limit",
    "refused",
    "agent_error",
    "infra_error",
]

FATAL: frozenset[Code] = frozenset(("forbidden_call", "double_effect", "wrong_state"))
"""Damage: one occurrence fails a gate regardless of the rates, and no golden is excused for it."""


class Failure(Record, frozen=True):
    """One code with the tool, the parameter, what was expected and what was found.

    Derived from the alignment of expected and actual calls, never from message text. `call` and
    `expected_call` are positions in the trajectory's calls and the golden's expected calls. In a conversation
    `turn` is the position among the turns of user and agent, from 0, and expected calls are numbered from
    those of the whole conversation through those of its turns.
    """

    code: Code
    tool: str = ""
    parameter: str = ""
    expected: Any = None
    actual: Any = None
    detail: str = ""
    call: int | None = None
    expected_call: int | None = None
    turn: int | None = None
