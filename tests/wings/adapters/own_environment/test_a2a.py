"""`a2a:URL` with a real server of the a2a-sdk package on loopback, whose agent asks the scripted model."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import pytest
import uvicorn
from a2a.helpers.proto_helpers import new_data_part, new_task_from_user_message, new_text_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill, Message, Role
from starlette.applications import Starlette

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.agents.limits import Limits
from rightcall.agents.remote.exchange import Exchange
from rightcall.agents.session import Session
from rightcall.model import ConversationalGolden, ExpectedCall, Golden, Turn
from tests.wings.adapters.contract import TRIP, made, performed
from tests.wings.adapters.script import Journal, book_room, weather_of
from tests.wings.adapters.shared_server import Served, served


class TravelAgent(AgentExecutor):
    """A loop on the model that remembers each context; `reports` says how it tells its calls, if it does."""

    def __init__(self, server: Served, reports: str) -> None:
        self._server, self._reports = server, reports
        self._histories: dict[str, list[Any]] = {}

    async def execute(self, context: Any, event_queue: Any) -> None:
        text = context.get_user_input()
        if self._reports == "message":
            await event_queue.enqueue_event(
                Message(message_id="m1", role=Role.ROLE_AGENT, parts=[new_text_part("Hi.")])
            )
            return
        if context.current_task is None:
            await event_queue.enqueue_event(new_task_from_user_message(context.message))
        task = TaskUpdater(event_queue, context.task_id, context.context_id)
        ends = {
            "fail": task.failed,
            "reject": task.reject,
            "sign in": task.requires_auth,
            "ask": task.requires_input,
        }
        await task.start_work(task.new_agent_message([new_text_part("One moment.")]))
        if text in ends:
            await ends[text](task.new_agent_message([new_text_part(f"{text}: which city?")]))
            return
        history = self._histories.setdefault(context.context_id, [])
        await self._loop(task, [history.append({"role": "user", "content": text}), history][1])
        await task.complete()

    async def _loop(self, task: TaskUpdater, history: list[Any]) -> None:
        told: list[dict[str, Any]] = []
        async with httpx.AsyncClient(trust_env=False) as client:
            while True:
                body = {"model": self._server.model, "messages": history}
                reply = (await client.post(f"{self._server.address}/v1/chat/completions", json=body)).json()
                answer = reply["choices"][0]["message"]
                history.append(answer)
                calls = answer.get("tool_calls") or []
                if not calls:
                    break
                if self._reports == "parts":
                    await task.start_work(task.new_agent_message([new_data_part(call) for call in calls]))
                for call in calls:
                    result, failed = run_tool(call["function"])
                    history.append({"role": "tool", "tool_call_id": call["id"], "content": result})
                    status = "error" if failed else "ok"
                    given = json.loads(call["function"]["arguments"])
                    told.append(
                        {
                            "name": call["function"]["name"],
                            "arguments": given,
                            "id": call["id"],
                            "status": status,
                        }
                    )
                    block = {
                        "type": "tool_result",
                        "tool_use_id": call["id"],
                        "content": result,
                        "is_error": failed,
                    }
                    if self._reports == "parts":
                        await task.start_work(task.new_agent_message([new_data_part(block)]))
        metadata = {"calls": told} if self._reports == "metadata" else None
        await task.add_artifact([new_text_part(answer["content"])], metadata=metadata)

    async def cancel(self, context: Any, event_queue: Any) -> None:
        raise NotImplementedError


def run_tool(function: dict[str, Any]) -> tuple[str, bool]:
    try:
        given = json.loads(function["arguments"])
        return (weather_of if function["name"] == "get_weather" else book_room)(**given), False
    except Exception as error:
        return f"error: {error}", True


@contextmanager
def a2a_server(
    journal: Journal, reports: str = "parts", *, streams: bool = True, old: bool = False
) -> Iterator[str]:
    """The address of an agent; an `old` one speaks 0.3 alone."""
    server = uvicorn.Server(uvicorn.Config(lambda: None, port=0, log_level="error"))
    sockets = [server.config.bind_socket()]
    address = f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    version = "0.3" if old else "1.0"
    card = AgentCard(
        name="travel", version="7", description="Trips.",
        supported_interfaces=[AgentInterface(url=f"{address}/rpc", protocol_binding="JSONRPC", protocol_version=version)],
        capabilities=AgentCapabilities(streaming=streams), default_input_modes=["text"], default_output_modes=["text"],
        skills=[AgentSkill(id="trips", name="trips", description="Trips.", tags=["travel"])],
    )  # fmt: skip
    handler = DefaultRequestHandler(TravelAgent(served(journal), reports), InMemoryTaskStore(), card)
    routes = create_jsonrpc_routes(handler, "/rpc", enable_v0_3_compat=old)
    server.config.app = Starlette(routes=[*routes, *create_agent_card_routes(card)])
    thread = threading.Thread(target=server.run, args=(sockets,))
    thread.start()
    try:
        while not server.started:
            time.sleep(0.01)
        yield address
    finally:
        server.should_exit = True
        thread.join()


KINDS = [(streams, old) for streams in (True, False) for old in (True, False)]


@pytest.mark.parametrize(("streams", "old"), KINDS)
@pytest.mark.parametrize("reports", ["parts", "metadata"])
def test_calls_are_those_that_the_agent_reports(reports, streams, old):
    journal = Journal()
    with a2a_server(journal, reports, streams=streams, old=old) as address:
        (trajectory,) = performed(f"a2a:{address}", "trip Hanoi")
    assert (trajectory.stop_reason, trajectory.error) == ("done", "")
    assert [call[:2] + call[3:] for call in made(trajectory)] == [call[:2] + call[3:] for call in TRIP]
    if reports == "parts":
        assert made(trajectory) == TRIP
        assert trajectory.calls[0].output == "31 in Hanoi" and "no room" in str(trajectory.calls[2].output)
    assert trajectory.output == "No room in Hanoi."
    assert trajectory.served_model == "travel 7"
    assert len(journal.requests) == 3


@pytest.mark.parametrize(("streams", "old"), KINDS)
def test_an_agent_that_reports_nothing_is_unknown(streams, old):
    with a2a_server(Journal(), "nothing", streams=streams, old=old) as address:
        (trajectory,) = performed(f"a2a:{address}", "trip Hanoi")
    assert trajectory.stop_reason == "infra_error" and "reported no calls" in trajectory.error
    assert trajectory.output == "No room in Hanoi."


def test_no_golden_passes_without_evidence(tmp_path):
    goldens = [
        Golden("weather Hue", id="negative", category="negative", no_calls=True),
        Golden("weather Hue", id="plain"),
        Golden("weather Hue", id="call", expected_calls=(ExpectedCall("get_weather"),)),
    ]
    with a2a_server(Journal(), "nothing") as address:
        run = rc.evaluate(f"a2a:{address}", goldens, store=tmp_path / "runs.db")
    assert not run.passed and not any(result.passed for result in run.results)


def test_answers_alone_are_judged_where_the_suite_says_so():
    exchange = Exchange(response={"output": "$.output"})
    with a2a_server(Journal(), "nothing") as address:
        (trajectory,) = performed(f"a2a:{address}", "trip Hanoi", exchange=exchange)
    assert (trajectory.stop_reason, trajectory.output) == ("done", "No room in Hanoi.")


ENDS = {
    "fail": ("agent_error", "the task is failed: fail: which city?"),
    "reject": ("refused", ""),
    "sign in": ("infra_error", "the task is auth-required: sign in: which city?"),
}


@pytest.mark.parametrize(("streams", "old"), KINDS)
@pytest.mark.parametrize("says", ENDS)
def test_the_state_of_a_task_says_how_it_ended(says, streams, old):
    with a2a_server(Journal(), streams=streams, old=old) as address:
        (trajectory,) = performed(f"a2a:{address}", says)
    assert (trajectory.stop_reason, trajectory.error) == ENDS[says]


@pytest.mark.parametrize(("streams", "old"), KINDS)
def test_a_task_that_waits_is_continued_in_its_context(streams, old):
    journal = Journal()

    async def talk(address: str) -> Any:
        async with Session(Agent(f"a2a:{address}")) as session:
            assert session.addressed is not None
            turns = session.addressed.session(Golden("ask", id="g"))
            stops = []
            for text in ("ask", "weather Hanoi", "weather Hue"):
                await turns.turn(text)
                stops.append(turns.trajectory().stop_reason)
            return stops, turns.trajectory()

    with a2a_server(journal, streams=streams, old=old) as address:
        stops, trajectory = asyncio.run(talk(address))
    assert stops == ["waiting_for_approval", "done", "done"]
    assert "which city?" in trajectory.messages[1].content
    assert "weather Hanoi" in journal.requests[-1] and "31 degrees in Hanoi." in journal.requests[-1]
    assert [call.arguments for call in trajectory.calls] == [{"city": "Hanoi"}, {"city": "Hue"}]
    assert trajectory.output == "31 degrees in Hue."


def test_conversations_do_not_mix(tmp_path):
    journal = Journal()
    talks = [
        ConversationalGolden(
            "Weather", id=name,
            turns=tuple(
                Turn("user", f"weather {place}{name}",
                     expected_calls=(ExpectedCall("get_weather", {"city": f"{place}{name}"}),))
                for place in ("City", "Town")
            ),
        )
        for name in "ABC"
    ]  # fmt: skip
    with a2a_server(journal) as address:
        run = rc.evaluate(f"a2a:{address}", talks, trials=2, store=tmp_path / "runs.db")
    assert run.passed, [(result.error, result.codes) for result in run.results]
    for sent in journal.requests:
        assert sum(f"City{talk.id}" in sent or f"Town{talk.id}" in sent for talk in talks) == 1
        assert "Town" not in sent or "City" in sent


def test_a_plain_message_is_an_answer_without_a_task():
    exchange = Exchange(response={"output": "$.output"})
    with a2a_server(Journal(), "message") as address:
        (trajectory,) = performed(f"a2a:{address}", "hello", exchange=exchange)
    assert (trajectory.stop_reason, trajectory.output) == ("done", "Hi.")


def test_a_server_that_is_down_is_infrastructure():
    (trajectory,) = performed("a2a:http://127.0.0.1:9", "hello", limits=Limits(seconds=2))
    assert trajectory.stop_reason in ("infra_error", "limit")
