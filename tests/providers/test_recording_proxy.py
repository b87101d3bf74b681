"""`record serve`: an agent that is a program is recorded through a proxy, and replayed without its server."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import aiohttp
import pytest
from aiohttp import web
from click.testing import CliRunner

from rightcall.cli.runs import runs
from rightcall.core.errors import ConfigError
from rightcall.recording.library import Recordings, RecordSettings
from rightcall.recording.proxy import RecordingProxy

KEY = "sk-abcdefghijklmnopqrstuvwxyz0123456789"


class Model:
    """A server that numbers its answers, streamed when asked to."""

    def __init__(self):
        self.asked = []

    async def answer(self, request):
        body = await request.json()
        self.asked.append((request.path_qs, request.headers.get("authorization")))
        if not body.get("stream"):
            said = json.dumps({"n": len(self.asked), "said": body["text"]}, separators=(",", ":"))
            return web.Response(text=said, content_type="application/json")
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        for word in ("one", "two"):
            await response.write(f"data: {word}\n\n".encode())
        await response.write_eof()
        return response


async def asked(folder, mode, asks, *, model=None):
    """Statuses and bodies of requests through a proxy; without a model nothing can be reached."""
    app = web.Application()
    if model is not None:
        app.router.add_post("/v1/{rest:.*}", model.answer)
    async with started(app) as server:
        to = server if model is not None else "http://127.0.0.1:9"
        async with (
            started(RecordingProxy(Recordings(RecordSettings(mode), folder), to).app()) as proxy,
            aiohttp.ClientSession() as client,
        ):
            found = []
            for path, body in asks:
                headers = {"authorization": f"Bearer {KEY}"}
                async with client.post(f"{proxy}{path}", json=body, headers=headers) as reply:
                    found.append((reply.status, await reply.text()))
            return found


class started:  # noqa: N801  reads as a sentence
    def __init__(self, app):
        self._runner = web.AppRunner(app)

    async def __aenter__(self):
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def __aexit__(self, *why):
        await self._runner.cleanup()


ASKS = [
    ("/hanoi/0/v1/chat?a=1", {"text": "hello"}),
    ("/hanoi/0/v1/chat?a=1", {"text": "hello"}),
    ("/hanoi/1/v1/chat", {"text": "hello"}),
    ("/hu%C3%A9%2F..%2Fx/0/v1/chat", {"text": "stream", "stream": True}),
]


def test_what_a_program_was_answered_is_replayed_without_its_server(tmp_path):
    model = Model()
    recorded = asyncio.run(asked(tmp_path, "auto", ASKS, model=model))
    assert [json.loads(text)["n"] for _, text in recorded[:3]] == [1, 2, 3]
    assert recorded[3] == (200, "data: one\n\ndata: two\n\n")
    assert model.asked[0] == ("/v1/chat?a=1", f"Bearer {KEY}")
    same_address(tmp_path, "http://127.0.0.1:9")
    assert asyncio.run(asked(tmp_path, "replay", ASKS)) == recorded


def same_address(folder: Path, address: str) -> None:
    """The loopback server had another port; a real one has the same address every time."""
    for path in folder.glob("*.json"):
        path.write_text(re.sub(r"http://127\.0\.0\.1:\d+", address, path.read_text()))


def test_no_key_is_written_and_every_golden_has_a_file_inside_the_folder(tmp_path):
    asyncio.run(asked(tmp_path / "served", "auto", ASKS, model=Model()))
    files = list(tmp_path.rglob("*.json"))
    assert {path.parent for path in files} == {tmp_path / "served"}
    assert len(files) == 2
    assert not any(KEY in path.read_text() for path in files)


def test_a_request_that_changed_is_refused_with_what_changed(tmp_path):
    asyncio.run(asked(tmp_path, "auto", ASKS[:1], model=Model()))
    ((status, text),) = asyncio.run(asked(tmp_path, "auto", [("/hanoi/0/v1/chat?a=1", {"text": "bye"})]))
    assert status == 409
    assert "hanoi, trial 0, request" in json.loads(text)["error"]["message"]


def test_refresh_asks_again_and_replaces_the_trial(tmp_path):
    model = Model()
    for _ in range(2):
        asyncio.run(asked(tmp_path, "refresh", ASKS[:1], model=model))
    (file,) = tmp_path.glob("*.json")
    assert [len(t["exchanges"]) for t in json.loads(file.read_text())["trials"].values()] == [1]
    assert len(model.asked) == 2


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [("/v1/chat/completions", 404, "/GOLDEN/0/"), ("/hanoi/0/v1/chat", 502, "cannot be reached")],
)
def test_what_cannot_be_answered_is_said(tmp_path, path, status, said):
    ((found, text),) = asyncio.run(asked(tmp_path, "auto", [(path, {"text": "x"})]))
    assert (found, said in text) == (status, True)
    assert not list(tmp_path.glob("*.json"))


@pytest.mark.parametrize("server", ["api.openai.com", "ftp://x", "http://"])
def test_a_server_without_an_address_is_refused(tmp_path, server):
    with pytest.raises(ConfigError, match="must be an address"):
        RecordingProxy(Recordings(RecordSettings("auto"), tmp_path), server)


def test_pruning_removes_what_a_proxy_recorded_for_goldens_that_are_gone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    served = tmp_path / "recordings" / "shop" / "served"
    asks = [(f"/{golden}/0/v1/chat", {"text": "hello"}) for golden in ("kept", "gone")]
    asyncio.run(asked(served, "auto", asks, model=Model()))
    (tmp_path / "goldens.jsonl").write_text('{"id": "kept", "input": "x", "expected_calls": []}\n')
    (tmp_path / "suite.yaml").write_text("{name: shop, dataset: goldens.jsonl, agent: {model: 'exec:true'}}")
    assert CliRunner().invoke(runs, ["delete", "--recordings", "suite.yaml", "--yes"]).exit_code == 0
    assert [path.name.split("-")[0] for path in served.glob("*.json")] == ["kept"]


@pytest.mark.parametrize("path", ["/g1/0/v1/chat", "/g1/0/", "/nothing", "/"])
@pytest.mark.parametrize("method", ["GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE"])
@pytest.mark.parametrize(
    "headers",
    [{"host": "evil.example:8931"}, {"origin": "https://evil.example"}, {"sec-fetch-site": "cross-site"}],
    ids=["rebound name", "page", "image of a page"],
)
def test_pages_of_other_sites_reach_neither_recordings_nor_the_server(tmp_path, path, method, headers):
    async def work():
        model = Model()
        server = web.Application()
        server.router.add_route("*", "/{rest:.*}", model.answer)
        async with (
            started(server) as to,
            started(RecordingProxy(Recordings(RecordSettings("auto"), tmp_path), to).app()) as proxy,
            aiohttp.ClientSession() as client,
            client.request(method, f"{proxy}{path}", json={"text": "x"}, headers=headers) as reply,
        ):
            assert (reply.status, model.asked) == (403, [])
            assert not list(tmp_path.rglob("*.json*"))

    asyncio.run(work())
