"""The example projects run from a copy of their folder, without a key, and pass their ten goldens."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest

pytestmark = pytest.mark.stories

ROOT = Path(__file__).parents[3]
EXAMPLES = ("langgraph", "openai-agents", "pydantic-ai", "http-service", "exec-program")


def rightcall(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    keyless = {name: value for name, value in os.environ.items() if not name.endswith("_API_KEY")}
    return subprocess.run(
        [sys.executable, "-m", "rightcall.cli.main", *words], cwd=folder, capture_output=True, text=True, check=False,
        env=keyless | {"PYTHONDONTWRITEBYTECODE": "1"}, timeout=300,
    )  # fmt: skip


@pytest.fixture(params=EXAMPLES)
def project(request, tmp_path):
    folder = tmp_path / request.param
    shutil.copytree(ROOT / "examples" / request.param, folder)
    if request.param != "http-service":
        yield folder
        return
    port = _free_port()
    suite = folder / "suite.yaml"
    suite.write_text(suite.read_text().replace("8901", str(port)))
    server = subprocess.Popen([sys.executable, "service.py", str(port)], cwd=folder)
    try:
        _wait_for(port)
        yield folder
    finally:
        server.terminate()
        server.wait(300)


def test_an_example_passes_its_ten_goldens(project):
    made = rightcall(project, "run", "suite.yaml", "--json")
    assert made.returncode == 0, made.stderr
    *rows, last = [json.loads(line) for line in made.stdout.splitlines()]
    assert [row["passed"] for row in rows] == [True] * 10
    assert last["verdict"] == "PASS"


def test_the_agents_tools_are_listed_and_linted_from_its_object(tmp_path):
    folder = tmp_path / "pydantic-ai"
    shutil.copytree(ROOT / "examples" / "pydantic-ai", folder)
    listed = rightcall(folder, "list", "tools", "agent:agent", "--json")
    names = [tool["name"] for tool in json.loads(listed.stdout)]
    assert names == ["find_order", "track_parcel", "refund_order"]
    linted = rightcall(folder, "lint", "agent:agent", "--json")
    assert linted.returncode in (0, 1) and "refund_order" in linted.stdout, linted.stderr


def _free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int) -> None:
    deadline = time.monotonic() + 300
    while time.monotonic() < deadline:
        try:
            urlopen(f"http://127.0.0.1:{port}/").close()
        except HTTPError as error:
            error.close()
            return
        except OSError:
            time.sleep(0.1)
    raise AssertionError("the service did not start")
