"""An outage of the model's provider says nothing about the agent: `infra_error`, whatever framework wraps it.

The frameworks that need an environment for themselves are in `python -m benchmarks adapters --outages`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import anthropic
import openai
import pytest
from aiohttp import web

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.agents.kinds import agent_of_kind
from rightcall.agents.limits import Limits
from rightcall.agents.observed.provider_outage import stop_of_exception
from rightcall.core.event_loop import run_blocking
from rightcall.records import Golden
from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Journal
from tests.providers.loopback import _in_thread

IMPATIENT: Any = {"api_key": "none", "max_retries": 0, "timeout": 0.2}
OUTAGES = ("429", "500", "503", "timeout", "refused")


@contextmanager
def server_out_of_order(outage: str) -> Iterator[str]:
    async def handle(request: web.Request) -> web.Response:
        await request.read()
        if outage == "timeout":
            await asyncio.sleep(30)
        error = {"type": "error", "error": {"type": "api_error", "message": "out of order"}}
        return web.json_response(error, status=int(outage))

    async def start() -> Any:
        app = web.Application()
        app.router.add_post("/{path:.*}", handle)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.01)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return runner.addresses[0][1], runner.cleanup

    with _in_thread(start) as port:
        if outage != "refused":
            yield f"http://127.0.0.1:{port}"
    if outage == "refused":  # nobody listens there any more
        yield f"http://127.0.0.1:{port}"


_clients: list[Any] = []


@pytest.fixture(autouse=True)
def clients_end_here() -> Iterator[None]:
    yield
    while _clients:
        run_blocking(_clients.pop().close())


def client(address: str) -> openai.AsyncOpenAI:
    _clients.append(openai.AsyncOpenAI(base_url=f"{address}/v1", **IMPATIENT))
    return _clients[-1]


MESSAGES: list[Any] = [{"role": "user", "content": "weather Hanoi"}]


def openai_agents(address: str) -> Any:
    from agents import Agent as SdkAgent, OpenAIChatCompletionsModel, set_trace_processors

    set_trace_processors([])
    return rc.observe(SdkAgent("a", model=OpenAIChatCompletionsModel("m", openai_client=client(address))))


def pydantic_ai(address: str) -> Any:
    from pydantic_ai import Agent as PydanticAgent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    model = OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client(address)))
    return rc.observe(PydanticAgent(model))


def async_function(address: str) -> Any:
    async def agent(golden: Golden) -> str:
        async with openai.AsyncOpenAI(base_url=f"{address}/v1", **IMPATIENT) as asked:
            return str(await asked.chat.completions.create(model="m", messages=MESSAGES))

    return agent


def sync_function(address: str) -> Any:
    def agent(golden: Golden) -> str:
        with openai.OpenAI(base_url=f"{address}/v1", **IMPATIENT) as asked:
            return str(asked.chat.completions.create(model="m", messages=MESSAGES))

    return agent


def wrapping_function(address: str) -> Any:
    def agent(golden: Golden) -> str:
        try:
            return str(sync_function(address)(golden))
        except openai.OpenAIError as error:
            raise RuntimeError("the assistant is not available") from error

    return agent


def anthropic_loop(address: str) -> Any:
    async def agent(golden: Golden) -> str:
        async with anthropic.AsyncAnthropic(base_url=address, **IMPATIENT) as asked:
            return str(await asked.messages.create(model="m", max_tokens=9, messages=MESSAGES))

    return rc.observe(agent, via="anthropic")


AGENTS = {
    "openai_agents": openai_agents,
    "pydantic_ai": pydantic_ai,
    "anthropic": anthropic_loop,
    "openai": lambda address: rc.observe(async_function(address), via="openai"),
    "async function": async_function,
    "synchronous function": sync_function,
    "function that wraps errors": wrapping_function,
}


def ended(agent: Any) -> tuple[str, str]:
    async def perform() -> Any:
        async with agent_of_kind(Agent(agent, limits=Limits(seconds=30))) as session:
            return await session.performer.perform(Golden("weather Hanoi", id="g"), 0)

    made = run_blocking(perform())
    return made.stop_reason, made.error


@pytest.mark.parametrize("outage", OUTAGES)
@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
def test_an_outage_of_the_provider_is_an_infrastructure_error(agent, outage):
    with server_out_of_order(outage) as address:
        stop, error = ended(agent(address))
    assert stop == "infra_error" and error


DECLINED = {
    "400": "rejected",
    "422": "rejected",
    "401": "infra_error",
    "403": "infra_error",
    "404": "infra_error",
}
"""What a model that is asked here ends with, too: a request of the agent is its failure, a wrong key is a setup."""


@pytest.mark.parametrize("status", DECLINED)
@pytest.mark.parametrize("agent", AGENTS.values(), ids=AGENTS)
def test_a_request_that_the_server_declines_means_what_it_means_for_a_model_that_is_asked_here(agent, status):
    with server_out_of_order(status) as address:
        assert ended(agent(address))[0] == DECLINED[status]


@pytest.mark.parametrize("agent", [sync_function, anthropic_loop])
def test_a_key_that_is_declined_for_the_first_goldens_is_a_broken_setup(agent, tmp_path):
    goldens = [Golden(f"Thanks {n}", id=f"g{n}", no_calls=True) for n in range(20)]
    problem = r"stopped after 2 goldens.*check the key"
    with server_out_of_order("401") as address, pytest.raises(rc.errors.ConfigError, match=problem):
        rc.evaluate(agent(address), goldens, store=tmp_path / "s.db")


class RateLimitedError(Exception):
    """Of the API of a tool."""

    status_code = 429


OWN = [
    TimeoutError("too slow"),
    KeyError("city"),
    RateLimitedError("slow down"),
    OSError(5),
]


@pytest.mark.parametrize("error", OWN, ids=lambda error: type(error).__name__)
def test_what_the_agents_own_code_raises_is_the_agents_error(error):
    def agent(golden: Golden) -> str:
        raise error

    async def asynchronous(golden: Golden) -> str:
        raise error

    assert {ended(one)[0] for one in (agent, asynchronous, rc.observe(agent, via="openai"))} == {
        "agent_error"
    }


def test_an_agent_that_a_lost_connection_ends_gave_no_answer():
    """Pydantic AI passes on what a tool raises, while its own model client is fine."""
    from pydantic_ai import Agent as PydanticAgent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    def get_weather(city: str) -> str:
        raise ConnectionResetError("by peer")

    with model_server(Journal()) as address:
        model = OpenAIChatModel("m", provider=OpenAIProvider(openai_client=client(address)))
        assert ended(rc.observe(PydanticAgent(model, tools=[get_weather])))[0] == "infra_error"


def exception(module: str, name: str, **fields: Any) -> BaseException:
    return type(name, (Exception,), {"__module__": module, **fields})("x")


SPELLINGS = {
    "google.genai.errors ServerError 503": (
        exception("google.genai.errors", "ServerError", code=503),
        "infra_error",
    ),
    "google.genai.errors ClientError 429": (
        exception("google.genai.errors", "ClientError", code=429),
        "infra_error",
    ),
    "google.genai.errors ClientError 400": (
        exception("google.genai.errors", "ClientError", code=400),
        "rejected",
    ),
    "botocore ClientError 429": (
        exception(
            "botocore.exceptions", "ClientError", response={"ResponseMetadata": {"HTTPStatusCode": 429}}
        ),
        "infra_error",
    ),
    "botocore ClientError 400": (
        exception(
            "botocore.exceptions", "ClientError", response={"ResponseMetadata": {"HTTPStatusCode": 400}}
        ),
        "rejected",
    ),
    "mistralai SDKError 502": (exception("mistralai.models", "SDKError", status_code=502), "infra_error"),
    "litellm.exceptions Timeout 408": (
        exception("litellm.exceptions", "Timeout", status_code=408),
        "infra_error",
    ),
    "anthropic PermissionDeniedError 403": (
        exception("anthropic", "PermissionDeniedError", status_code=403),
        "infra_error",
    ),
    "httpx RemoteProtocolError without its traceback": (
        exception("httpx", "RemoteProtocolError"),
        "infra_error",
    ),
    "aiohttp ClientPayloadError": (exception("aiohttp", "ClientPayloadError"), "infra_error"),
    "openai BadRequestError content_filter": (
        exception("openai", "BadRequestError", status_code=400, code="content_filter"),
        "filtered",
    ),
    "a body that says content_filter": (
        exception("openai", "BadRequestError", status_code=400, body={"code": "content_filter"}),
        "filtered",
    ),
    "litellm ContentPolicyViolationError": (
        exception("litellm.exceptions", "ContentPolicyViolationError", status_code=400),
        "filtered",
    ),
    "a tool's HTTPError 503": (exception("requests.exceptions", "HTTPError", status_code=503), "agent_error"),
    "a code that is no status": (exception("openai", "OpenAIError", code="server_error"), "agent_error"),
}


@pytest.mark.parametrize(("error", "stop"), SPELLINGS.values(), ids=SPELLINGS)
def test_the_status_is_found_where_each_client_has_it(error, stop):
    assert stop_of_exception(error)[0] == stop
