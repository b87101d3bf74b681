"""Planted loads: every written form of every client, and what each case then is. The truth is written down beside it."""

from __future__ import annotations

from typing import Any, NamedTuple

import msgspec
import pytest
from hypothesis import given, strategies as st

from rightcall.metrics.case_result import result_of, score_trajectory
from rightcall.metrics.score_case import Scorer
from rightcall.records import ExpectedCall, Golden, Message, Tool, ToolCall, Trajectory
from rightcall.records.skill_load import SkillIndex, call_form, can_load, with_skill_calls
from rightcall.records.tool import Skill, SkillFile

BODY = " ".join(f"Step {number}: read field {number} of the form and fill it in." for number in range(20))


def skill(name: str) -> Tool:
    files = (SkillFile("references/forms.md", "1"), SkillFile("scripts/check.py", "2"))
    return Tool(
        name, f"About the {name}.", kind="skill", skill=Skill(name, body=f"# {name}\n\n{BODY}", files=files)
    )


SKILLS = {name: skill(name) for name in ("pdf", "docx")}
BASH = Tool("Bash", "Run a command.")
TOOLS = {**SKILLS, "Bash": BASH}


class Loader(NamedTuple):
    name: str
    arguments: Any
    kind: str = "tool"


LOADERS = {
    "claude": lambda n: Loader("Skill", {"skill": n}),
    "claude plugin": lambda n: Loader("Skill", {"skill": f"office:{n}"}),
    "claude tool": lambda n: Loader(f"skill__{n}", {}),
    "claude plugin tool": lambda n: Loader(f"skill__office__{n}", {}),
    "adk, openai": lambda n: Loader("load_skill", {"skill_name": n}),
    "adk with a prefix": lambda n: Loader("office_load_skill", {"skill_name": n}),
    "rightcall": lambda n: Loader("load_skill", {"name": n}),
    "guide": lambda n: Loader("activate_skill", {"name": n}),
    "pydantic": lambda n: Loader("load_capability", {"id": n}),
    "deepagents": lambda n: Loader("read_file", {"file_path": f"/skills/{n}/SKILL.md"}, "read"),
    "mcp files": lambda n: Loader("mcp__fs__read_text_file", {"path": f"/home/u/.claude/skills/{n}/SKILL.md"}, "read"),
    "windows": lambda n: Loader("Read", {"file_path": f"C:\\skills\\{n}\\SKILL.md"}, "read"),
    "editor": lambda n: Loader("str_replace_editor", {"command": "view", "path": f"/s/{n}/SKILL.md"}, "read"),
    "cat": lambda n: Loader("Bash", {"command": f"cat .claude/skills/{n}/SKILL.md | head -50"}, "read"),
    "sed in a list": lambda n: Loader("shell", {"command": ["bash", "-lc", f"sed -n '1,9p' s/{n}/SKILL.md"]}, "read"),
    "powershell": lambda n: Loader("powershell", {"command": f"Get-Content skills\\{n}\\SKILL.md"}, "read"),
    "cd": lambda n: Loader("Bash", {"command": f"cd skills/{n} && cat SKILL.md"}, "read"),
}  # fmt: skip
EACH = pytest.mark.parametrize("loader", LOADERS)

POSITIVE = Golden("Fill in this form", "p", judge="skills", expected_calls=(ExpectedCall("pdf"),))
NEGATIVE = Golden("What is a form?", "n", judge="skills", category="negative")
FOLLOWED = Golden(
    "Fill in form.pdf", "f",
    expected_calls=(ExpectedCall("pdf", id="load"), ExpectedCall("Bash", {"command": "python check.py"}, after=("load",))),
)  # fmt: skip


def call(loader: str, name: str = "pdf", **fields: Any) -> ToolCall:
    written = LOADERS[loader](name)
    return ToolCall(written.name, written.arguments, **{"status": "ok", **fields})


def outcome(golden: Golden, *calls: ToolCall, **fields: Any) -> tuple[str, list[str]]:
    result = result_of(golden, 0, Trajectory(calls=calls, **fields), TOOLS)
    return result.outcome, [failure.code for failure in result.codes]


@EACH
def test_load(loader: str) -> None:
    assert outcome(POSITIVE, call(loader)) == ("passed", [])
    assert outcome(NEGATIVE, call(loader)) == ("failed", ["unexpected_call"])


@EACH
def test_no_load(loader: str) -> None:
    assert outcome(POSITIVE, ToolCall("Bash", {"command": "ls"}, status="ok")) == ("failed", ["no_call"])
    assert outcome(NEGATIVE, ToolCall("Bash", {"command": "ls"}, status="ok")) == ("passed", [])


@EACH
def test_another_skill(loader: str) -> None:
    golden_outcome, codes = outcome(POSITIVE, call(loader, "docx"))
    assert (golden_outcome, codes) == ("failed", ["wrong_tool"])


@EACH
def test_a_failed_load_is_none(loader: str) -> None:
    assert outcome(POSITIVE, call(loader, status="error")) == ("failed", ["no_call"])
    assert outcome(NEGATIVE, call(loader, status="error")) == ("passed", [])


REFUSALS = [
    {"error": "Skill 'pdf' not found.", "error_code": "SKILL_NOT_FOUND"},
    '{"error": "Skill not available."}',
    "Unknown skill: pdf. Did you mean office:pdf?",
    "Error: the path leaves the workspace",
    "cat: skills/pdf/SKILL.md: No such file or directory",
    "Process exited with code 1\nOutput:\n",
    {"stdout": "", "exit_code": 1, "stderr": "sed: can't read skills/pdf/SKILL.md: Permission denied"},
    [{"type": "text", "text": "Cannot find path 'C:\\skills\\pdf\\SKILL.md' because it does not exist."}],
]


@EACH
@pytest.mark.parametrize("output", REFUSALS, ids=str)
def test_a_result_that_says_that_nothing_was_loaded(loader: str, output: Any) -> None:
    assert outcome(POSITIVE, call(loader, output=output)) == ("failed", ["no_call"])
    assert outcome(NEGATIVE, call(loader, output=output)) == ("passed", [])


SHOWN = [
    None, "", {"status": "loaded", "skill_name": "pdf"}, {"error": None, "content": "x"}, "Launching skill: pdf",
    f"---\nname: pdf\n---\n{BODY}",
    f"cat: a/pdf/SKILL.md: No such file or directory\n{BODY}",
    "Process exited with code 1\nOutput:\n---\nname: pdf\ndescription: About the pdf.",
    "A long file: not found. " * 100,
]  # fmt: skip


@EACH
@pytest.mark.parametrize("output", SHOWN, ids=lambda output: str(output)[:30])
def test_a_result_that_shows_the_skill_or_says_nothing_else(loader: str, output: Any) -> None:
    assert outcome(POSITIVE, call(loader, output=output)) == ("passed", [])


@EACH
def test_a_second_load_and_another_file_are_not_judged(loader: str) -> None:
    reading = ToolCall("Read", {"path": "/s/pdf/references/forms.md"}, status="ok", step=1)
    again = [call(loader, step=0), reading, call(loader, step=2)]
    assert outcome(POSITIVE, *again) == ("passed", [])
    strict = msgspec.structs.replace(POSITIVE, judge="all")
    assert outcome(strict, *again) == ("passed", [])
    bash = ToolCall("Bash", {"command": "python check.py"}, status="ok", step=3)
    assert outcome(FOLLOWED, *again, bash) == ("passed", [])


@EACH
def test_inside_a_sub_agent(loader: str) -> None:
    inner = call(loader, notes={"depth": 1, "agent": "helper"})
    assert outcome(POSITIVE, inner) == ("passed", [])
    assert outcome(NEGATIVE, inner) == ("failed", ["unexpected_call"])


@pytest.mark.parametrize("text", ["/pdf fill in this form", "$pdf form", "Hello\n/office:pdf now"])
@pytest.mark.parametrize("golden", [POSITIVE, NEGATIVE])
def test_a_skill_that_the_user_loads_is_not_judged(text: str, golden: Golden) -> None:
    result = result_of(golden, 0, Trajectory(messages=(Message("user", text),)), TOOLS)
    assert result.outcome == "error" and "loaded by the user" in result.error


@EACH
@pytest.mark.parametrize("role", ["system", "user"])
def test_an_injected_body_is_not_judged(loader: str, role: str) -> None:
    folded = "Instructions:\n" + BODY[100:350].replace(" ", "\n  ")
    messages = (Message(role, folded), Message("user", "Fill it in"))
    for calls in ((), (call(loader),)):
        result = result_of(POSITIVE, 0, Trajectory(messages=messages, calls=calls), TOOLS)
        assert result.outcome == "error" and "already in the context" in result.error
        assert (
            score_trajectory(POSITIVE, Trajectory(messages=messages, calls=calls), TOOLS).error
            == result.error
        )
    short = (Message(role, BODY[100:280]),)
    assert (
        result_of(POSITIVE, 0, Trajectory(messages=short, calls=(call(loader),)), TOOLS).outcome == "passed"
    )
    late = (Message("user", "Hi"), Message("assistant", "Hello"), Message(role, folded))
    assert result_of(POSITIVE, 0, Trajectory(messages=late, calls=(call(loader),)), TOOLS).outcome == "passed"


def test_a_loader_whose_arguments_were_not_recorded_is_not_judged() -> None:
    result = result_of(POSITIVE, 0, Trajectory(calls=(ToolCall("Skill", None),)), TOOLS)
    assert result.outcome == "error" and "not recorded" in result.error


@EACH
def test_what_the_model_wrote_is_kept(loader: str) -> None:
    written = LOADERS[loader]("pdf")
    trajectory = Trajectory(calls=(call(loader), call(loader)))
    index = SkillIndex(SKILLS)
    first, second = with_skill_calls(trajectory, index).calls
    assert (first.name, first.arguments) == ("pdf", {})
    assert first.notes["written"] == {"name": written.name, "arguments": written.arguments}
    assert first.notes["loaded_by"] == written.kind and (first.kind, second.kind) == ("direct", "plumbing")
    assert first.notes.get("plugin", "") == ("office" if "plugin" in loader else "")
    read_again = with_skill_calls(with_skill_calls(trajectory, index), index)
    assert read_again == with_skill_calls(trajectory, index)
    assert trajectory.calls[0] == call(loader)


ORDINARY = [
    ToolCall("Grep", {"path": "/s/pdf/SKILL.md", "pattern": "x"}, status="ok"),
    ToolCall("list_directory", {"path": "/s/pdf"}, status="ok"),
    ToolCall("Bash", {"command": "ls skills/pdf/SKILL.md"}, status="ok"),
    ToolCall("Bash", {"command": "cat > skills/pdf/SKILL.md <<EOF\nx\nEOF"}, status="ok"),
    ToolCall("Bash", {"command": "python skills/pdf/scripts/check.py"}, status="ok"),
    ToolCall("write_file", {"path": "/s/pdf/SKILL.md", "content": "x"}, status="ok"),
    ToolCall("Skill", {"skill": "xlsx"}, status="ok"),
    ToolCall("list_skills", {}, status="ok"),
    ToolCall("unload_skill", {"skill_name": "pdf"}, status="ok"),
    ToolCall("office_unload_skill", {"skill_name": "pdf"}, status="ok"),
    ToolCall("unLoadSkill", {"skill_name": "pdf"}, status="ok"),
    ToolCall("download_skill", {"skill_name": "pdf"}, status="ok"),
    ToolCall("read_file", {"path": "/s/xlsx/SKILL.md"}, status="ok"),
    ToolCall("read_many_files", {"paths": ["/s/pdf/SKILL.md", "/s/docx/SKILL.md"]}, status="ok"),
    ToolCall("ask", {"question": "What is in /s/pdf/SKILL.md?"}, status="ok"),
]


@pytest.mark.parametrize("ordinary", ORDINARY, ids=lambda c: c.name)
def test_what_is_no_load(ordinary: ToolCall) -> None:
    trajectory = Trajectory(calls=(ordinary,))
    assert with_skill_calls(trajectory, SkillIndex(SKILLS)) is trajectory


def test_tools_named_after_skills() -> None:
    index = SkillIndex({name: skill(name) for name in ("a__b", "b", "c.d")})
    names = {
        "skill__a__b": "a__b",
        "skill__x__b": "b",
        "skill__x__a__b": "a__b",
        "skill__c_d": "c.d",
        "skill__e": "",
    }
    loads = {name: index.skill_call(ToolCall(name, {}, status="ok")) for name in names}
    assert {name: load.skill if load else "" for name, load in loads.items()} == names


def test_a_resource_is_a_file_of_the_skill() -> None:
    resource = ToolCall(
        "load_skill_resource", {"skill_name": "pdf", "path": "references/forms.md"}, status="ok"
    )
    (read,) = with_skill_calls(Trajectory(calls=(resource,)), SkillIndex(SKILLS)).calls
    assert read.notes["skill_file"] == {"skill": "pdf", "path": "references/forms.md"}
    assert outcome(POSITIVE, call("claude"), resource) == ("passed", [])


def test_tools_that_can_load() -> None:
    assert (
        can_load({"a": Tool("read_file")})
        and can_load({"a": Tool("Bash")})
        and can_load({"a": Tool("load_skill")})
    )
    assert not can_load({"a": Tool("get_weather_now_"[:3] + "x"), **SKILLS})
    assert call_form("get_order") == "read"  # by its words; a path decides


NAMES = st.sampled_from(["search", "Bash", "refund_order", "read_file", "Read", "ask", "Skill"])
VALUES = st.sampled_from(["x", "/tmp/a.txt", "cat notes.md", "xlsx", 7])
CALLS = st.builds(
    ToolCall,
    NAMES,
    st.dictionaries(st.sampled_from(["command", "path", "q"]), VALUES, max_size=2),
    status=st.just("ok"),
)
GOLDENS = st.builds(
    Golden, st.just("?"), expected_calls=st.lists(st.builds(ExpectedCall, NAMES), max_size=3).map(tuple),
    extra_calls=st.sampled_from(["forbid", "allow"]),
)  # fmt: skip


@given(GOLDENS, st.lists(CALLS, max_size=5))
def test_without_loads_skills_change_no_byte(golden: Golden, calls: list[ToolCall]) -> None:
    trajectory = Trajectory(calls=tuple(calls))
    plain = {
        name: Tool(name) for name in ("search", "Bash", "refund_order", "read_file", "Read", "ask", "Skill")
    }
    for tools in ({}, plain):
        with_skills = Scorer().stated(golden, 0, trajectory, {**tools, **SKILLS})
        assert msgspec.json.encode(Scorer().stated(golden, 0, trajectory, tools)) == msgspec.json.encode(
            with_skills
        )


SCENES = st.lists(
    st.tuples(st.sampled_from(list(LOADERS)), st.sampled_from(["pdf", "docx"]), st.booleans()), max_size=4
)


@given(SCENES, st.sampled_from([POSITIVE, NEGATIVE]), st.from_regex(r"[a-z][a-z0-9-]{2,9}", fullmatch=True))
def test_renaming_skills_and_paths_changes_nothing(scene: Any, golden: Golden, stem: str) -> None:
    names = {"pdf": f"{stem}-1", "docx": f"{stem}-2"}
    renamed_tools = {names[name]: skill(names[name]) for name in SKILLS} | {"Bash": BASH}
    expected = tuple(ExpectedCall(names[str(each.tool)]) for each in golden.expected_calls)
    renamed = msgspec.structs.replace(golden, expected_calls=expected)

    def judged(words: dict[str, str], case: Golden, tools: dict[str, Tool]) -> Any:
        calls = tuple(
            call(loader, words[name], status="ok" if works else "error") for loader, name, works in scene
        )
        result = result_of(case, 0, Trajectory(calls=calls), tools)
        return result.outcome, result.score, [failure.code for failure in result.codes]

    assert judged({n: n for n in names}, golden, TOOLS) == judged(names, renamed, renamed_tools)


@given(st.lists(st.sampled_from(list(LOADERS)), min_size=1, max_size=3))
def test_all_written_forms_give_one_result(loaders: list[str]) -> None:
    results = {outcome(golden, *(call(name) for name in loaders))[0] for golden in (POSITIVE,)}
    assert results == {"passed"}
