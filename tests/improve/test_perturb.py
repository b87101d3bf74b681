"""`run --perturb`: harmless changes, paired with the clean run."""

from __future__ import annotations

import asyncio
import json
import random

import pytest
from benchmarks.planted_suites.provider import ReadingModel
from click.testing import CliRunner

from rightcall import tool
from rightcall.agents.agent import Agent
from rightcall.cli.main import cli
from rightcall.core.errors import ConfigError, InputError
from rightcall.improve.perturbations import requests
from rightcall.improve.perturbations.requests import paraphrase_goldens, read_paraphrases, write_paraphrases
from rightcall.improve.robustness import run_perturbed
from rightcall.model import ExpectedCall, Golden, Message, Tool, ToolCall
from rightcall.models.base import ModelReply
from rightcall.run.plan import Plan
from rightcall.store.address import open_store
from rightcall.store.base import RunFilter

pytestmark = pytest.mark.stories

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
        runs = list(store.runs.page(RunFilter()))
    assert all("perturb" in one.run.settings and one.run.group == "p/perturb" for one in runs)


def test_an_unknown_kind_and_missing_paraphrases_are_said_before_anything_runs(tmp_path):
    with pytest.raises(ConfigError, match="did you mean 'order'"):
        effects(by_words, ["ordre"], tmp_path)
    with pytest.raises(ConfigError, match=r"metadata\.paraphrases"):
        effects(by_words, ["paraphrase"], tmp_path)


def test_order_shows_the_pass_rate_by_position_of_the_expected_tool(tmp_path):
    found = effects(first_near, ["order"], tmp_path)["order"]
    rates = {one.first: one.rate for one in found.positions}
    assert rates[1] == 1.0
    assert min(rates.values()) < 0.5


SEARCH = Tool(
    "search",
    "Search a town. For example Rome.",
    {
        "type": "object",
        "required": ["town"],
        "properties": {
            "town": {"type": "string", "description": "Its name. Such as Rome.", "examples": ["Rome"]}
        },
    },
)
TOWNS = [
    Golden(f"Search town{n}", f"t{n}", expected_calls=(ExpectedCall("search", {"town": f"town{n}"}),))
    for n in range(60)
]


class Filling(Chooser):
    """Fills the first parameter of the first tool with the last word of the request; keeps what it was sent."""

    def __init__(self) -> None:
        self.seen = []

    async def complete(self, request):
        self.seen.append(request.prompt)
        tool = next(tool for tool in request.prompt.tools if tool.description.startswith("Search"))
        value = request.messages[-1].content.split()[-1].rstrip("?")
        return ModelReply(
            Message("assistant", "", (ToolCall(tool.name, {next(iter(tool.parameters)): value}),))
        )


def perturbed(kinds, folder, goldens=TOWNS, **options):
    model = Filling()
    plan = Plan("p", Agent(model, tools=[SEARCH, *TOOLS], system="Be brief."), goldens)
    with open_store(folder / "s.db") as store:
        found = asyncio.run(run_perturbed(plan, store, kinds, **options))
    return {one.kind: one for one in found}, model.seen


def test_neutral_names_of_parameters_change_nothing_for_an_agent_that_reads_descriptions(tmp_path):
    found, seen = perturbed(["parameters"], tmp_path)
    assert (found["parameters"].verdict, found["parameters"].perturbed) == ("STABLE", 1.0)
    assert any("p_01" in prompt.tools[0].parameters for prompt in seen)


def test_examples_and_the_system_prompt_are_taken_away_without_a_verdict(tmp_path):
    found, seen = perturbed(["examples", "system"], tmp_path)
    assert {one.verdict for one in found.values()} == {"ablation"}
    bare = [prompt.tools[0] for prompt in seen if prompt.tools[0].description == "Search a town."]
    assert bare[0].parameters == {"town": {"type": "string", "description": "Its name."}}
    assert {prompt.system for prompt in seen} == {"Be brief.", ""}


def test_as_many_distractors_as_asked_are_offered(tmp_path):
    _, seen = perturbed(["distractors=30"], tmp_path)
    assert max(len(prompt.tools) for prompt in seen) == 4 + 30


def test_one_tool_can_be_dropped_and_an_unknown_one_is_refused(tmp_path):
    found = effects(first_near, ["drop=find_one"], tmp_path)
    assert found["drop=find_one"].goldens == 120
    with pytest.raises(ConfigError, match="did you mean 'stop'"):
        effects(first_near, ["drop=stp"], tmp_path)


def test_paraphrases_that_lose_a_value_are_not_used(tmp_path):
    texts = {
        golden.id: (f"Please search {golden.id.replace('t', 'town')}", "Search somewhere") for golden in TOWNS
    }
    found, _ = perturbed(["paraphrase"], tmp_path, paraphrases=texts)
    assert (found["paraphrase"].goldens, found["paraphrase"].verdict) == (60, "STABLE")


def test_a_models_paraphrases_are_verified_kept_and_not_asked_for_twice(tmp_path, monkeypatch):
    asked = []

    class Writer(Chooser):
        async def complete(self, request):
            said = request.messages[-1].content
            asked.append(said)
            return ModelReply(Message("assistant", f"Kindly {said}" if request.trial else "Something else"))

    monkeypatch.setattr(requests, "resolve", lambda name: Writer(None))
    path = tmp_path / "p.jsonl"
    found = asyncio.run(paraphrase_goldens("m", TOWNS[:4], read_paraphrases(path, TOWNS)))
    assert found["t1"] == ("Kindly Search town1",)
    write_paraphrases(path, TOWNS[:4], found)
    again = asyncio.run(paraphrase_goldens("m", TOWNS[:4], read_paraphrases(path, TOWNS)))
    assert (again, len(asked)) == (found, 4 * 3)


def test_a_broken_file_of_paraphrases_names_its_line(tmp_path):
    (tmp_path / "p.jsonl").write_text('{"golden_id": "t1", "input": 3}\n')
    with pytest.raises(InputError, match=r"p\.jsonl:1"):
        read_paraphrases(tmp_path / "p.jsonl", TOWNS)


def test_two_clean_runs_of_a_flaky_agent_are_not_called_fragile(tmp_path):
    rng = random.Random(3)
    found = effects(lambda tools: "find_one" if rng.random() < 0.7 else "stop", ["order"], tmp_path)["order"]
    assert found.verdict != "FRAGILE"
    assert abs(found.flips) < 0.15


def test_functions_keep_what_they_do_under_another_order_and_name(tmp_path):
    done = []

    @tool
    def find_one() -> str:
        """Find a thing."""
        done.append("one")
        return "found"

    class Twice(Chooser):
        async def complete(self, request):
            if request.messages[-1].role != "user":
                return ModelReply(Message("assistant", "done"))
            return await super().complete(request)

    agent = Agent(
        Twice(by_words),
        tools=[find_one, TOOLS[1]],
        mode="loop",
        execute="real",
        mocks={"find_two": {"result": 1}},
    )
    with open_store(tmp_path / "s.db") as store:
        found = asyncio.run(run_perturbed(Plan("p", agent, GOLDENS[:40]), store, ["order", "names"]))
    assert {one.perturbed for one in found} == {1.0}
    assert len(done) == 40 * 8


def test_a_repeated_option_adds_kinds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.json").write_text(
        '[{"name": "a_b", "description": "Do a.", "input_schema": {"type": "object"}}]'
    )
    (tmp_path / "goldens.jsonl").write_text('{"input": "Do a", "expected_calls": [{"tool": "a_b"}]}\n')
    (tmp_path / "suite.yaml").write_text(
        "dataset: goldens.jsonl\ntools: tools.json\nagent: {model: 'keyword:'}\n"
    )
    line = ["run", "suite.yaml", "--perturb", "names,typos", "--perturb", "distractors=2", "--json"]
    shown = json.loads(CliRunner().invoke(cli, line).stdout)
    assert all(effect["low"] is None or effect["low"] >= -1 for effect in shown["perturbations"])
    assert {effect["kind"] for effect in shown["perturbations"]} == {"names", "typos", "distractors=2"}
