"""The behaviour of a tool beyond its schema: what makes it safe to repeat, to confirm and to run concurrently."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, TypedDict

import msgspec

from rightcall.records.tool import Annotations, IdempotencyKind
from rightcall.tools.runtime.context import SystemClock

Confirmation = Literal["none", "preview", "user"]
Seconds = Annotated[float, msgspec.Meta(gt=0)]
Bytes = Annotated[int, msgspec.Meta(ge=1)]


class Behaviour(msgspec.Struct, frozen=True):
    """What the runtime needs to know about a tool; the defaults suit a plain read.

    `idempotency`: "key" requires a key from the caller in `key_parameter`; "args" treats equal arguments
    within one task as the same operation; "none" runs every call. `volatile` names parameters that do
    not change what a call means (a trace id, a time stamp).

    `batch` names a list parameter whose items are separate operations: each is run with its own key, so that
    repeating the call runs only the missing items.

    `resource_key` says what a call touches: a parameter's name, or a function of the arguments. Calls on
    one resource keep their order; without it a write waits for all others.

    `probe(key, arguments)` finds out whether an effect happened: the result it had, or None when it did
    not happen. `check_with` names the tool a model can call to see for itself.

    `confirmation` "preview" answers the first call with a preview and a token, "user" gives the token to
    the user alone; `preview(arguments)` describes what would happen.

    `current_version(arguments)` is compared with the parameter `version_parameter` before acting.

    `strict` stops the agent when the tool is not permitted to act, loses a connection or breaks unexpectedly, as
    `ToolRules(strict=True)` does for every tool. Unless it says False, a tool marked destructive stops the agent when
    it breaks unexpectedly: nobody knows what it has done.
    """

    idempotency: IdempotencyKind = "none"
    key_parameter: str = "idempotency_key"
    volatile: tuple[str, ...] = ()
    batch: str = ""
    resource_key: str | Callable[[dict[str, Any]], str] | None = None
    probe: Callable[..., Any] | None = None
    check_with: str = ""
    confirmation: Confirmation = "none"
    preview: Callable[..., Any] | None = None
    current_version: Callable[..., Any] | None = None
    version_parameter: str = "expected_version"
    timeout_s: Seconds = 30.0
    max_result_bytes: Bytes = 1_000_000
    strict: bool | None = None

    def resource(self, arguments: dict[str, Any]) -> str | None:
        """The resource that these arguments touch, or None when the tool does not declare it."""
        if self.resource_key is None:
            return None
        if callable(self.resource_key):
            return str(self.resource_key(arguments))
        value = arguments.get(self.resource_key)
        return None if value is None else f"{self.resource_key}={value!r}"


class BehaviourOptions(TypedDict, total=False):
    """The fields of `Behaviour`, as keywords of `@tool`."""

    idempotency: IdempotencyKind
    key_parameter: str
    volatile: Sequence[str]
    batch: str
    resource_key: str | Callable[[dict[str, Any]], str] | None
    probe: Callable[..., Any] | None
    check_with: str
    confirmation: Confirmation
    preview: Callable[..., Any] | None
    current_version: Callable[..., Any] | None
    version_parameter: str
    timeout_s: float
    max_result_bytes: int
    strict: bool | None


class CallInfo(msgspec.Struct, frozen=True):
    """What a tool may ask about the call it is serving; a parameter annotated with it is filled in.

    `key` is the runtime's idempotency key, unique to the operation: pass it on to a service that takes one.
    `acted()` reports to the runtime that the effect has happened, whatever fails afterwards.
    """

    call_id: str = ""
    key: str = ""
    attempt: int = 1
    run: str = ""
    task: str = ""
    trial: int = 0
    clock: Any = msgspec.field(default_factory=SystemClock)
    acted: Callable[[], None] = lambda: None


def only_reads(annotations: Annotations) -> bool:
    """Whether a tool is declared read-only. Undeclared tools count as writes, as in MCP."""
    return annotations.read_only is True
