"""Skills through every door: suites, loops, setup problems, changes, drafts, queries, causes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import rightcall as rc
from rightcall.agents.kinds import agent_of_kind
from rightcall.check.reach import input_changes
from rightcall.core.errors import ConfigError, InputError
from rightcall.datasets.importers.skill_queries import import_skill_queries
from rightcall.files.agent_instructions import find_instructions
from rightcall.improve.counters import FailedTrial, GoldenTrials
from rightcall.improve.findings import analyze_trials
from rightcall.improve.improvement import with_description
from rightcall.metrics.case_result import result_of
from rightcall.records import ExpectedCall, Golden, Message, Tool, ToolCall, Trajectory
from rightcall.run.preparation import preflight
from rightcall.run.suite import load_suite
from rightcall.run.suite_plan import plan_suite
from rightcall.schema.skill_definition import instruction_definitions, load_skills
from tests.support.skills import skill_text, write_skill

FORMS = skill_text("forms", "Fill in paper forms. Use when the user wants to fill in a form.")
LETTERS = skill_text("letters", "Write business letters. Use when the user asks for a letter to a company.")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_skill(tmp_path / "skills", {"SKILL.md": FORMS, "scripts/check.py": "print(1)\n"}, "forms")
    write_skill(tmp_path / "skills", {"SKILL.md": LETTERS}, "letters")
    goldens = [
        {
            "id": "f1",
            "input": "Please fill in this form",
            "judge": "skills",
            "expected_calls": [{"tool": "forms"}],
        },
        {"id": "n1", "input": "What is the time?", "judge": "skills", "category": "negative"},
    ]
    (tmp_path / "goldens.jsonl").write_text("\n".join(map(json.dumps, goldens)) + "\n", "utf-8")
    return tmp_path


def plan_of(project: Path, **suite: Any) -> Any:
    whole = {"dataset": "goldens.jsonl", "agent": {"model": "keyword:"}, **suite}
    (project / "suite.json").write_text(json.dumps(whole), "utf-8")
    return plan_suite(load_suite(project / "suite.json"), project)


def test_a_model_loads_skills_by_one_tool_and_gets_the_body(project: Path) -> None:
    plan = plan_of(project, agent={"model": "keyword:", "skills": "skills", "mode": "loop"})

    async def perform() -> Trajectory:
        async with agent_of_kind(plan.agent) as session:
            assert list(session.request_tools) == ["load_skill"]
            assert session.tools["forms"].kind == "skill"
            return await session.performer.perform(Golden("Please fill in this form", "f1"), 0)

    trajectory = asyncio.run(perform())
    assert [(call.name, call.arguments) for call in trajectory.calls] == [("load_skill", {"name": "forms"})]
    assert "Ask for the city" in str(trajectory.calls[0].output)
    golden = Golden("?", "f1", judge="skills", expected_calls=(ExpectedCall("forms"),))
    assert result_of(golden, 0, trajectory, {tool.name: tool for tool in plan.definitions}).passed


def test_nothing_that_could_load_a_skill_is_a_setup_error(project: Path) -> None:
    plan = plan_of(project, tools={"skills": ["skills"]})
    with pytest.raises(ConfigError, match="no tool to load one"):
        asyncio.run(preflight(plan))


@pytest.mark.parametrize(
    ("golden", "problem"),
    [
        ({"expected_calls": [{"tool": "from"}]}, "did you mean 'forms'"),
        ({"expected_calls": [{"tool": "read_file"}]}, "judge is skills, but read_file is a tool"),
        (
            {"judge": "all", "expected_calls": [{"tool": "forms", "kind": "tool"}]},
            "forms is a skill, not a tool",
        ),
    ],
)
def test_goldens_about_skills_are_checked(project: Path, golden: dict[str, Any], problem: str) -> None:
    row = {"id": "x", "input": "?", "judge": "skills", **golden}
    (project / "goldens.jsonl").write_text(json.dumps(row) + "\n", "utf-8")
    (project / "tools.json").write_text(json.dumps([{"name": "read_file", "description": "Reads."}]), "utf-8")
    with pytest.raises(ConfigError, match=problem):
        asyncio.run(preflight(plan_of(project, tools={"skills": "skills", "file": "tools.json"})))


def test_a_skill_and_a_tool_of_one_name_are_an_error(project: Path) -> None:
    (project / "tools.json").write_text(json.dumps([{"name": "forms", "description": "A tool."}]), "utf-8")
    with pytest.raises(ConfigError, match="name of a tool and of the skill in forms"):
        plan_of(project, tools={"skills": "skills", "file": "tools.json"}).definitions  # noqa: B018


def test_a_changed_description_is_a_changed_tool_and_a_changed_body_changed_code(project: Path) -> None:
    before = plan_of(project, agent={"model": "keyword:", "skills": "skills"}).inputs()
    file = project / "skills" / "forms" / "SKILL.md"
    file.write_text(FORMS.replace("paper forms", "tax forms"), "utf-8")
    described = plan_of(project, agent={"model": "keyword:", "skills": "skills"}).inputs()
    assert [(change.kind, change.name) for change in input_changes(before, described)] == [
        ("tool_changed", "forms")
    ]
    file.write_text(FORMS + "\nCheck twice.\n", "utf-8")
    edited = plan_of(project, agent={"model": "keyword:", "skills": "skills"}).inputs()
    assert [(change.kind, change.name) for change in input_changes(before, edited)] == [
        ("tool_code", "forms")
    ]
    file.write_text(FORMS, "utf-8")
    (project / "skills" / "forms" / "scripts" / "check.py").write_text("print(2)\n", "utf-8")
    script = plan_of(project, agent={"model": "keyword:", "skills": "skills"}).inputs()
    assert [(change.kind, change.name) for change in input_changes(before, script)] == [
        ("tool_code", "forms")
    ]


def test_a_function_that_reads_files_is_scored_like_every_other_agent(project: Path) -> None:
    skills = load_skills([project / "skills"])

    def agent(golden: Golden) -> list[ToolCall]:
        wants = "form" in golden.input
        return [ToolCall("read_file", {"path": "/skills/forms/SKILL.md"}, status="ok")] if wants else []

    run = rc.evaluate(
        rc.Agent(agent, tools=skills), dataset=project / "goldens.jsonl", store=None, progress=False
    )
    assert [result.passed for result in run.results] == [True, True]
    assert run.results[0].trajectory is None or run.results[0].trajectory.calls[0].name == "read_file"


def test_queries_of_both_forms(project: Path) -> None:
    folder = project / "skills" / "forms"
    (folder / "queries.json").write_text(json.dumps([{"query": "Fill it", "should_trigger": True}, {"query": "Hi", "should_trigger": False}]))  # fmt: skip
    yes, no = import_skill_queries(folder / "queries.json")
    assert [call.tool for call in yes.expected_calls] == ["forms"] and no.category == "negative"
    (folder / "evals").mkdir()
    evals = {
        "skill_name": "forms",
        "evals": [{"id": 3, "prompt": "Do it", "expected_output": "done", "files": ["a"]}],
    }
    (folder / "evals" / "evals.json").write_text(json.dumps(evals))
    (golden,) = import_skill_queries(folder / "evals" / "evals.json")
    assert (golden.id, golden.expected_output, golden.metadata) == ("forms-3", "done", {"files": ["a"]})
    (folder / "queries.json").write_text('[{"query": "x"}]')
    with pytest.raises(InputError, match="should_trigger must be true or false"):
        list(import_skill_queries(folder / "queries.json"))


def test_what_instructs_an_agent_in_a_project(tmp_path: Path) -> None:
    write_skill(tmp_path / ".claude" / "skills")
    for name, text in {"commands/ship": "Ship it", "agents/h": "---\nname: helper\ndescription: Helps.\n---\nBe kind"}.items():  # fmt: skip
        file = tmp_path / ".claude" / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    (tmp_path / "AGENTS.md").write_text("x")
    instructions = find_instructions(tmp_path)
    tools = {tool.name: tool for tool in instruction_definitions(instructions)}
    assert {name: tool.kind for name, tool in tools.items()} == {
        "forecast": "skill",
        "ship": "skill",
        "helper": "agent",
    }
    assert tools["ship"].skill is not None and not tools["ship"].skill.by_model
    assert [path.name for path, _ in instructions.notes] == ["AGENTS.md"]


def _trials(golden: Golden, *calls: ToolCall, tools: list[Tool]) -> GoldenTrials:
    trajectory = Trajectory(calls=calls, messages=(Message("user", golden.input),))
    result = result_of(golden, 0, trajectory, {tool.name: tool for tool in tools})
    failed = [FailedTrial(trial, result.codes, calls, None) for trial in range(4)]
    return GoldenTrials(golden, 4, 0, failed)


def causes(project: Path, calls: tuple[ToolCall, ...], **fields: Any) -> set[str]:
    tools = [*load_skills([project / "skills"]), Tool("Bash", "Runs a command.")]
    golden = Golden("Fill in a form", "", expected_calls=(ExpectedCall("forms"),), judge="skills")
    trials = [
        _trials(msgspec.structs.replace(golden, id=f"g{number}", **fields), *calls, tools=tools)
        for number in range(6)
    ]
    listing = Golden("List the files", "ls", expected_calls=(ExpectedCall("Bash", {"command": "ls"}),))
    trials.append(GoldenTrials(listing, 4, 4, []))  # the agent uses its tools
    return {finding.cause for finding in analyze_trials(tools, trials).findings}


def test_causes_of_failed_triggers(project: Path) -> None:
    assert "skill_not_seen" in causes(project, ())
    assert "skill_shadowed" in causes(project, (ToolCall("Skill", {"skill": "letters"}, status="ok"),))
    followed = (ExpectedCall("forms", id="load"), ExpectedCall("Bash", {"command": "x"}, after=("load",)))
    loaded = (ToolCall("Skill", {"skill": "forms"}, status="ok", step=0),)
    assert "loaded_not_followed" in causes(project, loaded, expected_calls=followed, judge="all")


def test_a_patch_changes_the_description_and_nothing_else() -> None:
    text = "---\nname: a\ndescription: >\n  one\n  two\nlicense: MIT\n---\n# A\n"
    assert (
        with_description(text, "new: text")
        == '---\nname: a\ndescription: "new: text"\nlicense: MIT\n---\n# A\n'
    )
