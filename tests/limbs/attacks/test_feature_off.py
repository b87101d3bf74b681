"""Nothing when the feature is off: a run without attacks is the same, byte for byte, where the limb does not exist."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.contracts.test_limbs import PACKAGE, copy_without

pytestmark = pytest.mark.stories

GOLDENS = [
    {
        "id": "reply",
        "input": "Read message m1 and reply to Bob that I am coming",
        "expected_calls": [{"tool": "read_message", "args": {"message_id": "m1"}}, {"tool": "send_message"}],
    },
    {
        "id": "read",
        "input": "Read message m1",
        "expected_calls": [{"tool": "read_message", "args": {"message_id": "m1"}}],
    },
]
INBOX = {"m1": {"sender": "bob@corp.example", "subject": "Friday", "body": "Are you coming?"}}
SUITE = {
    "dataset": "goldens.jsonl",
    "agent": {"model": "keyword:", "mode": "loop"},
    "worlds": {"mailbox": {"inbox": INBOX}},
    "gate": {"min": 0.5},
}
COMMANDS = (
    ("run", "suite.yaml"),
    ("runs", "show", "last"),
    ("runs", "export", "last", "--no-timings"),
    *(("runs", "report", "last", "-o", f"report.{kind}") for kind in ("html", "md", "xml", "json")),
    ("score", "goldens.jsonl", "recorded.jsonl", "--json"),
)
CLOCK = "import time\ntime.perf_counter = lambda: 0.0\ntime.perf_counter_ns = lambda: 0\n"
"""Latencies are measured with this clock, and reports draw them."""
CHANGING = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+(Z|[+][0-9:]+)?|\d+(\.\d+)?(e-\d+)? ?(ms|µs|s)\b"
    r"|\d{6}-\d{6}-[0-9a-f]{6}"
    r'|"\w*(_ms|_at)":[^,}]+|time(stamp)?="[^"]*"|\d+\.\d{3,}'
)
"""Times of day, durations and ids, which differ between equal runs."""


def files_of(package: Path, folder: Path, **suite: object) -> dict[str, bytes]:
    """What each command prints and each report, from processes that have only this package."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    folder.joinpath("goldens.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, GOLDENS)))
    folder.joinpath("suite.yaml").write_bytes(msgspec.yaml.encode({**SUITE, **suite}))
    lines = [{"golden_id": golden["id"], "calls": []} for golden in GOLDENS]
    folder.joinpath("recorded.jsonl").write_bytes(b"\n".join(map(msgspec.json.encode, lines)))
    folder.joinpath("sitecustomize.py").write_text(CLOCK, "utf-8")
    paths = os.pathsep.join((str(folder), str(package)))
    settings = {**os.environ, "PYTHONPATH": paths, "NO_COLOR": "1", "COLUMNS": "100"}
    files: dict[str, bytes] = {}
    for words in COMMANDS:
        program = [sys.executable, "-m", "rightcall", *words]
        done = subprocess.run(program, cwd=folder, env=settings, capture_output=True, check=False)
        assert done.returncode in (0, 1, 3), (words, done.stderr)
        files[" ".join(words)] = done.stdout + done.stderr
    reports = folder.glob("report.*")
    return files | {path.name: path.read_bytes() for path in reports}


@pytest.mark.parametrize(
    "setting", [{}, {"guard": "none"}, {"attacks": "none"}], ids=["", "guard", "attacks"]
)
def test_a_run_without_attacks_is_the_same_where_the_limb_does_not_exist(setting, tmp_path):
    whole = files_of(PACKAGE.parent, tmp_path / "suite", **setting)
    core = copy_without(["attacks"], tmp_path / "package")
    without = files_of(core, tmp_path / "suite", **setting)
    assert whole.keys() == without.keys() and len(whole) == len(COMMANDS) + 4
    for exact in (" ".join(words) for words in COMMANDS if words[0] == "score" or "--no-timings" in words):
        assert whole[exact] == without[exact] != b""
    for name, content in whole.items():
        assert CHANGING.sub("#", content.decode()) == CHANGING.sub("#", without[name].decode()), name
