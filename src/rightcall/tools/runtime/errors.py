"""The error contract: what a model reads when a call fails, and what to do next.

The reply says what happened (`error`, `detail`), what to do now (`hint`), whether anything changed in the
world (`effect`) and whether a retry makes sense (`retry`). A write that timed out is *unknown*: its hint
never says to try again. No stack trace, SQL or internal name reaches the model.

A tool of the user raises `ToolError` for what the model can deal with and `Abort` for what it must not;
anything else it raises is masked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from rightcall.core.codec import to_plain
from rightcall.core.errors import RightCallError, suggestion
from rightcall.records.record import Record
from rightcall.tools.definitions.validate import Problem

Effect = Literal["none", "done", "unknown"]
Retry = Literal["no", "fix_args", "same_key", "after"]

OWN_CODE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
"""The form of a custom error code."""

GUARD_ASKS = "the guard asks the user first"
"""How the hint begins when the guard asks about one call; a tool that must be confirmed asks about all of its calls."""

MOST_TOLD = 5
"""Maximum problems reported to the model at once: more is noise it pays for."""


class ErrorReply(Record, frozen=True, omit_defaults=False):
    """The error contract: what the model reads instead of a result.

    `error` is one of `ERROR_CODES`, or a code that the tool defines. `path` and `allowed` belong to `invalid_args`:
    where the first problem is and what is allowed there.
    """

    error: str
    detail: str
    hint: str
    effect: Effect = "none"
    retry: Retry = "no"
    retry_after_s: float | None = None
    path: str | None = None
    allowed: tuple[Any, ...] | None = None

    def as_output(self) -> dict[str, Any]:
        """The reply as plain data, without the fields that do not apply."""
        plain: dict[str, Any] = to_plain(self)
        if self.allowed is not None:
            plain["allowed"] = list(self.allowed)
        return {name: value for name, value in plain.items() if value is not None}


class ToolError(Exception):
    """Raised by a tool for a failure the model can deal with: it becomes the model's reply.

        raise ToolError("not_found", "no order 17", hint="call search_orders with the customer's e-mail")

    `effect` says whether the tool changed anything before it failed; "none" promises that it did not. A write
    that leaves it out keeps its idempotency key: the same key will not run it again.

    `error` is one of the contract, or a code that the tool defines, with a `hint` about the next step:

        raise ToolError("card_declined", "the bank refused the card", hint="ask the user for another card")
    """

    def __init__(
        self,
        error: str,
        detail: str,
        hint: str = "",
        *,
        effect: Effect | None = None,
        retry: Retry | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        if problem := code_problem(error, hint):
            raise ValueError(problem)
        if retry is None:
            retry = "after" if retry_after_s is not None or error == "rate_limited" else "no"
        self.effect = effect
        self.reply = ErrorReply(
            error,
            detail,
            hint or DEFAULT_HINTS[error],
            effect or "none",
            retry=retry,
            retry_after_s=retry_after_s,
        )
        super().__init__(f"{error}: {detail}")


def code_problem(error: Any, hint: str) -> str:
    """What is wrong with an error code, or "" when it is valid."""
    if error in ERROR_CODES:
        return ""
    if not isinstance(error, str) or not OWN_CODE.fullmatch(error):
        return f"{error!r} is not a valid error code; use letters, digits and underscores, such as 'card_declined'"
    if hint:
        return ""
    near = suggestion(error, ERROR_CODES)
    return f"unknown error '{error}'; {f'{near} ' if near else ''}a custom code requires a hint"


class Abort(Exception):  # noqa: N818  it is an instruction, not an error
    """Raised by a tool to stop the agent: continuing would do harm, and no other arguments would help.

    `effect` is what the tool had done by then; "none" promises that nothing changed. Without it, the
    effect of a write is unknown. `unreached` is set by the runtime when the connection to the tool was lost.
    """

    def __init__(self, reason: str, *, effect: Effect | None = None, unreached: bool = False) -> None:
        self.reason = reason
        self.effect = effect
        self.unreached = unreached
        super().__init__(reason)


class NoAnswer(ConnectionError):  # noqa: N818  what happened
    """A tool's server gave no answer that can be read: it exited, or what it sent is no answer.

    The text is shown to the model, so it contains nothing that the server sent.
    """


class Aborted(RightCallError):  # noqa: N818  what happened, after an Abort
    """The agent was stopped in the middle of a turn.

    `invocations` has one entry for every call of the turn, in order, so the transcript stays valid.
    """

    exit_code = 4

    def __init__(self, reason: str, invocations: Sequence[Any] = ()) -> None:
        self.reason = reason
        self.invocations = list(invocations)
        super().__init__(f"the agent was stopped: {reason}")


DEFAULT_HINTS: dict[str, str] = {
    "unknown_tool": "use one of the tools you were given",
    "invalid_json": "send the arguments as one JSON object",
    "invalid_args": "correct the arguments and call again",
    "confirmation_required": "show the preview to the user and ask whether to go on",
    "confirmation_invalid": "call again without a confirmation token to get a new preview",
    "confirmation_rejected": "do not call it again; tell the user that it was not done",
    "precondition_failed": "read the current state, then decide again",
    "not_found": "look the identifier up before using it, or ask the user for it",
    "permission_denied": "tell the user that this is not allowed; do not look for another way",
    "conflict": "read the current state, then decide again",
    "idempotency_key_reused": "use a new key for a different operation",
    "in_progress": "wait for the first call to end; do not use another key",
    "rate_limited": "wait before calling again",
    "timeout": "call again, or tell the user that the answer did not come in time",
    "outcome_unknown": "find out whether it happened before doing anything else; do not call this tool again",
    "upstream_error": "tell the user that the service is not working at the moment",
    "result_malformed": "do not rely on this result; tell the user that it could not be read",
    "internal_error": "do not call this tool again; tell the user that it is broken",
}
ERROR_CODES = tuple(DEFAULT_HINTS)


def unknown_tool(name: str, tool_names: Iterable[str]) -> ErrorReply:
    """The model asked for a tool that does not exist."""
    names = sorted(tool_names)
    near = suggestion(name, names)
    hint = f"{near} Otherwise use one of: {', '.join(names[:20])}" if near else ""
    hint = hint or (
        f"use one of: {', '.join(names[:20])}" if names else "there are no tools; answer in words"
    )
    return ErrorReply("unknown_tool", f"no such tool '{name[:100]}'", hint)


def invalid_json(raw: str | None) -> ErrorReply:
    """The arguments were not a JSON object."""
    excerpt = f", got: {raw[:100]}" if raw else ""
    return ErrorReply(
        "invalid_json",
        f"the arguments are not a JSON object{excerpt}",
        "send the arguments as one JSON object, such as {} for none",
        retry="fix_args",
    )


def invalid_args(tool: str, problems: Sequence[Problem]) -> ErrorReply:
    """The arguments do not fit the schema: the first problems, and what to write instead."""
    told = "; ".join(problem.message for problem in problems[:MOST_TOLD])
    more = f"; and {len(problems) - MOST_TOLD} more" if len(problems) > MOST_TOLD else ""
    fixes = [fix for problem in problems[:MOST_TOLD] if (fix := _fix(problem))]
    hint = f"call {tool} again with {' and '.join(fixes)}" if fixes else f"correct them and call {tool} again"
    first = problems[0]
    return ErrorReply(
        "invalid_args",
        told + more,
        hint,
        retry="fix_args",
        path=first.path,
        allowed=first.allowed[:50] or None,
    )


def _fix(problem: Problem) -> str:
    if problem.keyword in ("additionalProperties", "unevaluatedProperties"):
        wrong = problem.path.rpartition(".")[2]
        instead = f", which may be meant as '{problem.suggestion}'" if problem.suggestion else ""
        return f"'{wrong}' left out{instead}"
    if problem.keyword == "required":
        return f"'{problem.path}' given"
    if problem.suggestion is not None:
        return f"{problem.path} = {problem.suggestion!r}"
    return f"{problem.path} one of {list(problem.allowed[:10])}" if problem.keyword == "enum" else ""


def read_timeout(tool: str, seconds: float) -> ErrorReply:
    """No answer to a read before the deadline."""
    return ErrorReply(
        "timeout",
        f"{tool} did not answer within {seconds:g} s; it only reads, so nothing has changed",
        f"call {tool} again once, or tell the user that the answer did not come in time",
        retry="same_key",
    )


def stop_reply(effect: Effect = "none") -> ErrorReply:
    """The entry in the transcript for a call when the agent is stopped; the reason is for the operator."""
    return ErrorReply(
        "internal_error",
        "the agent was stopped before this call could be answered",
        "nothing more can be done here",
        effect,
    )


def outcome_unknown(tool: str, what: str, check: str) -> ErrorReply:
    """The effect may have happened. `check` says how to find out; the hint never says to try again."""
    first = check or "find out in another way whether it happened, or ask the user to check"
    return ErrorReply(
        "outcome_unknown",
        f"{what}; its effect may have happened",
        f"{first}; do not repeat {tool} before you know",
        effect="unknown",
    )
