"""The schema for editors types every key of a suite, and agrees with what is accepted when a run is planned."""

from __future__ import annotations

import asyncio
from pathlib import Path

import jsonschema_rs
import pytest
import yaml

from rightcall.core.errors import RightCallError
from rightcall.run.preparation import preflight
from rightcall.run.suite import load_suite
from rightcall.run.suite_plan import plan_suite
from rightcall.run.suite_schema import suite_schema

SUITE = "dataset: goldens.jsonl\nagent: {model: 'keyword:', mode: loop}\n"
TOOL = "tools: [{name: ping, description: Ping a host., input_schema: {type: object}}]\n"
GOOD = [
    "gate: {min: 0.9, max_error_rate: 0.1}\nstatistics: {target: 0.97, stop: evalue}",
    "gate: {by: {categories: {golden: 0.5}}}\nattacks: {safety: {max_asr: 0.1}}",
    "gate: {baseline: {run: last, margin: 0.05}, latency_ms: {p95: 900}, cost: {run_usd: 2}}",
    "mocks: {ping: {result: {up: true}}}",
    "mocks: {ping: {cases: [{args: {host: a}, error: {error: not_found}}], sequence: [1, {result: 2}]}}",
    "worlds: {bank: {accounts: {a1: {owner: Ana, balance: 100}}}, mailbox: null}",
    "faults: [{type: slow, tool: ping, seconds: 2}]",
    "rules: {weights: {precision: 1, order: 0.5}, pass_rule: score}",
    "rules: seed",
    "quarantine: [flaky-one]",
    "record: {mode: auto, folder: tapes}",
    "check: {drop: 0.1, rounds: 3}",
    "user: {model: 'keyword:', max_turns: 4}",
]
BAD = [
    "gate: {minimum: 0.9}",
    "gate: {min: 1.5}",
    "gate: {forbid: [forbiden_call]}",
    "gate: {latency_ms: {p99: 5}}",
    "mocks: {ping: {results: 1}}",
    "worlds: {bank: {money: {}}}",
    "worlds: {banks: {}}",
    "faults: [{type: slowly}]",
    "rules: {weights: {precison: 1}}",
    "rules: sead",
    "record: {mode: always}",
    "check: {drops: 0.1}",
]


def accepted(text: str, folder: Path) -> bool:
    (folder / "goldens.jsonl").write_text('{"id": "g", "input": "?"}\n')
    (folder / "suite.yaml").write_text(text)
    try:
        asyncio.run(ready(folder / "suite.yaml"))
    except RightCallError:
        return False
    return True


async def ready(path: Path) -> None:
    async with await preflight(plan_suite(load_suite(path), path.parent)):
        pass


@pytest.mark.parametrize("text", GOOD)
def test_what_a_run_accepts_is_valid_in_an_editor(text, tmp_path):
    text = SUITE + TOOL + text
    assert accepted(text, tmp_path)
    jsonschema_rs.validate(suite_schema(), yaml.safe_load(text))


@pytest.mark.parametrize("text", BAD)
def test_what_a_run_refuses_is_marked_in_an_editor(text, tmp_path):
    text = SUITE + TOOL + text
    assert not accepted(text, tmp_path)
    assert not jsonschema_rs.validator_for(suite_schema()).is_valid(yaml.safe_load(text))


@pytest.mark.parametrize(
    "tools", ["tools.json", "shop:TOOLS", {"mcp": {"command": ["server"]}}, {"mcp": {"url": "http://h/"}}, []]
)
def test_every_source_of_tools_is_valid_in_an_editor(tools):
    jsonschema_rs.validate(suite_schema(), yaml.safe_load(SUITE) | {"tools": tools})


@pytest.mark.parametrize("tools", [{"mpc": {}}, {"mcp": {"commands": ["server"]}}, 3])
def test_other_sources_of_tools_are_marked_in_an_editor(tools):
    suite = yaml.safe_load(SUITE) | {"tools": tools}
    assert not jsonschema_rs.validator_for(suite_schema()).is_valid(suite)


def test_every_key_says_what_it_is_for():
    parts = suite_schema()["$defs"]
    silent = [
        f"{name}.{key}"
        for name, part in parts.items()
        for key, value in part["properties"].items()
        if not value.get("description")
    ]
    assert silent == []
