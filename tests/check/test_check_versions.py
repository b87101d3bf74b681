"""What a baseline says of versions: of RightCall, of SDKs, and of the model that answered."""

from __future__ import annotations

import asyncio
import json
from importlib.metadata import version

import msgspec
import pytest

from rightcall.check.options import CheckOptions
from rightcall.check.suite_check import check_suite
from rightcall.decide.check_settings import CheckSettings
from rightcall.run import run_record
from rightcall.run.baseline_file import write_baseline
from rightcall.run.baseline_pool import find_baseline
from rightcall.run.run_record import major_changes, minor_changes
from rightcall.run.runner import run_plan
from rightcall.run.suite import load_suite
from rightcall.run.suite_plan import plan_suite
from rightcall.store.address import open_store
from tests.providers.loopback import json_server

GOLDENS = 40
TOOLS = [
    {"name": "find_order", "description": "Find an order by its number.", "input_schema": {"type": "object"}}
]
SETTINGS = CheckSettings(sample=GOLDENS)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    lines = [
        {"id": f"g{i}", "input": f"order {i}", "expected_calls": [{"tool": "find_order"}]}
        for i in range(GOLDENS)
    ]
    (tmp_path / "goldens.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def write_suite(folder, system="", **agent):
    suite = {
        "name": "shop",
        "tools": "tools.json",
        "dataset": "goldens.jsonl",
        "agent": {**agent, "system": system},
    }
    (folder / "suite.yaml").write_text(json.dumps(suite))
    return folder / "suite.yaml"


def saved(folder, store, **header):
    """A baseline of the suite as it stands, with another header."""
    file = folder / "suite.yaml"
    outcome = asyncio.run(run_plan(plan_suite(load_suite(file), folder, trials=1), store))
    pool = find_baseline(store, outcome.run.id, "shop")
    pool = msgspec.structs.replace(pool, header=msgspec.structs.replace(pool.header, **header))
    write_baseline(pool, folder / "main.jsonl")
    return pool


def checked(folder, store, **options):
    wanted = CheckOptions(baseline=str(folder / "main.jsonl"), **options)
    file = folder / "suite.yaml"
    suite = msgspec.structs.replace(load_suite(file), check=SETTINGS)
    return asyncio.run(check_suite(suite, file, store, wanted))


class Server:
    """A model behind an alias."""

    def __init__(self):
        self.version = "shop-1-2026-08-07"

    def answer(self, request):
        call = {"id": "c1", "type": "function", "function": {"name": "find_order", "arguments": "{}"}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
        return {"object": "chat.completion", "model": self.version, "choices": [choice]}


def test_an_alias_that_points_to_another_model_is_noted_and_not_blamed_on_the_change(folder):
    server = Server()
    with json_server(server.answer) as seen, open_store(folder / "results.db") as store:
        agent = {"model": "openai:shop-1", "base_url": f"{seen.url}/v1"}
        write_suite(folder, **agent)
        assert saved(folder, store).header.served_model == ("shop-1-2026-08-07",)
        write_suite(folder, "Be brief.", **agent)
        assert not any("served by" in note for note in checked(folder, store).notes)
        server.version = "shop-1-2026-11-02"
        write_suite(folder, "Be very brief.", **agent)
        (note,) = [note for note in checked(folder, store).notes if "served by" in note]
    assert "shop-1-2026-11-02 now, by shop-1-2026-08-07 in the baseline: not your change" in note


AGENT = "def answer(golden):\n    return [{'name': 'find_order', 'arguments': {}}]\n"


@pytest.fixture
def installed(monkeypatch):
    """A function that sets the version of the only SDK that is installed."""

    def install(number):
        monkeypatch.setattr(
            run_record, "version", {"openai": number, "rightcall": version("rightcall")}.__getitem__
        )
        monkeypatch.setattr(run_record, "PackageNotFoundError", KeyError)
        run_record.sdk_versions.cache_clear()

    yield install
    run_record.sdk_versions.cache_clear()


def test_another_major_version_of_an_sdk_reaches_every_golden_of_an_agent_that_is_code(folder, installed):
    (folder / "own_agent_code.py").write_text(AGENT)
    write_suite(folder, model="own_agent_code:answer")
    with open_store(folder / "results.db") as store:
        installed("2.8.1")
        assert saved(folder, store).header.versions["openai"] == "2.8.1"
        installed("2.9.0")
        same = checked(folder, store, plan_only=True)
        assert (same.untouched, same.changes) == (GOLDENS, ())
        assert "since the baseline: openai 2.8.1 → 2.9.0" in same.notes
        installed("3.0.0")
        result = checked(folder, store)
    assert result.sentence.startswith("PASS: 40 goldens are not worse")
    assert result.changes[0].words == "openai changed (2.8.1 → 3.0.0)"


def test_a_baseline_of_another_major_version_of_rightcall_is_stale(folder):
    (folder / "own_agent_code.py").write_text(AGENT)
    write_suite(folder, model="own_agent_code:answer")
    with open_store(folder / "results.db") as store:
        saved(folder, store, versions={"rightcall": "7.1.0"})
        write_suite(folder, "Be brief.", model="own_agent_code:answer")
        result = checked(folder, store, plan_only=True)
    assert result.everything == "the baseline was made with RightCall 7.1.0"


@pytest.mark.parametrize(
    ("before", "now", "majors", "minors"),
    [
        ({"openai": "2.0"}, {"openai": "2.0"}, [], []),
        ({"openai": "2.0"}, {"openai": "2.1"}, [], ["openai 2.0 → 2.1"]),
        ({"openai": "2.0"}, {"openai": "3.0"}, ["openai"], []),
        ({}, {"openai": "3.0"}, [], []),
        ({"openai": "3.0"}, {}, [], []),
        ({"rightcall": "0.2"}, {"rightcall": "1.0"}, [], ["rightcall 0.2 → 1.0"]),
        ({"python": "3.11"}, {"python": "3.12"}, [], []),
    ],
)
def test_versions_are_compared_where_both_are_known(before, now, majors, minors):
    assert [change.name for change in major_changes(before, now)] == majors
    assert minor_changes(before, now) == minors
