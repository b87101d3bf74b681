"""One request of the model to run a tool, and what came of it."""

from __future__ import annotations

from typing import Any, Literal

from rightcall.model.record import Record, Spelled

CallStatus = Literal["not_run", "ok", "error"]


class ToolCall(Record, frozen=True, metaclass=Spelled):
    """A tool call with its result, if it was run.

    `arguments` is None when the model's text was not a JSON object; `raw` then holds that text. With neither, the
    arguments are not known: a trace without content, a list of names. Such a call is scored by its name alone.
    `step` is the index of the assistant message: calls of one message are concurrent. None means the
    order is known only from the call's position, one call a step. `notes` keeps what other tools' files say of it.
    """

    name: str
    arguments: dict[str, Any] | None = {}
    id: str = ""
    step: int | None = None
    status: CallStatus = "not_run"
    output: Any = None
    latency_ms: float | None = None
    raw: str | None = None
    notes: dict[str, Any] = {}

    @property
    def arguments_unknown(self) -> bool:
        """Whether nobody recorded what the tool was called with."""
        return self.arguments is None and self.raw is None


class ToolResult(Record, frozen=True):
    """What the agent told the model about one call."""

    call_id: str
    output: Any = None
    is_error: bool = False
    name: str = ""
