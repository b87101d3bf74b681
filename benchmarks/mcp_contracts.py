"""MCP contracts: time of a served call, and real servers at two versions, verified upwards and downwards.

python -m benchmarks mcp_contracts                     how long a recorded answer takes
python -m benchmarks mcp_contracts --servers FOLDER    installs four servers at two versions each into FOLDER (from
                                                       PyPI and npm), and verifies recordings of all with each other
"""

from __future__ import annotations

import argparse
import json
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rightcall.limbs.contracts.replay_server import ReplayServer
from rightcall.recording.mcp.session import McpSession, RecordedCall
from rightcall.recording.mcp.session_file import write_session

CALLS = 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "--servers", type=Path, metavar="FOLDER", help="install real servers here and verify them"
    )
    options = parser.parse_args()
    time_answers()
    if options.servers is not None:
        verify_servers(options.servers.resolve())


def time_answers() -> None:
    """A recording with 1,000 different calls of 100 tools, each result of about 2 kB."""
    tools = tuple({"name": f"tool_{n}", "inputSchema": {"type": "object"}} for n in range(100))
    text = json.dumps([{"sku": f"a{n}", "count": n} for n in range(80)])
    calls = tuple(
        RecordedCall(f"tool_{n % 100}", {"order": str(n)}, {"content": [{"type": "text", "text": text}]})
        for n in range(CALLS)
    )
    session = McpSession({"serverInfo": {"name": "shop", "version": "1"}}, tools, calls=calls)
    client = ReplayServer(session).client()
    inside = [timed(lambda message=message: client.replies(message)) for message in messages()]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shop.mcp.jsonl"
        write_session(path, session)
        over_stdio = list(round_trips([sys.executable, "-m", "rightcall", "mcp", "serve", str(path)]))
    for name, times in (("without the transport", inside), ("over stdio, round trip", over_stdio)):
        median = statistics.median(times)
        worst = statistics.quantiles(times, n=100)[98]
        print(
            f"{name}: median {median * 1000:.3f} ms, 99% under {worst * 1000:.3f} ms ({len(times):,} calls)"
        )


def messages() -> list[dict[str, Any]]:
    return [
        {
            "jsonrpc": "2.0",
            "id": n,
            "method": "tools/call",
            "params": {"name": f"tool_{n % 100}", "arguments": {"order": str(n)}},
        }
        for n in range(CALLS)
    ]


def timed(work: Any) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def round_trips(command: list[str]) -> list[float]:
    times = []
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin and server.stdout
        for number, message in enumerate(messages()):
            began = time.perf_counter()
            server.stdin.write(json.dumps(message).encode() + b"\n")
            server.stdin.flush()
            server.stdout.readline()
            if number:  # the first one waits for the program to start
                times.append(time.perf_counter() - began)
        server.stdin.close()
    return times


@dataclass(frozen=True)
class RealServer:
    """A public server at two versions, with the calls that are recorded."""

    package: str
    versions: tuple[str, str]
    calls: list[dict[str, Any]]
    arguments: tuple[str, ...] = ()
    kind: str = "npm"
    further: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """Further packages that a version needs."""


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


SERVERS = (
    RealServer(
        "mcp-server-time",
        ("2025.7.1", "2026.10.19"),
        [
            call("get_current_time", timezone="UTC"),
            call("get_current_time", timezone="Nowhere/Else"),
            call("convert_time", source_timezone="UTC", time="12:00", target_timezone="Asia/Tokyo"),
            call("convert_time", source_timezone="UTC", time="25:00", target_timezone="Asia/Tokyo"),
            call("no_such_tool"),
        ],
        kind="pypi",
        further=(("mcp<2",), ()),
    ),
    RealServer(
        "@modelcontextprotocol/server-everything",
        ("2026.1.26", "2026.8.31"),
        [
            call("echo", message="hello"),
            call("get-sum", a=2, b=3),
            call("get-tiny-image"),
            call("get-annotated-message", messageType="error", includeImage=True),
            call("get-resource-links", count=2),
            call("get-resource-reference", resourceType="Text", resourceId=1),
            call("get-structured-content", location="New York"),
            call("get-sum", a="two", b=3),
        ],
    ),
    RealServer(
        "@modelcontextprotocol/server-memory",
        ("2025.11.25", "2026.8.31"),
        [
            call("read_graph"),
            call("search_nodes", query="x"),
            call("open_nodes", names=["nobody"]),
            call("create_entities", entities=[{"name": "a", "entityType": "t", "observations": ["o"]}]),
            call("read_graph"),
        ],
    ),
    RealServer(
        "@modelcontextprotocol/server-filesystem",
        ("2026.1.14", "2026.8.31"),
        [
            call("list_allowed_directories"),
            call("list_directory", path="WORK"),
            call("read_text_file", path="WORK/a.txt"),
            call("get_file_info", path="WORK/a.txt"),
            call("search_files", path="WORK", pattern="*.txt"),
            call("read_text_file", path="WORK/none.txt"),
        ],
        ("WORK",),
    ),
)


def verify_servers(folder: Path) -> None:
    work = folder / "work"
    work.mkdir(parents=True, exist_ok=True)
    (work / "a.txt").write_text("hello\n", "utf-8")
    print("\n| server | recorded | verified against | tools, calls | verdict | breaking lines |")
    print("|---|---|---|---|---|---|")
    for server in SERVERS:
        sources = [install(server, number, folder, work) for number in (0, 1)]
        files = []
        for version, source in zip(server.versions, sources, strict=True):
            calls = folder / "calls.jsonl"
            lines = [json.dumps(line).replace("WORK", str(work)) for line in server.calls]
            calls.write_text("\n".join(lines), "utf-8")
            file = folder / f"{Path(server.package).name}-{version}.mcp.jsonl"
            forget(work)
            done = rightcall("record", source, "-o", str(file), "--calls", str(calls))
            assert done.returncode == 0, done.stderr
            files.append(file)
        for old, new in ((0, 0), (1, 1), (0, 1), (1, 0)):
            forget(work)
            done = rightcall("verify", str(files[old]), sources[new], "--allow-writes", "--json")
            show(server, server.versions[old], server.versions[new], done)
        served = rightcall("verify", str(files[1]), serving(files[1]), "--allow-writes", "--json")
        show(server, server.versions[1], "its own recording, served", served)


def show(server: RealServer, old: str, new: str, done: subprocess.CompletedProcess[str]) -> None:
    if done.returncode not in (0, 1):
        print(
            f"| {server.package} | {old} | {new} | | exit {done.returncode}: {done.stderr.strip()[-200:]} | |"
        )
        return
    result = json.loads(done.stdout)
    lines = [
        f"{tool['tool']}: {change['path']} {change['text']}".replace(":  ", ": ")
        for tool in result["tools"]
        for change in tool["changes"]
        if change["level"] == "breaking"
    ]
    rest = sum(len(tool["changes"]) for tool in result["tools"]) - len(lines)
    told = "; ".join(lines[:4]) + (f"; {len(lines) - 4} more" if len(lines) > 4 else "") or "none"
    counts = f"{len(result['tools'])}, {result['verified']} of {result['calls']}"
    note = f" ({rest} other lines)" if rest else ""
    print(f"| {server.package} | {old} | {new} | {counts} | {result['verdict']}{note} | {told} |", flush=True)


def rightcall(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "rightcall", "mcp", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def serving(file: Path) -> str:
    return "mcp:" + shlex.join([sys.executable, "-m", "rightcall", "mcp", "serve", str(file)])


def forget(work: Path) -> None:
    (work / "memory.json").unlink(missing_ok=True)


def install(server: RealServer, number: int, folder: Path, work: Path) -> str:
    """Install a version into a folder, unless it is there; returns its address."""
    version = server.versions[number]
    home = folder / f"{Path(server.package).name}-{version}"
    words = [word.replace("WORK", str(work)) for word in server.arguments]
    if server.kind == "pypi":
        program = home / "bin" / server.package
        if not program.exists():
            venv.create(home, with_pip=True)
            packages = [f"{server.package}=={version}", *server.further[number]]
            subprocess.run([home / "bin" / "pip", "install", "-q", *packages], check=True)
        return "mcp:" + shlex.join([str(program), *words])
    package = home / "node_modules" / server.package
    if not package.exists():
        home.mkdir(parents=True, exist_ok=True)
        spec = f"{server.package}@{version}"
        subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--silent", spec], cwd=home, check=True)
    memory = f"MEMORY_FILE_PATH={work / 'memory.json'}"
    return "mcp:" + shlex.join(["env", memory, "node", str(package / "dist" / "index.js"), *words])


if __name__ == "__main__":
    main()
