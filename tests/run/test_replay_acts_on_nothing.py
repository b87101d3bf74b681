"""A replayed run acts on nothing: each call of a real tool is answered by its recorded result, or is a miss.

The law, for every kind of tool and through every door: what was recorded once is replayed equal, no effect happens again
(`ACTED` stays as it was, an MCP server is not started), and a call that differs is not executed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.agents.kinds import actions_of_replay, agent_of_kind
from rightcall.core.errors import CheckError, ConfigError
from rightcall.metrics.judged.rubric import Rubric
from rightcall.providers.scripted import ScriptedProvider
from rightcall.recording.library import Recordings, RecordSettings
from rightcall.records import Golden, Trajectory
from rightcall.records.call import ToolCall
from rightcall.tools.runtime.context import effects
from rightcall.tools.runtime.errors import ToolError
from tests.providers.loopback import json_server

ACTED: list[str] = []
GOLDEN = Golden("pay", id="g", expected_calls=(rc.ExpectedCall("pay", {"to": "Ann"}),))


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    ACTED.clear()
    return tmp_path


def pay(to: str) -> dict[str, Any]:
    """Pay somebody."""
    ACTED.append(to)
    return {"paid": to, "number": len(ACTED)}


async def pay_async(to: str) -> dict[str, Any]:
    """Pay somebody."""
    return pay(to)


def pay_in_parts(to: str) -> Iterator[str]:
    """Pay somebody."""
    yield from (pay(to)["paid"], "!")


def fail_after(error: Exception) -> Callable[..., Any]:
    def pay_and_fail(to: str) -> dict[str, Any]:
        """Pay somebody."""
        pay(to)
        raise error

    return pay_and_fail


def preview(arguments: dict[str, Any]) -> str:
    ACTED.append("preview")
    return f"would pay {arguments['to']}"


FUNCTIONS: dict[str, Any] = {
    "function": rc.tool(name="pay")(pay),
    "async": rc.tool(name="pay")(pay_async),
    "generator": rc.tool(name="pay")(pay_in_parts),
    "destructive": rc.tool(name="pay", destructive=True)(pay),
    "keyed by its arguments": rc.tool(name="pay", idempotency="args")(pay),
    "confirmed": rc.tool(name="pay", confirmation="preview", preview=preview)(pay),
    "failing with an explanation": rc.tool(name="pay")(fail_after(ToolError("not_found", "no Ann"))),
    "broken": rc.tool(name="pay", read_only=True)(fail_after(KeyError("bug"))),
}


def script(*names: str) -> Callable[[Any], Any]:
    """A model that calls `pay` for each name, twice each, and then answers with what it read."""

    def reply(request: Any) -> ToolCall | str:
        done = sum(len(message.results) for message in request.messages)
        calls = [ToolCall("pay", {"to": name}, f"c{i}") for i, name in enumerate((*names, *names))]
        if done < len(calls):
            return calls[done]
        return str([result.output for message in request.messages for result in message.results])

    return reply


def paying_agent(tool: Any, recordings: Recordings, *names: str) -> Agent:
    return Agent(
        ScriptedProvider(script(*(names or ("Ann", "Bob")))),
        tools=[tool],
        mode="loop",
        execute="real",
        recordings=recordings,
    )


def evaluate(agent: Agent) -> Trajectory:
    return rc.evaluate(agent, dataset=[GOLDEN]).results[0].trajectory


def assert_one(agent: Agent) -> Trajectory:
    try:
        return rc.assert_test(golden=GOLDEN, agent=agent).trajectory
    except (AssertionError, CheckError) as error:
        return error.result.trajectory


DOORS = {"evaluate": evaluate, "assert_test": assert_one}


def recordings_of(folder: Path, mode: str) -> Recordings:
    return Recordings(RecordSettings(mode), folder / "recordings")


def seen(trajectory: Trajectory) -> tuple[Any, ...]:
    """What a replay must repeat: calls with results, the answer, how it ended, and what the ledger says was done."""
    calls = [(call.name, call.arguments, call.output, call.status) for call in trajectory.calls]
    ledger = [(line.phase, line.tool, line.attempt) for line in trajectory.ledger]
    return calls, trajectory.output, trajectory.stop_reason, ledger


@pytest.mark.parametrize("mode", ["replay", "auto"])
@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", FUNCTIONS)
def test_a_replay_repeats_results_and_no_effect(kind, door, mode, folder):
    recorded = DOORS[door](paying_agent(FUNCTIONS[kind], recordings_of(folder, "auto")))
    done = list(ACTED)
    assert done and recorded.calls
    replayed = DOORS[door](paying_agent(FUNCTIONS[kind], recordings_of(folder, mode)))
    assert done == ACTED
    assert seen(replayed) == seen(recorded)
    assert len(effects(replayed.ledger)) == len(effects(recorded.ledger))


@pytest.mark.parametrize(
    "nonce", ["A-3fBv1Ee6tO0M49", "my_a-the-token-1", "xxxxxxxx_xxxxxxx", "----------------"]
)
def test_tokens_that_read_like_words_are_hidden_from_a_recording(nonce, folder, monkeypatch):
    monkeypatch.setattr("rightcall.tools.runtime.prepare.secrets.token_urlsafe", lambda size: nonce)
    recorded = evaluate(paying_agent(FUNCTIONS["confirmed"], recordings_of(folder, "auto")))
    (file,) = (folder / "recordings").glob("g-*.json")
    assert nonce not in file.read_text()
    monkeypatch.undo()
    monkeypatch.chdir(folder)
    assert seen(evaluate(paying_agent(FUNCTIONS["confirmed"], recordings_of(folder, "replay")))) == seen(
        recorded
    )


def edit_recording(folder: Path, change: Callable[[list[dict[str, Any]]], list[dict[str, Any]]]) -> None:
    (file,) = (folder / "recordings").glob("g-*.json")
    document = json.loads(file.read_text())
    document["trials"]["0"]["exchanges"] = change(document["trials"]["0"]["exchanges"])
    file.write_text(json.dumps(document))


def with_tool(ask: dict[str, Any]) -> Callable[[list[dict[str, Any]]], list[dict[str, Any]]]:
    """The recording, as if the tools had been called in another way."""
    return lambda exchanges: [
        {**e, "ask": {**e["ask"], **ask}} if "tool" in e["ask"] else e for e in exchanges
    ]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (
            with_tool({"arguments": {"to": "Carl"}}),
            "the arguments of pay changed since it was recorded (*Carl*then*Ann*now)",
        ),
        (with_tool({"tool": "refund"}), "pay was not called when this was recorded (refund)"),
        (
            lambda exchanges: [e for i, e in enumerate(exchanges) if "tool" not in e["ask"] or i < 4],
            "pay was called 1 times with these arguments when this was recorded, and now once more",
        ),
        (
            lambda exchanges: [e for e in exchanges if "tool" not in e["ask"]],
            "no result of pay was recorded, nor of any other tool",  # as older versions recorded
        ),
    ],
)
@pytest.mark.parametrize("door", DOORS)
def test_a_call_that_was_not_recorded_is_a_miss_and_is_not_executed(change, why, door, folder):
    DOORS[door](paying_agent(FUNCTIONS["function"], recordings_of(folder, "auto")))
    edit_recording(folder, change)
    done = list(ACTED)
    missed = DOORS[door](paying_agent(FUNCTIONS["function"], recordings_of(folder, "replay")))
    assert done == ACTED
    pattern = f"not_recorded: g, trial 0: {why}; nothing was called; run with --record auto"
    assert missed.stop_reason == "infra_error" and fnmatch(missed.error, pattern), missed.error
    DOORS[door](paying_agent(FUNCTIONS["function"], recordings_of(folder, "auto")))  # starts over, and acts
    assert len(ACTED) == 2 * len(done)
    DOORS[door](paying_agent(FUNCTIONS["function"], recordings_of(folder, "replay")))
    assert len(ACTED) == 2 * len(done)


@pytest.mark.parametrize("error", [ConnectionResetError("gone"), KeyError("bug")])
def test_a_trial_whose_effect_is_unknown_is_not_recorded_so_its_replay_is_a_miss(error, folder):
    tool = rc.tool(name="pay", destructive=True)(fail_after(error))
    evaluate(paying_agent(tool, recordings_of(folder, "auto")))
    done = list(ACTED)
    assert "nothing was recorded" in evaluate(paying_agent(tool, recordings_of(folder, "replay"))).error
    assert done and done == ACTED


@pytest.mark.parametrize("door", DOORS)
def test_an_agent_without_a_recording_does_not_run_in_a_replay(door, folder):
    def agent(golden: Golden) -> str:
        ACTED.append("ran")
        return "done"

    kinds = [
        Agent(agent, recordings=recordings_of(folder, "replay")),
        Agent(f"exec:touch {folder}/started", recordings=recordings_of(folder, "replay")),
        paying_agent(FUNCTIONS["function"], recordings_of(folder, "replay")),
    ]
    for kind in kinds:
        missed = DOORS[door](kind)
        assert "nothing was recorded for these inputs; run with --record auto" in missed.error
    assert not ACTED and not (folder / "started").exists()


SERVER = """
import sys
from pathlib import Path
from mcp.server import MCPServer
Path("started.txt").open("a").write("x")
server = MCPServer("bank")
@server.tool()
def pay(to: str) -> dict:
    "Pay somebody."
    Path("paid.txt").open("a").write(to)
    return {"paid": to}
server.run(**({"transport": "streamable-http", "port": int(sys.argv[1])} if sys.argv[1:] else {}))
"""


@pytest.mark.stories
def test_an_mcp_server_is_not_started_by_a_replay(folder):
    (folder / "server.py").write_text(SERVER)
    turns = [{"calls": [{"name": "pay", "arguments": {"to": "Ann"}}]}, {"text": "done"}]
    (folder / "script.json").write_text(json.dumps({"replies": [{"golden": "g", "turns": turns}]}))
    golden = {"id": "g", "input": "pay", "expected_calls": [{"tool": "pay", "args": {"to": "Ann"}}]}
    (folder / "goldens.jsonl").write_text(json.dumps(golden))
    suite = {
        "name": "bank",
        "tools": {"mcp": {"command": [sys.executable, "server.py"]}},
        "dataset": "goldens.jsonl",
        "agent": {"model": "scripted:script.json", "mode": "loop", "execute": "real"},
    }
    (folder / "suite.json").write_text(json.dumps(suite))
    with pytest.raises(ConfigError, match="the tools of the MCP server were not recorded"):
        rc.run_suite(folder / "suite.json", record="replay")
    assert not (folder / "started.txt").exists()
    (recorded,) = rc.run_suite(folder / "suite.json", record="auto").results
    before = {name: (folder / name).read_text() for name in ("started.txt", "paid.txt")}
    assert before["paid.txt"] == "Ann"
    (folder / "server.py").unlink()
    (replayed,) = rc.run_suite(folder / "suite.json", record="replay").results
    assert {name: (folder / name).read_text() for name in before} == before
    assert replayed.passed and seen(replayed.trajectory) == seen(recorded.trajectory)
    rc.check(str(folder / "suite.json"), record="replay", baseline="last")
    assert {name: (folder / name).read_text() for name in before} == before


def test_secrets_of_tools_are_not_recorded(folder, monkeypatch):
    secret = "sk-planted-0123456789abcdef"
    monkeypatch.setenv("BANK_KEY", secret)

    def pay(to: str) -> dict[str, Any]:
        """Pay somebody."""
        ACTED.append(to)
        return {"paid": to, "with": secret}

    evaluate(paying_agent(rc.tool(pay), recordings_of(folder, "auto"), f"Ann {secret}"))
    written = "".join(file.read_text() for file in (folder / "recordings").rglob("*.json"))
    assert "[secret]" in written and secret not in written
    replayed = evaluate(paying_agent(rc.tool(pay), recordings_of(folder, "replay"), f"Ann {secret}"))
    assert replayed.stop_reason == "done" and len(ACTED) == 2


def test_an_observed_agent_whose_tools_can_be_answered_does_not_run_them_in_a_replay(folder):
    from pydantic_ai import Agent as PydanticAgent
    from pydantic_ai.models.test import TestModel

    def agent(mode: str) -> Agent:
        inner = PydanticAgent(TestModel(), tools=[pay])
        return Agent(rc.observe(inner), recordings=recordings_of(folder, mode))

    recorded = evaluate(agent("auto"))
    done = list(ACTED)
    replayed = evaluate(agent("replay"))
    assert done and done == ACTED
    assert [call.output for call in replayed.calls] == [call.output for call in recorded.calls]


def test_a_function_is_told_to_run_in_a_replay_unless_its_result_was_recorded(folder):
    with json_server(lambda body: {"ok": True}) as server:

        def agent(golden: Golden) -> str:
            import httpx

            ACTED.append("ran")
            return httpx.post(server.url, json={"q": golden.input}).text

        rc.evaluate(Agent(agent, recordings=recordings_of(folder, "auto")), dataset=[GOLDEN])
    replayed = Agent(agent, recordings=recordings_of(folder, "replay"))
    assert "it is a function, so only its requests are answered" in actions_of_replay(agent_of_kind(replayed))
    evaluate(replayed)
    assert ACTED == ["ran", "ran"]
    whole = Recordings(RecordSettings("auto", level="trajectory"), folder / "whole")
    rc.evaluate(Agent(lambda golden: ACTED.append("ran") or "done", recordings=whole), dataset=[GOLDEN])
    done = list(ACTED)
    replay = Recordings(RecordSettings("replay", level="trajectory"), folder / "whole")
    again = Agent(lambda golden: ACTED.append("ran") or "done", recordings=replay)
    assert not actions_of_replay(agent_of_kind(again))
    evaluate(again)
    assert done == ACTED


def test_worlds_and_mocks_run_in_a_replay_because_they_act_on_nothing(folder):
    def agent(mode: str) -> Agent:
        made = paying_agent(FUNCTIONS["function"], recordings_of(folder, mode))
        return replace(made, execute="mock", mocks={"pay": {"result": "mocked"}})

    assert seen(evaluate(agent("auto"))) == seen(evaluate(agent("replay"))) and not ACTED


def test_judges_are_recorded_and_replayed(folder):
    asked: list[dict[str, Any]] = []

    def judge(body: dict[str, Any]) -> dict[str, Any]:
        asked.append(body)
        verdict = {"verdict": "pass", "reason": "fine"}
        name = body["tools"][0]["function"]["name"]
        call = {"id": "1", "type": "function", "function": {"name": name, "arguments": json.dumps(verdict)}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        return {"model": "j", "choices": [{"message": message, "finish_reason": "tool_calls"}], "usage": {}}

    def run(url: str, mode: str) -> Any:
        metric = Rubric("openai:j", "is it kind?", votes=2, base_url=url)
        agent = paying_agent(FUNCTIONS["function"], recordings_of(folder, mode))
        (result,) = rc.evaluate(agent, dataset=[GOLDEN], metrics=[metric]).results
        return result.metrics[metric.name]

    with json_server(judge) as server:
        recorded = run(server.url, "auto")
        assert len(asked) == 2 and recorded.passed
        assert run(server.url, "auto") == recorded and len(asked) == 2
    assert run(server.url, "replay") == recorded
    assert list((folder / "recordings" / "judges").glob("g-*.json"))
