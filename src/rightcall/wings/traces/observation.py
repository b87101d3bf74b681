"""A span as interpreted by its dialect: a model's answer, a tool call, an agent, or none of these."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from rightcall.wings.traces.content import ABSENT
from rightcall.wings.traces.messages import SpokenMessage
from rightcall.wings.traces.span import Span

ObservedKind = Literal["llm", "tool", "agent", "other"]


class Observation(msgspec.Struct, gc=False):
    """What a dialect read from one span.

    `arguments` and `result` are `ABSENT` when they were not recorded. `loose` says that arguments which are not a JSON
    object are not what the model wrote. `output` is the result as the root span records it. `handoff` names
    the agent that takes over.
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
    broken_answer: bool = False

    @property
    def has_usage(self) -> bool:
        return self.input_tokens is not None or self.output_tokens is not None
