"""Agents behind an address: what they are sent, how replies are read, what each failure means."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from aiohttp import web
from hypothesis import given, strategies as st

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.agents.agent_session import SessionPerformer
from rightcall.agents.kinds import agent_of_kind
from rightcall.agents.limits import Limits
from rightcall.agents.model_retries import Asker, Patience
from rightcall.agents.remote.addressed_session import Asking
from rightcall.agents.remote.agent_reply import AgentFailedError, ReplyReader, server_sent
from rightcall.agents.remote.exchange import Exchange, JsonPath, fill_template
from rightcall.agents.remote.http_agent import HttpAgent
from rightcall.agents.remote.kind import OpenRemote
from rightcall.providers.http import Network
from rightcall.records import ConversationalGolden, ExpectedCall, Golden, Tool, Trajectory, Turn
from tests.providers.loopback import _in_thread

QUICK = Patience(attempts=3, first=0.001, longest=0.001)
GOLDEN = Golden(
    "Weather in Hanoi?", id="g1", expected_calls=(ExpectedCall("SECRET_tool"),), expected_output="SECRET output",
    comments="SECRET", tags=("SECRET",), metadata={"why": "SECRET"},
)  # fmt: skip


@pytest.mark.parametrize(
    ("model", "preset", "words"),
    [
        (
            "http:http://127.0.0.1:9",
            "nowhere",
            "unknown agent.preset 'nowhere'; there are langgraph, agentcore",
        ),
        ('exec:["true"]', "langgraph", "is for http: agents, not for exec:"),
    ],
)
def test_a_preset_that_cannot_be_used_is_refused(model, preset, words):
    with pytest.raises(rc.errors.ConfigError, match=words):
        agent_of_kind(Agent(model, exchange=Exchange(preset=preset)))


DROPPED = "the connection, dropped"
HALF = "half a reply, then nothing"


class Service:
    """An agent service under test; `answers` are given in order, the last one for ever."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.bodies = []
        self.headers = []
        self.url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.bodies.append(await request.json())
        self.headers.append(dict(request.headers))
        answer = self.answers[min(len(self.bodies), len(self.answers)) - 1]
        if answer in (DROPPED, HALF):
            assert request.transport is not None
            if answer == HALF:
                request.transport.write(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")
            request.transport.close()
            return web.Response()
        if callable(answer):
            answer = answer(self.bodies[-1])
        if isinstance(answer, float):
            await asyncio.sleep(answer)
            answer = {"output": "late"}
        return answer if isinstance(answer, web.Response) else web.json_response(answer)


@contextmanager
def service(*answers: Any) -> Iterator[Service]:
    made = Service(*answers)

    async def start() -> Any:
        app = web.Application()
        app.router.add_post("/run", made.handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return runner.addresses[0][1], runner.cleanup

    with _in_thread(start) as port:
        made.url = f"http://127.0.0.1:{port}/run"
        yield made


def asked(url: str, *goldens: Golden, exchange: Exchange | None = None, **options: Any) -> list[Trajectory]:
    async def run() -> list[Trajectory]:
        agent = Agent(f"http:{url}", exchange=exchange or Exchange(), **options)
        async with agent_of_kind(agent, patience=QUICK) as session:
            return list(
                await asyncio.gather(*(session.performer.perform(g, 0) for g in goldens or (GOLDEN,)))
            )

    return asyncio.run(run())


def test_the_request_says_what_the_user_said_and_nothing_that_is_expected():
    with service({"output": "31"}) as agent:
        weather = Tool("get_weather", "Current weather")
        asked(agent.url, tools=[weather], system="Be brief.")
    (body,) = agent.bodies
    assert {key: body[key] for key in ("format", "input", "messages", "system", "golden_id", "trial")} == {
        "format": "rightcall/ask/1", "input": "Weather in Hanoi?", "messages": [], "system": "Be brief.",
        "golden_id": "g1", "trial": 0,
    }  # fmt: skip
    assert [tool["name"] for tool in body["tools"]] == ["get_weather"]
    assert "SECRET" not in json.dumps([agent.bodies, agent.headers])


CALLED = [("get_weather", {"city": "Hanoi"}, 0)]
CHAT = [
    {"role": "user", "content": "Weather in Hanoi?"},
    {"role": "assistant", "tool_calls": [{"id": "c", "type": "function",
     "function": {"name": "get_weather", "arguments": '{"city": "Hanoi"}'}}]},
    {"role": "tool", "tool_call_id": "c", "content": "31"},
    {"role": "assistant", "content": "It is 31."},
]  # fmt: skip


@pytest.mark.parametrize(
    "reply",
    [
        {"calls": [{"name": "get_weather", "arguments": {"city": "Hanoi"}}], "output": "It is 31."},
        {"messages": CHAT},
        {"messages": CHAT, "cost": 3, "other": {}},
        CHAT,
    ],
)
def test_replies_are_what_a_trajectories_file_holds(reply):
    with service(reply) as agent:
        (trajectory,) = asked(agent.url)
    assert [(c.name, c.arguments, c.step) for c in trajectory.calls] == CALLED
    assert (trajectory.output, trajectory.stop_reason) == ("It is 31.", "done")
    assert trajectory.messages[0].content == "Weather in Hanoi?"


def test_own_shapes_are_written_as_a_template_and_paths():
    exchange = Exchange(
        request={"question": "{{input}}", "chat": {"id": "s-{{session}}", "history": "{{messages}}"}, "n": 1},
        response={
            "output": "$.answer.text", "calls": "$.steps[*].tool", "name": "$.fn", "arguments": "$.args",
            "result": "$.gave", "input_tokens": "$.tokens.in",
        },
    )  # fmt: skip
    step = {"tool": {"fn": "get_weather", "args": {"city": "Hanoi"}, "gave": 31}}
    with service({"answer": {"text": "It is 31."}, "steps": [step], "tokens": {"in": 12}}) as agent:
        (trajectory,) = asked(agent.url, exchange=exchange)
    assert agent.bodies[0]["question"] == "Weather in Hanoi?"
    assert agent.bodies[0]["chat"]["history"] == [] and agent.bodies[0]["chat"]["id"].startswith("s-g1/0/")
    assert [(c.name, c.arguments, c.step, c.output) for c in trajectory.calls] == [(*CALLED[0], 31)]
    assert (trajectory.output, trajectory.usage.input_tokens) == ("It is 31.", 12)


def events(*data: Any) -> web.Response:
    text = "".join(f"data: {one if isinstance(one, str) else json.dumps(one)}\n\n" for one in data)
    return web.Response(text=text, content_type="text/event-stream")


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"id": "1", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


AGUI = [
    {"type": "RUN_STARTED"},
    {"type": "TOOL_CALL_START", "toolCallId": "c", "toolCallName": "get_weather"},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '{"city": '},
    {"type": "TOOL_CALL_ARGS", "toolCallId": "c", "delta": '"Hanoi"}'},
    {"type": "TOOL_CALL_END", "toolCallId": "c"},
    {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "content": "31"},
    {"type": "TEXT_MESSAGE_CONTENT", "delta": "It is "},
    {"type": "TEXT_MESSAGE_CONTENT", "delta": "31."},
    {"type": "RUN_FINISHED"},
]
STREAMS = {
    "chat chunks": [
        chunk({"role": "assistant", "content": "It is "}),
        chunk({"content": "31.", "tool_calls": [
            {"index": 0, "id": "c", "function": {"name": "get_weather", "arguments": '{"city": '}}]}),
        chunk({"tool_calls": [{"index": 0, "function": {"arguments": '"Hanoi"}'}}]}, "tool_calls"),
        "[DONE]",
    ],
    "Anthropic events": [
        {"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "It is 31."}},
        {"type": "content_block_start", "index": 1,
         "content_block": {"type": "tool_use", "id": "c", "name": "get_weather", "input": {}}},
        {"type": "content_block_delta", "index": 1,
         "delta": {"type": "input_json_delta", "partial_json": '{"city": "Hanoi"}'}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ],
    "AG-UI": AGUI,
    "AI SDK": [
        {"type": "start"},
        {"type": "start-step"},
        {"type": "tool-input-start", "toolCallId": "c", "toolName": "get_weather"},
        {"type": "tool-input-delta", "toolCallId": "c", "inputTextDelta": '{"city": "Ha'},
        {"type": "tool-input-available", "toolCallId": "c", "toolName": "get_weather", "input": {"city": "Hanoi"}},
        {"type": "tool-output-available", "toolCallId": "c", "output": {"degrees": 31}},
        {"type": "finish-step"},
        {"type": "start-step"},
        {"type": "text-start", "id": "t"},
        {"type": "text-delta", "id": "t", "delta": "It is "},
        {"type": "text-delta", "id": "t", "delta": "31."},
        {"type": "text-end", "id": "t"},
        {"type": "finish-step"},
        {"type": "finish", "finishReason": "stop"},
        "[DONE]",
    ],
}  # fmt: skip


@pytest.mark.parametrize("kind", STREAMS)
def test_streams_are_read_to_their_end(kind):
    with service(events(*STREAMS[kind])) as agent:
        (trajectory,) = asked(agent.url)
    assert [(c.name, c.arguments, c.step) for c in trajectory.calls] == CALLED
    assert trajectory.output == "It is 31."


def test_arguments_that_a_bridge_left_out_are_unknown_not_empty():
    with service(events(*(event for event in AGUI if event["type"] != "TOOL_CALL_ARGS"))) as agent:
        (trajectory,) = asked(agent.url)
    (call,) = trajectory.calls
    assert (call.arguments, call.raw, call.status, call.output) == (None, None, "ok", "31")


def test_streams_of_another_shape_are_read_by_paths():
    exchange = Exchange(response={"events": {"output": "$.piece", "calls": "$.call"}})
    call = {"name": "get_weather", "arguments": {"city": "Hanoi"}}
    with service(events({"call": call}, {"piece": "It is "}, {"piece": "31."})) as agent:
        (trajectory,) = asked(agent.url, exchange=exchange)
    assert [(c.name, c.arguments, c.step) for c in trajectory.calls] == CALLED
    assert trajectory.output == "It is 31."


BY_TYPE = [
    {"where": {"$.type": ["token", "answer"]}, "output": "$.data"},
    {"where": {"$.type": "tool-call"}, "calls": "$", "name": "$.data.fn", "arguments": "$.data.args", "id": "$.data.ref"},
    {"where": {"$.type": "tool-output"}, "calls": "$", "id": "$.toolCallId", "result": "$.data"},
]  # fmt: skip
TYPED = [
    {"type": "thought", "data": "Hm."},
    {"type": "tool-call", "data": {"fn": "get_weather", "args": {"city": "Hanoi"}, "ref": "c"}},
    {"type": "tool-output", "toolCallId": "c", "data": 31},
    {"type": "token", "data": "It is "},
    {"type": "answer", "data": "31."},
]


def test_events_are_selected_by_type():
    with service(events(*TYPED)) as agent:
        (trajectory,) = asked(agent.url, exchange=Exchange(response={"events": BY_TYPE}))
    assert [(c.name, c.arguments, c.output) for c in trajectory.calls] == [
        ("get_weather", {"city": "Hanoi"}, 31)
    ]
    assert trajectory.output == "It is 31."


def test_a_call_in_events_that_nobody_selects_is_not_an_agent_without_calls():
    call = {"type": "tool", "name": "get_weather", "arguments": {"city": "Hanoi"}}
    with service(events(call, *TYPED[3:])) as agent:
        (trajectory,) = asked(agent.url, exchange=Exchange(response={"events": BY_TYPE}))
    assert trajectory.stop_reason == "unreadable"
    assert "has a call of 'get_weather' that no path leads to" in trajectory.error


def test_a_stream_whose_first_turns_need_no_call_is_read():
    exchange = Exchange(response={"events": BY_TYPE})
    with service(lambda body: events(*TYPED[3:])) as agent:
        trajectories = asked(agent.url, *(Golden(f"q{i}", id=str(i)) for i in range(5)), exchange=exchange)
    assert {t.output for t in trajectories} == {"It is 31."}


def status(code: int, **headers: str) -> Any:
    return lambda body: web.Response(status=code, text="<b>no</b>", headers=headers)


@pytest.mark.parametrize(
    ("answers", "stop", "requests", "words"),
    [
        ([status(429), {"output": "ok"}], "done", 2, ""),
        ([status(503, **{"Retry-After": "0"}), status(429), {"output": "ok"}], "done", 3, ""),
        ([status(503)], "infra_error", 1, "answered 503"),
        ([status(500)], "infra_error", 1, "not asked again: the agent may have acted"),
        ([status(502)], "infra_error", 1, "answered 502"),
        ([status(504)], "infra_error", 1, "answered 504"),
        ([DROPPED, {"output": "ok"}], "infra_error", 1, "closed the connection"),
        ([HALF, {"output": "ok"}], "infra_error", 1, "closed the connection"),
        ([status(404)], "infra_error", 1, "answered 404"),
        ([status(401)], "infra_error", 1, "answered 401"),
        ([status(409)], "infra_error", 1, "answered 409"),
        ([status(302, Location="http://127.0.0.1:9/")], "infra_error", 1, "redirects"),
        ([lambda body: web.Response(text="hello")], "agent_error", 1, "not JSON: 'hello'"),
        ([status(400)], "rejected", 1, "answered 400"),
        ([status(413)], "rejected", 1, "answered 413"),
        ([{"calls": "x"}], "unreadable", 1, "calls"),
        ([{"messages": [{"role": "king"}]}], "unreadable", 1, "role"),
        ([web.Response(body=b"1" * (17 << 20), content_type="application/json")], "agent_error", 1, "16 MB"),
        ([{"output": None, "error": "it broke", "stop_reason": "agent_error"}], "agent_error", 1, "it broke"),
    ],
)  # fmt: skip
def test_every_failure_has_one_meaning(answers, stop, requests, words):
    with service(*answers) as agent:
        (trajectory,) = asked(agent.url)
    assert (trajectory.stop_reason, len(agent.bodies)) == (stop, requests)
    assert words in trajectory.error
    assert trajectory.messages[0].content == GOLDEN.input


UNREADABLE = [
    (lambda body: web.Response(text="hello"), "agent_error", "not JSON: 'hello'", 3),
    ({"answer": 1}, "unreadable", "none of calls, messages, output", 1),
    (
        lambda body: events({"chunk": "31"}),
        "unreadable",
        "no chat chunks, Anthropic, AG-UI or AI SDK events",
        1,
    ),
]


@pytest.mark.parametrize(("answer", "stop", "words", "requests"), UNREADABLE)
def test_a_format_that_cannot_be_read_stops_the_run(answer, stop, words, requests, tmp_path):
    goldens = [Golden(f"q {i}", id=str(i)) for i in range(50)]
    with (
        service(answer) as agent,
        pytest.raises(rc.errors.ConfigError, match=f"no reply of http:.* could be read yet: .*{words}"),
    ):
        rc.evaluate(Agent(f"http:{agent.url}"), goldens, concurrency=1, store=tmp_path / "r.db")
    assert len(agent.bodies) == requests


@pytest.mark.parametrize(("answer", "stop", "words", "_"), UNREADABLE)
def test_an_agent_that_could_be_read_before_has_failed(answer, stop, words, _):
    async def run(url: str) -> list[Trajectory]:
        async with agent_of_kind(Agent(f"http:{url}"), patience=QUICK) as session:
            return [await session.performer.perform(GOLDEN, trial) for trial in range(2)]

    with service({"output": "31"}, answer) as agent:
        first, second = asyncio.run(run(agent.url))
    assert (first.stop_reason, second.stop_reason) == ("done", stop) and words in second.error


def test_an_agent_that_does_not_answer_in_time_is_asked_once():
    """It may have acted. The client's own time limit is 300 s; here it is a part of a second."""

    async def run(url: str) -> Trajectory:
        agent = HttpAgent(url, Exchange(), Asking("", lambda golden: ()), Network(total=0.2))
        asker = Asker(None, 1, patience=QUICK)
        try:
            return await SessionPerformer(agent, Limits(), asker=asker).perform(GOLDEN, 0)
        finally:
            await agent.aclose()

    with service(30.0) as agent:
        trajectory = asyncio.run(run(agent.url))
    assert (trajectory.stop_reason, len(agent.bodies)) == ("infra_error", 1)
    assert "timed out" in trajectory.error


def test_a_service_that_refuses_connections_is_asked_again():
    """Nothing was sent, so nothing can have happened."""
    with service({"output": "ok"}) as gone:
        pass

    async def run() -> tuple[Trajectory, int]:
        async with agent_of_kind(Agent(f"http:{gone.url}"), patience=QUICK) as session:
            assert session.asker is not None
            return await session.performer.perform(GOLDEN, 0), session.asker.retries

    trajectory, retries = asyncio.run(run())
    assert (trajectory.stop_reason, retries) == ("infra_error", QUICK.attempts - 1)
    assert "cannot be reached" in trajectory.error


def keys_of(url: str, run_id: str, *cells: tuple[Golden, int]) -> list[Trajectory]:
    async def run() -> list[Trajectory]:
        async with agent_of_kind(Agent(f"http:{url}"), patience=QUICK) as session:
            session.begin(run_id)
            return [await session.performer.perform(golden, trial) for golden, trial in cells]

    return asyncio.run(run())


def test_a_request_has_the_same_key_when_it_is_repeated_and_no_other_has_it():
    """Retried after a refusal, and asked for again by another process that resumes the run."""
    talk = ConversationalGolden("s", id="g3", turns=(Turn("user", "one"), Turn("user", "two")))
    cells = [(GOLDEN, 0), (GOLDEN, 1), (Golden("q", id="g2"), 0), (talk, 0)]
    with service(status(429), {"output": "ok"}) as agent:
        keys_of(agent.url, "run-1", *cells)
        first = [headers["idempotency-key"] for headers in agent.headers]
        keys_of(agent.url, "run-1", *cells)
        again = [headers["idempotency-key"] for headers in agent.headers[len(first) :]]
        keys_of(agent.url, "run-2", *cells)
        other = [headers["idempotency-key"] for headers in agent.headers[len(first) + len(again) :]]
    assert first[0] == first[1] and first[1:] == again and len(set(first)) == 5
    assert len({*again, *other}) == 10
    assert [body["idempotency_key"] for body in agent.bodies[: len(first)]] == first


def test_without_a_run_every_process_has_its_own_keys():
    with service({"output": "ok"}) as agent:
        for _ in range(2):
            asked(agent.url)
    assert len({headers["idempotency-key"] for headers in agent.headers}) == 2


def test_a_service_that_is_too_slow_reaches_the_limit():
    with service(30.0) as agent:
        (trajectory,) = asked(agent.url, limits=Limits(seconds=0.2))
    assert (trajectory.stop_reason, trajectory.error) == ("limit", "more than 0.2 seconds")


def test_a_path_that_never_leads_anywhere_stops_the_run(tmp_path):
    goldens = [Golden(f"q {i}", id=str(i)) for i in range(200)]
    exchange = Exchange(response={"output": "$.anwser"})
    with (
        service({"answer": "x"}) as agent,
        pytest.raises(rc.errors.ConfigError, match=r"\$\.anwser in the first 3 replies"),
    ):
        rc.evaluate(
            Agent(f"http:{agent.url}", exchange=exchange), goldens, concurrency=2, store=tmp_path / "r.db"
        )
    assert len(agent.bodies) < 10


def test_secrets_come_from_the_environment_and_are_kept_nowhere(tmp_path, monkeypatch):
    monkeypatch.setenv("AGENT_WORD", "hunter2-hunter2")
    exchange = Exchange(headers={"Authorization": "Bearer ${AGENT_WORD}"})
    with service(lambda body: web.Response(status=500, text="wrong: hunter2-hunter2")) as agent:
        run = rc.evaluate(
            Agent(f"http:{agent.url}", exchange=exchange), [Golden("q")], store=tmp_path / "r.db"
        )
    assert agent.headers[0]["Authorization"] == "Bearer hunter2-hunter2"
    assert "hunter2" not in repr(list(run.results)) and b"hunter2" not in (tmp_path / "r.db").read_bytes()


def test_a_variable_that_is_not_set_is_reported_before_anything_is_sent(monkeypatch):
    monkeypatch.delenv("AGENT_TOKEN", raising=False)
    agent = Agent("http:http://127.0.0.1:9/run", exchange=Exchange(headers={"X": "${AGENT_TOKEN}"}))
    with pytest.raises(rc.errors.ConfigError, match="AGENT_TOKEN, which is not set"):
        rc.evaluate(agent, [Golden("q")])


@pytest.mark.parametrize(
    ("model", "exchange", "words"),
    [
        ("http:ftp://x/run", Exchange(), "http://host:port"),
        ("http:http://user:pw@h/run", Exchange(), "must not contain a user, password or query"),
        ("http:http://h/run", Exchange(request={"q": "{{expected_calls}}"}), "not a known placeholder"),
        ("http:http://h/run", Exchange(response={"outputs": "$.x"}), "did you mean 'output'"),
        ("http:http://h/run", Exchange(response={"output": "answer"}), r"must start with \$"),
        ("http:http://h/run", Exchange(response={"events": {"where": {"type": "x"}}}), r"where: a path must start with"),
        ("http:http://h/run", Exchange(response={"events": [{"wehre": {}}]}), "did you mean 'where'"),
        ("http:http://h/run", Exchange(response={"events": ["$.x"]}), r"expected fields with paths"),
        ("http:http://h/run", Exchange(response={"output": "$.a[?(@.b)]"}), "not a valid path at character 4"),
        ("exec:", Exchange(), "names no model|needs a command"),
        ('exec:["a", 3]', Exchange(), "needs a command"),
    ],
)  # fmt: skip
def test_a_wrong_setup_is_reported_with_what_to_write(model, exchange, words):
    with pytest.raises(rc.errors.ConfigError, match=words):
        agent_of_kind(Agent(model, exchange=exchange))


def test_turns_of_a_session_know_the_earlier_ones_and_count_their_steps_on():
    reply = {"calls": [{"name": "get_weather", "arguments": {}}], "output": "31"}

    async def talk(url: str) -> Trajectory:
        async with agent_of_kind(Agent(f"http:{url}")) as opened:
            assert isinstance(opened, OpenRemote)
            session = opened.addressed.session(GOLDEN, 0)
            await session.turn("Weather in Hanoi?")
            await session.turn("And in Hue?")
            return session.trajectory()

    with service(reply) as agent:
        trajectory = asyncio.run(talk(agent.url))
    first, second = agent.bodies
    assert first["session"] == second["session"] and second["input"] == "And in Hue?"
    assert [m["role"] for m in second["messages"]] == ["user", "assistant", "assistant"]
    assert [c.step for c in trajectory.calls] == [0, 2]
    assert agent.headers[0]["traceparent"] == agent.headers[1]["traceparent"]


def test_many_asks_at_once_never_mix():
    def answer(body: dict[str, Any]) -> Any:
        return {"calls": [{"name": "echo", "arguments": {"text": body["input"]}}], "output": body["input"]}

    with service(answer) as agent:
        found = asked(agent.url, *(Golden(f"q{i}", id=str(i)) for i in range(32)))
        assert [t.output for t in found] == [f"q{i}" for i in range(32)]
        assert len({body["session"] for body in agent.bodies}) == 32


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["output", "calls", "messages", "name", "arguments", "role", "content", "x"]), inner, max_size=3),
    max_leaves=12,
)  # fmt: skip


@given(json_values, st.sampled_from([{}, {"output": "$.output", "calls": "$.calls[*]"}, {"messages": "$.x"}]))
def test_any_reply_is_a_trajectory_or_the_agents_failure(value, response):
    reader = ReplyReader(response)
    try:
        made = reader.read(json.dumps(value).encode(), "q")
    except (AgentFailedError, rc.errors.ConfigError):
        return
    assert isinstance(made, Trajectory)


@given(st.binary(max_size=80) | st.lists(json_values, max_size=4).map(
    lambda items: "".join(f"data: {json.dumps(item)}\n\n" for item in items).encode()))  # fmt: skip
def test_any_stream_is_a_trajectory_or_the_agents_failure(content):
    with suppress(AgentFailedError):
        assert isinstance(ReplyReader({}).read(content, "q", stream=True), Trajectory)


def test_events_may_end_their_lines_in_any_way_and_take_several():
    assert list(server_sent(b"data: a\r\ndata:b\r\n\r\n: ping\n\ndata: c\r\rdata: d")) == [
        b"a\nb",
        b"c",
        b"d",
    ]


@pytest.mark.parametrize(
    ("path", "found", "leads"),
    [("$.a", [1], True), ("$['b c'][0]", [2], True), ("$.l[*].x", [3, 4], True), ("$.l[-1].x", [4], True),
     ("$.none", [], False), ("$.empty[*].x", [], True), ("$.l[*].y", [], False), ("$", [...], True)],
)  # fmt: skip
def test_paths(path, found, leads):
    value = {"a": 1, "b c": [2], "l": [{"x": 3}, {"x": 4}], "empty": []}
    matches, led = JsonPath(path, "p").find_matches(value)
    assert (matches == found or found == [...], led) == (True, leads)


def test_what_is_filled_in_is_not_looked_at_again():
    assert fill_template({"q": "say: {{input}}"}, {"input": "{{system}}", "system": "x"}) == {
        "q": "say: {{system}}"
    }
