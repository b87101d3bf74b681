"""Public tool sets: those of the bfcl-eval wheel, and of MCP servers as they were installed."""

from __future__ import annotations

import json
import zipfile
from functools import cache
from pathlib import Path

from rightcall.lint.engine import lint
from rightcall.lint.report import LintReport
from rightcall.lint.source.read import read_paths, read_text
from rightcall.lint.source.tools import ToolSet
from tests.datasets.bfcl_official import the_wheel

MCP = Path(__file__).parent / "data" / "mcp"
UNSEEN = Path(__file__).parent / "data" / "unseen"
UNSEEN_FOLDERS = (UNSEEN, UNSEEN.with_name("unseen_after"), UNSEEN.with_name("unseen_last"))


def bfcl_sets() -> list[ToolSet]:
    """The distinct sets in which the benchmark offers tools, as lines of one JSONL text."""
    distinct: dict[str, None] = {}
    with zipfile.ZipFile(the_wheel()) as wheel:
        for name in sorted(wheel.namelist()):
            for tools in _sets_of(name, wheel):
                distinct[json.dumps({"tools": tools})] = None
    return read_text("\n".join(distinct), name="bfcl.jsonl", kind=".jsonl")


def mcp_sets() -> list[ToolSet]:
    """One set a server."""
    return read_paths(sorted(MCP.glob("*.json")))


def unseen_sets() -> list[ToolSet]:
    """One set a server, of servers that no rule was tuned on."""
    return read_paths([path for folder in UNSEEN_FOLDERS for path in sorted(folder.glob("*.json"))])


@cache
def unseen_report() -> LintReport:
    """What is found in the servers that no rule was tuned on."""
    return lint(unseen_sets())


def _sets_of(name: str, wheel: zipfile.ZipFile) -> list[list[object]]:
    if not name.startswith("bfcl_eval/data/") or not name.endswith(".json"):
        return []
    folder, _, file = name.removeprefix("bfcl_eval/data/").rpartition("/")
    if folder == "multi_turn_func_doc":
        return [[json.loads(line) for line in wheel.read(name).decode().splitlines() if line.strip()]]
    if folder or not file.startswith("BFCL_v4") or "format_sensitivity" in file:
        return []
    rows = [json.loads(line) for line in wheel.read(name).decode().splitlines()]
    return [row["function"] for row in rows if isinstance(row.get("function"), list) and row["function"]]
