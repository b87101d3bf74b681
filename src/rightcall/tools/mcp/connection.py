"""A connection to an MCP server: how it is opened, when it ends and why, and which processes it left behind."""

from __future__ import annotations

import asyncio
import contextlib
import re
import tempfile
import uuid
from collections.abc import AsyncIterator, Coroutine, Mapping
from typing import Any, TypeVar

from rightcall.core.errors import ConfigError, InfrastructureError
from rightcall.core.operating_system import kill_process, processes_with_variable
from rightcall.core.text import one_line
from rightcall.recording.mcp.session_recorder import SessionRecorder
from rightcall.tools.mcp.address import McpAddress, ServerAccess, secrets_of, without
from rightcall.tools.mcp.sdk import McpSdk, two_streams

ENDING_S = 15.0
"""How long a connection may take to end."""

MARK = "RIGHTCALL_SERVER"
STDERR_TOLD = 400
_FRAME = re.compile(r"[\u2500-\u259f]")
"""Characters that frames around tracebacks are drawn with."""
_COLOUR = re.compile(r"\x1b\[[\d;]*m")
_ERROR = re.compile(r"([\w.]*(Error|Exception|Exit)|error|fatal|panic)\b", re.IGNORECASE)
_ADVERT = re.compile(r"For further information visit .*")

E = TypeVar("E", bound=InfrastructureError)


class ConnectionEndedError(Exception):
    """There will be no reply: the server has exited, or the connection is closed."""


class ServerConnection:
    """A server and the task that holds its connection open (`_life`), until it is stopped or ends by itself."""

    def __init__(self, address: McpAddress, listener: SessionRecorder | None = None) -> None:
        self.address = address
        self._listener = listener
        self._access: ServerAccess | None = None
        self._secrets = secrets_of(address)
        self._stop = asyncio.Event()
        self._mark = uuid.uuid4().hex
        self._last_words = ""
        self._life: asyncio.Task[None] | None = None
        self.has_exited = False

    def _begin(self, life: Coroutine[Any, Any, None]) -> None:
        """Hold a new connection open in a separate task."""
        self._stop = asyncio.Event()
        self._mark = uuid.uuid4().hex
        self.has_exited = False
        self._life = asyncio.create_task(life)

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
                self._last_words = last_words(self._clean(stderr.read()[-4000:]))

    async def _transport(self, sdk: McpSdk, stderr: Any, stack: contextlib.AsyncExitStack) -> Any:
        """A transport of the SDK to the server; a program that it starts carries the mark."""
        address = self.address
        access = self._access
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

    async def _close_error(self, problem: str) -> InfrastructureError | ConfigError:
        """Close the connection; the error about it, with what ended it and whether the server has exited."""
        has_exited = self.has_exited
        cause = innermost(await self._end(at_once=not self._stop.is_set()))
        if isinstance(cause, InfrastructureError | ConfigError):
            return cause
        state = (
            "" if self.address.url or cause else "; it has exited" if has_exited else "; it is still running"
        )
        return self._failure(problem + reason_of_end(cause) + ("" if problem.startswith("exited") else state))

    def _failure(self, problem: str, kind: type[E] = InfrastructureError) -> E:  # type: ignore[assignment]
        """An error about the server; a refusal of our credentials explains every other problem."""
        refusal = self._access.problem() if self._access is not None else ""
        stderr_note = f"; stderr: {self._last_words}" if self._last_words else ""
        return kind(self._clean(f"{self.address.label} {refusal or problem}{stderr_note}"))

    def _clean(self, value: Any) -> Any:
        """A text or a result without what gives access to the server."""
        return without([*self._secrets, *(self._access.issued if self._access else ())], value)


def innermost(failure: BaseException | None) -> BaseException | None:
    """The first exception that is no group."""
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    return failure


def last_words(stderr: str) -> str:
    """The last error in what a program wrote to stderr, without frames around tracebacks; the end if there is none."""
    lines = [_COLOUR.sub("", line).strip() for line in stderr.splitlines()]
    lines = [line for line in lines if line and not _FRAME.search(line)]
    errors = [at for at, line in enumerate(lines) if _ERROR.match(line)]
    if errors:
        return _ADVERT.sub("", " ".join(lines[errors[-1] :])).strip()[:STDERR_TOLD]
    return " ".join(" ".join(lines).split())[-STDERR_TOLD:]


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


def answer_to(address: McpAddress, request: dict[str, Any]) -> dict[str, Any]:
    """The `result` or `error` for a request of a server, as plain JSON-RPC."""
    method = request.get("method")
    params = request.get("params")
    params = params if isinstance(params, dict) else {}
    if method == "ping":
        return {"result": {}}
    if method == "elicitation/create" and address.elicitation is not None:
        return _form_answer(address.elicitation, params)
    return {
        "error": {"code": -32601, "message": f"{one_line(str(method), 80)} is not supported by this client"}
    }


def _form_answer(stated: Mapping[str, Any], params: dict[str, Any]) -> dict[str, Any]:
    """A user's answer to a form: what the suite states, with only the fields that the server asked for."""
    asked = params.get("requestedSchema") or {}
    fields = asked.get("properties", {})
    missing = [name for name in asked.get("required", ()) if name not in stated]
    if missing:
        problem = f"the suite's elicitation has no value for '{missing[0]}'"
        return {"error": {"code": -32602, "message": problem}}
    content = {name: value for name, value in stated.items() if name in fields}
    return {"result": {"action": "accept", "content": content}}
