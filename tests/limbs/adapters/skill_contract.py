"""What every real loader of skills must show, with the skills of examples/skills: a kit makes agents with a planned model."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.records import ExpectedCall, Golden, ToolCall
from rightcall.records.skill_load import SkillIndex, with_skill_calls
from rightcall.schema.skill_definition import load_skills
from tests.limbs.adapters.script import Answer, Call

EXAMPLE = Path(__file__).parents[3] / "examples" / "skills"
SKILLS = load_skills([EXAMPLE / "skills"])
POSITIVE = Golden("Write it up", id="p", judge="skills", expected_calls=(ExpectedCall("minutes"),))
NEGATIVE = Golden("Hello", id="n", judge="skills", category="negative")
LOADED = {"p": ("passed", []), "n": ("failed", ["unexpected_call"])}
NOT_LOADED = {"p": ("failed", ["no_call"]), "n": ("passed", [])}
FILE = "references/layout.md"


def plan(*calls: Call) -> Any:
    """A model that makes these calls, each in its own answer, and then says something."""
    return lambda user, turn: Answer(calls=(calls[turn],)) if turn < len(calls) else Answer("Finished.")


def judged(agent: Any, **options: Any) -> tuple[dict[str, Any], Sequence[ToolCall]]:
    """The outcomes of both goldens with an agent, and its calls for the first as skills are scored."""
    observed = rc.observe(agent, **options)
    run = rc.evaluate(Agent(observed, tools=SKILLS), [POSITIVE, NEGATIVE], concurrency=1)
    by_id = {result.golden_id: result for result in run.results}
    outcomes = {
        name: (result.outcome, [code.code for code in result.codes]) for name, result in by_id.items()
    }
    trajectory = by_id["p"].trajectory
    index = SkillIndex({skill.name: skill for skill in SKILLS})
    return outcomes, with_skill_calls(trajectory, index).calls


class SkillContract:
    """`load`, `read_file` and `load_missing` are what the model writes to load `minutes`, to read another file of it,
    and to load it where it is not."""

    load: ClassVar[tuple[str, dict[str, Any]]]
    read_file: ClassVar[tuple[str, dict[str, Any]]]
    load_missing: ClassVar[tuple[str, dict[str, Any]]]
    loaded_by: ClassVar[str]
    options: ClassVar[dict[str, Any]] = {}

    def agent(self, respond: Any) -> Any:
        raise NotImplementedError

    def agent_without_minutes(self, respond: Any) -> Any:
        return self.agent(respond)

    def delegating(self, respond: Any) -> Any:
        """An agent whose sub-agent answers by `respond`."""
        raise NotImplementedError

    def test_a_load(self):
        outcomes, calls = judged(self.agent(plan(Call(*self.load, "c1"))), **self.options)
        assert outcomes == LOADED
        name, arguments = self.load
        written = {"name": name, "arguments": arguments}
        assert [(call.name, call.arguments, call.status) for call in calls] == [("minutes", {}, "ok")]
        assert (calls[0].notes["written"], calls[0].notes["loaded_by"]) == (written, self.loaded_by)

    def test_no_load(self):
        assert judged(self.agent(plan()), **self.options) == (NOT_LOADED, ())

    def test_a_second_load_and_another_file(self):
        agent = self.agent(plan(Call(*self.load, "c1"), Call(*self.load, "c2"), Call(*self.read_file, "c3")))
        outcomes, (first, second, third) = judged(agent, **self.options)
        assert outcomes == LOADED
        assert (first.kind, second.kind) == ("direct", "plumbing")
        assert third.notes["skill_file"] == {"skill": "minutes", "path": FILE}

    def test_a_load_that_fails_is_none(self):
        agent = self.agent_without_minutes(plan(Call(*self.load_missing, "c1")))
        outcomes, calls = judged(agent, **self.options)
        assert outcomes == NOT_LOADED and [call.name for call in calls] == [self.load_missing[0]]

    def test_a_load_inside_a_sub_agent(self):
        agent = self.delegating(plan(Call(*self.load, "c9")))
        outcomes, calls = judged(agent, **self.options)
        assert outcomes == LOADED
        (load,) = [call for call in calls if call.name == "minutes"]
        assert load.agent == "writer" and load.notes["written"]["name"] == self.load[0]
