"""`run --perturb`: harmless changes, paired with the clean run."""

from __future__ import annotations

import asyncio

import pytest

from rightcall.errors import ConfigError
from rightcall.executor import Agent
from rightcall.model import ExpectedCall, Golden, Message, Tool, ToolCall
from rightcall.providers import ModelReply
from rightcall.store import RunFilter, open_store
from rightcall.suite import Plan, run_perturbed
from tests.suite.test_improve import ReadingModel

TOOLS = [
    Tool("find_one", "Find a thing. See find_two."),
    Tool("find_two", "Find another thing."),
    Tool("stop", "Stop."),
]
GOLDENS = [Golden(f"thing {n}", f"g{n}", expected_calls=(ExpectedCall("find_one", {}),)) for n in range(120)]


class Chooser(ReadingModel):
    """Calls the tool that a function picks from those it is offered."""

    def __init__(self, pick) -> None:
        self._pick = pick

    async def complete(self, request):
        return ModelReply(Message("assistant", "", (ToolCall(self._pick(request.prompt.tools), {}),)))


def by_words(tools):
    return next(tool.name for tool in tools if tool.description.startswith("Find a thing"))


def first_near(tools):
    return next(tool.name for tool in tools if tool.description.startswith("Find"))


def effects(pick, kinds, folder):
    plan = Plan("p", Agent(Chooser(pick), tools=TOOLS), GOLDENS)
    with open_store(folder / "s.db") as store:
        return {one.kind: one for one in asyncio.run(run_perturbed(plan, store, kinds))}


def test_an_agent_that_reads_is_stable_under_order_names_and_distractors(tmp_path):
    found = effects(by_words, ["order", "names", "distractors"], tmp_path)
    assert {one.verdict for one in found.values()} == {"STABLE"}
    assert all(one.perturbed == one.clean == 1.0 for one in found.values())


def test_an_agent_that_takes_the_first_near_tool_is_fragile(tmp_path):
    found = effects(first_near, ["order"], tmp_path)["order"]
    assert (found.verdict, found.clean) == ("FRAGILE", 1.0)
    assert found.difference < -0.2 < 0 < found.flips


def test_without_the_wanted_tool_no_other_may_be_called(tmp_path):
    assert effects(first_near, ["drop"], tmp_path)["drop"].verdict == "calls another"


def test_perturbed_runs_are_marked_and_kept_apart(tmp_path):
    effects(by_words, ["order"], tmp_path)
    with open_store(tmp_path / "s.db") as store:
        runs = list(store.runs(RunFilter()))
    assert all("perturb" in one.run.settings and one.run.group == "p/perturb" for one in runs)


def test_an_unknown_kind_and_missing_paraphrases_are_said_before_anything_runs(tmp_path):
    with pytest.raises(ConfigError, match="did you mean 'order'"):
        effects(by_words, ["ordre"], tmp_path)
    with pytest.raises(ConfigError, match=r"metadata\.paraphrases"):
        effects(by_words, ["paraphrase"], tmp_path)
