"""A mock that does not work ends the run or makes its case an error: the model reads no answer that nobody wrote."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

import rightcall as rc
from rightcall.cli.main import cli
from rightcall.core.errors import CheckError, ConfigError
from rightcall.tools.runtime.toolbox import Toolbox
from tests.tools.helpers import a_call, invoke

TOOL = {
    "name": "get_order",
    "description": "Gets one order by its number.",
    "input_schema": {
        "type": "object",
        "properties": {"number": {"type": "integer"}, "details": {"type": "boolean"}},
        "required": ["number"],
    },
    "output_schema": {"type": "object", "properties": {"status": {"type": "string"}}, "required": ["status"]},
}
GOLDEN = {"id": "g", "input": "Order 17?", "expected_calls": [{"tool": "get_order", "args": {"number": 17}}]}
SCRIPT = {
    "format": "rightcall/script/1",
    "replies": [
        {"turns": [{"calls": [{"name": "get_order", "arguments": {"number": 17}}]}, {"text": "It was sent."}]}
    ],
}
MOCKS = """
import json
import rightcall as rc


def works(number, details=False):
    return {"status": "sent"}

def explains(number, **others):
    raise rc.ToolError("not_found", "no such order")

def takes_another(order):
    return {"status": "sent"}

def takes_less(number):
    return {"status": "sent"}

def needs_more(number, details):
    return {"status": "sent"}

def misspells(number, **others):
    return {"status": ordrs[number]}

def adds(number, **others):
    return {"status": "order " + number}

def looks_up(number, **others):
    return {}.status

def imports(number, **others):
    import no_such_module_anywhere

async def misspells_later(number, **others):
    return {"status": ordrs[number]}

def lacks_the_order(number, **others):
    return {"status": {18: "sent"}[number]}

def reads_a_file(number, **others):
    with open("no-such-fixture.json") as file:
        return json.load(file)

def returns_an_object(number, **others):
    return object()

def returns_another_shape(number, **others):
    return {"state": "sent"}

def exits(number, **others):
    raise SystemExit(1)
"""

BEFORE = {
    "takes_another": "takes_another needs 'order', which get_order does not have",
    "takes_less": "takes_less does not take 'details', a parameter of get_order; add it, or **others",
    "needs_more": "needs_more needs 'details', which a call of get_order may leave out; give it a default",
}
"""Mocks that cannot be called as the tool is: nothing is asked."""
MISTAKES = {
    "misspells": "misspells raised NameError: name 'ordrs' is not defined (order_mocks.py:22)",
    "adds": "adds raised TypeError: ",
    "looks_up": "looks_up raised AttributeError: ",
    "imports": "imports raised ModuleNotFoundError: No module named 'no_such_module_anywhere' (order_mocks.py:31)",
    "misspells_later": "misspells_later raised NameError: name 'ordrs' is not defined (order_mocks.py:34)",
}
"""Mistakes in the lines of a mock: the run ends."""
ERRORS = {
    "lacks_the_order": "lacks_the_order raised KeyError: 17 (order_mocks.py:37); raise rightcall.ToolError(",
    "reads_a_file": "reads_a_file raised FileNotFoundError: ",
    "returns_an_object": "returns_an_object: the result of get_order cannot be used: a object is not JSON",
    "returns_another_shape": "returns_another_shape: the result of get_order cannot be used: it does not fit its schema",
    "exits": "exits raised CodeExit: it called sys.exit(1)",
}
"""What a mock raises or returns for some calls: the case is an error."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "order_mocks.py").write_text(MOCKS)
    (tmp_path / "tools.json").write_text(json.dumps([TOOL]))
    (tmp_path / "goldens.jsonl").write_text(json.dumps(GOLDEN))
    (tmp_path / "script.json").write_text(json.dumps(SCRIPT))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("order_mocks", None)


def run_suite(folder: Path, mock: dict[str, object], *options: str):
    agent = {"model": "scripted:script.json", "mode": "loop"}
    suite = {"dataset": "goldens.jsonl", "tools": "tools.json", "agent": agent, "mocks": {"get_order": mock}}
    (folder / "suite.json").write_text(json.dumps(suite))
    return CliRunner().invoke(cli, ["run", "suite.json", "--trust", *options])


def agent_with(mock: object) -> rc.Agent:
    return rc.Agent("scripted:script.json", tools=[TOOL], mode="loop", mocks={"get_order": mock})


@pytest.mark.parametrize("name", ["works", "explains"])
def test_a_mock_that_works_answers_the_model(folder, name):
    done = run_suite(folder, {"function": f"order_mocks:{name}"})
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("name", [*BEFORE, *MISTAKES])
def test_a_broken_mock_ends_the_run_with_its_place(folder, name):
    says = (BEFORE | MISTAKES)[name]
    done = run_suite(folder, {"function": f"order_mocks:{name}"})
    assert isinstance(done.exception, ConfigError), done.output
    assert (done.exception.exit_code, says in str(done.exception)) == (2, True)
    with pytest.raises(ConfigError) as raised:
        rc.evaluate(agent_with({"function": f"order_mocks:{name}"}), [golden()])
    assert says in str(raised.value)


def golden() -> rc.Golden:
    return rc.Golden("Order 17?", "g", expected_calls=[rc.ExpectedCall("get_order", {"number": 17})])


@pytest.mark.parametrize("name", ERRORS)
def test_a_mock_that_fails_in_a_call_makes_its_case_an_error(folder, name):
    done = run_suite(folder, {"function": f"order_mocks:{name}"}, "--json")
    assert done.exit_code == 4, done.output
    result = rc.evaluate(agent_with({"function": f"order_mocks:{name}"}), [golden()]).results[0]
    assert (result.passed, ERRORS[name] in result.error) == (False, True), result.error
    with pytest.raises(CheckError):
        rc.assert_test(golden=golden(), agent=agent_with({"function": f"order_mocks:{name}"}))


@pytest.mark.parametrize(
    ("mock", "says"),
    [
        ({"result": {"state": "sent"}}, "the result of get_order cannot be used: it does not fit its schema"),
        ({"cases": [{"args": {"number": 1}, "result": 5}]}, "the result of get_order cannot be used"),
        (
            {"sequence": [{"result": {"status": "sent"}}, {"result": 5}]},
            "the result of get_order cannot be used",
        ),
        (
            {"result": {"status": "sent"}, "goldens": {"g": {"result": []}}},
            "mocks.get_order.goldens.g: the result",
        ),
        ({"result": {"status": {1, 2}}}, "the result of get_order cannot be used"),
        ({"result": object()}, "the result of get_order cannot be used: a object is not JSON"),
    ],
)
def test_a_result_that_no_tool_could_return_is_an_error_before_the_run(folder, mock, says):
    with pytest.raises(ConfigError) as raised:
        rc.evaluate(agent_with(mock), [golden()])
    assert says in str(raised.value)


def test_a_mock_need_not_take_what_the_runtime_reads(folder):
    @rc.tool(idempotency="key", confirmation="preview")
    def pay(cents: int) -> str:
        return "paid"

    box = Toolbox([pay], mocks={"pay": {"function": lambda cents: f"paid {cents}"}})
    context = box.context()
    call = a_call("pay", cents=5, idempotency_key="k")
    asked = invoke(box, call, context)
    token = re.search(r"confirmation_token = '([^']+)'", asked.error.hint)[1]
    confirmed = invoke(box, a_call("pay", **call.arguments, confirmation_token=token), context)
    assert confirmed.call.output == "paid 5"
