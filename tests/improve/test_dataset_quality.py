"""How good a dataset is as a test."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from rightcall.cli.dataset import dataset
from rightcall.datasets.near_duplicates import NearTexts
from rightcall.improve.dataset_quality import QualityCheck, difficulty, names_tool
from rightcall.records import CaseResult, ExpectedCall, Golden, Tool

UNITS = {"type": "string", "enum": ["celsius", "fahrenheit"]}
TOOLS = {
    tool.name: tool
    for tool in (
        Tool("get_weather", "Current weather in a city.",
             {"type": "object", "properties": {"city": {"type": "string"}, "units": UNITS}}),
        Tool("send_mail", "Send a mail.", {"type": "object", "properties": {"to": {"type": "string"}}}),
    )
}  # fmt: skip


def weather(text: str, name: str, **args) -> Golden:
    return Golden(text, id=name, expected_calls=(ExpectedCall("get_weather", args or {"city": "Hue"}),))


def looked(*goldens: Golden):
    check = QualityCheck(TOOLS)
    findings = list(check.findings((f"g:{i}", golden) for i, golden in enumerate(goldens, 1)))
    return check.quality(), findings


def test_what_is_never_expected_is_named():
    quality, _ = looked(weather("Is it hot in Hue?", "a", city="Hue", units="celsius"))
    assert quality.coverage.missing_tools == ("send_mail",)
    assert quality.coverage.missing_parameters == ("send_mail.to",)
    assert quality.coverage.missing_values == ("get_weather.units=fahrenheit",)
    assert any("0% of the goldens are negative" in advice for advice in quality.advice)


def test_a_golden_that_allows_no_call_is_negative_however_it_was_written():
    written = Golden("Thanks!", id="c", expected_calls=[])
    quality, _ = looked(
        Golden("Hello!", id="a", no_calls=True), Golden("Bye!", id="b", category="negative"), written
    )
    assert quality.categories == {"negative": 3}
    assert not any("negative" in advice for advice in quality.advice)


def test_a_near_repeat_is_found_with_the_first_one():
    quality, findings = looked(
        weather("What is the weather like in Hanoi today?", "a"),
        weather("what is the weather like in Hanoi, today", "b"),
        weather("Send a mail to An about tomorrow's meeting.", "c"),
    )
    (near,) = (finding for finding in findings if finding.code == "near_duplicate")
    assert (near.golden_id, near.message) == ("b", "100% the same words as 'a' (g:1)")
    assert quality.duplicates == 1


def test_what_the_baseline_passes_is_too_easy():
    golden = Golden(
        "Get the current weather in city Hue", id="easy", expected_calls=(ExpectedCall("get_weather"),)
    )
    hard = Golden("Will I need an umbrella?", id="hard", expected_calls=(ExpectedCall("get_weather"),))
    quality, findings = looked(golden, hard)
    assert [finding.golden_id for finding in findings if finding.code == "too_easy"] == ["easy"]
    assert quality.easy == 1


@pytest.mark.parametrize(
    ("text", "tool", "named"),
    [
        ("please call get_weather for Hue", "get_weather", True),
        ("get weather for Hue", "get_weather", True),
        ("use getWeather now", "getWeather", True),
        ("the weather I get", "get_weather", False),
        ("search for a flight", "search", False),
        ("forget_weather", "get_weather", False),
    ],
)
def test_a_tools_name_in_the_input_gives_it_away(text, tool, named):
    assert names_tool(text, tool) is named


def test_difficulty_is_read_off_past_results():
    def result(name, passed, error=""):
        return CaseResult(name, 0, passed, 1.0, {}, error=error)

    past = [
        result("a", True),
        result("a", False),
        result("b", True),
        result("c", False),
        result("d", False, "down"),
    ]
    assert difficulty(past) == {"always": 1, "sometimes": 1, "never": 1}
    assert difficulty([]) == {}


def test_near_texts_keep_different_questions_apart():
    near = NearTexts()
    texts = [f"Question number {i} about subject {chr(65 + i) * 5} and nothing else" for i in range(20)]
    assert all(near.earlier(str(i), text) is None or i > 0 for i, text in enumerate(texts))
    assert NearTexts().earlier("x", "") is None


def test_the_command_shows_quality_and_lists_what_it_skipped(tmp_path):
    (tmp_path / "g.jsonl").write_text(
        '{"id": "a", "input": "Weather in Hue?", "expected_calls": [{"tool": "get_weather"}]}\n'
        "{broken\n"
        '{"id": "b", "input": "x", "expected_cals": []}\n'
    )
    found = CliRunner().invoke(
        dataset, ["check", str(tmp_path / "g.jsonl"), "--quality", "--skip-bad", "--json"]
    )
    told = json.loads(found.output)
    assert told["quality"]["goldens"] == 1
    assert [problem.split(": ")[0].rpartition(":")[2] for problem in told["skipped"]] == ["2", "3"]


@pytest.mark.parametrize("suffix", ["jsonl", "csv"])
def test_skipped_rows_are_counted_and_the_rest_is_converted(tmp_path, suffix):
    rows = {
        "jsonl": '{"input": "a", "id": "a"}\nnonsense\n{"input": "c", "id": "c"}\n',
        "csv": "input,id,max_calls\na,a,\nb,b,many\nc,c,2\n",
    }
    (tmp_path / f"g.{suffix}").write_text(rows[suffix])
    words = ["convert", str(tmp_path / f"g.{suffix}"), "-o", str(tmp_path / "out.jsonl"), "--skip-bad"]
    found = CliRunner().invoke(dataset, words, catch_exceptions=False)
    assert "1 bad rows skipped" in found.stderr
    assert f"g.{suffix}:{3 if suffix == 'csv' else 2}" in found.stderr
    assert (tmp_path / "out.jsonl").read_text().count("\n") == 2
