"""`rightcall mcp record`, `serve` and `verify` as programs, with servers that behave and servers that do not."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rightcall.core.errors import InfrastructureError
from rightcall.limbs.contracts.verification import VerifyRules, other_version
from rightcall.recording.mcp.session_file import read_session, write_session
from rightcall.tools.mcp.address import McpAddress
from tests.limbs.contracts.sessions import SHOP, answered, text, without_times
from tests.support.patience import SECONDS, wait_until

pytestmark = pytest.mark.stories

BROKEN = str(Path(__file__).with_name("broken_server.py"))
PROGRAM = [sys.executable, "-m", "rightcall"]


def rightcall(*words: Any, **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=SECONDS, check=False, **more
    )


def serving(path: Path, *options: str) -> str:
    return "mcp:" + shlex.join([*PROGRAM, "mcp", "serve", str(path), *options])


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    path = tmp_path / "shop.mcp.jsonl"
    write_session(path, SHOP)
    return path


@contextmanager
def http_server(path: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    words = [*PROGRAM, "mcp", "serve", str(path), "--http", "127.0.0.1:0", *options]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stderr is not None
            address = re.search(r"http://\S+/mcp", server.stderr.readline())
            assert address
            yield address[0], server
        finally:
            server.terminate()


def test_a_served_recording_is_compatible_with_itself_over_stdio_and_over_http(shop):
    over_stdio = rightcall("mcp", "verify", shop, serving(shop), "--allow-writes", "--json")
    with http_server(shop) as (url, _):
        over_http = rightcall("mcp", "verify", shop, url, "--allow-writes", "--json")
    for done in (over_stdio, over_http):
        result = json.loads(done.stdout)
        assert (done.returncode, result["verdict"], result["verified"]) == (0, "compatible", 6), done.stderr
        assert result["list"] == [] and [tool["changes"] for tool in result["tools"]] == [[], [], []]


def test_recording_a_served_recording_gives_it_back(shop, tmp_path):
    again = tmp_path / "again.mcp.jsonl"
    done = rightcall("mcp", "record", serving(shop), "-o", again, "--calls", shop)
    assert done.returncode == 0, done.stderr
    assert without_times(read_session(again)) == without_times(SHOP)


def test_writes_are_not_made_and_their_tool_is_not_verified(shop):
    done = rightcall("mcp", "verify", shop, serving(shop))
    assert done.returncode == 0
    assert re.search(r"cancel_order\s+not verified \(1 of 1 call not verified\)", done.stdout)
    assert "not verified: 1 not verified, 2 compatible; 5 of 6 recorded calls verified" in done.stdout


def test_a_breaking_version_is_exit_1_and_a_failure_of_junit(shop, tmp_path):
    other = tmp_path / "other.mcp.jsonl"
    junit = tmp_path / "junit.xml"
    calls = [replace(call, result=answered(text("oops"), failed=True)) for call in SHOP.calls[:1]]
    write_session(other, replace(SHOP, calls=(*calls, *SHOP.calls[1:])))
    for source in ([serving(other)], ["--from", other]):
        done = rightcall("mcp", "verify", shop, *source, "-o", junit)
        assert done.returncode == 1 and "answers with an error now: oops" in done.stdout
        assert '<failure message="breaking: call: answers with an error now' in junit.read_text("utf-8")


@pytest.mark.parametrize(
    ("mode", "words"),
    [("dies", "out of memory"), ("floods", "messages instead of an answer"), ("twice", "'get_status' twice"),
     ("pages", "without end"), ("junk", "messages instead of an answer")],
)  # fmt: skip
def test_a_server_that_breaks_says_nothing_about_compatibility_and_leaves_no_process(
    mode, words, shop, tmp_path
):
    server = "mcp:" + shlex.join([sys.executable, BROKEN, mode, str(tmp_path / "pid")])
    done = rightcall("mcp", "verify", shop, server)
    assert done.returncode == 4 and words in done.stderr and "Traceback" not in done.stderr
    assert done.stderr.rstrip().endswith("this says nothing about compatibility")
    wait_until(lambda: not Path("/proc", (tmp_path / "pid").read_text("utf-8")).exists())


@pytest.mark.parametrize("mode", ["hangs", "silent"])
def test_a_server_that_hangs_is_left_after_its_time(mode, tmp_path):
    command = (sys.executable, BROKEN, mode, str(tmp_path / "pid"))
    address = McpAddress(command, start_s=30 if mode == "hangs" else 8, call_s=1)
    with pytest.raises(InfrastructureError, match="did not answer"):
        asyncio.run(other_version(address, SHOP, VerifyRules()))
    wait_until(lambda: not Path("/proc", (tmp_path / "pid").read_text("utf-8")).exists())


@pytest.mark.parametrize(
    ("calls", "code", "words"),
    [
        ([(call.name, call.arguments) for call in SHOP.calls], 0, ""),
        ([("get_status", {"order": "1017"})], 1, 'recorded, but never called: get_order {"order":"1017"}'),
        ([("get_status", {"order": "77"})], 1, 'not recorded: get_status {"order":"77"}'),
        ([], 1, "no call was made"),
    ],
)
def test_strict_serving_over_stdio_ends_with_its_verdict(calls, code, words, shop):
    lines = [
        {"jsonrpc": "2.0", "id": i, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
        for i, (name, arguments) in enumerate(calls)
    ]
    said = "".join(json.dumps(line) + "\n" for line in lines)
    done = rightcall("mcp", "serve", shop, "--strict", input=said)
    assert done.returncode == code and words in done.stderr
    assert len(done.stdout.splitlines()) == len(calls)


@pytest.mark.parametrize(("writes", "code"), [(["--allow-writes"], 0), ([], 1)])
def test_strict_serving_over_http_ends_with_its_verdict(writes, code, shop):
    with http_server(shop, "--strict", "--order", "recorded") as (url, server):
        assert rightcall("mcp", "verify", shop, url, *writes).returncode == 0
        server.send_signal(signal.SIGTERM)
        assert server.wait(SECONDS) == code


def test_a_broken_recording_is_not_served(shop):
    shop.write_bytes(shop.read_bytes()[:-40])
    for words in (["serve", shop], ["verify", shop, "mcp:true"]):
        done = rightcall("mcp", *words)
        assert done.returncode == 2 and f"{shop}:10: " in done.stderr


def test_goldens_are_recorded_without_what_may_write(shop, tmp_path):
    goldens = tmp_path / "goldens.jsonl"
    calls = [
        {"tool": "get_status", "args": {"order": "1017"}},
        {"tool": "cancel_order", "args": {"id": "1017"}},
        {"tool": "get_order", "args": {"order": {"regex": "1.*"}}},
    ]
    goldens.write_text(json.dumps({"id": "g", "input": "Where is it?", "expected_calls": calls}), "utf-8")
    done = rightcall("mcp", "record", serving(shop), "-o", tmp_path / "a", "--goldens", goldens)
    assert "1 calls were not made, because their tools may write: cancel_order" in done.stderr
    assert {call.name for call in read_session(tmp_path / "a").calls} <= {"get_status", "get_order"}
    rightcall("mcp", "record", serving(shop), "-o", tmp_path / "b", "--goldens", goldens, "--allow-writes")
    assert "cancel_order" in {call.name for call in read_session(tmp_path / "b").calls}


@pytest.mark.parametrize(
    ("calls", "options", "code", "words"),
    [
        (SHOP.calls, (), 0, ""),
        ((), (), 3, "the recording has no calls, so no answer was compared; record some with"),
        (
            [call for call in SHOP.calls if call.name == "cancel_order"],
            (),
            3,
            "none of 1 recorded call was compared (cancel_order); allow them with --allow-writes",
        ),
    ],
)
def test_a_verification_that_compared_no_answer_is_inconclusive(calls, options, code, words, shop, tmp_path):
    recorded = tmp_path / "recorded.mcp.jsonl"
    write_session(recorded, replace(SHOP, calls=tuple(calls)))
    done = rightcall("mcp", "verify", recorded, serving(shop), *options)
    assert (done.returncode, words in done.stderr) == (code, True), done.stderr
