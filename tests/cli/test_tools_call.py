from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from rightcall.cli.mcp import call, serve
from rightcall.core.errors import InputError, RightCallError
from rightcall.tools.definitions.source import tools_of
from rightcall.tools.mcp.address import McpAddress
from rightcall.tools.mcp.client import McpServer

TOOLS = [{"name": "count", "input_schema": {"type": "object", "properties": {"n": {"type": "integer"}}}}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "tools.json").write_text(json.dumps(TOOLS))
    (tmp_path / "my_tools_for_call.py").write_text(
        "from rightcall.tools.definitions.function import tool\n"
        "@tool(read_only=True)\n"
        "def double(n: int) -> int:\n    'Twice.'\n    return n * 2\n"
        "number = 3\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    return tmp_path


def ran(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(call, words)
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.output


def test_a_tool_of_a_file_answers_with_a_mock(folder: Path):
    code, out = ran("tools.json", "count", "--arg", "n=3", "--json")
    assert code == 0 and json.loads(out)["outcome"] == "ok"


def test_a_function_is_called_for_real_only_when_asked(folder: Path):
    assert ran("my_tools_for_call:double", "double", "--args", '{"n": 4}', "--real") == (0, "8\n")
    assert ran("my_tools_for_call:double", "double", "--args", '{"n": 4}')[1] != "8\n"


def test_a_tool_of_a_server_is_called(folder: Path):
    server = f"mcp:{sys.executable} {Path(__file__).parents[1] / 'tools' / 'odd_server.py'} good"
    assert ran(server, "echo", "--arg", "text=hello") == (0, "hello\n")
    assert [tool.name for tool in tools_of(server)] == ["echo", "write"]


def test_a_call_that_does_not_work_shows_the_error_contract_and_exits_with_1(folder: Path):
    code, out = ran("tools.json", "count", "--arg", "n=many")
    assert code == 1 and json.loads(out)["error"] == "invalid_args"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("tools.json", "cuont"), "no such tool 'cuont'; did you mean 'count'?"),
        (("tools.json", "count", "--args", "{"), "--args: not valid JSON"),
        (("tools.json", "count", "--arg", "n"), "has no '='"),
        (("nothing.json", "count"), "nothing.json"),
        (("my_tools_for_call:treble", "treble"), "no 'treble' in"),
        (("no_such_module:x", "x"), "cannot be loaded"),
        (("my_tools_for_call:number", "x"), "a int is not a tool"),
    ],
)
def test_mistakes_are_reported_in_one_line(folder: Path, words, told):
    with pytest.raises(RightCallError) as error:
        ran(*words)
    assert error.value.exit_code == 2 and told in str(error.value)


def test_serving_needs_a_port(folder: Path):
    done = CliRunner().invoke(serve, ["tools.json", "--http", "localhost"])
    assert isinstance(done.exception, InputError)


PAYING = """
from pathlib import Path
from rightcall.tools.definitions.function import tool

@tool(destructive=True, idempotency="key")
def pay(cents: int) -> dict:
    "Pay."
    with Path("paid.txt").open("a") as paid:
        paid.write(f"{cents}\\n")
    return {"paid": cents}
"""
PAY = ("paying_tools:pay", "pay", "--args", '{"cents": 5, "idempotency_key": "bill-17"}', "--real", "--json")


def test_the_same_key_in_a_second_command_pays_nothing(folder: Path):
    (folder / "paying_tools.py").write_text(PAYING)
    first, second = (CliRunner().invoke(call, PAY) for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0) and (folder / "paid.txt").read_text() == "5\n"
    again = json.loads(second.stdout)
    assert again["replayed"] is True and again["output"] == {"paid": 5}
    assert (folder / ".rightcall" / "rightcall.keys.db").exists()


def test_mocked_calls_keep_no_keys(folder: Path):
    (folder / "paying_tools.py").write_text(PAYING)
    ran(*(word for word in PAY if word != "--real"))
    assert not (folder / ".rightcall").exists()


@pytest.mark.stories
def test_a_server_that_is_started_again_remembers_its_keys(folder: Path):
    (folder / "paying_tools.py").write_text(PAYING)
    command = [sys.executable, "-m", "rightcall.cli.main", "mcp", "serve", "paying_tools:pay", "--real"]
    address = McpAddress(tuple(command), env={"PYTHONPATH": str(folder)}, cwd=str(folder))

    async def paid() -> object:
        async with McpServer(address) as server:
            return await server.call("pay", {"cents": 5, "idempotency_key": "bill-17"})

    assert asyncio.run(paid()) == asyncio.run(paid()) == {"paid": 5}
    assert (folder / "paid.txt").read_text() == "5\n"


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        ((".", "--strict"), "--strict is not for RightCall"),
        (("a.mcp.jsonl", "--real"), "--real is not for a recording"),
        (("tools.json", "--trust"), "--trust is not for tools"),
        (("suite.yaml", "--to", "https://x.example", "--strict"), "--strict is not for a suite"),
    ],
)
def test_what_is_served_has_its_own_options(rightcall, words, problem):
    done = rightcall("mcp", "serve", *words)
    assert (done.code, problem in done.err) == (2, True)
