"""The commands that `kills` kills: what each needs, what is typed, and what it makes."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.kills_agent import planted_suite
from benchmarks.traces_import import write as write_traces
from rightcall.recording.mcp.session_file import read_session
from rightcall.store.address import open_store
from rightcall.store.base import RunFilter

STORE = ("--store", "results.db")
TOOL = {
    "name": "find_order",
    "description": "Find an order by its number.",
    "input_schema": {"type": "object"},
}
MARKS = {"clarity": 1, "depth": 1, "structure": 1, "relevance": 1, "answerability": 1}


def nothing(folder: Path) -> None:
    return


@dataclass(frozen=True)
class KillJob:
    """`words` are typed and killed; then `resume` is typed, if there is one, and `words` again if that is refused.

    `before` is typed before the job, then `change` made.
    """

    prepare: Callable[[Path], object]
    words: Sequence[str]
    result: Callable[[Path], Any]
    resume: Sequence[str] = ()
    before: Sequence[Sequence[str]] = ()
    change: Callable[[Path], object] = nothing


def write_lines(path: Path, records: Sequence[Any]) -> None:
    path.write_bytes(b"".join(msgspec.json.encode(record) + b"\n" for record in records))


def order_suite(folder: Path, system: str = "", goldens: int = 60) -> None:
    write_lines(
        folder / "goldens.jsonl",
        [
            {"id": f"g{i}", "input": f"order {i}", "expected_calls": [{"tool": "find_order"}]}
            for i in range(goldens)
        ],
    )
    agent = {"model": "scripted:script.json", **({"system": system} if system else {})}
    suite = {"name": "orders", "tools": [TOOL], "dataset": "goldens.jsonl", "agent": agent, "concurrency": 4}
    (folder / "suite.json").write_text(json.dumps(suite))
    replies = [{"turns": [{"calls": [{"name": "find_order", "arguments": {}}]}]}]
    (folder / "script.json").write_text(json.dumps({"format": "rightcall/script/1", "replies": replies}))


def checked(folder: Path) -> Any:
    """The verdict and its evidence; one check is stored, and it is complete. What it had spent is not asked again."""
    path = folder / "check.json"
    report = json.loads(path.read_text()) if path.exists() else {}
    with open_store(folder / "results.db", must_exist=True) as store:
        runs = store.runs.page(RunFilter(tag="check"))
        stored = [
            (run.finished, sorted((r.golden_id, r.trial) for r in store.runs.results(run.id))) for run in runs
        ]
    return {**report, "notes": 0, "run_id": 0, "calls": 0, "stored": stored}


def recorded(folder: Path) -> dict[str, Any]:
    """What the recordings hold, without how long the answers took."""
    found = {}
    for path in (folder / "recordings").rglob("*.json"):
        document = json.loads(path.read_text())
        for trial in document.get("trials", {}).values():
            trial.pop("timings", None)
        found[str(path.relative_to(folder))] = document
    return found


def recording_suite(folder: Path, goldens: int = 60) -> None:
    order_suite(folder, goldens=goldens)
    suite = json.loads((folder / "suite.json").read_text())
    suite["record"] = {"mode": "auto", "folder": "recordings"}
    (folder / "suite.json").write_text(json.dumps(suite))


SERVER = """
import json, sys, time
from pathlib import Path
TOOL = {"name": "find_order", "description": "Find an order by its number.", "inputSchema": {"type": "object"}}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] == "tools/call":
        with Path("asked.txt").open("a") as file:
            file.write(json.dumps(asked["params"]["arguments"]) + "\\n")
        time.sleep(0.01)
        result = {"content": [{"type": "text", "text": "sent " + json.dumps(asked["params"]["arguments"])}]}
    elif asked["method"] == "initialize":
        info = {"name": "orders", "version": "1"}
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
    else:
        result = {"tools": [TOOL]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
"""
"""An MCP server that writes down what it was asked."""


def calls_of_server(folder: Path) -> None:
    (folder / "server.py").write_text(SERVER)
    write_lines(folder / "calls.jsonl", [{"name": "find_order", "arguments": {"n": n}} for n in range(90)])


def suite_of_server(folder: Path) -> None:
    order_suite(folder, goldens=40)
    (folder / "server.py").write_text(SERVER)
    suite = json.loads((folder / "suite.json").read_text())
    server = {"command": ["python", "server.py"], "record": "auto", "recording": "orders.mcp.jsonl"}
    suite |= {"tools": {"mcp": server}, "agent": {**suite["agent"], "execute": "real", "mode": "loop"}}
    (folder / "suite.json").write_text(json.dumps(suite))
    replies = [
        {
            "golden": f"g{n}",
            "turns": [{"calls": [{"name": "find_order", "arguments": {"n": n}}]}, {"text": "done"}],
        }
        for n in range(40)
    ]
    (folder / "script.json").write_text(json.dumps({"format": "rightcall/script/1", "replies": replies}))


def session_of_server(folder: Path) -> Any:
    """The recorded calls, and whether more were asked again than were open when the process was killed."""
    calls = [call for path in folder.glob("*.mcp.jsonl") for call in read_session(path).calls]
    asked = Counter((folder / "asked.txt").read_text().splitlines()) if calls else Counter[str]()
    again = sum(count - 1 for count in asked.values())
    answers = sorted((call.arguments["n"], call.n, str(call.result)) for call in calls)
    return {"calls": answers, "asked again": again > 4}


def improvable_suite(folder: Path) -> None:
    suite = planted_suite()
    write_lines(folder / "goldens.jsonl", suite.goldens)
    (folder / "tools.json").write_bytes(msgspec.json.format(msgspec.json.encode(suite.tools)))
    agent = {"model": "benchmarks.kills_agent:reader", "system": suite.system}
    described = {
        "name": "planted",
        "tools": "tools.json",
        "dataset": "goldens.jsonl",
        "agent": agent,
        "trials": 3,
    }
    (folder / "suite.json").write_text(json.dumps(described))


def improved(folder: Path) -> Any:
    path = folder / "improve.patch"
    return path.read_text() if path.exists() else ""


def documents(folder: Path, count: int = 25) -> None:
    replies: list[Any] = []
    (folder / "docs").mkdir()
    for number in range(1, count + 1):
        (folder / "docs" / f"{number:03}.md").write_text(f"Refund {number} is paid within {number} days.")
        name = f"docs-{number:04}-1"
        replies += [
            {"golden": f"{name}/input", "turns": [{"text": f"When is refund {number} paid?"}]},
            {"golden": f"{name}/expected-output", "turns": [{"text": f"Within {number} days."}]},
        ]
    replies.append({"turns": [{"text": json.dumps(MARKS)}]})
    (folder / "script.json").write_text(json.dumps({"format": "rightcall/script/1", "replies": replies}))


def generated(folder: Path) -> list[Any]:
    """The goldens; the store keeps the keys of their metadata in another order."""
    path = folder / "generated.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def stored_traces(folder: Path) -> dict[str, Any]:
    with open_store(folder / "results.db") as store:
        rows = store.traces.page(limit=100_000)
        traces = {row.trace_id: (row.input, row.calls, row.checks) for row in rows}
        assert len(traces) == len(rows)
        sessions = sorted(map(msgspec.to_builtins, store.traces.session_counts()), key=str)
        counts = sorted(map(msgspec.to_builtins, store.traces.check_counts()), key=str)
    return {**traces, "sessions": sessions, "counts": counts}


GENERATE = (
    "generate",
    "goldens",
    "--from",
    "docs",
    "--n",
    "1",
    "--model",
    "scripted:script.json",
)
JOBS = {
    "check": KillJob(
        order_suite,
        ("check", "suite.json", "--baseline", "last", "-o", "check.json", *STORE),
        checked,
        before=(("run", "suite.json", "--trials", "2", *STORE),),
        change=lambda folder: order_suite(folder, "Be brief."),
    ),
    "recording": KillJob(recording_suite, ("run", "suite.json", *STORE), recorded),
    "mcp record": KillJob(
        calls_of_server,
        ("mcp", "record", "mcp:python server.py", "-o", "o.mcp.jsonl", "--calls", "calls.jsonl"),
        session_of_server,
    ),
    "recording of a server": KillJob(suite_of_server, ("run", "suite.json", *STORE), session_of_server),
    "improve": KillJob(
        improvable_suite,
        ("improve", "last", "--suite", "suite.json", *STORE),
        improved,
        before=(("run", "suite.json", *STORE),),
    ),
    "generate": KillJob(documents, GENERATE, generated, resume=(*GENERATE, "--resume", "last")),
    "traces import": KillJob(
        lambda folder: write_traces(folder / "traces.jsonl", 1600),
        ("traces", "import", "traces.jsonl", *STORE),
        stored_traces,
    ),
}
