"""Selecting, ignoring, targets: what the engine does around the rules."""

from __future__ import annotations

import json

import pytest

from rightcall.core.errors import ConfigError, InputError
from rightcall.lint.config import LintConfig, config_from
from rightcall.lint.engine import lint
from rightcall.lint.rule import find_rule
from rightcall.lint.source.read import read_text
from rightcall.lint.source.tools import tool_set
from rightcall.records import Annotations, Tool
from tests.lint.clean import CLEAN, codes, lint_tools, merged, spoiled
from tests.lint.test_incident import BEFORE

NO_TEXT = merged(CLEAN[0], {"input_schema": {"properties": {"city": {"description": None}}}})


def test_a_finding_names_file_line_column_and_pointer() -> None:
    (found,) = lint(read_text(json.dumps([NO_TEXT], indent=2), name="tools.json")).diagnostics
    assert (found.file, found.line, found.column) == ("tools.json", 8, 9)
    assert found.pointer == "/0/input_schema/properties/city"
    assert found.excerpt == '"city": { "type": "string" }'


@pytest.mark.parametrize("word", ["TD301", "td3", "TD", "param-no-description", "parameters", "ALL"])
def test_rules_are_chosen_by_code_prefix_name_or_family(word: str) -> None:
    assert codes(lint_tools([NO_TEXT], select=(word,))) == {"TD301"}
    assert codes(lint_tools([NO_TEXT], ignore=(word,))) == set()


def test_an_unknown_rule_is_an_error_with_the_nearest_one() -> None:
    with pytest.raises(ConfigError, match=r"unknown rule 'TD333'.*did you mean"):
        lint_tools([NO_TEXT], select=("TD333",))
    with pytest.raises(InputError, match="did you mean 'confusable-pair'"):
        find_rule("confusable-pairs")


def test_an_ignore_needs_a_reason() -> None:
    ignored = {"x-rightcall": {"ignore": {"TD301": "explained in the system prompt"}}}
    report = lint_tools([{**NO_TEXT, **ignored}])
    assert (codes(report), report.ignored) == (set(), 1)
    unexplained = {"x-rightcall": {"ignore": {"TD301": " "}}}
    assert codes(lint_tools([{**NO_TEXT, **unexplained}])) == {"TD301", "TD008"}


@pytest.mark.parametrize(
    ("extension", "says", "hint"),
    [
        ({"ignore": {"TD999": "nope"}}, "unknown rule 'TD999'", "did you mean"),
        ({"ignore": {"zzz": "nope"}}, "unknown rule 'zzz'", "see `rightcall list rules`"),
        (
            {"ignroe": {"TD301": "known"}},
            "'ignroe' is unknown under x-rightcall",
            "did you mean 'ignore'?",
        ),
        ({"reason": "known"}, "'reason' is unknown", "known keys: ignore, effect, idempotency"),
    ],
)
def test_an_ignore_that_names_nothing_is_reported(extension: object, says: str, hint: str) -> None:
    for tool in (
        {**CLEAN[0], "x-rightcall": extension},
        merged(CLEAN[0], {"input_schema": {"properties": {"city": {"x-rightcall": extension}}}}),
    ):
        (found,) = lint_tools([tool]).diagnostics
        assert found.code == "TD008" and says in found.message and hint in found.hint


@pytest.mark.parametrize(
    ("extension", "says"),
    [
        ({"idempotency": "keys"}, "must be one of key, args, none, got 'keys'; did you mean 'key'?"),
        ({"effect": "destory"}, "got 'destory'; did you mean 'destroy'?"),
        ({"idempotancy": "key"}, "'idempotancy' is unknown under x-rightcall"),
    ],
)
def test_a_misspelt_protection_in_a_file_is_an_error(extension: object, says: str) -> None:
    (found,) = lint_tools([{**CLEAN[0], "x-rightcall": extension}]).diagnostics
    assert (found.severity, says in found.message) == ("error", True)


def test_an_ignore_in_a_schema_covers_what_is_below_it() -> None:
    quiet = {"x-rightcall": {"ignore": {"param-no-description": "a city is a city"}}}
    patch = {"properties": {"city": quiet, "days": {"description": None}}}
    report = lint_tools([merged(NO_TEXT, {"input_schema": patch})])
    assert [d.message for d in report.diagnostics] == ["'days' has no description"]


def test_an_mcp_server_may_ignore_under_meta() -> None:
    tool = {**NO_TEXT, "_meta": {"rightcall": {"ignore": {"TD301": "known"}}}}
    assert codes(lint_tools([tool])) == set()


def test_rules_may_be_switched_off_for_tools_by_pattern() -> None:
    assert codes(lint_tools([NO_TEXT], per_tool_ignores={"get_*": ("TD301",)})) == set()
    assert codes(lint_tools([NO_TEXT], per_tool_ignores={"set_*": ("TD301",)})) == {"TD301"}


def test_the_target_is_the_provider_whose_spelling_is_used() -> None:
    dotted = merged(CLEAN[0], {"name": "weather.get_forecast"})
    (as_anthropic,) = lint_tools([dotted]).diagnostics
    (as_mcp,) = lint_tools([dotted], targets=("mcp",)).diagnostics
    assert (as_anthropic.severity, as_mcp.severity) == ("error", "warning")


def test_a_strict_tool_is_checked_by_the_strict_rules() -> None:
    tool = merged(CLEAN[0], {"strict": True, "input_schema": {"required": ["city"]}})
    strict = {"type": "function", "function": {k: v for k, v in tool.items() if k != "input_schema"}}
    strict["function"]["parameters"] = tool["input_schema"]
    assert "TD701" in codes(lint_tools([strict]))
    strict["function"]["strict"] = False
    assert "TD701" not in codes(lint_tools([strict]))


def test_plain_tools_are_linted_as_one_set() -> None:
    tools = [
        Tool(t["name"], t["description"], t["input_schema"], annotations=Annotations(destructive=True))
        for t in BEFORE
    ]
    report = lint(tools)
    assert {"TD401", "TD502"} <= codes(report)
    assert report.diagnostics[0].pointer.startswith("/0/") and report.diagnostics[0].line == 0
    assert lint([tool_set(tools, server="crm")]).counts() == report.counts()


def test_the_report_adds_up() -> None:
    report = lint_tools([NO_TEXT, CLEAN[1]])
    assert report.counts() == {"error": 0, "warning": 1, "info": 0}
    assert [(tool.name, tool.warnings, tool.effect) for tool in report.tools] == [
        ("get_forecast", 1, "read"),
        ("list_stations", 0, "read"),
    ]
    assert report.tokens == sum(tool.tokens for tool in report.tools) > 100


def test_rules_about_single_tools_can_be_limited_to_some_while_sets_are_compared_whole() -> None:
    pair = spoiled(find_rule("confusable-pair").bad)
    tools = read_text(json.dumps([*pair, merged(NO_TEXT, {"name": "get_tide"})]))
    assert codes(lint(tools)) == {"TD301", "TD502"}
    assert codes(lint(tools, only={"get_tide"})) == {"TD301", "TD502"}
    limited = lint(tools, only=())
    assert codes(limited) == {"TD502"} and limited.pairs == lint(tools).pairs


def test_findings_keep_their_fingerprint_when_lines_move() -> None:
    (one,) = lint(read_text(json.dumps([NO_TEXT]))).diagnostics
    (two,) = lint(read_text("\n\n" + json.dumps([NO_TEXT], indent=4))).diagnostics
    assert one.fingerprint == two.fingerprint and one.line != two.line


def test_a_table_of_pyproject_becomes_a_config() -> None:
    table = {
        "select": ["TD3"],
        "target": "mcp",
        "fail-on": "warning",
        "max-tools": 5,
        "per-tool-ignores": {"x_*": ["TD301"]},
    }
    config = LintConfig(**config_from(table))
    assert (config.select, config.targets, config.max_tools) == (("TD3",), ("mcp",), 5)
    assert config.fails("warning") and not config.fails("info")
    with pytest.raises(ConfigError, match="unknown key 'selct'; did you mean 'select'"):
        config_from({"selct": []})
    with pytest.raises(ConfigError, match="unknown target 'opnai'; did you mean 'openai'"):
        LintConfig(targets=("opnai",))
