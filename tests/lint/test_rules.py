"""For every rule: its fault gives exactly its code, its good example none, and its fix removes it and no more."""

from __future__ import annotations

import json
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

import pytest
from hypothesis import given, strategies as st

from rightcall.lint.config import LintConfig
from rightcall.lint.engine import find, lint
from rightcall.lint.explain import SOURCES
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.fixer import fix
from rightcall.lint.rule import FAMILIES, Rule, all_rules
from rightcall.lint.source.read import read_text
from rightcall.schema.provider_limits import TARGETS
from tests.lint.clean import CLEAN, codes, for_rule, lint_tools, merged, spoiled
from tests.lint.strategies import SPELLINGS, clean_tools, spelled

RULES = [rule for rule in all_rules() if rule.family != "skills"]  # those have tests/lint/test_skill_rules.py
ALL = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
ONE_TOOL = [rule for rule in RULES if isinstance(rule.bad, dict)]
FIXABLE = [rule for rule in RULES if rule.fix != "none"]


@ALL
def test_the_bad_example_gives_exactly_this_code(rule: Rule) -> None:
    found = codes(lint_tools(spoiled(rule.bad), **for_rule(rule), **rule.settings))
    assert found - set(rule.beside) == {rule.code}
    assert found >= set(rule.beside)


@ALL
def test_the_good_example_gives_none(rule: Rule) -> None:
    assert codes(lint_tools(spoiled(rule.good), **for_rule(rule))) == set()


@ALL
def test_a_rule_is_its_own_documentation(rule: Rule) -> None:
    assert rule.code[2] == str(list(FAMILIES).index(rule.family))
    assert len(rule.summary) > 20 and rule.summary.endswith((".", "…"))
    assert len(rule.explanation.split()) > 8
    assert rule.sources and all(source in SOURCES for source in rule.sources)
    assert all(target in TARGETS for target in rule.targets)
    assert (rule.check is None) != (rule.check_set is None)


def test_a_rule_is_in_a_file_of_its_family() -> None:
    shelf = import_module("rightcall.lint.rules")
    for file in iter_modules(shelf.__path__):
        values = vars(import_module(f"{shelf.__name__}.{file.name}")).values()
        families = {value.family for value in values if isinstance(value, Rule)}
        assert families == {file.name.partition("_")[0]}, file.name


def test_no_code_and_no_name_is_given_twice() -> None:
    assert (
        len({rule.code for rule in all_rules()})
        == len({rule.name for rule in all_rules()})
        == len(all_rules())
    )


@given(clean_tools(), st.sampled_from(SPELLINGS))
def test_clean_tools_are_clean_in_every_spelling(tool: dict[str, Any], spelling: str) -> None:
    report = lint(read_text(json.dumps([spelled(tool, spelling)])))
    assert [(d.code, d.message) for d in report.diagnostics] == []


@given(clean_tools(), st.sampled_from(ONE_TOOL), st.sampled_from(SPELLINGS))
def test_a_fault_put_into_any_clean_tool_gives_exactly_its_code(
    tool: dict[str, Any], rule: Rule, spelling: str
) -> None:
    if rule.code == "TD312":  # about tools whose only parameter is an id
        kept = {name: tool["input_schema"]["properties"][name] for name in ("city", "days")}
        tool = {**tool, "input_schema": {**tool["input_schema"], "properties": kept}}
    spoilt = merged(tool, rule.bad)
    settings = {key: value for key, value in rule.settings.items() if key != "locked"}
    config = LintConfig(targets=rule.targets or ("anthropic",), **settings)
    strict = {target for target in rule.targets if target.endswith("-strict") or target == "gemini"}
    before = codes(lint(read_text(json.dumps([spelled(tool, spelling)])), config=config)) if strict else set()
    report = lint(
        read_text(json.dumps([spelled(spoilt, spelling)])), config=config, locked=rule.settings.get("locked")
    )
    assert codes(report) - before - {rule.code} - set(rule.beside) == set()
    assert rule.code in codes(report)


@pytest.mark.parametrize("rule", FIXABLE, ids=lambda rule: rule.code)
@pytest.mark.parametrize("indent", [None, 2])
def test_the_fix_removes_the_finding_and_changes_nothing_else(rule: Rule, indent: int | None) -> None:
    before = spoiled(rule.bad)
    config = LintConfig(select=(rule.code,), targets=rule.targets or None, **rule.settings)
    sets = read_text(json.dumps(before, indent=indent))
    edits = [
        each.tool.source.document_path(edit.path)
        for each in find(SetFeatures(sets[0], config), config)
        for edit in each.finding.edits
    ]
    (fixed,) = fix(sets, config=config, suggested=rule.fix == "suggested")
    assert codes(lint(read_text(fixed.after.text), config=config)) == set()
    changed = differences(before, fixed.after.value)
    assert changed and all(any(path[: len(edit)] == edit for edit in edits) for path in changed)


@pytest.mark.parametrize("rule", [rule for rule in FIXABLE if rule.fix == "safe"], ids=lambda rule: rule.code)
def test_a_safe_fix_leaves_a_clean_tool(rule: Rule) -> None:
    config = LintConfig(targets=rule.targets or None)
    (fixed,) = fix(read_text(json.dumps(spoiled(rule.bad))), config=config)
    left = codes(lint(read_text(fixed.after.text), config=config))
    assert left <= codes(lint(read_text(json.dumps(CLEAN[: len(spoiled(rule.bad))])), config=config))


def differences(before: Any, after: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The deepest paths at which two values differ."""
    if isinstance(before, dict) and isinstance(after, dict):
        keys = dict.fromkeys([*before, *after])
        return [
            found
            for key in keys
            for found in (
                differences(before[key], after[key], (*path, key))
                if key in before and key in after
                else [(*path, key)]
            )
        ]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        return [
            found
            for index, pair in enumerate(zip(before, after, strict=True))
            for found in differences(*pair, (*path, index))
        ]
    return [] if before == after and type(before) is type(after) else [path]
