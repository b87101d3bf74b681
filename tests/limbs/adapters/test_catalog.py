"""Every adapter on the shelf: its file, its limitations on the page, and what the commands show."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.agents.observed.catalog import ADAPTERS, adapter_info, hook_problem
from rightcall.agents.observed.observed_agent import ObservedAgent
from rightcall.cli.main import cli
from tests.limbs.adapters.contract import performed

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "frameworks.md"
TESTED_HERE = ("openai_agents", "langchain", "pydantic_ai")
TESTED_AS_LOOPS = ("openai", "anthropic")


@pytest.mark.parametrize("info", ADAPTERS, ids=lambda info: info.name)
def test_an_adapter_has_a_file_a_test_and_a_part_of_the_page_with_its_limitations(info):
    assert import_module(f"rightcall.limbs.adapters.{info.name}").ADAPTER is not None
    part = PAGE.read_text("utf-8").partition(f"\n## {info.title}\n")[2].partition("\n## ")[0]
    assert all(f"- {loss}" in part for loss in info.loses) and f"{info.package} {info.tested}" in part
    place = "" if info.name in TESTED_HERE else "own_environment"
    assert (
        info.name in TESTED_AS_LOOPS
        or (ROOT / "tests" / "limbs" / "adapters" / place / f"test_{info.name}.py").exists()
    )


def test_importing_an_adapter_imports_no_framework():
    import subprocess

    names = ", ".join(f"rightcall.limbs.adapters.{info.name}" for info in ADAPTERS)
    roots = {info.loads.partition(".")[0] for info in ADAPTERS}
    code = f"import {names}, sys; print([m for m in sys.modules if m.partition('.')[0] in {roots!r}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_commands_list_and_show_adapters():
    listed = CliRunner().invoke(cli, ["list", "frameworks", "--json"])
    found = {one["name"]: one for one in json.loads(listed.output)}
    assert set(found) == {info.name for info in ADAPTERS}
    assert found["pydantic_ai"]["installed"] and found["pydantic_ai"]["tools"] == "mock"
    shown = CliRunner().invoke(cli, ["list", "frameworks", "crewai"])
    assert "trials run one at a time" in shown.output and "tools       run for real" in shown.output


@pytest.mark.parametrize("info", ADAPTERS, ids=lambda info: info.name)
def test_a_version_that_is_too_old_is_reported_with_what_is_missing_and_what_to_type(info, monkeypatch):
    for hook in info.needs:  # modules of an old version, which have none of the names
        parts = hook.partition(":")[0].split(".")
        for end in range(1, len(parts) + 1):
            monkeypatch.setitem(sys.modules, ".".join(parts[:end]), ModuleType(".".join(parts[:end])))
    problem = hook_problem(info)
    assert all(hook.replace(":", ".") in problem for hook in info.needs) and info.needs
    assert problem.startswith(f"{info.package} ") and problem.endswith(
        f"; {info.tested} was tested: pip install -U {info.package}"
    )


@pytest.mark.parametrize("name", [*TESTED_HERE, *TESTED_AS_LOOPS])
def test_the_version_installed_here_has_every_hook(name):
    assert hook_problem(adapter_info(name)) == ""


def test_an_old_version_is_reported_before_the_first_golden_is_asked(monkeypatch, tmp_path):
    import pydantic_ai

    agent = pydantic_ai.Agent("test")
    monkeypatch.setattr(pydantic_ai.Agent, "iter", lambda self, user_prompt: pytest.fail("was asked"))
    with pytest.raises(
        rc.errors.ConfigError, match=r"has no pydantic_ai\.Agent\.iter\(capabilities\); .* was tested"
    ):
        rc.evaluate(rc.observe(agent), [rc.Golden("hi", id="g")], store=tmp_path / "runs.db")


def test_a_misspelt_adapter_gets_a_suggestion():
    with pytest.raises(rc.errors.ConfigError, match="did you mean 'langchain'"):
        adapter_info("langchian")


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: rc.observe(3), "a builtins.int belongs to no known framework"),
        (lambda: rc.observe(lambda golden: "x", via="nothing"), "unknown adapter 'nothing'"),
        (lambda: rc.observe(lambda golden: "x", via="google_adk"), "observes agent objects, not functions"),
        (lambda: rc.observe(lambda golden: "x", via="openai", tools="mock"), "cannot be mocked"),
    ],
)
def test_what_cannot_be_observed_says_what_can(make, words):
    with pytest.raises(rc.errors.ConfigError, match=words):
        make()


def test_an_agent_object_of_a_framework_is_observed():
    from pydantic_ai import Agent as PydanticAgent

    assert isinstance(Agent(PydanticAgent("test", name="bank")).model, ObservedAgent)


def test_a_function_without_a_known_framework_is_refused(monkeypatch):
    monkeypatch.setattr("rightcall.agents.observed.observed_agent.is_loaded", lambda info: False)

    def ask(golden: rc.Golden) -> str:
        return "x"

    with pytest.raises(rc.errors.ConfigError, match="nothing was observed from ask: it uses none of"):
        performed(rc.observe(ask), "q")


def test_a_hook_that_breaks_ends_the_run_and_names_the_adapter(monkeypatch):
    from rightcall.limbs.adapters import pydantic_ai as adapter
    from tests.limbs.adapters.kits.pydantic_ai import PydanticAIKit
    from tests.limbs.adapters.script import Journal

    monkeypatch.setattr(adapter, "_answer", lambda *_: 1 / 0)
    agent = rc.observe(PydanticAIKit().agent(Journal()))
    with pytest.raises(
        rc.errors.ConfigError, match="the adapter pydantic_ai: wrap_model_request failed: ZeroDivisionError"
    ):
        performed(agent, "weather Hanoi")


def test_a_framework_imported_while_the_function_ran_came_too_late(monkeypatch):
    from tests.limbs.adapters.kits.pydantic_ai import PydanticAIKit
    from tests.limbs.adapters.script import Journal

    here: list[bool] = []
    monkeypatch.setattr(
        "rightcall.agents.observed.observed_agent.is_loaded",
        lambda info: bool(here) and info.name == "pydantic_ai",
    )

    async def ask(golden: rc.Golden) -> str:
        here.append(True)
        return await PydanticAIKit().plain(PydanticAIKit().agent(Journal()), golden.input)

    with pytest.raises(
        rc.errors.ConfigError, match=r"imported pydantic_ai while it ran.*pass via=\['pydantic_ai'\]"
    ):
        performed(rc.observe(ask), "weather Hanoi")


def test_two_adapters_that_saw_the_same_answers_count_them_once():
    from tests.limbs.adapters.kits.openai_agents import OpenAIAgentsKit
    from tests.limbs.adapters.script import Journal

    agent = rc.observe(OpenAIAgentsKit().function(Journal()), via=["openai_agents", "langchain", "openai"])
    (trajectory,) = performed(agent, "weather Hanoi")
    assert [call.name for call in trajectory.calls] == ["get_weather"]
    assert trajectory.usage.input_tokens == 200
