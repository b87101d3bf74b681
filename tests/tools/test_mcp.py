from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from rightcall.core.errors import InfrastructureError, InputError, ToolServerDown
from rightcall.metrics.resolve import resolve_metric
from rightcall.records import ExpectedCall, Golden, TestCase, Trajectory
from rightcall.tools.definitions.source import load_tools
from rightcall.tools.mcp import client as mcp_client
from rightcall.tools.mcp.address import McpAddress, read_address
from rightcall.tools.mcp.client import MOST_DEATHS, McpServer, empty_schemas
from rightcall.tools.mcp.server import http_app, mcp_server
from rightcall.tools.runtime.context import SystemClock
from rightcall.tools.runtime.toolbox import Toolbox
from tests.support.patience import wait_until
from tests.tools.helpers import Effects, a_box, a_call, run

ODD = str(Path(__file__).with_name("odd_server.py"))
DATA = Path(__file__).with_name("data")


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_client, "FIRST_PAUSE_S", 0.01)


def odd(mode: str, *more: str, **settings: Any) -> McpAddress:
    return McpAddress((sys.executable, ODD, mode, *more), **{"start_s": 30.0, "call_s": 10.0, **settings})


def with_server(address: McpAddress, use: Callable[[McpServer, Toolbox], Awaitable[Any]]) -> Any:
    async def scenario() -> Any:
        async with McpServer(address) as server:
            return await use(server, Toolbox(server.entries(), execute="real", clock=SystemClock()))

    return run(scenario())


@pytest.mark.stories
def test_a_real_server_is_listed_called_and_evaluated():
    golden = Golden(
        "What time is it in Saigon when it is 09:30 in Tokyo?",
        expected_calls=(
            ExpectedCall(
                "convert_time",
                {"source_timezone": "Asia/Tokyo", "time": "09:30", "target_timezone": "Asia/Ho_Chi_Minh"},
            ),
        ),
    )

    async def ask(server: McpServer, box: Toolbox) -> Any:
        context = box.context(task="saigon")
        call = a_call(
            "convert_time", source_timezone="Asia/Tokyo", time="09:30", target_timezone="Asia/Ho_Chi_Minh"
        )
        made = await box.invoke(call, context)
        wrong = await box.invoke(a_call("convert_time", source_timezone="Asia/Tokyo"), context)
        return [tool.name for tool in server.tools], made, wrong, box.tools

    address = McpAddress((sys.executable, "-m", "mcp_server_time", "--local-timezone", "UTC"))
    names, made, wrong, tools = with_server(address, ask)
    assert names == ["get_current_time", "convert_time"]
    assert made.call.output["target"]["datetime"].endswith("T07:30:00+07:00")
    assert wrong.outcome == "rejected" and wrong.error.error == "invalid_args"
    case = TestCase.of(golden, Trajectory(calls=(made.call,)), tools)
    assert resolve_metric("call_f1").measure(case).passed


def test_a_server_may_die_in_a_call_and_a_write_is_then_unknown():
    async def use(server: McpServer, box: Toolbox) -> Any:
        context = box.context()
        return [await box.invoke(a_call("write", text="x"), context) for _ in range(2)]

    first, second = with_server(odd("crash"), use)
    assert first.outcome == second.outcome == "unknown" and first.error.error == "outcome_unknown"


def test_a_server_that_died_is_restarted_and_the_lost_call_is_not_sent_again(tmp_path: Path):
    async def use(server: McpServer, box: Toolbox) -> Any:
        context = box.context()
        return [await box.invoke(a_call("write", text=text), context) for text in "xy"]

    first, second = with_server(odd("crash_once", str(tmp_path / "log")), use)
    assert (first.outcome, second.outcome, second.call.output) == ("unknown", "ok", "y")
    assert (tmp_path / "log").read_text().split() == ["x", "y"]


def test_a_server_that_dies_between_calls_loses_none(tmp_path: Path):
    async def use(server: McpServer, box: Toolbox) -> Any:
        made = []
        for text in "abcdefg":  # more often than a server may die in calls
            made.append(await box.invoke(a_call("write", text=text), box.context()))
            await asyncio.wait_for(server._stop.wait(), 300)
        return made

    made = with_server(odd("crash_idle", str(tmp_path / "log")), use)
    assert [one.call.output for one in made] == list("abcdefg")
    assert (tmp_path / "log").read_text().split() == list("abcdefg")


def test_a_server_that_dies_in_every_call_is_given_up():
    async def use(server: McpServer, box: Toolbox) -> Any:
        context = box.context()
        outcomes = [
            (await box.invoke(a_call("write", text="x"), context)).outcome for _ in range(MOST_DEATHS)
        ]
        with pytest.raises(ToolServerDown, match=r"exited in 5 calls in a row .* stderr: out of cheese"):
            await box.invoke(a_call("write", text="x"), context)
        with pytest.raises(ToolServerDown):
            await box.invoke(a_call("echo", text="x"), context)
        return outcomes, context.ledger.entries

    outcomes, ledger = with_server(odd("crash"), use)
    assert outcomes == ["unknown"] * MOST_DEATHS
    assert [entry.phase for entry in ledger].count("unanswered") == MOST_DEATHS


def test_a_read_from_a_dead_server_has_failed():
    async def use(server: McpServer, box: Toolbox) -> Any:
        return await box.invoke(a_call("echo", text="x"), box.context())

    made = with_server(odd("crash"), use)
    assert (made.outcome, made.error.error) == ("failed", "upstream_error")


def test_a_server_that_hangs_in_a_call_runs_into_the_deadline():
    async def use(server: McpServer, box: Toolbox) -> Any:
        return await box.invoke(a_call("echo", text="x"), box.context())

    made = with_server(odd("hang", call_s=0.2), use)
    assert (made.outcome, made.error.error) == ("failed", "timeout")


@pytest.mark.parametrize(
    ("address", "told"),
    [
        (McpAddress(("no-such-program-anywhere",)), "program 'no-such-program-anywhere' not found"),
        (odd("slow_start", start_s=0.3), "was not ready after 0.3 s"),
        (McpAddress((sys.executable, "-c", "raise SystemExit('no licence')")), "stderr: no licence"),
        (McpAddress(url="http://127.0.0.1:9/mcp"), "MCP server at http://127.0.0.1:9/mcp cannot be reached"),
    ],
    ids=["missing", "slow", "ends", "unreachable"],
)
def test_a_server_that_does_not_start_is_reported_with_the_reason(address, told):
    async def nothing(server: McpServer, box: Toolbox) -> None:
        raise AssertionError

    with pytest.raises(InfrastructureError) as error:
        with_server(address, nothing)
    assert told in str(error.value)


def test_a_servers_output_is_shown_without_the_values_of_its_environment():
    command = (sys.executable, "-c", "import os; raise SystemExit('bad token ' + os.environ['TOKEN'])")
    with pytest.raises(InfrastructureError) as error:
        with_server(McpAddress(command, env={"TOKEN": "s3cret"}), None)  # type: ignore[arg-type]
    assert "bad token ***" in str(error.value) and "s3cret" not in repr(
        McpAddress(command, env={"T": "s3cret"})
    )


def test_a_tool_with_a_broken_schema_is_named_and_left_out():
    async def use(server: McpServer, box: Toolbox) -> Any:
        return [t.name for t in server.tools], server.problems

    names, problems = with_server(odd("bad_schema"), use)
    assert names == ["echo", "write"]
    assert (
        len(problems) == 1 and "tool 'broken': the schema cannot be used at properties.a.type" in problems[0]
    )


def test_chatter_on_standard_output_is_survived():
    async def use(server: McpServer, box: Toolbox) -> Any:
        return (await box.invoke(a_call("echo", text="x"), box.context())).call.output

    assert with_server(odd("nonsense"), use) == "x"


def test_a_tool_that_the_server_removed_is_reported():
    async def use(server: McpServer, box: Toolbox) -> Any:
        context = box.context()
        first = await box.invoke(a_call("echo", text="x"), context)
        while (second := await box.invoke(a_call("write", text="x"), context)).outcome == "ok":  # noqa: ASYNC110
            await asyncio.sleep(0.01)  # the list is read again in the background
        return first, second

    first, gone = with_server(odd("change"), use)
    assert (
        first.outcome == "ok"
        and gone.error.error == "unknown_tool"
        and "no longer offers write" in gone.error.detail
    )


def test_pictures_are_described_by_kind_and_size():
    async def use(server: McpServer, box: Toolbox) -> Any:
        return (await box.invoke(a_call("echo", text="x"), box.context())).call.output

    assert with_server(odd("picture"), use) == [
        {"type": "image", "mimeType": "image/png", "size": 6},
        {"type": "text", "text": "seen"},
    ]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").split(")")[1][:3]


def gone(*pids: int) -> bool:
    """Whether all have ended, or do within a moment: the kernel takes its time."""
    wait_until(lambda: not any(alive(pid) for pid in pids))
    return True


@pytest.mark.parametrize("how", ["closed", "failed", "cancelled"])
def test_nothing_is_left_running_in_the_end(tmp_path: Path, how):
    pids = tmp_path / "pids"

    async def use(server: McpServer, box: Toolbox) -> None:
        assert all(alive(int(pid)) for pid in pids.read_text().split())
        if how == "failed":
            raise ZeroDivisionError
        if how == "cancelled":
            raise asyncio.CancelledError

    errors = {"closed": (), "failed": ZeroDivisionError, "cancelled": asyncio.CancelledError}
    try:
        with_server(odd("child", str(pids)), use)
    except BaseException as error:
        assert isinstance(error, errors[how])
    assert gone(*map(int, pids.read_text().split()))


def test_the_servers_tools_are_mocked_by_default():
    async def scenario() -> Any:
        async with McpServer(odd("crash")) as server:
            box = Toolbox(server.entries(), mocks={"echo": {"result": "mocked"}})
            return await box.invoke(a_call("echo", text="x"), box.context())

    assert run(scenario()).call.output == "mocked"


def test_schemas_that_say_nothing_are_reported_by_name():
    tools = load_tools(DATA / "gitlab.json")
    assert empty_schemas(tools) == [tool.name for tool in tools] and "create_issue" in empty_schemas(tools)
    assert empty_schemas(load_tools(DATA / "time.json")) == []
    assert empty_schemas(load_tools(DATA / "filesystem.json")) == []


@pytest.mark.parametrize(
    ("source", "address"),
    [
        ("mcp:npx -y 'a b'", McpAddress(("npx", "-y", "a b"))),
        ("mcp:https://x.test/mcp", McpAddress(url="https://x.test/mcp")),
        ({"command": ["npx", "x"], "env": {"A": "b"}}, McpAddress(("npx", "x"), env={"A": "b"})),
        ({"command": "npx x", "start_s": 5}, McpAddress(("npx", "x"), start_s=5.0)),
        ({"url": "http://x.test"}, McpAddress(url="http://x.test")),
    ],
)
def test_addresses_are_read(source, address):
    assert read_address(source) == address


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("mcp:", "no command"),
        ("mcp:'", "cannot be split"),
        ({"command": "'"}, "cannot be split"),
        ("mcp:http://[::1/mcp", "is not a URL"),
        ({"url": "http://shop.example:99999999/mcp"}, "is not a URL"),
        ({"comand": ["x"]}, "did you mean 'command'"),
        ({}, "either a command or a url"),
        ({"command": ["x"], "url": "http://x"}, "either a command or a url"),
    ],
)
def test_an_address_with_a_mistake_is_refused(source, told):
    with pytest.raises(InputError, match=told):
        read_address(source)


SERVED = """
import asyncio
from rightcall.tools.mcp.server import serve_stdio
from rightcall.tools.runtime.toolbox import Toolbox
from rightcall.tools.worlds.bank import Bank
accounts = {"a": {"owner": "An", "balance": 5}, "b": {"owner": "Binh", "balance": 0}}
asyncio.run(serve_stdio(Toolbox([Bank({"accounts": accounts})])))
"""


@pytest.mark.stories
def test_a_toolbox_is_served_over_stdio_and_keeps_its_promises():
    async def use(server: McpServer, box: Toolbox) -> Any:
        context = box.context()
        arguments = {"source": "a", "target": "b", "cents": 3, "idempotency_key": "k"}
        calls = [
            a_call("transfer", **arguments),
            a_call("transfer", **arguments),
            a_call("get_balance", account="b"),
        ]
        made = [await box.invoke(call, context) for call in calls]
        wrong = await box.invoke(a_call("get_balance", account="z"), context)
        return made, wrong, {t.name: t for t in box.tools}

    made, wrong, tools = with_server(McpAddress((sys.executable, "-c", SERVED)), use)
    assert made[0].call.output == made[1].call.output and made[2].call.output["balance"] == 3
    assert '"error":"not_found"' in wrong.error.detail and tools["get_balance"].annotations.read_only


def test_a_toolbox_is_served_over_http():
    import socket

    import uvicorn

    effects = Effects(idempotency="key")
    app = http_app(mcp_server(a_box(effects.pay)))

    async def scenario() -> Any:
        with socket.socket() as listening:
            listening.bind(("127.0.0.1", 0))
            port = listening.getsockname()[1]
            server = uvicorn.Server(uvicorn.Config(app, log_level="error", lifespan="on"))
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            try:
                async with McpServer(McpAddress(url=f"http://127.0.0.1:{port}/mcp")) as client:
                    box = Toolbox(client.entries(), execute="real")
                    calls = [a_call("pay", amount=5, idempotency_key="k") for _ in range(2)]
                    return [await box.invoke(call, box.context()) for call in calls]
            finally:
                server.should_exit = True
                await serving

    first, second = run(scenario())
    assert first.call.output == second.call.output == {"paid": 5, "number": 1} and effects.done == [5]
