"""Prepares a call: everything that happens before its tool runs."""

from __future__ import annotations

import base64
import hmac
import secrets
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import msgspec

from rightcall.core.errors import ConfigError
from rightcall.core.redaction.key_formats import CONFIRMATION_PREFIX
from rightcall.records.approval import CONFIRMATION_PARAMETER, Approval, ApprovalPolicy
from rightcall.records.tool import Tool
from rightcall.tools.definitions.behaviour import only_reads
from rightcall.tools.definitions.function import call_function
from rightcall.tools.definitions.validate import Problem, problems
from rightcall.tools.idempotency.guard import full_key, key_problem
from rightcall.tools.idempotency.store import ClaimRequest, IdempotencyStore
from rightcall.tools.runtime.bound_tool import BoundTool, RunnableTool
from rightcall.tools.runtime.context import CallContext, CallVerdict
from rightcall.tools.runtime.errors import (
    GUARD_ASKS,
    ErrorReply,
    ToolError,
    invalid_args,
    invalid_json,
    unknown_tool,
)
from rightcall.tools.runtime.invocation import ActiveCall, Next
from rightcall.tools.runtime.json_values import fingerprint, normalise_arguments


@dataclass
class Confirmations:
    """Issues and checks tokens. Each is bound to a task, a tool and its arguments, and works once.

    Processes that share `secret` and the store accept each other's tokens.
    """

    store: IdempotencyStore
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    ttl_s: float = 600.0

    def issue(self, context: CallContext, tool: str, fingerprint: str) -> str:
        """A token for one operation of this task."""
        expires = f"{context.clock.now() + self.ttl_s:.3f}"
        nonce = CONFIRMATION_PREFIX + secrets.token_urlsafe(12)
        return f"{nonce}.{expires}.{self._mac(context, tool, fingerprint, nonce, expires=expires)}"

    def problem(self, token: str, context: CallContext, tool: str, fingerprint: str) -> str:
        """Why a token is refused, or "" when it is valid; a valid one is used up."""
        nonce, _, rest = token.partition(".")
        expires, _, mac = rest.rpartition(".")
        expected = self._mac(context, tool, fingerprint, nonce, expires=expires)
        if not hmac.compare_digest(mac.encode("utf-8", "replace"), expected.encode()):
            return "it does not belong to this operation with these arguments"
        now = context.clock.now()
        if float(expires) <= now:
            return "it has expired"
        wish = ClaimRequest(
            f"confirmation:{nonce}",
            fingerprint,
            secrets.token_hex(8),
            now,
            lease_s=self.ttl_s,
            ttl_s=self.ttl_s,
        )
        return "" if self.store.begin(wish).verdict == "run" else "it has been used already"

    def _mac(self, context: CallContext, tool: str, fingerprint: str, nonce: str, expires: str) -> str:
        parts = (context.run, context.task, str(context.trial), tool, fingerprint, nonce, expires)
        text = "\x1f".join(parts).encode("utf-8", "surrogatepass")
        return base64.urlsafe_b64encode(hmac.digest(self.secret, text, "sha256")[:18]).decode()


class Refused(Exception):  # noqa: N818  ends preparation; caught where the call is answered
    """The call is answered with an error before anything ran."""

    def __init__(self, reply: ErrorReply) -> None:
        self.reply = reply
        super().__init__(reply.detail)


class WaitingCall(Exception):  # noqa: N818  ends preparation; caught where the call is answered
    """The call waits for somebody who can approve it."""


class Preparer(msgspec.Struct):
    """Parses, resolves, validates, normalises, and asks for permissions and confirmation."""

    confirmations: Confirmations
    read_only: bool = False
    approvals: ApprovalPolicy | None = None

    async def __call__(self, call: ActiveCall, next: Next) -> Any:
        """Make the call ready to run. Raises `Refused` with the reply, or `Abort`."""
        await self._prepare(call)
        return await next(call)

    async def _prepare(self, call: ActiveCall) -> None:
        context = call.context
        name = call.call.name
        arguments = call.call.arguments
        entry: BoundTool | None = context.offered.get(name)
        raw = call.call.raw
        if arguments is None and entry and raw is not None and not raw.strip():
            # some servers send an empty text for a tool that takes no arguments
            arguments = None if entry.tool.needs_arguments else {}
        if arguments is None:
            raise Refused(invalid_json(raw))
        if entry is None:
            raise Refused(unknown_tool(name, context.offered))
        if argument_problems := problems(entry.tool, arguments):
            raise Refused(invalid_args(name, argument_problems))
        call.entry = entry
        call.ready = entry.ready(context)
        _set_arguments(call, arguments)
        refusal = _missing_role(entry.tool, context.roles)
        if self.read_only and not only_reads(entry.tool.annotations):
            refusal = f"{name} may change something, and only reading is allowed here"
        if refusal:
            raise Refused(ToolError("permission_denied", refusal).reply)
        if call.verdict is not None:
            self._stop(call, call.verdict)
        elif entry.behaviour.confirmation != "none" or (
            self.approvals is not None and call.tool_name in self.approvals.rules
        ):  # a line of the approver about this tool; a pattern only says what to answer
            await self._confirm(call)

    def _stop(self, call: ActiveCall, verdict: CallVerdict) -> None:
        """Raise `Refused`, unless the guard asks and the approver agrees; a token proves nothing, models see them."""
        rules = ", ".join(verdict.by)
        call.arguments.pop(CONFIRMATION_PARAMETER, None)
        if verdict.verdict == "confirm" and (_is_granted(call) or self._ask_approval(call)):
            return
        call.log("guard", detail=f"{verdict.verdict}: {rules}")
        if verdict.verdict == "deny":
            hint = f"the guard does not allow this ({rules}): {verdict.why}; tell the user, look for no other way"
            raise Refused(ToolError("permission_denied", f"{call.call.name} was not run", hint).reply)
        call.approval = Approval("waiting")
        hint = f"{GUARD_ASKS} ({rules}): {verdict.why}; ask the user to name it or to confirm"
        raise Refused(
            ErrorReply("confirmation_required", f"{call.call.name} was not run", hint, retry="fix_args")
        )

    async def _confirm(self, call: ActiveCall) -> None:
        """Raise `Refused` unless the call carries a good confirmation, which is used up."""
        name = call.call.name
        token = call.arguments.pop(CONFIRMATION_PARAMETER, None)
        operation = (call.context, call.tool_name, call.fingerprint)
        if token is None and (_is_granted(call) or self._ask_approval(call)):
            return
        if token is None:
            call.approval = Approval("waiting")
            raise Refused(await self._confirmation_required(call))
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

    def _ask_approval(self, call: ActiveCall) -> bool:
        """Whether the approver lets the call run, perhaps with other arguments; False when nobody decides."""
        if self.approvals is None or self.approvals.rule(call.tool_name) is None:
            return False
        approval = call.approval = self.approvals.decide(call.tool_name, call.arguments)
        if approval.decision == "escalated":
            raise WaitingCall
        if approval.decision == "rejected":
            raise Refused(ToolError("confirmation_rejected", approval.message).reply)
        if approval.arguments is not None:
            if argument_problems := problems(call.entry.tool, approval.arguments):
                raise ConfigError(
                    f"approvals.{call.tool_name}: the edited arguments are invalid: {argument_problems[0].message}"
                )
            _set_arguments(call, approval.arguments)
        return True

    async def _confirmation_required(self, call: ActiveCall) -> ErrorReply:
        name = call.call.name
        preview = call.ready.preview
        shown = f"{name} would be run with these arguments"
        if preview is not None:
            shown = str(await call_function(partial(preview, call.arguments)))
        if call.entry.behaviour.confirmation == "user":
            hint = f"ask the user for the confirmation token, then call {name} with the same arguments and it"
        else:
            token = self.confirmations.issue(call.context, call.tool_name, call.fingerprint)
            hint = (
                f"show this to the user; when they agree, call {name} with the same arguments and "
                f"{CONFIRMATION_PARAMETER} = {token!r}"
            )
        return ErrorReply("confirmation_required", f"nothing was done yet: {shown}", hint, retry="fix_args")


def _is_granted(call: ActiveCall) -> bool:
    """Whether the user agreed to this very call; it is noted as approved."""
    if not call.call.id or call.call.id not in call.context.granted:
        return False
    call.approval = Approval("approved")
    return True


def _missing_role(tool: Tool, roles: tuple[str, ...] | None) -> str:
    """Why a caller with these roles may not use a tool; "" when they may, or when callers are not distinguished."""
    if roles is None or not tool.roles or any(role in tool.roles for role in roles):
        return ""
    return f"{tool.name} is for {' or '.join(tool.roles)}, and the caller is {', '.join(roles) or 'nobody known'}"


def _set_arguments(call: ActiveCall, arguments: dict[str, Any]) -> None:
    """Give a call its arguments, what they mean and their key. Raises `Refused` if they cannot be used."""
    call.arguments = normalise_arguments(call.entry.tool, arguments)
    call.fingerprint = call_fingerprint(call.entry, call.arguments)
    call.prepared = True
    if argument_problems := _conversion_problem(call.ready, call.arguments) or _key(call):
        raise Refused(invalid_args(call.call.name, argument_problems))


def call_fingerprint(entry: BoundTool, arguments: dict[str, Any]) -> str:
    """What a call means: the same for calls that differ only in keys, tokens and volatile parameters."""
    behaviour = entry.behaviour
    without = {*behaviour.volatile, CONFIRMATION_PARAMETER}
    if behaviour.idempotency == "key":
        without.add(behaviour.key_parameter)
    return fingerprint(entry.tool.name, arguments, without)


def _key(call: ActiveCall) -> list[Problem]:
    """Assign the call's key, or report what is wrong with the caller's."""
    behaviour = call.entry.behaviour
    name = call.tool_name
    if behaviour.idempotency == "args":
        call.key = full_key(call.context, name, call.fingerprint)
    elif behaviour.idempotency == "key":
        key = call.arguments.get(behaviour.key_parameter)
        if problem := key_problem(key):
            parameter = behaviour.key_parameter
            return [Problem(parameter, f"{parameter} {problem}", "required" if key is None else "key")]
        call.key = full_key(call.context, name, str(key))
    return []


def _conversion_problem(ready: RunnableTool, arguments: dict[str, Any]) -> list[Problem]:
    if ready.check_arguments is None:
        return []
    try:
        ready.check_arguments(arguments)
    except (ValueError, TypeError) as error:
        return [Problem("", f"the arguments do not fit: {str(error)[:200]}", "type")]
    return []
