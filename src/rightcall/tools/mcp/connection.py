"""A connection to an MCP server: how it is opened, when it ends and why, and which processes it left behind."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Self, TypeVar

from rightcall.core.errors import InfrastructureError
from rightcall.core.operating_system import kill_process, processes_with_variable
from rightcall.recording.mcp.session_recorder import SessionRecorder
from rightcall.tools.mcp.access import ServerAccess, secrets_of, without
from rightcall.tools.mcp.address import McpAddress, McpElicitation
from rightcall.tools.mcp.sdk import McpSdk, read_message, two_streams

ENDING_S = 15.0
"""How long a connection may take to end."""

MARK = "RIGHTCALL_SERVER"
STDERR_TOLD = 400

E = TypeVar("E", bound=InfrastructureError)


class ServerConnection:
    """A server and the task that holds its connection open (`_life`), until it is stopped or ends by itself."""

    def __init__(self, address: McpAddress, listener: SessionRecorder | None = None) -> None:
        self.address, self._listener = address, listener
        self._access: ServerAccess | None = None
        self._secrets = secrets_of(address)
        self._stop = asyncio.Event()
        self._mark, self._last_words = uuid.uuid4().hex, ""
        self._life: asyncio.Task[None] | None = None

    @contextlib.asynccontextmanager
    async def streams(self, sdk: McpSdk) -> AsyncIterator[tuple[Any, Any]]:
        """The streams for reading and writing; afterwards `_last_words` is the end of the server's stderr."""
        self._access = ServerAccess(self.address, sdk) if self.address.url else None
        if self._listener is not None:
            self._listener.connect()
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as stderr:
            try:
                async with contextlib.AsyncExitStack() as stack:
                    transport = await self._transport(sdk, stderr, stack)
                    yield await stack.enter_async_context(two_streams(transport))
            finally:
                stderr.seek(0)
                self._last_words = " ".join(self._clean(stderr.read()[-4000:]).split())[-STDERR_TOLD:]

    async def _transport(self, sdk: McpSdk, stderr: Any, stack: contextlib.AsyncExitStack) -> Any:
        """A transport of the SDK to the server; a program that it starts carries the mark."""
        address, access = self.address, self._access
        if access is not None and address.uses_sse:
            return sdk.sse_client(address.url, httpx_client_factory=access.client)
        if access is not None:
            client = await stack.enter_async_context(access.client())
            return sdk.streamable_http_client(address.url, http_client=client)
        command, *args = address.command
        environment = {**address.env, MARK: self._mark}
        parameters = sdk.stdio_parameters(command=command, args=args, env=environment, cwd=address.cwd)
        return sdk.stdio_client(parameters, errlog=stderr)

    async def _end(self, *, at_once: bool = False) -> BaseException | None:
        """Close the connection, wait until all it started is gone; the exception that ended it, if one did."""
        if self._life is None:
            return None
        self._stop.set()
        if at_once:
            self._life.cancel()
        done, _ = await asyncio.wait({self._life}, timeout=ENDING_S)
        if not done:
            self._life.cancel()
            await asyncio.wait({self._life}, timeout=ENDING_S)
        self.end_processes()
        with contextlib.suppress(asyncio.CancelledError, asyncio.InvalidStateError):
            return self._life.exception()
        return None

    def end_processes(self) -> None:
        """End the processes that the server started and left behind: those that carry the mark.

        A server that ends by itself does not always take its children along, and a child may have left its
        process group. The mark is inherited all the same. Where there is no /proc, nothing is found.
        """
        for process in processes_with_variable(MARK, self._mark) if self.address.command else ():
            kill_process(process)

    def _failure(self, problem: str, kind: type[E] = InfrastructureError) -> E:  # type: ignore[assignment]
        """An error about the server; a refusal of our credentials explains every other problem."""
        refusal = self._access.problem() if self._access is not None else ""
        stderr_note = f"; stderr: {self._last_words}" if self._last_words else ""
        return kind(self._clean(f"{self.address.label} {refusal or problem}{stderr_note}"))

    def _clean(self, value: Any) -> Any:
        """A text or a result without what gives access to the server."""
        return without([*self._secrets, *(self._access.issued if self._access else ())], value)


class _WrappedStream:
    """A stream that behaves as another one."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(self, *details: Any) -> Any:
        return await self._stream.__aexit__(*details)


class WatchedStream(_WrappedStream):
    """The messages of a server; sets `ended` when there are no more, because it has exited or closed its output."""

    def __init__(self, stream: Any, ended: asyncio.Event, listener: SessionRecorder | None = None) -> None:
        super().__init__(stream)
        self._ended, self._listener = ended, listener

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Any:
        try:
            message = await self._stream.__anext__()
        except Exception:  # its end, or that of the connection
            self._ended.set()
            raise
        if self._listener is not None and not isinstance(message, Exception):
            self._listener.received(read_message(message))
        return message


class HeardStream(_WrappedStream):
    """The messages to a server, heard by a listener before they are sent."""

    def __init__(self, stream: Any, listener: SessionRecorder) -> None:
        super().__init__(stream)
        self._listener = listener

    async def send(self, message: Any) -> None:
        self._listener.sent(read_message(message))
        await self._stream.send(message)


def innermost(failure: BaseException | None) -> BaseException | None:
    """The first exception that is no group."""
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure


async def never_connected(life: asyncio.Task[None] | None) -> bool:
    """Whether a connection ended because the server refused it, so that nothing was sent to it."""
    if life is None:
        return False
    await asyncio.wait({life}, timeout=ENDING_S)
    failure = innermost(life.exception() if life.done() and not life.cancelled() else None)
    return type(failure).__name__ in ("ConnectError", "ConnectTimeout")


def reason_of_end(failure: BaseException | None) -> str:
    """The innermost reason of a failure, in a few words."""
    failure = innermost(failure)
    if failure is None:
        return ""
    if isinstance(failure, FileNotFoundError):
        return f": program '{failure.filename}' not found; is it installed and on the PATH?"
    text = str(failure).splitlines()[0][:200] if str(failure) else type(failure).__name__
    return f": {text}"


RequestCallback = Callable[[Any, Any], Awaitable[Any]]


def session_callbacks(address: McpAddress, sdk: McpSdk) -> dict[str, RequestCallback]:
    """The callbacks of a session, for what the address answers."""
    stated, form = address.sampling, address.elicitation
    callbacks: dict[str, RequestCallback] = {}
    if stated is not None:

        async def sample(context: Any, params: Any) -> Any:
            return sdk.types.CreateMessageResult.model_validate(_sample_reply(stated))

        callbacks["sampling_callback"] = sample
    if form is not None:

        async def fill_in(context: Any, params: Any) -> Any:
            reply = _form_answer(form, params.model_dump(by_alias=True, mode="json"))
            if "error" in reply:
                return sdk.types.ErrorData(**reply["error"])
            return sdk.types.ElicitResult.model_validate(reply["result"])

        callbacks["elicitation_callback"] = fill_in
    return callbacks


def answer_to(address: McpAddress, method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The `result` or `error` for a request of a server, as plain JSON-RPC."""
    if method == "ping":
        return {"result": {}}
    if method == "sampling/createMessage" and address.sampling is not None:
        return {"result": _sample_reply(address.sampling)}
    if method == "elicitation/create" and address.elicitation is not None:
        return _form_answer(address.elicitation, params)
    return {"error": {"code": -32601, "message": "Method not found"}}


def _sample_reply(text: str) -> dict[str, Any]:
    """A model's answer, which is always the same text: results must not depend on another model."""
    return {
        "role": "assistant",
        "content": {"type": "text", "text": text},
        "model": "rightcall-suite",
        "stopReason": "endTurn",
    }


def _form_answer(stated: McpElicitation, params: dict[str, Any]) -> dict[str, Any]:
    """A user's answer to a form: what the suite states, with only the fields that the server asked for."""
    if stated.action != "accept":
        return {"result": {"action": stated.action}}
    asked = params.get("requestedSchema") or {}
    fields = asked.get("properties", {})
    missing = [name for name in asked.get("required", ()) if name not in stated.content]
    if missing:
        problem = f"the suite's elicitation has no content for '{missing[0]}'"
        return {"error": {"code": -32602, "message": problem}}
    content = {name: value for name, value in stated.content.items() if name in fields}
    return {"result": {"action": "accept", "content": content}}
