"""Each edit of a real suite: what is said to have changed, and which goldens it can reach."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest
import yaml

from rightcall.check.design import design_check
from rightcall.check.first_requests import FirstRequests
from rightcall.check.options import CheckOptions
from rightcall.run.baseline_pool import find_baseline
from rightcall.run.runner import run_plan
from rightcall.run.suite import load_suite
from rightcall.run.suite_plan import plan_suite
from rightcall.store.address import open_store

EXAMPLE = Path(__file__).parents[2] / "examples" / "pull-request"
ALL = 120


@pytest.fixture(scope="module")
def baseline(tmp_path_factory):
    folder = tmp_path_factory.mktemp("baseline")
    copy_suite(folder)
    with open_store(folder / "results.db") as store:
        asyncio.run(run_plan(plan_suite(load_suite(folder / "suite.yaml"), folder), store))
        return find_baseline(store, "last", "shop")


def copy_suite(folder):
    for name in ("tools.json", "goldens.jsonl"):
        shutil.copy(EXAMPLE / name, folder)
    suite = yaml.safe_load((EXAMPLE / "suite.yaml").read_text()) | {"record": "none"}
    (folder / "suite.yaml").write_text(yaml.safe_dump(suite))


def suite(**words):
    """An edit of suite.yaml: other values, under `agent` where they belong there."""

    def edit(folder):
        read = yaml.safe_load((folder / "suite.yaml").read_text())
        for name, value in words.items():
            (read["agent"] if name in ("system", "model", "mode", "settings", "base_url") else read)[name] = (
                value
            )
        (folder / "suite.yaml").write_text(yaml.safe_dump(read))

    return edit


def tools(change):
    def edit(folder):
        read = json.loads((folder / "tools.json").read_text())
        (folder / "tools.json").write_text(json.dumps(change({tool["name"]: tool for tool in read})))

    return edit


def refund(**words):
    return tools(
        lambda all_: [tool | (words if name == "refund_order" else {}) for name, tool in all_.items()]
    )


def goldens(change):
    def edit(folder):
        read = [json.loads(line) for line in (folder / "goldens.jsonl").read_text().splitlines()]
        (folder / "goldens.jsonl").write_text("".join(json.dumps(each) + "\n" for each in change(read)))

    return edit


def nothing(folder):
    (folder / "README.md").write_text("hello")


def comment(folder):
    text = (folder / "suite.yaml").read_text()
    (folder / "suite.yaml").write_text(f"# hello\n{text}")


NEW = {
    "name": "ship_gift",
    "description": "Wrap a present.",
    "input_schema": {"type": "object", "properties": {}},
}
SCHEMA = {
    "type": "object",
    "properties": {"order_id": {"type": "string", "enum": ["A1"]}},
    "required": ["order_id"],
}

EDITS = {
    "a page": (nothing, [], "untouched"),
    "keys in another order": (
        tools(lambda a: [dict(reversed(t.items())) for t in a.values()]),
        [],
        "untouched",
    ),
    "a comment in the suite": (comment, [], "untouched"),
    "a description": (refund(description="Give money back."), ["tool_changed"], "tool"),
    "an enum": (refund(input_schema=SCHEMA), ["tool_changed"], "tool"),
    "a title": (refund(title="Refund"), ["tool_changed"], "tool"),
    "a new tool": (tools(lambda a: [*a.values(), NEW]), ["tool_added"], "rest"),
    "the order of tools": (tools(lambda a: list(reversed(a.values()))), ["tool_order"], "rest"),
    "the prompt": (suite(system="Be brief."), ["system"], "rest"),
    "the model": (suite(model="keyword:other"), ["model"], "rest"),
    "the address": (suite(model="openai:m", base_url="http://127.0.0.1:1/v1"), ["base_url", "model"], "rest"),
    "the mode": (suite(mode="loop"), ["mode"], "rest"),
    "settings": (suite(settings={"temperature": 0.5}), ["settings"], "rest"),
    "limits": (suite(limits={"calls": 2}), ["limits"], "rest"),
    "a mock, which makes a loop": (suite(mocks={"refund_order": {"result": 1}}), ["mock", "mode"], "tool"),
    "trials and seed": (suite(trials=5, seed=9), [], "untouched"),
    "weights": (suite(rules="seed"), ["metrics"], "untouched"),
    "a tag": (goldens(lambda all_: [each | {"tags": ["x"]} for each in all_]), [], "untouched"),
    "an edited golden": (goldens(lambda a: [a[0] | {"input": "Show A1"}, *a[1:]]), [], "new 1"),
    "an expectation": (goldens(lambda a: [a[0] | {"max_calls": 1}, *a[1:]]), [], "new 1"),
    "a golden more": (goldens(lambda a: [*a, a[0] | {"id": "more"}]), [], "more 1"),
    "a golden less": (goldens(lambda a: a[1:]), [], "less 1"),
    "goldens in another order": (goldens(lambda a: list(reversed(a))), [], "untouched"),
}
REACHED = {
    "untouched": (ALL, 0, 0, 0),
    "rest": (0, 0, ALL, 0),
    "tool": (0, 30, 90, 0),
    "new 1": (ALL - 1, 0, 0, 1),
    "more 1": (ALL, 0, 0, 1),
    "less 1": (ALL - 1, 0, 0, 0),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_reaches_what_it_can_and_nothing_else(name, baseline, tmp_path):
    edit, kinds, reached = EDITS[name]
    copy_suite(tmp_path)
    edit(tmp_path)
    loaded = load_suite(tmp_path / "suite.yaml")
    plan = plan_suite(loaded, tmp_path)
    found = design_check(loaded, tmp_path, plan, baseline, CheckOptions(), FirstRequests())
    reach = found.reach
    assert [change.kind for change in found.changes] == kinds
    assert tuple(map(len, (reach.untouched, reach.affected, reach.rest, reach.new))) == REACHED[reached]
    assert (found.most_calls == 0) == (not reach.compared and not reach.new)
