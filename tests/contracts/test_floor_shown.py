"""What trivial agents pass is computed and shown for an audit, and for a gate that requires points above it; nowhere else."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from rightcall.cli.main import cli
from rightcall.core.codec import encode
from rightcall.records import ExpectedCall, Golden, Tool
from rightcall.run.floor import TrivialScorer

GOLDENS = [
    *(
        Golden(f"order {n}?", id=f"order-{n}", expected_calls=[ExpectedCall("get_order", {"n": n})])
        for n in range(12)
    ),
    *(Golden("Hello!", id=f"hello-{n}", category="negative") for n in range(8)),
]


@pytest.fixture
def suite(tmp_path, monkeypatch):
    """`rightcall` in a folder with a suite whose agent is no model."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "goldens.jsonl").write_bytes(b"\n".join(map(encode, GOLDENS)))
    (tmp_path / "tools.json").write_bytes(encode([Tool("get_order", "Reads an order.")]))

    def rightcall(*words: str, **keys: object) -> str:
        settings = {"dataset": "goldens.jsonl", "tools": "tools.json", "agent": {"model": "keyword:"}, **keys}
        (tmp_path / "suite.json").write_text(json.dumps(settings))
        return CliRunner().invoke(cli, [*words], env={"COLUMNS": "300"}).stdout

    return rightcall


def test_a_gate_demands_points_above_the_floor_and_names_it(suite):
    shown = suite("run", "suite.json", audit={"above_floor": 20})
    assert "20 points above the floor of 40% (an agent that does nothing)" in shown
    assert "20 points above the floor of 40%" in suite(
        "gate", "last", "--suite", "suite.json", audit={"above_floor": 20}
    )


def test_without_it_no_door_computes_or_shows_a_floor(suite, monkeypatch):
    monkeypatch.setattr(TrivialScorer, "marks", lambda *_: pytest.fail("a floor was computed"))
    shown = [
        suite("run", "suite.json", gate={"min": 0.5}),
        suite("run", "suite.json", "--json"),
        suite("check", "suite.json", "--baseline", "last~1", "--again"),
        suite("gate", "last", "--min", "0.5"),
        suite("runs", "list"),
        suite("runs", "show", "last"),
        *(suite("runs", "report", "last", "-o", f"report.{kind}") for kind in ("html", "json", "junit.xml")),
        suite("runs", "rescore", "last"),
    ]
    assert [text for text in shown if not text] == []
    assert not [text for text in shown if "floor" in text or "does nothing" in text]
