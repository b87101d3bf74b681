"""`rightcall audit`: what a person types and sees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import rightcall as rc
from rightcall.core.errors import InputError
from rightcall.datasets.goldens import load_goldens
from rightcall.limbs.audit.command import audit
from tests.limbs.audit.shop import TOOLS

GOLDENS = [
    {"id": "refund", "input": "Refund 12.5 euros of order A-17.", "extra_calls": "allow",
     "expected_calls": [{"tool": "refund_order"}]},
    {"id": "alarm", "input": "Wake me in 20 minutes.",
     "expected_calls": [{"tool": "set_alarm", "args": {"minutes": 20}}]},
]  # fmt: skip


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    (tmp_path / "goldens.jsonl").write_text("\n".join(map(json.dumps, GOLDENS)), encoding="utf-8")
    tools = [
        {"name": t.name, "description": t.description, "input_schema": t.input_schema} for t in TOOLS.values()
    ]
    (tmp_path / "tools.json").write_text(json.dumps(tools), encoding="utf-8")
    return tmp_path


def invoke(folder: Path, *words: str) -> Result:
    tools = ["--tools", str(folder / "tools.json")]
    return CliRunner().invoke(audit, [str(folder / "goldens.jsonl"), *tools, *words], catch_exceptions=False)


def test_survivors_are_shown_by_harm_with_what_would_catch_them(dataset: Path) -> None:
    shown = invoke(dataset)
    lines = shown.output.splitlines()
    assert shown.exit_code == 0 and lines[0].startswith("Your suite catches ")
    assert lines[1].startswith("double effect  refund  refund_order twice passes  ")
    assert lines[2] == '    extra_calls: "forbid"'
    assert "rightcall audit" in lines[-1] and lines[-1].endswith("--write tightened.jsonl")


def test_json_file_and_page_say_the_same(dataset: Path) -> None:
    read = json.loads(invoke(dataset, "--json").output)
    assert read["format"] == "rightcall/audit/1" and read["survivors"][0]["harm"] == "double_effect"
    assert read == json.loads(invoke(dataset, "--json").output)
    invoke(dataset, "-o", str(dataset / "audit.json"))
    assert json.loads((dataset / "audit.json").read_text("utf-8")) == read
    invoke(dataset, "-o", str(dataset / "audit.html"))
    text = (dataset / "audit.html").read_text("utf-8")
    assert "double effect</span>" in text and "refund_order twice passes" in text


def test_written_goldens_catch_what_survivors_of(dataset: Path) -> None:
    before = json.loads(invoke(dataset, "--json", "--write", str(dataset / "tight.jsonl")).output)
    tight = list(load_goldens(dataset / "tight.jsonl"))
    assert [golden.id for golden in tight] == ["refund", "alarm"]
    after = rc.audit(tight, tools=dataset / "tools.json")
    assert len(after.survivors) < len(before["survivors"]) and after.rate > before["rate"]
    assert (dataset / "goldens.jsonl").read_text("utf-8") == "\n".join(map(json.dumps, GOLDENS))


def test_exit_codes(dataset: Path) -> None:
    assert invoke(dataset, "--min", "0.999").exit_code == 1
    unreadable = CliRunner().invoke(audit, [str(dataset / "none.jsonl")])
    assert "none.jsonl" in str(unreadable.exception)
    (dataset / "goldens.jsonl").write_text(
        '{"id": "g", "input": "x", "expected_calls": [{"tool": "t", "args": {"a": {"regex": "x"}}}]}',
        encoding="utf-8",
    )
    nothing = invoke(dataset)
    assert nothing.exit_code == 2 and "Nothing could be judged" in nothing.output
    assert "1 golden not audited:" in nothing.output


def test_the_dataset_itself_is_never_overwritten(dataset: Path) -> None:
    with pytest.raises(InputError, match="already exists"):
        rc.audit(dataset / "goldens.jsonl", write=dataset / "." / "goldens.jsonl")


SUITE = {
    "dataset": "goldens.jsonl",
    "agent": {"model": "keyword:", "mode": "loop"},
    "tools": "shop_tools:TOOLS",
    "tool_sets": {"all": ["refund_order"]},
    "mocks": {"refund_order": {"real": True}},
}


def test_a_suite_is_audited_without_running_a_tool_and_written_as_it_was(
    dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (dataset / "shop_tools.py").write_text(
        "import rightcall as rc\n"
        "from pathlib import Path\n"
        "@rc.tool\n"
        "def refund_order(order_id: str, amount: float) -> str:\n"
        "    'Refunds an order.'\n"
        "    Path(__file__).with_name('ran').touch()\n"
        "    return 'ok'\n"
        "TOOLS = [refund_order]\n",
        encoding="utf-8",
    )
    golden = {**GOLDENS[0], "tool_set": "all"}
    (dataset / "goldens.jsonl").write_text(json.dumps(golden), encoding="utf-8")
    (dataset / "suite.json").write_text(json.dumps(SUITE), encoding="utf-8")
    monkeypatch.chdir(dataset)
    result = rc.audit("suite.json", write="tight.jsonl", trust=True)
    assert result.audited == 1 and result.survivors
    assert not (dataset / "ran").exists()
    (written,) = load_goldens("tight.jsonl")
    assert (written.tool_set, written.tools) == ("all", None) and written.extra_calls == "forbid"
