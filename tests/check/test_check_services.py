"""A host that an agent asks besides its model's is not compared: a sample is run, and nothing is green without it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

pytestmark = pytest.mark.stories

AGENT = """
import json
import os
import urllib.request
from openai import OpenAI

client = OpenAI(api_key="k", base_url=f"http://127.0.0.1:{os.environ['MODEL_PORT']}/v1", max_retries=0)


def answer(question: str) -> str:
    asked = [{"role": "user", "content": question}]
    text = client.chat.completions.create(model="m", messages=asked).choices[0].message.content
    with urllib.request.urlopen(f"http://127.0.0.1:{os.environ['TIDES_PORT']}/tides") as reply:
        return f"{text} {json.load(reply)['depth']}"
"""
MESSAGE = {"role": "assistant", "content": "The depth is"}
ANSWER = {
    "id": "x", "object": "chat.completion", "model": "m", "created": 1,
    "choices": [{"index": 0, "finish_reason": "stop", "message": MESSAGE}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}  # fmt: skip


@contextmanager
def server(depth: int) -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *words: Any) -> None:
            pass

        def reply(self, document: Any) -> None:
            body = json.dumps(document).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            self.reply({"depth": depth})

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            self.reply(ANSWER)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        Thread(target=listening.serve_forever, daemon=True).start()
        yield listening.server_address[1]
        listening.shutdown()


def check(folder: Path, *words: str, **ports: int) -> tuple[int, dict[str, Any]]:
    environment = {**os.environ, "MODEL_PORT": str(ports["model"]), "TIDES_PORT": str(ports["tides"])}
    command = [sys.executable, "-m", "rightcall", *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, json.loads(done.stdout) if "--json" in words else {
        "said": done.stdout + done.stderr
    }


def test_a_service_that_died_is_an_error_that_names_it_and_one_that_answers_runs_a_sample(tmp_path):
    pytest.importorskip("openai")
    goldens = [{"id": f"g{n}", "input": f"Depth {n}?", "output_contains": ["depth is 3"]} for n in range(20)]
    (tmp_path / "goldens.jsonl").write_text("\n".join(map(json.dumps, goldens)))
    (tmp_path / "harbour.py").write_text(AGENT)
    (tmp_path / "suite.yaml").write_text(
        "dataset: goldens.jsonl\nagent: {model: 'harbour:answer', observe: openai}\ntrials: 3\n"
    )
    asked = ("check", "suite.yaml", "--trust", "--baseline", "main.gz", "--json")
    with server(0) as model:
        with server(3) as tides:
            ports = {"model": model, "tides": tides}
            code, said = check(
                tmp_path, "run", "suite.yaml", "--trust", "--save-baseline", "main.gz", **ports
            )
            assert code == 0, said
            code, found = check(tmp_path, *asked, **ports)
            assert (code, found["verdict"]) == (0, "NO LOSS SEEN"), found["reason"]
            assert f"127.0.0.1:{tides} is not compared" in found["unknown"]
            assert found["calls"]["spent"] > 0
            assert found["compared"]["services"] == [f"127.0.0.1:{tides}"]
        code, found = check(tmp_path, *asked, "--again", **ports)
        assert (code, found["verdict"]) == (4, "ERROR"), found["reason"]
        assert found["reason"].endswith(f"could not run: no answer from 127.0.0.1:{tides}"), found["reason"]
        assert any("harbour.py:13 in answer" in note for note in found["notes"]), found["notes"]
        assert f"on main 127.0.0.1:{tides} answered" in found["notes"]
        assert "main moved" not in json.dumps(found) and "save a new baseline" not in json.dumps(found)
