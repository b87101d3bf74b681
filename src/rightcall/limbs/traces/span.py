"""One span from any source: produced by every export reader and read by every dialect."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import msgspec

from rightcall.agents.observed.framework_names import GraphPlace
from rightcall.limbs.traces.content import (
    ABSENT,
    first_text,
    is_callback_event,
    parse_container,
    tool_message,
    whole_number,
)
from rightcall.limbs.traces.messages import SpokenMessage, read_messages

SpanStatus = Literal["", "ok", "error"]

_HEX = re.compile(r"[0-9a-fA-F]+")
_TRACE_BYTES = 16
_SPAN_BYTES = 8


class SpanEvent(msgspec.Struct, gc=False):
    """An event at one moment inside a span."""

    name: str
    attributes: dict[str, Any] = {}


class Span(msgspec.Struct, gc=False):
    """A named operation with a start and an end, in nanoseconds since 1970. Ids are lower-case text."""

    trace_id: str
    span_id: str
    parent_id: str = ""
    name: str = ""
    start: int = 0
    end: int = 0
    status: SpanStatus = ""
    message: str = ""
    attributes: dict[str, Any] = {}
    resource: dict[str, Any] = {}
    scope: str = ""
    events: list[SpanEvent] = []

    @property
    def latency_ms(self) -> float | None:
        """How long it took; None when the clock ran backwards or the end is not known."""
        return (self.end - self.start) / 1e6 if self.end >= self.start > 0 else None


def trace_id_of(value: Any) -> str:
    """A trace id as 32 hexadecimal digits; empty when invalid. Base64 of 16 bytes is accepted too."""
    return _id(value, _TRACE_BYTES)


def span_id_of(value: Any) -> str:
    """A span id as 16 hexadecimal digits; empty when invalid."""
    return _id(value, _SPAN_BYTES)


def _id(value: Any, size: int) -> str:
    if isinstance(value, bytes):
        return value.hex() if len(value) == size and any(value) else ""
    if not isinstance(value, str):
        return ""
    text = value.removeprefix("0x")
    if len(text) == 2 * size and _HEX.fullmatch(text):
        return text.lower() if text.strip("0") else ""
    try:
        data = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return ""
    return data.hex() if len(data) == size and any(data) else ""


def free_id_of(value: Any) -> str:
    """An id in an export's own format: any short text or number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return value if isinstance(value, str) and 0 < len(value) <= 200 else ""


def nanoseconds(value: Any) -> int:
    """A time as nanoseconds since 1970; 0 when invalid. ISO 8601, numbers and numbers as text are accepted."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _nanoseconds(value)
    if not isinstance(value, str):
        return 0
    if value.isdecimal() and len(value) < 30:
        return _nanoseconds(int(value))
    try:
        moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
    except ValueError:
        return 0
    if moment.tzinfo is None:
        moment = datetime.fromisoformat(f"{moment.isoformat()}+00:00")  # exports mean UTC
    whole = moment.replace(microsecond=0).timestamp()
    return max(0, int(whole) * 1_000_000_000 + moment.microsecond * 1000)


def _nanoseconds(value: float) -> int:
    """Seconds, milliseconds, microseconds or nanoseconds, detected by magnitude: years 1973 to 5138 in each."""
    if not 0 < value < 1e20:
        return 0
    for limit, factor in ((1e11, 1_000_000_000), (1e14, 1_000_000), (1e17, 1000)):
        if value < limit:
            return int(value * factor)
    return int(value)


ObservedKind = Literal["llm", "tool", "agent", "other"]


@dataclass(frozen=True)
class SpanPlace:
    """The position of a span: the nearest agent above it, its depth of agents used as tools, and the enclosing call.

    `path` lists the agents' names from the root, "" for one without a name; `parent` is the tool that runs its agent;
    `inferred` says that the framework gave its agent no name.
    """

    agent: Observation | None = None
    depth: int = 0
    tool: Observation | None = None
    path: tuple[str, ...] = ()
    parent: Observation | None = None
    inferred: bool = False

    @property
    def agent_name(self) -> str:
        return self.path[-1] if self.path else ""


class Observation(msgspec.Struct, gc=False):
    """What a dialect read from one span.

    `arguments` and `result` are `ABSENT` when they were not recorded. `loose` says that arguments which are not a JSON
    object are not what the model wrote. `output` is the result as the root span records it. `finish` is why the model
    stopped, where the answer itself does not say it. `handoff` names the agent that takes over. `graph` is the place in
    a LangGraph graph, which has no spans of agents. `parent` and `place` are set when all spans of a trace are known.
    """

    span: Span
    kind: ObservedKind
    spelling: str
    name: str = ""
    call_id: str = ""
    arguments: Any = ABSENT
    result: Any = ABSENT
    failed: bool = False
    error: str = ""
    asked: list[SpokenMessage] | None = None
    answer: SpokenMessage | None = None
    system: str = ""
    tools: list[dict[str, Any]] = []
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    session: str = ""
    model: str = ""
    version: str = ""
    finish: str = ""
    output: str = ""
    question: str = ""
    loose: bool = False
    handoff: str = ""
    graph: GraphPlace | None = None
    broken_answer: bool = False
    parent: Observation | None = None
    place: SpanPlace = SpanPlace()

    def above(self) -> Iterator[Observation]:
        """Its parent, the parent of that, up to the root."""
        around = self.parent
        while around is not None:
            yield around
            around = around.parent

    @property
    def has_usage(self) -> bool:
        return self.input_tokens is not None or self.output_tokens is not None

    def read_asked(self, value: Any) -> None:
        """The system prompt and the other messages of a request; nothing where it was not recorded."""
        messages = read_messages(value) if value is not None and value is not ABSENT else None
        self.system, self.asked = without_system(messages)

    def read_result(self, output: Any) -> None:
        """A tool's output; out of LangChain's message also whether it failed, and the id of the call it answers."""
        message = tool_message(output)
        if message is not None:
            self.result = parse_container(message["content"])
            self.failed = self.failed or message.get("status") == "error"
            self.call_id = self.call_id or first_text(message.get("tool_call_id"))
            return
        value = parse_container(output)
        self.result = parse_container(value["output"]) if is_callback_event(value) else value

    def read_tokens(
        self,
        counts: dict[str, Any],
        asked: Sequence[str],
        answered: Sequence[str],
        cached: Sequence[str] = (),
    ) -> None:
        """How many tokens a request and its answer had, under the first of several names."""
        self.input_tokens, self.output_tokens, self.cached_tokens = (
            next((number for name in names if (number := whole_number(counts.get(name))) is not None), None)
            for names in (asked, answered, cached)
        )


def without_system(messages: list[SpokenMessage] | None) -> tuple[str, list[SpokenMessage] | None]:
    """The system prompt, and the other messages."""
    if not messages:
        return "", messages
    system = "\n".join(message.text for message in messages if message.role == "system")
    return system, [message for message in messages if message.role != "system"]
