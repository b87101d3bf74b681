"""The common base of agents behind an address or a command: what each is asked, and a conversation with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any, Protocol
from uuid import uuid4

import msgspec

from rightcall.agents.agent_session import AgentSession, append_turn
from rightcall.agents.model_retries import stop_of_problem
from rightcall.agents.remote.agent_reply import (
    TRIED,
    NoJsonError,
    ReplyReader,
    UnknownFormatError,
    UnreadableReplyError,
)
from rightcall.agents.remote.exchange import Exchange
from rightcall.core.codec import to_plain
from rightcall.core.digest import hex_digest
from rightcall.core.errors import ConfigError, InfrastructureError
from rightcall.records.dialects import anthropic
from rightcall.records.golden import Golden
from rightcall.records.message import Message
from rightcall.records.tool import Tool
from rightcall.records.trajectory import StopReason, Trajectory


class Telemetry(Protocol):
    """Observes an agent's turns through the spans it sends, under the `traceparent` of the turn."""

    @property
    def endpoint(self) -> str: ...

    async def start(self) -> None: ...

    async def aclose(self) -> None: ...

    def watch(self, traceparent: str) -> None: ...

    async def wait_for_spans(self, traceparent: str, *, ended: bool) -> None: ...

    def merge_spans(self, traceparent: str, reply: Trajectory) -> Trajectory: ...

    def unknown(self, traceparent: str, reply: Trajectory) -> str: ...

    def forget(self, traceparents: Iterable[str]) -> None: ...


class AddressedAgent:
    """An agent at a URL or behind a command."""

    name: str

    def __init__(self, exchange: Exchange, asking: Asking) -> None:
        self.exchange = exchange
        self._asking = asking
        self._clean: Callable[[str], str] = str
        self._reply_reader = ReplyReader(exchange.response)
        self._has_read = False
        self._unread = 0

    def read(self, content: bytes, user_text: str, *, stream: bool = False) -> Trajectory:
        """The behaviour in a reply.

        While none could be read, a reply in no known format is an error of the setup. One that is not JSON may be
        what a crash has printed: that is the agent's failure, unless all of the first `TRIED` are.
        """
        try:
            reply = self._reply_reader.read(content, user_text, stream=stream)
        except (UnknownFormatError, NoJsonError) as error:
            self._unread += 1
            if self._has_read or (isinstance(error, NoJsonError) and self._unread < TRIED):
                raise
            problem = f"no reply of {self.name} could be read yet: {self._clean(str(error))}"
            raise ConfigError(f"{problem}; the run stopped before spending more") from None
        self._has_read = True
        return reply

    def session(self, golden: Golden, trial: int = 0) -> AddressedSession:
        raise NotImplementedError

    def begin(self, run_id: str) -> None:
        """Set the run whose trials follow: the keys of their requests are made of it."""
        self._asking.run_id = run_id or self._asking.run_id

    async def check(self) -> list[str]:
        raise NotImplementedError

    async def aclose(self) -> None:
        raise NotImplementedError


class Asking:
    """The request to an agent: the user's input, earlier turns, instructions and tools. Never the expectations.

    With `telemetry` it has a `traceparent` too, under which the agent's spans are looked for.
    """

    def __init__(
        self, system: str, offered: Callable[[Golden], Sequence[Tool]], telemetry: Telemetry | None = None
    ) -> None:
        self._system = system
        self._offered = offered
        self.telemetry = telemetry
        self.run_id = uuid4().hex
        """The run whose trials are asked for; another for every process without one."""

    def ask(
        self,
        golden: Golden,
        trial: int,
        session: str,
        text: str,
        earlier: Sequence[Message],
        turn: int = 0,
        traceparent: str = "",
    ) -> dict[str, Any]:
        asked = {
            "input": text,
            "messages": [to_plain(message) for message in earlier],
            "system": self._system if golden.system is None else golden.system,
            "tools": [anthropic.write_tool(tool) for tool in self._offered(golden)],
            "golden_id": golden.id,
            "trial": trial,
            "session": session,
            "idempotency_key": idempotency_key(self.run_id, golden.id, trial, turn),
        }
        caller = {} if golden.as_ is None else {"as": to_plain(golden.as_)}
        return asked | caller | ({"traceparent": traceparent} if traceparent else {})


class AddressedSession(AgentSession):
    """A remote conversation. A turn counts once its reply has arrived; one that failed is repeated under its key.

    `ends` means that nothing keeps running after a reply, as with a program that is started for every request.
    """

    def __init__(
        self,
        golden: Golden,
        trial: int,
        asking: Asking,
        send: Callable[[dict[str, Any], str], Awaitable[Trajectory]],
        close: Callable[[], Awaitable[None]] | None = None,
        clean: Callable[[str], str] = lambda text: text,
        ends: bool = False,
    ) -> None:
        self._golden = golden
        self._trial = trial
        self._ends = ends
        self._id = (
            f"{golden.id}/{trial}/{uuid4().hex}"  # unique across runs: an agent may use it to store state
        )
        self._asking = asking
        self._send = send
        self._close = close
        self._clean = clean
        self._done = Trajectory()
        self._turns: list[tuple[str, str, Trajectory]] = []
        self._said = self._parent = ""
        self._parents: list[str] = []
        self._asks = 0

    async def open(self) -> None:
        """Nothing to wait for: a service or a program accepts any number of concurrent requests."""

    async def turn(self, text: str) -> None:
        self._said = text
        self._asks += 1
        telemetry = self._asking.telemetry
        if telemetry is not None:  # a failed attempt has left its own spans
            self._parent = traceparent(f"{self._id}/{self._asks}")
            self._parents.append(self._parent)
            telemetry.watch(self._parent)
        earlier = self._done.messages
        ask = self._asking.ask(
            self._golden, self._trial, self._id, text, earlier, len(self._turns), self._parent
        )
        reply = await self._send(ask, text)
        self._turns.append((text, self._parent, reply))
        self._done = _append_turn(self._done, text, reply)
        self._said = ""

    async def settle(self) -> None:
        """Wait for what the agent sends in addition to the reply."""
        if self._asking.telemetry is not None and self._parent:
            await self._asking.telemetry.wait_for_spans(self._parent, ended=self._ends)

    def trajectory(self, stop_reason: StopReason = "done", error: str = "") -> Trajectory:
        """All turns so far; a turn without a reply is the user's message and what was observed of it."""
        telemetry = self._asking.telemetry
        done = self._done if telemetry is None else self._turns_by_spans(telemetry)
        if self._said:
            seen = Trajectory() if telemetry is None else telemetry.merge_spans(self._parent, Trajectory())
            if seen.calls:
                done = _append_turn(done, self._said, seen)
            else:
                done = msgspec.structs.replace(done, messages=(*done.messages, Message("user", self._said)))
        if stop_reason == "done" and not error:
            unknown = (
                (telemetry.unknown(parent, reply) for _, parent, reply in self._turns) if telemetry else ()
            )
            lost = next(filter(None, unknown), "")
            return msgspec.structs.replace(done, stop_reason="infra_error", error=lost) if lost else done
        return msgspec.structs.replace(done, stop_reason=stop_reason, error=error)

    def _turns_by_spans(self, telemetry: Telemetry) -> Trajectory:
        done = Trajectory()
        for user_text, parent, reply in self._turns:
            done = _append_turn(done, user_text, telemetry.merge_spans(parent, reply))
        return done

    def stop_of_error(self, error: BaseException) -> tuple[StopReason, str]:
        """An unusable reply is the agent's failure; a lost connection says nothing about the agent."""
        words = self._clean(str(error))[:2000]
        if isinstance(error, InfrastructureError):
            return stop_of_problem(error), words
        return ("unreadable" if isinstance(error, UnreadableReplyError) else "agent_error"), words

    async def aclose(self) -> None:
        if self._asking.telemetry is not None:
            self._asking.telemetry.forget(self._parents)
        if self._close is not None:
            await self._close()


def traceparent(name: str) -> str:
    """W3C trace context: a trace and a span whose ids follow from a name."""
    digest = hex_digest(name.encode("utf-8", "replace"))
    return f"00-{digest[:32]}-{digest[32:48]}-01"


def _append_turn(done: Trajectory, user_text: str, reply: Trajectory) -> Trajectory:
    """Earlier turns, the user's words and what the agent did."""
    said = (*done.messages, Message("user", user_text))
    return append_turn(msgspec.structs.replace(done, messages=said), reply)


def idempotency_key(run_id: str, golden_id: str, trial: int, turn: int) -> str:
    """The name of one request: the same when it is retried or its run is resumed, and no other request has it."""
    parts = "\x1f".join((run_id, golden_id, str(trial), str(turn)))
    return hex_digest(parts, 32)
