"""A recording proxy on loopback, for agents that no hook can listen to: programs, other languages, clients in C.

The agent asks `http://127.0.0.1:PORT/GOLDEN/TRIAL/…` instead of `https://api.example.com/…`; the rest of the path, the
headers and the body go to the server unchanged. The first two parts say which file the answers belong to.
"""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import unquote, urlsplit

import aiohttp
from aiohttp import web

from rightcall.core.errors import ConfigError, ProviderError
from rightcall.core.local_door import LocalDoor
from rightcall.recording.canonical import body_chunks, http_ask
from rightcall.recording.case import PendingReply, TapedCase
from rightcall.recording.hooks import join_headers
from rightcall.recording.library import Recordings
from rightcall.records.golden import Golden
from rightcall.records.trajectory import Trajectory

HOP = frozenset(
    ("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "upgrade",
     "transfer-encoding", "content-length", "content-encoding", "host", "accept-encoding")
)  # fmt: skip
"""Headers of one connection, and of encodings, which the forwarding client handles itself."""
LARGEST = 64 << 20
DOOR = LocalDoor(hint="use http://127.0.0.1:PORT")


class RecordingProxy:
    """Answers from the recordings, or asks `server` and records.

    A trial that was recorded is replayed whole; in mode `refresh` it is recorded again. A request that does not match
    the recording is refused, with what changed: half of a conversation cannot be replaced.
    """

    def __init__(self, recordings: Recordings, server: str) -> None:
        if urlsplit(server).scheme not in ("http", "https") or not urlsplit(server).hostname:
            raise ConfigError(f"the server must be an address such as https://api.openai.com, got '{server}'")
        self._recordings = recordings
        self._server = server.rstrip("/")
        self._cases: dict[tuple[str, int], TapedCase] = {}
        self._client: aiohttp.ClientSession | None = None

    def app(self) -> web.Application:
        """The application; run it on loopback only, because anyone who reaches it can use the agent's key."""
        app = web.Application(client_max_size=LARGEST, middlewares=[_admit])
        app.router.add_route("*", "/{golden}/{trial:[0-9]+}/{rest:.*}", self._answer)
        app.router.add_route("*", "/{other:.*}", self._refuse_path)
        app.cleanup_ctx.append(self._connect)
        return app

    async def _connect(self, app: web.Application) -> Any:
        async with aiohttp.ClientSession(
            auto_decompress=True, timeout=aiohttp.ClientTimeout(total=600)
        ) as client:
            self._client = client
            yield

    async def _refuse_path(self, request: web.Request) -> web.Response:
        return _problem(
            404, f"{request.path}: the path must begin with a golden's id and a trial: /GOLDEN/0/…"
        )

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        golden = unquote(request.match_info["golden"])
        trial = int(request.match_info["trial"])
        query = f"?{request.query_string}" if request.query_string else ""
        url = f"{self._server}/{request.match_info['rest']}{query}"
        headers = join_headers(request.headers.items())
        body = await request.read()
        case = self._case(golden, trial)
        ask = http_ask(
            request.method, url, headers, body, clean=self._recordings.clean, ignored=self._recordings.ignored
        )
        if not case.is_replaying:
            return await self._pass_on(request, case, case.begin_reply(ask), url, body=body)
        try:
            stored = case.next_reply(ask)
        except ProviderError as error:
            return _problem(409, error.problem)
        self._recordings.replayed += 1
        status = int(stored.get("status", 200))
        headers = dict(stored.get("headers", {}))
        response = web.StreamResponse(status=status, headers=headers)
        await response.prepare(request)
        for chunk in body_chunks(stored):
            await response.write(chunk)
        await response.write_eof()
        return response

    def _case(self, golden: str, trial: int) -> TapedCase:
        if (golden, trial) not in self._cases:
            golden_of_id = Golden("", id=golden)
            self._cases[golden, trial] = self._recordings.begin(
                golden_of_id, trial, self._recordings.trial(golden_of_id, trial)
            )
        return self._cases[golden, trial]

    async def _pass_on(
        self, request: web.Request, case: TapedCase, pending: PendingReply, url: str, body: bytes
    ) -> web.StreamResponse:
        assert self._client is not None
        headers = {name: value for name, value in request.headers.items() if name.lower() not in HOP}
        try:
            async with self._client.request(
                request.method, url, headers=headers, data=body, allow_redirects=False
            ) as reply:
                kept = {name: value for name, value in reply.headers.items() if name.lower() not in HOP}
                response = web.StreamResponse(status=reply.status, headers=kept)
                pending.begin(reply.status, join_headers(kept.items()))
                await response.prepare(request)
                async for chunk in reply.content.iter_any():
                    pending.copy(chunk)
                    await response.write(chunk)
        except (aiohttp.ClientError, TimeoutError) as error:
            pending.begin(0, {})
            return _problem(502, f"{urlsplit(url).hostname} cannot be reached: {error}")
        await response.write_eof()
        self._recordings.asked += 1
        await asyncio.to_thread(
            self._recordings.write, Golden("", id=case.golden), case, Trajectory(), whole=False
        )
        return response


@web.middleware
async def _admit(request: web.Request, handler: Any) -> web.StreamResponse:
    """A page of another site must not read recordings or ask the server through a browser on this machine."""
    refusal = DOOR.refusal(request.headers)
    answer: web.StreamResponse = await handler(request) if refusal is None else _problem(*refusal)
    return answer


def _problem(status: int, text: str) -> web.Response:
    return web.json_response({"error": {"message": text, "type": "rightcall_recording"}}, status=status)
