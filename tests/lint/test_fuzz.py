"""Whatever is in a file, linting it ends in findings, never in a traceback."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings, strategies as st

from rightcall.lint.config import LintConfig
from rightcall.lint.engine import lint
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.fixer import fix
from rightcall.lint.report_formats import github_text, json_text as as_json, plain_text, sarif_text
from rightcall.lint.rule import all_rules
from rightcall.lint.source.read import read_text
from rightcall.schema.provider_limits import TARGETS
from tests.lint.strategies import hostile_tools, json_values
from tests.support.examples import examples


@settings(max_examples=examples(300))
@given(st.lists(hostile_tools, max_size=4), st.sampled_from([None, (), TARGETS]))
def test_hostile_tools_are_linted_fixed_and_reported(tools: list[Any], targets: Any) -> None:
    sets = read_text(json.dumps(tools))
    config = LintConfig(targets=targets)
    report = lint(sets, config=config)
    shown = plain_text(report, least="info")
    assert "\u200b" not in shown and all(line.isprintable() for line in shown.split("\n"))
    assert json.loads(as_json(report))["summary"]["tools"] == len(report.tools)
    assert json.loads(sarif_text(report))["version"] == "2.1.0"
    assert github_text(report).count("\n") == len(report.diagnostics)
    fix(sets, config=config)
    fix(sets, config=config, suggested=True)


@given(json_values)
def test_any_json_is_read(value: Any) -> None:
    lint(read_text(json.dumps(value)))


@given(hostile_tools)
def test_a_rule_finds_nothing_in_a_tool_without_what_the_rule_needs(tool: Any) -> None:
    for source in read_text(json.dumps([tool]))[0].tools:
        features = ToolFeatures(source, frozenset(TARGETS))
        for rule in all_rules():
            whole = getattr(rule.check, "__wrapped__", None)
            if whole is not None and rule.check(features) == ():
                assert list(whole(features)) == [], rule.code


@given(st.lists(hostile_tools, max_size=3))
def test_without_infos_all_else_is_found(tools: list[Any]) -> None:
    sets = read_text(json.dumps(tools))
    worse = [found for found in lint(sets).diagnostics if found.severity != "info"]
    assert worse == [found for found in lint(sets, infos=False).diagnostics if found.severity != "info"]


def test_a_reference_is_never_fetched_and_a_deep_schema_is_survived() -> None:
    deep: Any = {"$ref": "http://127.0.0.1:9/never.json"}
    for _ in range(400):
        deep = {"type": "object", "properties": {"a": deep}, "anyOf": [{"required": ["a"]}]}
    tool = {"name": "get_x", "description": "Gets x.", "input_schema": deep}
    report = lint(read_text(json.dumps([tool])), config=LintConfig(targets=TARGETS))
    assert {"TD805", "TD310"} <= {d.code for d in report.diagnostics}
