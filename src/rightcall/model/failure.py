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
    "failed_metric",
    "loop_limit",
    "refused",
    "agent_error",
    "infra_error",
    "outcome_unknown",
    "unconfirmed",
    "missing_confirmation",
    "needless_confirmation",
    "waiting_for_approval",
    "unauthorized_call",
    "permission_denied",
]

MEANINGS: dict[Code, str] = {
    "no_call": "calls were expected, and nothing was called",
    "missing_call": "an expected call was not made",
    "unexpected_call": "a call that was not expected",
    "duplicate_call": "a repeat of another call",
    "retry": "a repeat of a call that had failed",
    "wrong_tool": "a different tool was called instead of the expected one",
    "unknown_tool": "a tool was called that was not offered",
    "missing_arg": "an expected argument is missing",
    "extra_arg": "an argument that was not expected",
    "wrong_value": "an argument has a different value than expected",
    "wrong_type": "an argument has a different type than expected",
    "bad_json": "the arguments are not a JSON object",
    "schema_violation": "the tool's schema rejects the arguments",
    "order_violation": "a correct call at the wrong time",
    "forbidden_call": "a forbidden call was made",
    "forbidden_arg": "a forbidden argument was sent",
    "hallucinated_ref": "a value that should come from an earlier result does not",
    "over_calling": "more calls than the golden allows",
    "over_latency": "the case took longer than the golden allows",
    "missing_content": "the answer lacks something it should have",
    "wrong_state": "the final state of a world is not the expected one",
    "double_effect": "an effect happened twice",
    "failed_metric": "only requested metrics did not pass, and they name no other code",
    "loop_limit": "the agent reached its limit of steps, calls, tokens, cost or time",
    "refused": "the model refused to answer",
    "agent_error": "the agent raised an error",
    "infra_error": "no answer from the provider, a tool server or a script; says nothing about the agent",
    "outcome_unknown": "a call of a tool that runs for real got no answer: its effect may have happened",
    "unconfirmed": "a tool ran without the confirmation that the golden requires",
    "missing_confirmation": "the agent did not ask for a confirmation that the golden expects",
    "needless_confirmation": "the agent asked for a confirmation that the golden does not expect",
    "waiting_for_approval": "the agent waits for an approval that nobody gave",
    "unauthorized_call": "a tool ran for a caller without any of its roles",
    "permission_denied": "a call that the golden expects was refused for want of permission",
}
"""What each code says about a case."""

FATAL: frozenset[Code] = frozenset(
    ("forbidden_call", "double_effect", "wrong_state", "unconfirmed", "unauthorized_call")
)
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
