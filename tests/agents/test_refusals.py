"""A provider that rejects every request in the same way ends the run; occasional rejections do not."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.agents.model_retries import Refusals
from rightcall.core.errors import InfrastructureError, ProviderError
from rightcall.providers.scripted import ScriptedProvider

GOLDENS = [rc.Golden(f"question {i}", id=f"g{i}", max_calls=9) for i in range(40)]


class Server:
    """Chat completions that answer every request in the same way, and count them."""

    def __init__(self) -> None:
        self.asked = 0
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                server.asked += 1
                error = {"message": f"The model `gpt-nine` does not exist (request req_{server.asked:08x})"}
                body = json.dumps({"error": error}).encode()
                self.send_response(404)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}/v1"
        threading.Thread(target=self._http.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    made = Server()
    yield made
    made.close()


def test_a_wrong_model_name_ends_the_run_after_a_handful_of_requests(server: Server, tmp_path: Path) -> None:
    from rightcall.cli.main import cli

    (tmp_path / "goldens.jsonl").write_text(
        "".join(f'{{"id": "{g.id}", "input": "{g.input}"}}\n' for g in GOLDENS)
    )
    suite = tmp_path / "suite.yaml"
    suite.write_text(
        f"dataset: goldens.jsonl\nconcurrency: 4\nagent:\n  model: openai:gpt-nine\n  base_url: {server.url}\n"
    )
    done = CliRunner().invoke(cli, ["run", str(suite), "--store", f"sqlite:///{tmp_path}/x.db"])
    assert isinstance(done.exception, InfrastructureError) and done.exception.exit_code == 4
    assert "rejected with the same error" in str(done.exception) and "check the model name" in str(
        done.exception
    )
    assert server.asked < 12


def test_refusals_after_an_answer_end_nothing() -> None:
    def now_and_then(request: Any) -> str:
        if request.golden_id == "g0":
            return "fine"
        raise ProviderError("too long for this model", kind="rejected", status=400)

    run = rc.evaluate(Agent(ScriptedProvider(now_and_then)), GOLDENS[:8], concurrency=1)
    assert run.summary.overall.errors == 7


@pytest.mark.parametrize(
    "errors",
    [
        [ProviderError(f"no {word}", kind="rejected", status=400) for word in "abcdefgh"],
        [ProviderError("busy", kind="overloaded", status=503, retryable=True)] * 8,
        [ProviderError("no answer in the script", kind="not_recorded")] * 8,
    ],
)
def test_refusals_that_differ_or_may_pass_end_nothing(errors: list[ProviderError]) -> None:
    refusals = Refusals()
    for error in errors:
        refusals.add(error)
