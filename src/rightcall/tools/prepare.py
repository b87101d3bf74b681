"""Everything that happens to a call before its tool is touched."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from rightcall.model.call import ToolCall
from rightcall.tools.canonical import fingerprint, normalised
from rightcall.tools.confirmation import Confirmations
from rightcall.tools.context import CallContext
from rightcall.tools.entry import Entry, Ready, call
from rightcall.tools.errors import Abort, ErrorReply, ToolError, invalid_args, invalid_json, unknown_tool
from rightcall.tools.function import CONFIRMATION_PARAMETER
from rightcall.tools.idempotency import full_key, key_problem
from rightcall.tools.policy import Policy
from rightcall.tools.validate import Problem, problems


class Refused(Exception):  # noqa: N818  the way out of preparing, caught by the invoker
    """The call is answered with an error before anything ran."""

    def __init__(self, reply: ErrorReply) -> None:
        self.reply = reply
        super().__init__(reply.detail)


@dataclass(slots=True)
class Prepared:
    """A call whose arguments are good and which may be run."""

    call: ToolCall
    entry: Entry
    ready: Ready
    arguments: dict[str, Any]
    fingerprint: str
    key: str = ""
    faults: list[str] = field(default_factory=list)
    item: tuple[int, int] | None = None
    """Its number and the count of all, when this is one item of a batch."""
    injection: Any = None
    """The faults that strike it, when that is already decided."""

    def note(self) -> dict[str, Any]:
        """What every ledger line about this call says."""
        return {"fingerprint": self.fingerprint, "key": self.key, "call_id": self.call.id}


@dataclass
class Preparer:
    """Parses, resolves, validates, normalises, and asks policy and confirmation."""

    resolve: Callable[[str, CallContext], Entry | None]
    known: Callable[[CallContext], list[str]]
    confirmations: Confirmations
    policy: Policy

    async def prepare(self, call: ToolCall, context: CallContext) -> Prepared:
        """The call ready to run. Raises `Refused` with the reply, or `Abort`."""
        if self.policy.max_calls is not None and context.count("calls") >= self.policy.max_calls:
            raise Abort(f"the budget of {self.policy.max_calls} calls is used up")
        if call.arguments is None:
            raise Refused(invalid_json(call.raw))
        entry = self.resolve(call.name, context)
        if entry is None:
            raise Refused(unknown_tool(call.name, self.known(context)))
        if found := problems(entry.tool, call.arguments):
            raise Refused(invalid_args(call.name, found))
        arguments = normalised(entry.tool, call.arguments)
        ready = entry.ready(context)
        prepared = Prepared(call, entry, ready, arguments, call_fingerprint(entry, arguments))
        if found := _conversion_problem(ready, arguments) or _key(prepared, context):
            raise Refused(invalid_args(call.name, found))
        if refusal := self.policy.refusal(entry.tool, arguments):
            raise Refused(ToolError("permission_denied", refusal).reply)
        if entry.behaviour.confirmation != "none":
            await self._confirm(prepared, context)
        return prepared

    async def _confirm(self, prepared: Prepared, context: CallContext) -> None:
        """Raise `Refused` unless the call carries a good confirmation, which is used up."""
        name = prepared.call.name
        token = prepared.arguments.pop(CONFIRMATION_PARAMETER, None)
        operation = (context, prepared.entry.tool.name, prepared.fingerprint)
        if token is None:
            raise Refused(await self._confirmation_required(prepared, context))
        if problem := self.confirmations.problem(str(token), *operation):
            raise Refused(
                ErrorReply(
                    "confirmation_invalid",
                    f"the {CONFIRMATION_PARAMETER} is refused: {problem}; nothing was done",
                    f"call {name} without {CONFIRMATION_PARAMETER} to get a new preview",
                    path=CONFIRMATION_PARAMETER,
                    retry="fix_args",
                )
            )

    async def _confirmation_required(self, prepared: Prepared, context: CallContext) -> ErrorReply:
        name, shown = prepared.call.name, await _preview(prepared)
        if prepared.entry.behaviour.confirmation == "user":
            hint = f"ask the user for the confirmation token, then call {name} with the same arguments and it"
        else:
            token = self.confirmations.issue(context, prepared.entry.tool.name, prepared.fingerprint)
            hint = (
                f"show this to the user; when they agree, call {name} with the same arguments and "
                f"{CONFIRMATION_PARAMETER} = {token!r}"
            )
        return ErrorReply("confirmation_required", f"nothing was done yet: {shown}", hint, retry="fix_args")


async def _preview(prepared: Prepared) -> str:
    if prepared.ready.preview is None:
        return f"{prepared.call.name} would be run with these arguments"
    return str(await call(partial(prepared.ready.preview, prepared.arguments)))


def call_fingerprint(entry: Entry, arguments: dict[str, Any]) -> str:
    """What a call means: the same for calls that differ only in keys, tokens and volatile parameters."""
    behaviour = entry.behaviour
    without = {*behaviour.volatile, CONFIRMATION_PARAMETER}
    if behaviour.idempotency == "key":
        without.add(behaviour.key_parameter)
    return fingerprint(entry.tool.name, arguments, without)


def _key(prepared: Prepared, context: CallContext) -> list[Problem]:
    """Give the call its key, or say what is wrong with the caller's."""
    behaviour, name = prepared.entry.behaviour, prepared.entry.tool.name
    if behaviour.idempotency == "args":
        prepared.key = full_key(context, name, prepared.fingerprint)
    elif behaviour.idempotency == "key":
        given = prepared.arguments.get(behaviour.key_parameter)
        if problem := key_problem(given):
            parameter = behaviour.key_parameter
            return [Problem(parameter, f"{parameter} {problem}", "required" if given is None else "key")]
        prepared.key = full_key(context, name, str(given))
    return []


def _conversion_problem(ready: Ready, arguments: dict[str, Any]) -> list[Problem]:
    if ready.check_arguments is None:
        return []
    try:
        ready.check_arguments(arguments)
    except (ValueError, TypeError) as error:
        return [Problem("", f"the arguments do not fit: {str(error)[:200]}", "type")]
    return []
