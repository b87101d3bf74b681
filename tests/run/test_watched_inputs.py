"""What an agent's code read is kept with its runs, without secrets; what is left out or not known is said."""

from __future__ import annotations

import json

import pytest

from rightcall.agents.agent import Agent
from rightcall.files.project_files import ProjectFiles
from rightcall.run.agent_sources import AgentSources, suite_sources
from rightcall.run.suite import AgentConfig, Suite
from rightcall.run.watched_inputs import WatchedInputs, hash_variables, same_watch, variables_of_sources
from tests.support.changed_agents import (
    AGENTS,
    EXEC,
    GOOD,
    OWN,
    ChangedAgent,
    Service,
    Shop,
    function,
    program,
    run_commands,
)

SECRET = "a-value-that-nobody-may-see"
TEXT = {"NAME.md": GOOD}
READER = ChangedAgent(OWN, function("tool = (HERE / 'NAME.md').read_text()", **TEXT), "NAME.md")
CACHE = "tool = open(HERE / 'NAME.md').read(); open(HERE / 'NAME.log', 'a+').write('.')"
LISTED = program("tool = open(HERE / ('NAME' + '.md')).read()", **TEXT)
RECORDED = {"record": {"mode": "auto", "level": "trajectory"}}
HELPER = {
    "NAME_tools.py": "from NAME_words import TOOL\ndef answer(**_): return TOOL\n",
    "NAME_words.py": "TOOL = '" + GOOD + "'\n",
}

SHOPS = {
    "secrets": ChangedAgent(OWN, function(f"tool = '{GOOD}'; os.getenv('SHOP_TITLE'); os.getenv('SHOP_API_KEY')"), None),
    "old baseline": READER,
    "left out": ChangedAgent(OWN, READER.files, "NAME.md", suite={"agent": {"model": OWN, "code": ["!*.md"]}}),
    "added": ChangedAgent(OWN, {**function(f"tool = '{GOOD}'"), "more.txt": GOOD}, "more.txt",
                          suite={"agent": {"model": OWN, "code": ["more.txt"]}}),
    "cache": ChangedAgent(OWN, function(CACHE, **TEXT, **{"NAME.log": "."}), None),
    "listed": ChangedAgent(EXEC, LISTED, "NAME.md", suite={"agent": {"model": EXEC, "reuse": True, "code": ["*.md"]}}),
    "program": ChangedAgent(EXEC, LISTED, None, suite={"agent": {"model": EXEC, "reuse": True, "code": ["*.md"]}}),
    "recorded": ChangedAgent(OWN, READER.files, "NAME.md", suite=RECORDED),
    "mock function": ChangedAgent("keyword:", HELPER, "NAME_words.py", suite={
        "agent": {"model": "keyword:", "mode": "loop"}, "mocks": {GOOD: {"function": "NAME_tools:answer"}}}),
    "owned": ChangedAgent("keyword:", {"README.md": GOOD}, "README.md"),
    "version": AGENTS["service"],
}  # fmt: skip


@pytest.fixture(scope="module")
def checks(tmp_path_factory):
    """The shop and its check after the change, by name."""
    hidden = {"SHOP_TITLE": SECRET, "SHOP_API_KEY": SECRET}
    with Service().running() as service:
        service.version = "1.2"
        shops = {}
        for number, (name, agent) in enumerate(SHOPS.items()):
            folder = tmp_path_factory.mktemp("watched") / "shop"
            shop = Shop(folder, agent, f"watched_{number}", service, {**hidden} if name == "secrets" else {})
            shops[name] = shop.write()
            suite = folder / "suite.yaml"
            suite.write_text(suite.read_text().replace("NAME", shop.name))
        runs = run_commands(
            [s.command("run", "suite.yaml", "--save-baseline", "main.jsonl") for s in shops.values()]
        )
        service.version = "1.3"
        for name, shop in shops.items():
            if shop.agent.place:
                shop.break_it()
            if name == "old baseline":
                forget_watched(shop.folder / "main.jsonl")
        words = ("--baseline", "main.jsonl")
        found = run_commands([shop.check(*words) for shop in shops.values()])
    return {name: (shops[name], run, check) for name, run, check in zip(shops, runs, found, strict=True)}


def forget_watched(path):
    header, *lines = path.read_text().splitlines()
    plain = json.loads(header)
    del plain["watched"]
    path.write_text("\n".join([json.dumps(plain), *lines]) + "\n")


@pytest.mark.stories
def test_values_of_variables_are_in_no_file(checks):
    shop, _, found = checks["secrets"]
    written = b"".join(path.read_bytes() for path in shop.folder.rglob("*") if path.is_file())
    assert SECRET.encode() not in written
    assert found["check"]["compared"]["variables"] == ["SHOP_API_KEY", "SHOP_TITLE"]
    assert (found["check"]["verdict"], found["check"]["calls"]["spent"]) == ("SAME", 0)


def test_a_baseline_that_does_not_say_what_was_read_is_no_reason_to_pass(checks):
    found = checks["old baseline"][2]["check"]
    assert found["verdict"] == "WORSE" and "does not say which files" in found["unknown"]


def test_the_suite_may_leave_files_out_or_list_all_of_them(checks):
    for name in ("left out",):
        found = checks[name][2]["check"]
        assert (found["verdict"], found["calls"]["spent"]) == ("SAME", 0)
        assert not any(file.endswith(".md") for file in found["compared"]["files"])


def test_the_suite_may_add_files(checks):
    found = checks["added"][2]["check"]
    assert found["changes"][0]["name"] == "more.txt" and found["calls"]["spent"] > 0


def test_a_program_is_compared_by_the_files_that_the_suite_lists(checks):
    unchanged, edited = (checks[name][2]["check"] for name in ("program", "listed"))
    assert (unchanged["verdict"], unchanged["calls"]["spent"], unchanged["unknown"]) == ("SAME", 0, "")
    assert (edited["verdict"], edited["changes"][0]["name"][-3:]) == ("WORSE", ".md")


def test_a_file_that_the_agent_reads_and_changes_itself_is_no_input_and_is_named(checks):
    result = checks["cache"][2]["check"]
    assert (result["verdict"], result["calls"]["spent"]) == ("SAME", 0)
    assert [name[-4:] for name in result["compared"]["products"]] == [".log"]


def test_the_recorded_result_of_an_agent_is_stale_when_a_file_changed_that_it_read(checks):
    found = checks["recorded"][2]["check"]
    assert (found["verdict"], found["calls"]["replayed"]) == ("WORSE", 0)


def test_a_module_that_a_mock_imports_is_compared(checks):
    shop, _, found = checks["mock function"]
    assert found["check"]["changes"][0]["name"] == f"{shop.name}_words.py", found["said"]
    assert found["check"]["calls"]["spent"] > 0


def test_an_owned_suite_costs_nothing_whatever_else_changes(checks):
    found = checks["owned"][2]["check"]
    assert (found["verdict"], found["calls"]["spent"], found["unknown"]) == ("SAME", 0, "")
    assert found["reason"] == "nothing that reaches the model has changed"


def test_another_version_of_a_service_is_noted(checks):
    found = checks["version"][2]["check"]
    assert found["verdict"] == "PASS" and found["calls"]["spent"] > 0
    assert "the version that the service reports is 1.3 now, and was 1.2 in the baseline" in found["notes"]


def test_runs_that_read_different_versions_of_a_file_are_not_pooled():
    one = WatchedInputs({"a": "1", "b": "1"})
    two = WatchedInputs({"a": "2"})
    assert not same_watch(one, two) and same_watch(one, WatchedInputs({"b": "1", "c": "1"}))
    assert not same_watch(one, None) and same_watch(None, None)
    assert one.merge(two) == WatchedInputs({"b": "1"}, ("a changes from run to run",))


def test_a_variable_is_kept_as_unset_set_or_a_hash(tmp_path):
    (tmp_path / "agent.py").write_text("import os\nos.environ['A'], os.environ['B_TOKEN'], os.environ['C']\n")
    sources = AgentSources(ProjectFiles(tmp_path), (tmp_path / "agent.py",))
    found = variables_of_sources(sources, {"A": "x", "B_TOKEN": "x"})
    assert (found["B_TOKEN"], found.keys(), len(found["A"])) == ("set", {"A", "B_TOKEN"}, 24)
    assert hash_variables(["C"], {}) == {"C": "unset"}
    assert variables_of_sources(sources, {"A": "y"})["A"] != found["A"]


@pytest.mark.parametrize(
    ("model", "ownership"), [("scripted:answers.json", "owned"), ("local:weights", "unknown")]
)
def test_files_of_a_model_are_compared_or_not_trusted(model, ownership, tmp_path):
    (tmp_path / "answers.json").write_text("{}")
    (tmp_path / "weights").mkdir()
    suite = Suite("goldens.jsonl", AgentConfig(model))
    found = suite_sources(suite, tmp_path, Agent(model))
    assert (found.ownership, [*found.closure]) == (
        ownership,
        ["answers.json"] if ownership == "owned" else [],
    )
