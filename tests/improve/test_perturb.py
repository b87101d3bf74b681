"""`run --perturb`: runs with harmless changes, compared with the clean one."""

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
from rightcall.improve import paraphrases
from rightcall.improve.paraphrases import paraphrase_goldens, read_paraphrases, write_paraphrases
from rightcall.improve.robustness import run_perturbed
from rightcall.providers.base import ModelReply
from rightcall.records import ExpectedCall, Golden, Message, Tool, ToolCall
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
        compared = asyncio.run(run_perturbed(plan, store, kinds))
    return {kind: one.comparison for kind, one in compared.items()}


def test_an_agent_that_reads_is_stable_under_order_names_and_distractors(tmp_path):
    found = effects(by_words, ["order", "names", "distractors"], tmp_path)
    assert {one.change for one in found.values()} == {"NON_INFERIOR"}
    assert all(one.rate_b == one.rate_a == 1.0 for one in found.values())


def test_an_agent_that_takes_the_first_near_tool_is_fragile(tmp_path):
    found = effects(first_near, ["order"], tmp_path)["order"]
    assert (found.change, found.rate_a, found.rate_b) == ("REGRESSED", 1.0, 0.0)


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
    return {kind: one.comparison for kind, one in found.items()}, model.seen


def test_distractors_are_offered_and_no_golden_expects_them(tmp_path):
    found, seen = perturbed(["distractors"], tmp_path)
    assert max(len(prompt.tools) for prompt in seen) == 4 + 8 and found["distractors"].rate_b == 1.0


def test_paraphrases_that_lose_a_value_are_not_used(tmp_path):
    texts = {
        golden.id: (f"Please search {golden.id.replace('t', 'town')}", "Search somewhere") for golden in TOWNS
    }
    found, _ = perturbed(["paraphrase"], tmp_path, paraphrases=texts)
    assert (found["paraphrase"].n, found["paraphrase"].change) == (60, "NON_INFERIOR")


def test_a_models_paraphrases_are_verified_kept_and_not_asked_for_twice(tmp_path, monkeypatch):
    asked = []

    class Writer(Chooser):
        async def complete(self, request):
            said = request.messages[-1].content
            asked.append(said)
            return ModelReply(Message("assistant", f"Kindly {said}" if request.trial else "Something else"))

    monkeypatch.setattr(paraphrases, "resolve", lambda name: Writer(None))
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


def test_two_runs_of_a_flaky_agent_are_not_called_fragile(tmp_path):
    rng = random.Random(3)
    found = effects(lambda tools: "find_one" if rng.random() < 0.7 else "stop", ["order"], tmp_path)["order"]
    assert found.change != "REGRESSED"


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
    assert {one.comparison.rate_b for one in found.values()} == {1.0}
    assert len(done) == 40 * 3


def test_a_repeated_option_adds_kinds(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.json").write_text(
        '[{"name": "a_b", "description": "Do a.", "input_schema": {"type": "object"}}]'
    )
    (tmp_path / "goldens.jsonl").write_text('{"input": "Do a", "expected_calls": [{"tool": "a_b"}]}\n')
    (tmp_path / "suite.yaml").write_text(
        "dataset: goldens.jsonl\ntools: tools.json\nagent: {model: 'keyword:'}\n"
    )
    line = ["run", "suite.yaml", "--perturb", "names,typos", "--perturb", "distractors", "--json"]
    result = CliRunner().invoke(cli, line)
    shown = json.loads(result.stdout)
    assert shown["perturbations"].keys() == {"names", "distractors"}
    assert "typos: no golden fits" in result.stderr
    assert result.exit_code == 3  # one golden decides nothing
