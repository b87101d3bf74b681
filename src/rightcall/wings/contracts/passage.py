"""A session recorded from between: every message of a client goes on to the server and back, and is heard."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from typing import IO, Any

from rightcall.core.codec import decode, encode
from rightcall.core.errors import InfrastructureError, InputError
from rightcall.recording.mcp.session import is_stateless
from rightcall.recording.mcp.session_recorder import SessionRecorder
from rightcall.tools.mcp.address import McpAddress
from rightcall.tools.mcp.connection import ServerConnection, innermost, reason_of_end
from rightcall.tools.mcp.sdk import load_sdk, read_message, request_headers, wrap_message

OWN = "rightcall-"
"""How the ids of our own requests begin: their answers are not passed on."""
SETTLE_S = 5.0


async def pass_through(
    address: McpAddress, recorder: SessionRecorder, source: IO[bytes], target: IO[bytes]
) -> None:
    """Pass messages between the client at `source` and `target` and the server, until one of them ends."""
    sdk, connection = load_sdk(), ServerConnection(address)
    try:
        async with connection.streams(sdk) as (read, write):
            passage = _Passage(recorder, target)
            back = asyncio.create_task(passage.pass_back(read))
            forth = asyncio.create_task(passage.pass_on(_lines(source), write, sdk))
            try:
                await asyncio.wait({back, forth}, return_when="FIRST_COMPLETED")
                for task in (back, forth):
                    if task.done():
                        task.result()
            finally:
                back.cancel()
                forth.cancel()
                await asyncio.wait({back, forth})
    except (OSError, BaseExceptionGroup) as error:
        raise InfrastructureError(f"{address.label} failed{reason_of_end(innermost(error))}") from None
    finally:
        connection.end_processes()


class _Passage:
    """The two directions. At the end the tools are listed, if the client never asked for them."""

    def __init__(self, recorder: SessionRecorder, target: IO[bytes]) -> None:
        self._recorder, self._target = recorder, target
        self._own: dict[str, asyncio.Future[dict[str, Any]]] = {}
        self._meta: dict[str, Any] | None = None
        """What the client's requests say of the protocol since there is no handshake; empty after one."""

    async def pass_on(self, lines: asyncio.Queue[bytes | None], write: Any, sdk: Any) -> None:
        while (line := await lines.get()) is not None:
            try:
                message = decode(line, dict[str, Any], "stdin")
                wrapped = wrap_message(message, sdk, request_headers(message, sdk))
            except (InputError, ValueError):
                continue  # neither a request nor a reply: a server would drop it too
            self._recorder.sent(message)
            if message.get("method") == "notifications/initialized":
                self._meta = {}
            elif is_stateless(message):
                self._meta = {"_meta": message["params"]["_meta"]}
            await write.send(wrapped)
        if self._meta is not None and not self._recorder.has_tools:
            await self._list_tools(write, sdk, self._meta)

    async def pass_back(self, read: Any) -> None:
        async for session_message in read:
            if isinstance(session_message, Exception):
                continue
            message = read_message(session_message)
            self._recorder.received(message)
            own = self._own.pop(str(message.get("id")), None) if "method" not in message else None
            if own is not None:
                own.set_result(message)
                continue
            self._target.write(encode(message) + b"\n")
            self._target.flush()

    async def _list_tools(self, write: Any, sdk: Any, meta: dict[str, Any]) -> None:
        cursor: Any = None
        for number in range(100):
            name = f"{OWN}{number}"
            self._own[name] = asyncio.get_running_loop().create_future()
            reply = self._own[name]
            params = {**meta, "cursor": cursor} if cursor else meta
            message = {"jsonrpc": "2.0", "id": name, "method": "tools/list", "params": params}
            self._recorder.sent(message)
            await write.send(wrap_message(message, sdk, request_headers(message, sdk)))
            try:
                result = (await asyncio.wait_for(reply, SETTLE_S)).get("result")
            except TimeoutError:
                return
            cursor = result.get("nextCursor") if isinstance(result, dict) else None
            if not cursor:
                return


def _lines(source: IO[bytes]) -> asyncio.Queue[bytes | None]:
    """The lines of a blocking file, and None at its end. Nothing but the client can end the thread's wait."""
    queue: asyncio.Queue[bytes | None] = asyncio.Queue()
    loop = asyncio.get_running_loop()

    def read() -> None:
        with contextlib.suppress(RuntimeError, ValueError):  # the loop or the file is closed
            for line in source:
                loop.call_soon_threadsafe(queue.put_nowait, line)
            loop.call_soon_threadsafe(queue.put_nowait, None)

    threading.Thread(target=read, name="stdin", daemon=True).start()
    return queue
