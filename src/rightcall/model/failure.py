"""The closed list of ways to fail, each with its evidence."""

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
"""Damage done: one is too many for a gate, whatever the rates are, and no golden is excused for it."""


class Failure(Record, frozen=True):
    """One code with the tool, the parameter, what was expected and what was found.

    Read off the alignment of expected and actual calls, never off message text. `call` and
    `expected_call` are positions in the trajectory's calls and the golden's expected calls. In a conversation `turn` is
    the position among what user and agent said, from 0, and expected calls count on from those of the whole through
    those of its turns.
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
