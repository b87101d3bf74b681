"""The loopback model in a separate process, and suites that use it."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.loopback_model import TOOLS, goldens

ROOT = Path(__file__).parents[2]


@contextmanager
def loopback_model(**weather: float) -> Iterator[int]:
    """Start the model; gives its port."""
    options = [
        part for name, value in weather.items() for part in (f"--{name.replace('_', '-')}", str(value))
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.support.loopback_model", *options],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def counts(port: int) -> dict[str, dict[str, Any]]:
    """How often each case was asked, and answered, and when first and last."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/counts") as reply:
        found: dict[str, dict[str, Any]] = json.load(reply)
        return found


def times(port: int) -> dict[str, list[float]]:
    """When each request came and each answer was sent, in seconds since the epoch."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/times") as reply:
        found: dict[str, list[float]] = json.load(reply)
        return found


def write_suite(folder: Path, n: int, port: int, **changes: Any) -> Path:
    """A suite of n goldens that asks the loopback model."""
    (folder / "goldens.jsonl").write_text("".join(json.dumps(golden) + "\n" for golden in goldens(n)))
    (folder / "tools.json").write_text(json.dumps(TOOLS))
    agent = {"model": "openai:loopback", "base_url": f"http://127.0.0.1:{port}/v1"}
    suite = {"name": "loopback", "tools": "tools.json", "dataset": "goldens.jsonl", "agent": agent, **changes}
    path = folder / "suite.json"
    path.write_text(json.dumps(suite))
    return path
