"""Other definitions reach the agent, or are refused: otherwise an agent would be compared with itself."""

from __future__ import annotations

import pytest

from rightcall.agents.agent import Agent
from rightcall.agents.remote.exchange import Exchange
from rightcall.core.errors import ConfigError
from rightcall.improve.variant import redefine_agent
from rightcall.records.tool import Tool
from rightcall.run.suite import load_suite
from rightcall.run.trust import agent_of_run

URL = "http://127.0.0.1:9/ask"


def ask(golden):
    return []


@pytest.mark.parametrize(
    ("agent", "reached"),
    [
        (Agent("keyword:"), True),
        (Agent(f"http:{URL}"), True),
        (Agent(f"http:{URL}", exchange=Exchange(request={"q": "{{input}}", "t": "{{tools}}"})), True),
        (Agent(f"http:{URL}", exchange=Exchange(request={"q": "{{input}}"})), False),
        (Agent(ask), False),
    ],
    ids=["model", "http", "http with tools", "http without tools", "function"],
)
def test_other_definitions_are_refused_where_they_would_not_reach_the_agent(agent, reached):
    new = [Tool("t", "New.")]
    if reached:
        assert redefine_agent(agent, new).tools == new
    else:
        with pytest.raises(ConfigError, match="cannot be tried"):
            redefine_agent(agent, new)


def test_the_agent_of_a_stored_run_is_that_of_its_suite(tmp_path):
    (tmp_path / "shop.py").write_text("def agent(golden):\n    return []\n")
    (tmp_path / "suite.json").write_text('{"dataset": "g.jsonl", "agent": {"model": "shop:agent"}}')
    suite = load_suite(tmp_path / "suite.json")
    assert agent_of_run(suite, tmp_path, "keyword:") == "keyword:"
    with pytest.raises(ConfigError, match="use the suite of that run"):
        agent_of_run(suite, tmp_path, "exec:rm")
