"""`rightcall init` writes a suite that already runs, and `rightcall run` runs it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rightcall.core import codec
from rightcall.run.suite import load_suite


def test_what_init_writes_runs_at_once(rightcall):
    written = rightcall("init", "mine")
    assert written.code == 0 and "rightcall run mine/suite.yaml" in written.out
    done = rightcall("run", "mine/suite.yaml")
    assert done.code in (0, 1) and done.err == ""
    assert done.out.startswith(("PASS  ", "FAIL  ")) and "rightcall runs show" in done.out


AGENT = """
from dataclasses import dataclass, field
from pydantic_ai import Agent, RunContext
from pydantic_ai.models.test import TestModel

@dataclass
class Bank:
    customer: str DEFAULT

agent = Agent(TestModel(), deps_type=Bank)

@agent.tool
async def balance(context: RunContext[Bank], pending: bool) -> str:
    "Returns the balance."
    return context.deps.customer

def answer(question: str, bank: Bank) -> str:
    return "42"
"""
MAKER = "\ndef make_bank() -> Bank:\n    return Bank('Ann')\n"


@pytest.fixture
def written(rightcall, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))

    def write(module: str, name: str = "agent"):
        unique = f"bank_{abs(hash(module))}"
        Path(f"{unique}.py").write_text(module, encoding="utf-8")
        return rightcall("init", f"{unique}:{name}", "mine"), unique

    return write


def test_init_writes_the_suite_of_an_agent_whose_drafts_are_refused_until_they_are_reviewed(
    rightcall, written
):
    done, module = written(AGENT.replace("DEFAULT", "") + MAKER)
    assert done.code == 0 and f"{module}:agent is an agent of Pydantic AI with 1 tool;" in done.out
    suite = Path("mine/suite.yaml").read_text("utf-8")
    assert f'with:\n    deps: "{module}:make_bank"  # Bank\n' in suite and "# tools: balance" in suite
    for words in (("run", "mine/suite.yaml"), ("dataset", "check", "mine/goldens.jsonl")):
        refused = rightcall(*words)
        assert refused.code == 2 and "unreviewed" in refused.err + refused.out
    rightcall("generate", "review", "mine/goldens.jsonl", "--accept", "balance")
    assert rightcall("dataset", "check", "mine/goldens.jsonl").code == 0
    assert "PASS  1 of 1 golden passed" in rightcall("run", "mine/suite.yaml").out


@pytest.mark.parametrize(
    ("module", "line"),
    [
        (AGENT.replace("DEFAULT", ""), "    deps: MODULE:FUNCTION  # Bank"),
        (AGENT.replace("DEFAULT", '= "Ann"'), "    deps: {}  # Bank"),
        (AGENT.replace("DEFAULT", "") + "\nann = Bank('Ann')\n", '    deps: "MODULE:ann"  # Bank'),
    ],
)
def test_init_says_what_to_write_for_what_an_agent_needs(written, module, line):
    done, name = written(module)
    assert (
        line.replace("MODULE:ann", f"{name}:ann") in Path("mine/suite.yaml").read_text("utf-8").splitlines()
    )
    assert ("write a function that returns its deps" in done.out) == ("MODULE:FUNCTION" in line)


@pytest.mark.parametrize(
    ("type_", "line"),
    [(": Bank", '    bank: "NAME:make_bank"  # Bank'), ("", "    bank: MODULE:FUNCTION  # Any")],
)
def test_init_of_a_function_names_the_parameters_that_nothing_provides(written, type_, line):
    module = AGENT.replace("DEFAULT", "").replace("bank: Bank)", f"bank{type_})")
    done, name = written(module + MAKER, "answer")
    suite = Path("mine/suite.yaml").read_text("utf-8")
    assert done.code == 0 and line.replace("NAME", name) in suite and "observe: auto" in suite


def test_what_is_no_agent_gets_no_suite(written):
    done, name = written(AGENT.replace("DEFAULT", ""), "__name__")
    problem = f"error: {name}:__name__ is not an agent but a value of type str;"
    hint = "an agent is a function, an object of a framework, or one with __call__"
    assert (done.code, done.err.strip()) == (2, f"{problem} {hint}")
    assert not Path("mine").exists()


def test_the_example_is_in_english(rightcall):
    rightcall("init", "mine")
    assert Path("mine/goldens.jsonl").read_text("utf-8").isascii()


def test_run_prints_a_row_a_case_then_the_run(rightcall):
    rightcall("init", "mine")
    done = rightcall("run", "mine/suite.yaml", "--json", "--trials", "2", "--store", "runs.db")
    *cases, last = done.rows
    goldens = Path("mine/goldens.jsonl").read_text("utf-8").splitlines()
    assert {(row["golden_id"], row["trial"]) for row in cases} == {
        (json.loads(line)["id"], trial) for line in goldens for trial in (0, 1)
    }
    assert list(last) == ["run_id", "verdict", "summary"]
    assert last["verdict"] == {0: "PASS", 1: "FAIL"}[done.code]


def test_a_run_loads_nothing_that_it_does_not_use(rightcall):
    rightcall("init", "mine")
    program = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules, file=sys.stderr));"
        "from rightcall.cli.main import main; main()"
    )
    command = [sys.executable, "-c", program, "run", "mine/suite.yaml", "--json"]
    loaded = subprocess.run(command, capture_output=True, text=True, check=False).stderr.split()
    unused = ("aiohttp", "rich", "rightcall.limbs.traces", "rightcall.lint", "rightcall.improve.")
    assert "sqlalchemy" in loaded and [module for module in loaded if module.startswith(unused)] == []


@pytest.mark.parametrize(
    "model", ["keyword:", "openai:gpt-5-mini", "local:C:\\models\\it's.gguf", "a: b # c"]
)
def test_any_model_name_survives_the_suite_file(rightcall, model):
    assert rightcall("init", "mine", "--model", model).code == 0
    assert load_suite(Path("mine/suite.yaml")).agent.model == model


@pytest.mark.parametrize("folder", ["weather: nightly", "#1", "123", "yes", "dự án", 'it\'s "mine"'])
def test_any_folder_gives_a_suite_of_its_name(rightcall, folder):
    assert rightcall("init", folder).code == 0
    assert load_suite(Path(folder) / "suite.yaml").name == folder


def test_init_overwrites_nothing_without_force(rightcall):
    rightcall("init", "mine")
    Path("mine/goldens.jsonl").write_text("precious", encoding="utf-8")
    again = rightcall("init", "mine")
    assert again.code == 2 and "already has suite.yaml, tools.json, goldens.jsonl" in again.err
    assert Path("mine/goldens.jsonl").read_text(encoding="utf-8") == "precious"
    assert rightcall("init", "mine", "--force").code == 0
    assert Path("mine/goldens.jsonl").read_text("utf-8") != "precious"


def test_the_written_suite_names_a_schema_that_accepts_it(rightcall):
    rightcall("init", "mine")
    first_line = Path("mine/suite.yaml").read_text("utf-8").splitlines()[0]
    assert first_line == "# yaml-language-server: $schema=suite.schema.json"
    assert codec.decode(Path("mine/suite.schema.json").read_bytes(), dict, "schema")


def test_dry_run_sends_and_stores_nothing(rightcall):
    rightcall("init", "mine")
    done = rightcall("run", "mine/suite.yaml", "--dry-run")
    assert done.code == 0 and "nothing was sent" in done.out
    assert not Path(".rightcall").exists() and not Path("mine/.rightcall").exists()


def test_a_broken_second_model_is_found_before_the_first_runs(rightcall):
    rightcall("init", "mine")
    done = rightcall("run", "mine/suite.yaml", "--model", "keyword:", "--model", "scripted:missing.jsonl")
    assert done.code == 2 and "missing.jsonl" in done.err and done.out == ""
    assert "no store found" in rightcall("runs", "list").err


def test_a_shown_case_names_the_command_that_runs_it_again(rightcall):
    rightcall("init", "my suite")
    golden = json.loads(Path("my suite/goldens.jsonl").read_text("utf-8").splitlines()[0])["id"]
    rightcall("run", "my suite/suite.yaml")
    shown = rightcall("runs", "show", "last", golden).out
    assert f"rightcall run 'my suite/suite.yaml' --only {golden}" in shown


def test_the_system_prompt_of_an_agent_that_is_code_was_not_heard_and_that_of_a_model_was_sent(
    rightcall, tmp_path
):
    (tmp_path / "goldens.jsonl").write_text('{"id": "hi", "input": "Hello", "no_calls": true}\n')
    (tmp_path / "quiet.py").write_text("def agent(text):\n    return []\n")
    (tmp_path / "suite.yaml").write_text("dataset: goldens.jsonl\nagent: {model: 'quiet:agent'}\n")
    for model, system in (("quiet:agent", None), ("keyword:", "")):
        rightcall("run", "suite.yaml", "--model", model)
        assert json.loads(rightcall("runs", "show", "last", "hi", "--raw").out)["system"] == system


def test_a_case_is_rerun_with_the_options_of_its_run(rightcall, tmp_path):
    (tmp_path / "goldens.jsonl").write_text('{"id": "hi", "input": "Hello", "no_calls": true}\n')
    (tmp_path / "suite.yaml").write_text("dataset: goldens.jsonl\nagent: {model: 'scripted:none.yaml'}\n")
    done = rightcall("run", "suite.yaml", "--model", "keyword:", "--metric", "call_count(limit=3)")
    assert done.code == 0, done.err
    shown = rightcall("runs", "show", "last", "hi").out
    assert "rightcall run suite.yaml --model keyword: --metric 'call_count(limit=3)' --only hi" in shown


def test_what_a_script_does_not_answer_is_not_blamed_on_a_provider(rightcall, tmp_path):
    (tmp_path / "goldens.jsonl").write_text('{"id": "hi", "input": "Hello", "no_calls": true}\n')
    (tmp_path / "script.yaml").write_text("format: rightcall/script/1\nreplies: []\n")
    (tmp_path / "suite.yaml").write_text("dataset: goldens.jsonl\nagent: {model: 'scripted:script.yaml'}\n")
    done = rightcall("run", "suite.yaml")
    assert done.code == 4 and "the script has no answer for 'hi'" in done.out
    assert "provider" not in done.out + done.err
