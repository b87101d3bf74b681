"""First requests, kept while trials run and captured without asking the model, with real frameworks on loopback."""

from __future__ import annotations

import asyncio
import gc
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import aiohttp
import anthropic
import httpx
import pytest
import requests

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.agents.kinds import agent_of_kind
from rightcall.agents.watched_trial import perform_watched
from rightcall.check.first_requests import capture_first_request
from rightcall.core.errors import InputError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.recording.first_requests import CapturedTrial, capture_requests, follow_into_threads
from rightcall.recording.request_digest import (
    RequestDigester,
    compare_requests,
    read_first_request,
)
from rightcall.records import ExpectedCall, Golden
from tests.limbs.adapters.kits.asking_agents import (
    ASKING_AGENTS,
    CHAT_TOOLS,
    NO_CONNECTIONS,
    SYSTEM,
    async_client,
    chat_messages,
    openai_agent,
    openai_client,
)
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Journal

GOLDEN = Golden("weather Hanoi", id="g")
JOURNAL = Journal()
pytestmark = pytest.mark.filterwarnings(
    "ignore::pytest.PytestUnraisableExceptionWarning"  # run_sync of OpenAI Agents leaves its event loop open
)


@pytest.fixture(autouse=True)
def open_event_loops_end_here() -> Iterator[None]:
    """Collected here, where the warning is expected, and not in the middle of another test."""
    yield
    gc.collect()


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with model_server(JOURNAL) as address:
        yield address


def watched(agent: Any, golden: Golden = GOLDEN) -> str:
    """The digest of the first request of a trial that runs."""

    async def perform() -> str:
        async with agent_of_kind(Agent(agent)) as session:
            return (await perform_watched(session, golden, 0))[1]

    return asyncio.run(perform())


def captured(agent: Any, *, seconds: float = 20, golden: Golden = GOLDEN) -> CapturedTrial:
    """A trial that is captured; no request may reach the server."""

    async def capture() -> CapturedTrial:
        async with agent_of_kind(Agent(agent)) as session:
            with capture_requests():
                return await capture_first_request(session, golden, RequestDigester(scrubber()), seconds)

    before = len(JOURNAL.requests)
    trial = asyncio.run(capture())
    assert len(JOURNAL.requests) == before
    return trial


def changed(before: str, trial: CapturedTrial) -> tuple[str, ...]:
    first = read_first_request(before)
    now = trial.only_request
    assert first is not None and now is not None, trial.problem
    return compare_requests([first], now).changed


@pytest.mark.parametrize("name", ASKING_AGENTS)
def test_a_captured_request_equals_the_one_that_was_sent_and_nothing_is_sent_or_run(address, name):
    ran: list[str] = []
    before = watched(ASKING_AGENTS[name](address, ran))
    assert before and ran
    ran.clear()
    assert changed(before, captured(ASKING_AGENTS[name](address, ran))) == ()
    assert changed(before, captured(ASKING_AGENTS[name](address, ran, SYSTEM + " Be rude."))) == ("system",)
    assert ran == []


@pytest.mark.parametrize("name", ["openai", "anthropic", "openai_agents", "pydantic_ai", "langgraph"])
def test_an_observed_agent_is_captured_like_a_function(address, name):
    observed = rc.observe(ASKING_AGENTS[name](address, []))
    assert changed(watched(observed), captured(observed)) == ()


def ask(address: str, client: Any = None) -> Any:
    client = client or openai_client(address)
    return client.chat.completions.create(model="m", messages=chat_messages(GOLDEN))


def retries_exceptions(address: str) -> str:
    for _ in range(3):
        try:
            return str(ask(address))
        except Exception:
            time.sleep(0)
    return "gave up"


def cleans_up(address: str) -> str:
    log: list[str] = []
    try:
        return str(ask(address))
    finally:
        log.append("closed")


def two_clients(address: str) -> str:
    ask(address)
    claude = anthropic.Anthropic(
        base_url=address, api_key="k", http_client=anthropic.DefaultHttpxClient(limits=NO_CONNECTIONS)
    )
    said: Any = [{"role": "user", "content": "hi"}]
    return str(claude.messages.create(model="m", max_tokens=9, messages=said))


def own_pool(address: str) -> str:
    with ThreadPoolExecutor(1) as pool:
        return str(pool.submit(ask, address).result())


def own_thread(address: str) -> str:
    thread = threading.Thread(target=lambda: ask(address))
    thread.start()
    thread.join()
    return "done"


def with_requests(address: str) -> str:
    body = {"model": "m", "messages": chat_messages(GOLDEN)}
    return requests.post(f"{address}/v1/chat/completions", json=body, timeout=300).text


async def with_aiohttp(address: str) -> str:
    body = {"model": "m", "messages": chat_messages(GOLDEN)}
    async with aiohttp.ClientSession() as client, client.post(f"{address}/v1/messages", json=body) as reply:
        return await reply.text()


async def in_executor(address: str) -> str:
    return str(await asyncio.get_running_loop().run_in_executor(None, ask, address))


async def asks_two_at_once(address: str) -> str:
    client = async_client(address)
    asking = [client.chat.completions.create(model=m, messages=chat_messages(GOLDEN)) for m in ("a", "b")]
    return str(await asyncio.gather(*asking))


CAPTURED = [
    retries_exceptions, cleans_up, two_clients, own_pool, own_thread, with_requests, with_aiohttp, in_executor,
]  # fmt: skip


@pytest.mark.parametrize("agent", CAPTURED, ids=lambda agent: agent.__name__)
def test_code_around_the_request_does_not_keep_it_from_being_captured(address, agent):
    work = _of_golden(agent, address)
    assert changed(watched(work), captured(work)) == ()


def swallows_and_asks_again(address: str) -> str:
    for _ in range(3):
        try:
            return str(ask(address))
        except BaseException:
            continue
    return "gave up"


def swallows_and_reports(address: str) -> str:
    try:
        return str(ask(address))
    except BaseException:
        return httpx.post(f"{address}/report", json={"failed": True}).text


def reports_at_the_end(address: str) -> str:
    try:
        return str(ask(address))
    finally:
        httpx.post(f"{address}/report", json={"ended": True})


def fetches_first(address: str) -> str:
    httpx.get(f"{address}/customer/1")
    return str(ask(address))


def embeds_first(address: str) -> str:
    client = openai_client(address)
    client.embeddings.create(model="e", input="weather")
    return str(ask(address, client))


def uploads_first(address: str) -> str:
    requests.post(f"{address}/files", data=iter([b"a", b"b"]), timeout=300)
    return str(ask(address))


async def uploads_form_first(address: str) -> str:
    form = aiohttp.FormData({"file": "x"})
    async with aiohttp.ClientSession() as client, client.post(f"{address}/files", data=form) as reply:
        return await reply.text()


def connects_first(address: str) -> str:
    port = int(address.rpartition(":")[2])
    with socket.socket() as connection:
        connection.connect(("127.0.0.1", port))
    return str(ask(address))


def starts_a_program_first(address: str) -> str:
    subprocess.run([sys.executable, "-c", ""], check=True)
    return str(ask(address))


def test_an_sdk_that_asks_which_machine_this_is_is_captured(address):
    """Python starts `uname -p` for `platform.platform()`, as the OpenAI SDK does for its first request."""

    def agent(address: str) -> str:
        subprocess.run(["uname", "-p"], check=True, capture_output=True)
        return str(ask(address))

    assert captured(_of_golden(agent, address)).only_request


def fails_first(address: str) -> str:
    raise LookupError("no customer 1")


REFUSED = {
    swallows_and_asks_again: "went on",
    swallows_and_reports: "went on",
    reports_at_the_end: "went on",
    fetches_first: "acts before it asks a model: GET 127.0.0.1/customer/1",
    embeds_first: "acts before it asks a model: POST 127.0.0.1/v1/embeddings",
    uploads_first: "acts before",
    uploads_form_first: "acts before",
    connects_first: "acts before it asks a model: it connects to a service",
    starts_a_program_first: "acts before it asks a model: it starts a program",
    fails_first: "failed before it asked a model: LookupError: no customer 1",
    lambda address: "31 degrees": "asks no model",
}


@pytest.mark.parametrize(("agent", "problem"), REFUSED.items(), ids=[f.__name__ for f in REFUSED])
def test_an_agent_that_does_more_than_ask_is_not_captured_and_nothing_is_sent(address, agent, problem):
    trial = captured(_of_golden(agent, address))
    assert trial.only_request is None
    assert problem in trial.problem


def test_of_two_requests_at_once_neither_is_sent(address):
    captured(
        _of_golden(asks_two_at_once, address)
    )  # captured or not: the second may come before the first ends


def tells(golden: Golden) -> Any:
    return [{"role": "user", "content": repr(golden)}]


def tells_later(address: str) -> str:
    plain = {"model": "m", "messages": [{"role": "user", "content": GOLDEN.input}]}
    requests.post(f"{address}/v1/chat/completions", json=plain, timeout=300)
    return str(ask(address))


LEAKY = [*CAPTURED, swallows_and_asks_again, swallows_and_reports, asks_two_at_once, tells_later]


@pytest.mark.parametrize("agent", LEAKY, ids=lambda agent: agent.__name__)
def test_a_request_that_holds_what_is_expected_is_not_sent(address, agent, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "chat_messages", tells)
    before = len(JOURNAL.requests)
    with pytest.raises(InputError, match="holds what is expected of it"):
        watched(_of_golden(agent, address))
    assert len(JOURNAL.requests) == before + (agent is tells_later)


EXPECTING = Golden("weather Hanoi", id="e", expected_calls=(ExpectedCall("get_weather"),))


def offers_tools(address: str) -> Any:
    client = openai_client(address)
    return client.chat.completions.create(model="m", messages=chat_messages(GOLDEN), tools=CHAT_TOOLS)


def test_a_text_says_nothing_of_the_calls_of_an_agent_that_offered_tools(address):
    with pytest.raises(InputError, match="nobody knows what it called; `--observe auto` "):
        watched(lambda text: str(offers_tools(address)), EXPECTING)


@pytest.mark.parametrize(
    ("answer", "golden"),
    [
        (offers_tools, EXPECTING),
        (lambda address: offers_tools(address) and [], EXPECTING),
        (lambda address: str(ask(address)), EXPECTING),
        (lambda address: str(offers_tools(address)), GOLDEN),
    ],
)
def test_an_agent_whose_calls_are_known_or_of_no_matter_is_run(address, answer, golden):
    assert watched(lambda text: answer(address), golden)


def test_an_agent_that_takes_too_long_is_not_captured_and_stays_refused_afterwards(address):
    go = threading.Event()
    sent = threading.Event()

    def agent(golden: Golden) -> str:
        go.wait(300)
        try:
            return str(ask(address))
        finally:
            sent.set()

    async def capture() -> CapturedTrial:
        async with agent_of_kind(Agent(agent)) as session:
            with capture_requests():
                trial = await capture_first_request(session, GOLDEN, RequestDigester(scrubber()), 0.05)
        go.set()
        await asyncio.to_thread(sent.wait, 20)
        return trial

    before = len(JOURNAL.requests)
    trial = asyncio.run(capture())
    assert trial.timed_out and trial.only_request is None and "0.05 seconds" in trial.problem
    assert len(JOURNAL.requests) == before


def test_trials_at_once_are_told_apart_also_in_thread_pools(address):
    agent = openai_agent(address, [])

    def pooled(golden: Golden) -> str:
        with ThreadPoolExecutor(2) as pool:
            return str(pool.submit(agent, golden).result())

    goldens = [Golden(f"weather {number}", id=str(number)) for number in range(12)]

    async def run() -> list[tuple[str, CapturedTrial]]:
        async with agent_of_kind(Agent(pooled)) as session:
            kept = await asyncio.gather(*(perform_watched(session, golden, 0) for golden in goldens))
            digester = RequestDigester(scrubber())
            with capture_requests():
                trials = [capture_first_request(session, golden, digester, 20) for golden in goldens]
                return list(zip([first for _, first in kept], await asyncio.gather(*trials), strict=True))

    pairs = asyncio.run(run())
    assert [changed(before, trial) for before, trial in pairs] == [()] * len(goldens)
    assert changed(pairs[0][0], pairs[1][1]) == ("messages",)


def test_a_library_that_the_agent_imports_late_is_hooked():
    code = """
import asyncio, sys
from rightcall.agents.agent import Agent
from rightcall.agents.watched_trial import perform_watched
from rightcall.agents.kinds import agent_of_kind
from rightcall.records import ExpectedCall, Golden
assert "urllib3" not in sys.modules

def agent(golden):
    import requests
    try:
        requests.post("http://127.0.0.1:9/v1/chat/completions", json={"messages": [{"role": "user", "content": "hi"}]})
    except requests.ConnectionError:
        return "down"

async def main():
    async with agent_of_kind(Agent(agent)) as session:
        print((await perform_watched(session, Golden("hi", id="g"), 0))[1])

asyncio.run(main())
import urllib3
assert urllib3.HTTPConnectionPool.urlopen.__module__.startswith("urllib3")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.startswith("3:"), done.stderr


def test_libraries_are_hooked_while_a_trial_runs_and_not_in_the_rest_of_a_run(address):
    places = (
        (httpx.HTTPTransport, "handle_request"),
        (ThreadPoolExecutor, "submit"),
        (threading.Thread, "start"),
    )

    def methods() -> list[Any]:
        return [getattr(owner, name) for owner, name in places]

    seen = []

    def agent(golden: Golden) -> str:
        seen.append(methods())
        messages = [{"role": "user", "content": golden.input}]
        httpx.post(f"{address}/v1/chat/completions", json={"model": "m", "messages": messages})
        seen.append(methods())
        return "done"

    async def perform() -> list[str]:
        async with agent_of_kind(Agent(agent)) as session:
            seen.append(methods())
            first = (await perform_watched(session, GOLDEN, 0))[1]
            seen.append(methods())
            return [first, (await perform_watched(session, GOLDEN, 1))[1]]

    plain = methods()
    requests = asyncio.run(perform())
    seen.append(methods())
    assert [each == plain for each in seen] == [True, False, False, True, False, False, True]
    assert all(requests)


def _of_golden(agent: Callable[[str], Any], address: str) -> Callable[[Golden], Any]:
    if asyncio.iscoroutinefunction(agent):

        async def asynchronous(golden: Golden) -> Any:
            return await agent(address)

        return asynchronous
    return lambda golden: agent(address)


class BoundWrapper:
    """A wrapper as wrapt makes them, and OpenTelemetry for threads: it has to be bound before it is called."""

    def __init__(self, wrapped, instance=None, *, bound=False):
        self.wrapped = wrapped
        self.instance = instance
        self.bound = bound

    def __get__(self, instance, owner):
        return BoundWrapper(self.wrapped, instance, bound=True)

    def __call__(self, *args, **words):
        if not self.bound:
            raise TypeError("the first argument would be taken for the function")
        return self.wrapped(*([] if self.instance is None else [self.instance]), *args, **words)


def test_a_pool_that_another_library_wrapped_is_followed_too(monkeypatch):
    monkeypatch.setattr(ThreadPoolExecutor, "submit", BoundWrapper(ThreadPoolExecutor.submit))
    wrapped = vars(ThreadPoolExecutor)["submit"]
    with follow_into_threads(), ThreadPoolExecutor(1) as pool:
        assert pool.submit(max, 1, 2).result() == 2
    assert vars(ThreadPoolExecutor)["submit"] is wrapped
