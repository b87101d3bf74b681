"""What an assistant can write, tried with files that other programs run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rightcall.core.errors import InputError
from rightcall.tools.runtime.errors import ToolError
from rightcall.wings.assistant.definition_tools import DefinitionTools
from rightcall.wings.assistant.project import Project, RefusedPathError, RefusedSuiteError
from rightcall.wings.assistant.reply import version_of
from tests.wings.assistant.client import GOLDENS, SUITE, TOOLS, make_project

TEXTS: dict[Any, str] = {
    "tools": json.dumps(TOOLS),
    "goldens": json.dumps(GOLDENS),
    "suite": json.dumps({"dataset": "goldens.jsonl", "agent": {"model": "keyword:"}}),
}
OTHERS = {
    "package.json": '{"name": "shop", "description": "A shop.", "scripts": {"test": "jest"}}',
    "composer.json": '{"name": "shop", "description": "A shop."}',
    "tsconfig.json": '{"compilerOptions": {}}',
    "compose.yaml": "services: {web: {image: nginx}}",
    "docker-compose.yml": "services: {web: {image: nginx}}",
    "azure-pipelines.yml": "steps: [{script: make}]",
    "Taskfile.yml": "version: '3'",
    "playbook.yml": "- {hosts: all, tasks: []}",
    "mkdocs.yml": "site_name: x",
    "action.yml": "name: x\ndescription: y\nruns: {using: composite, steps: []}",
    "data.jsonl": "1\n",
}
NEVER = (
    ".github/workflows/ci.yml",
    ".pre-commit-config.yaml",
    ".vscode/tasks.json",
    ".tools.json",
    "Makefile",
    "tools",
)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DefinitionTools:
    monkeypatch.chdir(make_project(tmp_path / "project"))
    return DefinitionTools(Project(Path()))


def written(
    tools: DefinitionTools, path: str, kind: Any, content: str | None = None, version: str | None = None
) -> Any:
    known = version_of(Path(path)) if version is None else version
    function = DefinitionTools.write_definitions.function
    return function(tools, path, TEXTS[kind] if content is None else content, kind, known)


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("exists", [True, False])
def test_a_file_that_another_program_runs_is_never_written(tools, name, kind, exists):
    if exists:
        Path(name).write_text(OTHERS[name], encoding="utf-8")
    with pytest.raises(RefusedPathError):
        written(tools, name, kind)
    assert (Path(name).read_text(encoding="utf-8") == OTHERS[name]) if exists else not Path(name).exists()


@pytest.mark.parametrize("name", NEVER)
def test_hidden_files_and_other_suffixes_are_never_written(tools, name):
    for kind in TEXTS:
        with pytest.raises(InputError):
            written(tools, name, kind, version="")
        assert not Path(name).exists()


NEW = {
    "tools": ("shop.tools.json", "shop-tools.yaml", "Tools.yml", "file_tools.json"),
    "goldens": ("more.goldens.jsonl", "goldens.json", "new-goldens.yaml"),
    "suite": ("shop.suite.yaml", "night-suite.json", "suite.yml"),
}


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind, names in NEW.items() for name in names])
def test_new_files_with_a_name_of_their_kind_are_written_and_replaced(tools, kind, name):
    text = "".join(json.dumps(one) + "\n" for one in GOLDENS) if name.endswith(".jsonl") else TEXTS[kind]
    assert written(tools, name, kind, text)["created"]
    assert not written(tools, name, kind, text + "\n")["created"]
    for other in TEXTS.keys() - {kind}:
        with pytest.raises(RefusedPathError):
            written(tools, name, other)


def test_an_existing_file_of_the_kind_may_have_any_name(tools):
    Path("banking.json").write_text(json.dumps(TOOLS), encoding="utf-8")
    Path("weather.jsonl").write_text(json.dumps(GOLDENS[0]) + "\n", encoding="utf-8")
    written(tools, "banking.json", "tools")
    written(tools, "weather.jsonl", "goldens", json.dumps(GOLDENS[1]) + "\n")


def test_no_other_key_is_written_next_to_the_list(tools):
    for more in ({"scripts": {"postinstall": "evil"}}, {"services": {}}, {"on": "push", "jobs": {}}):
        for kind in ("tools", "goldens"):
            text = json.dumps({kind: json.loads(TEXTS[kind]), **more})
            with pytest.raises(InputError, match=r"not written: unknown field"):
                written(tools, f"new.{kind}.json", kind, text)
    with pytest.raises(InputError, match="must be a list"):
        written(tools, "new.tools.json", "tools", json.dumps(TOOLS[0] | {"name": "scripts"}))


@pytest.mark.parametrize("more", [{"shell": "evil"}, {"hosts": "all", "tasks": []}, {"run": "evil"}])
def test_no_other_key_is_written_into_a_tool(tools, more):
    for text in (json.dumps([TOOLS[0] | more]), json.dumps({"tools": [TOOLS[0] | more]})):
        with pytest.raises(InputError, match=r"not written: unknown field '\w+' in a tool"):
            written(tools, "tasks-tools.yml", "tools", text)
    assert not Path("tasks-tools.yml").exists()


SERVED = {
    "dataset": "goldens.jsonl",
    "agent": {"model": "http:http://127.0.0.1:9/a", "headers": {"x": "${ONE_KEY}"}},
    "tools": {"mcp": {"command": ["python", "my server.py"], "env": {"MODE": "test"}}},
}
SMUGGLED = [
    {
        "tools": {
            "mcp": {"command": ["python", "my server.py"], "env": {"MODE": "test", "PYTHONPATH": "evil"}}
        }
    },
    {"tools": {"mcp": {"command": ["python", "my server.py"], "env": {"MODE": "live"}}}},
    {"tools": {"mcp": {"command": ["python", "my server.py"], "cwd": "evil", "env": {"MODE": "test"}}}},
    {"tools": {"mcp": {"command": ["python", "my", "server.py"], "env": {"MODE": "test"}}}},
    {"agent": SERVED["agent"] | {"execute": "real"}},
    {"agent": SERVED["agent"] | {"otlp": "0.0.0.0:4318"}},
    {"agent": SERVED["agent"] | {"headers": {"x": "${ONE_KEY}", "y": "${OTHER_KEY}"}}},
    {"agent": SERVED["agent"] | {"record": "conftest.py"}},
    {"agent": SERVED["agent"] | {"record": ".envrc"}},
    {"agent": SERVED["agent"] | {"record": "package.json"}},
    {"record": {"mode": "auto", "folder": ".git/hooks"}},
    {"metrics": ["rubric(model='keyword:', rubric='x', cache='package.json')"]},
]


@pytest.mark.parametrize("fields", SMUGGLED)
def test_what_a_suite_starts_is_not_changed_beside_its_command(tools, fields):
    Path("suite.yaml").write_text(json.dumps(SERVED), encoding="utf-8")
    with pytest.raises(RefusedSuiteError, match="only the user can add this"):
        written(tools, "suite.yaml", "suite", json.dumps(SERVED | fields))
    assert json.loads(Path("suite.yaml").read_text(encoding="utf-8")) == SERVED
    written(tools, "suite.yaml", "suite", json.dumps(SERVED | {"trials": 3}))


def test_a_conflict_does_not_tell_the_version(tools):
    now = version_of(Path("tools.json"))
    for wrong in ("", "0" * 16):
        with pytest.raises(ToolError) as refused:
            written(tools, "tools.json", "tools", version=wrong)
        assert now not in str(vars(refused.value)) + str(refused.value)


PLANTED = [
    {"agent": {"model": "exec:touch done"}},
    {"agent": {"model": "keyword:"}, "metrics": ["evil:score"]},
    {"agent": {"model": "keyword:"}, "tools": {"mcp": {"command": ["touch", "done"]}}},
    {"agent": {"model": "openai:x", "base_url": "http://203.0.113.9/v1"}},
]


@pytest.mark.parametrize("fields", PLANTED)
@pytest.mark.parametrize("name", ["suite.yaml", "new.suite.yaml"])
def test_a_suite_is_not_given_something_to_start_when_the_user_runs_it(tools, fields, name):
    before = Path(name).read_text(encoding="utf-8") if Path(name).exists() else None
    with pytest.raises(RefusedSuiteError, match="only the user can add this"):
        written(tools, name, "suite", json.dumps({"dataset": "goldens.jsonl", **fields}))
    assert (Path(name).read_text(encoding="utf-8") if Path(name).exists() else None) == before


def test_a_suite_that_already_starts_something_can_be_edited(tools):
    Path("suite.yaml").write_text(SUITE.replace("keyword:", "exec:touch done"), encoding="utf-8")
    written(tools, "suite.yaml", "suite", SUITE.replace("keyword:", "exec:touch done") + "trials: 2\n")


AWAY = {
    "agent": "agent: {model: 'scripted:../x.jsonl'}",
    "user": "agent: {model: 'keyword:'}\nuser: {model: 'scripted:../x.jsonl'}",
    "several users": "agent: {model: 'keyword:'}\nuser: {model: ['keyword:', 'recorded:/etc/passwd']}",
    "judge": "agent: {model: 'keyword:'}\nmetrics: [\"rubric(model='scripted:../x.jsonl', rubric='x')\"]",
    "observed judge": "agent: {model: 'keyword:'}\nmetrics: [{observe: \"rubric(model='local:/x', rubric='x')\"}]",
    "cache of a judge": "agent: {model: 'keyword:'}\nmetrics: [\"rubric(model='keyword:', rubric='x', cache='../c.db')\"]",
}


@pytest.mark.parametrize("who", AWAY)
@pytest.mark.parametrize("folder", ["", "sub/"])
def test_paths_of_judges_and_users_stay_in_the_project_too(tools, who, folder):
    """From a suite in a folder, `../x` is inside the project, but a model may look for it in the working folder."""
    Path("sub").mkdir()
    Path(f"{folder}away.yaml").write_text(
        f"dataset: {'../' if folder else ''}goldens.jsonl\n{AWAY[who]}\n", encoding="utf-8"
    )
    with pytest.raises(RefusedPathError, match="outside the project"):
        Project(Path()).suite(f"{folder}away.yaml")
