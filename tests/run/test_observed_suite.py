"""Suites of agents that are not models: observed frameworks, services, programs; all problems are reported at once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rightcall.agents.observed.observed_agent import ObservedAgent
from rightcall.cli.main import main
from rightcall.core.errors import ConfigError
from rightcall.run.plan import Plan
from rightcall.run.suite import load_suite
from rightcall.run.suite_actions import imports_code
from rightcall.run.suite_plan import plan_suite

AGENT = """
from pydantic_ai import Agent
from pydantic_ai.models.test import TestModel

def get_weather(city: str) -> str:
    "The weather."
    return "31"

agent = Agent(TestModel(), tools=[get_weather])
"""


@pytest.fixture
def planned(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "goldens.jsonl").write_text('{"id": "a", "input": "Weather in Hanoi?"}\n')

    def plan(agent: str, module: str = AGENT, name: str = "", more: str = "", **options: object) -> Plan:
        name = name or f"agent_{abs(hash((agent, module, more)))}"
        (tmp_path / f"{name}.py").write_text(module)
        suite = tmp_path / "suite.yaml"
        suite.write_text(f"dataset: goldens.jsonl\nagent: {{{agent.replace('MODULE', name)}}}\n{more}")
        return plan_suite(load_suite(suite), Path(tmp_path), **options)  # type: ignore[arg-type]

    return plan


def test_a_framework_agent_next_to_the_suite_is_observed(planned):
    model = planned('model: "MODULE:agent", observe: auto, calls: all').agent.model
    assert isinstance(model, ObservedAgent) and (model.calls, model.tools_run) == ("all", "real")


def test_a_framework_agent_is_observed_though_the_suite_does_not_say_so(planned):
    assert isinstance(planned('model: "MODULE:agent"').agent.model, ObservedAgent)


def test_execute_mock_takes_the_tools_out_of_its_hands(planned):
    plan = planned('model: "MODULE:agent", execute: mock', more="mocks: {get_weather: {result: snow}}")
    assert plan.agent.model.tools_run == "mock"


def test_a_mock_for_a_tool_the_agent_does_not_have_is_reported(planned):
    from rightcall.agents.kinds import agent_problems

    plan = planned('model: "MODULE:agent", execute: mock', more="mocks: {get_wether: {result: snow}}")
    assert any("get_wether" in problem for problem in agent_problems(plan.agent))


def test_a_module_that_fails_is_one_problem(planned):
    with pytest.raises(ConfigError) as told:
        planned('model: "MODULE:agent", observe: auto', module="raise RuntimeError('no key')")
    assert len(told.value.problems) == 1 and "RuntimeError: no key" in told.value.problems[0]


def test_another_model_on_the_command_line_need_not_be_observed(planned):
    assert planned('model: "MODULE:agent", observe: auto', model="keyword:").agent.model == "keyword:"


def bank(path: Path, values: str) -> None:
    agent = AGENT.replace("tools=[get_weather]", "tools=[get_weather], deps_type=int")
    (path / "bank_with.py").write_text(f"{agent}\ndef make_deps() -> int:\n    return 7\n")
    (path / "goldens.jsonl").write_text(
        '{"id": "a", "input": "Weather?", "expected_calls": [{"tool": "get_weather"}]}'
    )
    text = f'dataset: goldens.jsonl\nagent: {{model: "bank_with:agent", with: {values}}}\n'
    (path / "suite.yaml").write_text(text)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ('{deps: "bank_with:make_deps"}', ""),
        ("{deps: 7}", ""),
        (
            "{}",
            "bank_with:agent needs deps (int): agent: {model: bank_with:agent, with: {deps: MODULE:FUNCTION}}",
        ),
        (
            '{deps: "bank_with:make_dep"}',
            "agent.with.deps 'bank_with:make_dep' cannot be loaded: no 'make_dep'",
        ),
        ("[7]", "agent.with must be an object"),
    ],
)
def test_a_suite_says_what_its_agent_takes_beside_the_text(tmp_path, monkeypatch, capsys, values, words):
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    bank(tmp_path, values)
    monkeypatch.setattr(sys, "argv", ["rightcall", "run", "suite.yaml", "--store", "s.db"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert words in " ".join(capsys.readouterr().err.split())
    assert ended.value.code == (2 if words else 0)


def test_functions_under_with_are_code(tmp_path):
    bank(tmp_path, '{deps: "helpful:deps"}')
    (tmp_path / "helpful.py").write_text("raise SystemExit('must not run')")
    assert imports_code(load_suite(tmp_path / "suite.yaml"), tmp_path, "keyword:")


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        ('model: "keyword:", observe: auto', "agent.observe requires module:agent"),
        ('model: "MODULE:agent", observe: langchain', "observed via 'pydantic_ai', not 'langchain'"),
        ('model: "MODULE:agent", observe: pydantic', "did you mean 'pydantic_ai'"),
        ('model: "http:http://h/run", response: {answer: $.x}', "unknown field 'answer'"),
        ('model: "http:http://h/run", request: {q: "{{golden}}"}', "not a known placeholder"),
        ('model: "exec:"', "names no|needs a command"),
    ],
)
def test_what_is_wrong_with_such_an_agent_is_reported_before_the_run(planned, agent, words):
    from rightcall.agents.kinds import agent_problems

    with pytest.raises(ConfigError, match=words):
        raise ConfigError(*agent_problems(planned(agent).agent))


def test_a_dry_run_imports_no_agent(planned):
    plan = planned(
        'model: "MODULE:agent", observe: auto', module="raise SystemExit('ran')", start_nothing=True
    )
    assert plan.agent.name.endswith(":agent")
