"""The page of an audit, with hostile text."""

from __future__ import annotations

import html
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from rightcall.cli.main import cli
from tests.limbs.audit.shop import TOOLS

HOSTILE = "</script><img src=x onerror=alert(1)>\x1b[31m\u202e"
GOLDENS = [
    {"id": f"refund {HOSTILE}", "input": f"Refund 12.5 euros of order A-17. {HOSTILE}", "extra_calls": "allow",
     "expected_calls": [{"tool": "refund_order"}]},
    {"id": "alarm", "input": "Wake me in 20 minutes.",
     "expected_calls": [{"tool": "set_alarm", "args": {"minutes": 20}}]},
    {"id": "impossible", "input": "Cancel A-2", "max_calls": 0,
     "expected_calls": [{"tool": "cancel_order", "args": {"order_id": "A-2"}}]},
]  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("goldens.jsonl").write_text("\n".join(map(json.dumps, GOLDENS)), encoding="utf-8")
    tools = [
        {"name": t.name, "description": t.description, "input_schema": t.input_schema} for t in TOOLS.values()
    ]
    Path("tools.json").write_text(json.dumps(tools), encoding="utf-8")
    return tmp_path


def run(*words: str, code: int = 0) -> str:
    result = CliRunner().invoke(cli, [*words], catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output


def audit(*words: str) -> str:
    return run("audit", "goldens.jsonl", "--tools", "tools.json", *words)


def test_the_file_works_from_disk_without_scripts_and_escapes_everything(folder: Path) -> None:
    audit("-o", "audit.html")
    page = Path("audit.html").read_text("utf-8")
    assert "refund_order twice passes" in page and "Kinds of bugs" in page
    assert "<script" not in page and "<img" not in page and "\x1b" not in page and "\u202e" not in page
    assert "default-src 'none'" in html.unescape(page) and "light-dark(" in page
