"""Every way in which an agent gives no answer to some goldens, as agents that answer the others."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import aiohttp
import msgspec

import rightcall as rc
from rightcall.core.errors import ProviderError
from rightcall.providers.base import ModelReply
from rightcall.providers.failures import refusal_error, transport
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import Message
from rightcall.records.trajectory import LedgerEntry

GOLDENS = [rc.Golden(f"Thanks {n}!", id=f"g{n:02}", no_calls=True) for n in range(40)]
"""Goldens that an agent without an answer would satisfy."""

LOST = ["g07", "g23"]


def refused(status: int, code: str = "") -> ProviderError:
    """A response that is an error, as it is once all retries are over."""
    error = refusal_error("the model", status, {}, msgspec.json.encode({"error": {"code": code}}))
    error.retryable = False
    return error


def cut_off() -> ProviderError:
    error = transport("the model", aiohttp.ClientPayloadError("incomplete"), 1.0)
    error.retryable = False
    return error


def unanswered(phase: Any) -> rc.Trajectory:
    """A call of a real tool that got no answer."""
    call = rc.ToolCall("look", {}, "c1", status="error")
    return rc.Trajectory(calls=(call,), ledger=(LedgerEntry(1, phase, "look", call_id="c1"),))


def raise_error(error: Exception) -> Any:
    raise error


ASKING: dict[str, Callable[[], Any]] = {
    "4xx": lambda: raise_error(refused(400, "context_length_exceeded")),
    "429": lambda: raise_error(refused(429)),
    "5xx": lambda: raise_error(refused(503)),
    "cut stream": lambda: raise_error(cut_off()),
    "content filter": lambda: ModelReply(Message("assistant", ""), stop="filtered"),
    "filtered request": lambda: raise_error(refused(400, "content_filter")),
    "refused by the provider": lambda: raise_error(refused(401)),
}
"""What a model does instead of answering."""

RETURNING: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "{}": dict,
    "7": lambda: 7,
    "exception": lambda: raise_error(ValueError("no such order")),
    "dead tool server": lambda: unanswered("unreached"),
    "dead service": lambda: raise_error(rc.errors.InfrastructureError("127.0.0.1:9 does not answer")),
    "outcome unknown": lambda: unanswered("unanswered"),
}
"""What a function does instead of answering."""

OWN: dict[str, str] = {
    "4xx": "request_rejected",
    "content filter": "content_filter",
    "filtered request": "content_filter",
    "None": "unreadable_result",
    "{}": "unreadable_result",
    "7": "unreadable_result",
    "exception": "agent_error",
}
"""The code of what is the agent's doing; everything else is no answer."""

WAYS = (*ASKING, *RETURNING)


def agent_that(way: str, lost: Collection[str]) -> Any:
    """An agent that answers every golden but the lost ones."""
    if way in ASKING:
        return rc.Agent(
            ScriptedProvider(
                lambda request: (
                    ASKING[way]() if request.golden_id in lost else ModelReply(Message("assistant", "Done."))
                )
            )
        )

    def agent(golden: rc.Golden) -> Any:
        return RETURNING[way]() if golden.id in lost else "Done."

    return agent


@dataclass(frozen=True)
class Losing:
    """The same as a function, which other processes can load: a model's failure is what its client raises."""

    way: str
    lost: tuple[str, ...]

    def __call__(self, golden: rc.Golden) -> Any:
        if golden.id.partition("~")[0] not in self.lost:
            return "Done."
        ended = {**ASKING, **RETURNING}[self.way]()
        return rc.Trajectory(stop_reason="filtered") if isinstance(ended, ModelReply) else ended
