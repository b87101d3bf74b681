"""An audit says what trivial agents pass; on BFCL's items as counted independently."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable

import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.cli.main import cli
from rightcall.core.codec import encode
from rightcall.metrics.score_case import Scorer
from rightcall.records import ExpectedCall, Golden, Tool
from rightcall.records.floor import Floor
from rightcall.run.floor import TrivialScorer, compute_floor
from rightcall.run.rehearsal.trial import Trial

TOOLS = [Tool("get_order", "Reads an order."), Tool("list_shops", "Lists shops.")]
GOLDENS = [
    Golden("Which shops?", id="shops", expected_calls=[ExpectedCall("list_shops")]),
    Golden("Hello!", id="hello", category="negative"),
]
SENTENCE = "An agent that does nothing passes 50% (negatives 1 of 1), choosing tools by keywords 100%."


@pytest.fixture
def files(tmp_path):
    (tmp_path / "goldens.jsonl").write_bytes(b"\n".join(map(encode, GOLDENS)))
    (tmp_path / "tools.json").write_bytes(encode(TOOLS))
    return [str(tmp_path / "goldens.jsonl"), "--tools", str(tmp_path / "tools.json")]


@pytest.mark.parametrize("words", [[], ["--only", "floor"]])
def test_the_audit_says_what_trivial_agents_pass(files, words):
    shown = CliRunner().invoke(cli, ["audit", *files, *words], env={"COLUMNS": "200"})
    assert shown.exit_code == 0
    assert SENTENCE in shown.stdout
    assert ("  keyword    100.0%  2 of 2 (golden 1, negative 1)" in shown.stdout) == bool(words)


def test_other_parts_have_no_floor_and_files_do(files, tmp_path):
    shown = CliRunner().invoke(cli, ["audit", *files, "--only", "mutants", "--json"])
    assert "floor" not in json.loads(shown.stdout)
    CliRunner().invoke(cli, ["audit", *files, "-o", str(tmp_path / "audit.html")])
    assert SENTENCE in (tmp_path / "audit.html").read_text("utf-8")
    floor = rc.audit(GOLDENS, tools=TOOLS, only="floor").floor
    assert (floor.nothing, floor.best, floor.best_name) == (0.5, 1.0, "keyword")


def test_a_dataset_without_checks_has_no_floor(tmp_path):
    (tmp_path / "open.jsonl").write_bytes(encode(Golden("Say anything.", id="open")))
    shown = CliRunner().invoke(cli, ["audit", str(tmp_path / "open.jsonl"), "--only", "floor"])
    assert (shown.exit_code, shown.stdout) == (2, "Floor unknown: no golden states a check.\n")


PUBLISHED = {"simple_python": 0.350, "multiple": 0.385, "live_simple": 0.128}
"""What `keyword:` passes of BFCL v4, measured with a prototype that scored by BFCL's own rules."""


def floor_of_all(goldens: Iterable[Golden]) -> Floor:
    return asyncio.run(compute_floor(goldens, TrivialScorer(Trial(Scorer(), {}), single_turn=True)))


@pytest.mark.stories
def test_floors_of_bfcl_are_those_of_its_own_rules(cases, official):
    """Doing nothing passes the items for which no call is right: 1,124 of 3,491."""
    by_category: dict[str, list[Golden]] = {}
    for item, golden in cases:
        by_category.setdefault(item.category, []).append(golden)
    whole = floor_of_all(golden for _, golden in cases)
    assert (whole.agents["nothing"].passed, whole.agents["nothing"].judged) == (1124, 3491)
    official_passes = sum(bool(official.verdict(item, [])) for item, _ in cases)
    assert official_passes == 1124
    for category, rate in PUBLISHED.items():
        floor = floor_of_all(by_category[category])
        assert floor.agents["keyword"].share == pytest.approx(rate, abs=0.0005)
