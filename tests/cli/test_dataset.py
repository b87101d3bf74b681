"""`rightcall dataset`: check, convert and count goldens."""

from __future__ import annotations

import json

import pytest

from rightcall.datasets.goldens import load_goldens
from tests.cli.conftest import asked, write_lines

TOOLS = [
    {
        "name": "get_weather",
        "input_schema": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
            "additionalProperties": False,
        },
    }
]


@pytest.fixture
def tools(tmp_path):
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(TOOLS))
    return path


def test_a_clean_dataset_is_reported_without_findings(rightcall, tmp_path, tools):
    write_lines(tmp_path / "g.jsonl", asked("a"), asked("b") | {"input": "Will it be warm?"})
    done = rightcall("dataset", "check", "g.jsonl", "--tools", tools)
    assert (done.code, done.out.splitlines()) == (
        0,
        [
            "single turn, 16 characters of input on average",
            "categories: golden 2",
            "expected calls per golden: 1 2",
            "expected tools: get_weather 2",
            "2 goldens, 0 errors, 0 warnings",
        ],
    )


def test_findings_are_listed_with_their_lines_and_suggestions(rightcall, tmp_path, tools):
    misspelt = asked("b") | {"expected_calls": [{"tool": "get_wether", "args": {}}]}
    write_lines(tmp_path / "g.jsonl", asked("a"), misspelt, asked("a"))
    done = rightcall("dataset", "check", "g.jsonl", "--tools", tools)
    assert done.code == 2
    assert "error unknown_tool g.jsonl:2: expected_calls[0].tool: no such tool 'get_wether'" in done.out
    assert "did you mean 'get_weather'?" in done.out
    assert "error duplicate_id g.jsonl:3: the id 'a' is already used at g.jsonl:1" in done.out
    assert "3 goldens, 2 errors, 0 warnings" in done.out


def test_findings_for_machines_are_one_json_document(rightcall, tmp_path, tools):
    write_lines(tmp_path / "g.jsonl", asked("a", city="Hanoi") | {"input": ""})
    done = rightcall("dataset", "check", "g.jsonl", "--tools", tools, "--json")
    report = json.loads(done.out)
    assert done.code == 0 and (report["goldens"], report["errors"]) == (1, 0)
    assert [finding["code"] for finding in report["findings"]] == ["empty_input"]


@pytest.mark.parametrize("suffix", ["json", "yaml", "csv", "jsonl"])
def test_converting_there_and_back_loses_nothing(rightcall, tmp_path, suffix):
    goldens = [asked("a", "Đà Nẵng 🌦"), asked("007", 'say "hi",\nthen\t;'), asked("NA", "null", tags=[])]
    write_lines(tmp_path / "g.jsonl", *goldens)
    there = rightcall("dataset", "convert", "g.jsonl", "-o", f"there.{suffix}")
    assert there.code == 0 and there.out.startswith(f"3 goldens written to there.{suffix}\n")
    assert rightcall("dataset", "convert", f"there.{suffix}", "-o", "back.jsonl").code == 0
    assert list(load_goldens("back.jsonl")) == list(load_goldens("g.jsonl"))


def test_only_bfcl_takes_a_second_file(rightcall, tmp_path):
    write_lines(tmp_path / "g.jsonl", asked("a"))
    done = rightcall("dataset", "convert", "g.jsonl", "answers.json", "-o", "x.jsonl")
    assert (
        done.code == 2
        and done.err
        == "error: answers.json: a second file is only read with --from bfcl; convert one file at a time\n"
    )


def test_check_counts_what_a_dataset_holds(rightcall, tmp_path):
    refusal = {"id": "n", "input": "Hi", "category": "negative", "forbidden_calls": ["get_weather"]}
    write_lines(tmp_path / "g.jsonl", asked("a", tags=["en"]), asked("b", tags=["en", "vi"]), refusal)
    counted = json.loads(rightcall("dataset", "check", "g.jsonl", "--json").out)["statistics"]
    assert counted["goldens"] == 3 and counted["categories"] == {"golden": 2, "negative": 1}
    assert counted["tools"] == {"get_weather": 2} and counted["calls_per_golden"] == {"0": 1, "1": 2}
    assert counted["forbidden"] == {"get_weather": 1} and counted["tags"] == {"en": 2, "vi": 1}
    shown = rightcall("dataset", "check", "g.jsonl").out
    assert "single turn, " in shown and "tags: en 2, vi 1" in shown


def test_square_brackets_in_a_dataset_are_text_and_not_markup(rightcall, tmp_path):
    tool = asked("a") | {"expected_calls": [{"tool": "[/red]x", "args": {}}], "tags": ["[bold]"]}
    write_lines(tmp_path / "[g].jsonl", tool)
    shown = rightcall("dataset", "check", "[g].jsonl")
    assert shown.code == 0 and "[/red]x 1" in shown.out and "[bold] 1" in shown.out
    assert "written to [h].jsonl" in rightcall("dataset", "convert", "[g].jsonl", "-o", "[h].jsonl").out


def test_a_check_that_read_no_golden_or_not_all_rows_is_no_success(rightcall, tmp_path):
    (tmp_path / "none.json").write_text("[]")
    nothing = rightcall("dataset", "check", "none.json")
    assert nothing.code == 2 and "none.json: has no goldens; nothing was checked" in nothing.err
    write_lines(tmp_path / "g.jsonl", asked("a"), {"id": "b", "inptu": "Hi"})
    partly = rightcall("dataset", "check", "g.jsonl", "--skip-bad")
    assert (
        partly.code == 2 and "1 golden, 0 errors" in partly.out and "g.jsonl:2: unknown field" in partly.err
    )
