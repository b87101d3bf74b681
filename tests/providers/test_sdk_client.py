"""The vendors' own SDKs as providers, and as witnesses: both send what our client sends."""

from __future__ import annotations

import asyncio

import anthropic
import openai
import pytest

from rightcall.core.errors import ConfigError, ProviderError
from rightcall.providers.base import ModelRequest
from rightcall.providers.resolver import resolve
from rightcall.providers.sdk_client import SdkProvider
from rightcall.records import Message
from tests.providers import strict

from .loopback import canned, json_server
from .samples import CONVERSATION, PROMPT, a_request, ask

KEY = "sk-test-0123456789abcdefghij"


def anthropic_client(url: str) -> anthropic.AsyncAnthropic:
    return anthropic.AsyncAnthropic(api_key=KEY, base_url=url, max_retries=0)


def openai_client(url: str) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(api_key=KEY, base_url=f"{url}/v1", max_retries=0)


def ask_through(client, request: ModelRequest | None = None, **options):
    """One question through a client, which is closed afterwards."""

    async def once():
        async with client:
            return await SdkProvider(client, "m", **options).complete(request or a_request())

    return asyncio.run(once())


KINDS = [
    ("anthropic", "", strict.anthropic, anthropic_client, {}),
    ("openai", "/v1", strict.openai_chat, openai_client, {}),
    ("openai-responses", "/v1", strict.openai_responses, openai_client, {"api": "responses"}),
]


@pytest.mark.parametrize(("prefix", "base", "reader", "client", "options"), KINDS)
def test_an_sdk_client_gives_the_same_reply_to_the_same_body(prefix, base, reader, client, options):
    request = ModelRequest(PROMPT, CONVERSATION)
    with json_server(reader) as server:
        theirs = ask_through(client(server.url), request, **options)
        ours = ask(resolve(f"{prefix}:m", base_url=server.url + base), request)
    assert theirs.message == ours.message == Message("assistant", "All done.")
    assert (theirs.usage, theirs.stop, theirs.model) == (ours.usage, ours.stop, ours.model)
    for body in server.bodies:  # the one name that differs between OpenAI and servers like it
        body["limit"] = body.pop("max_completion_tokens", None) or body.pop("max_tokens", None)
    assert server.bodies[0] == server.bodies[1]


def test_a_client_is_recognized_by_its_methods():
    client = openai.AsyncAzureOpenAI(api_key=KEY, azure_endpoint="http://127.0.0.1:1", api_version="1")
    assert resolve(client, model="gpt").name == "openai:gpt"
    asyncio.run(client.close())
    with pytest.raises(ConfigError, match="needs a model name"):
        resolve(client)
    with pytest.raises(ConfigError, match="is not a provider or a model client"):
        resolve(object(), model="m")


@pytest.mark.parametrize("kind", [anthropic_client, openai_client])
@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("429 Too Many", ("rate_limit", True, 3.0)),
        ("400 Bad", ("request", False, None)),
        ("529 Busy", ("overloaded", True, 3.0)),
    ],
)
def test_an_sdks_exceptions_become_provider_errors_without_the_key(kind, status, expected):
    body = b'{"error": {"message": "sorry, %s"}}' % KEY.encode()
    with canned(body, status, retry_after="3") as url, pytest.raises(ProviderError, match="sorry") as caught:
        ask_through(kind(url))
    error = caught.value
    assert (error.kind, error.retryable, error.retry_after) == expected
    assert KEY not in str(error)


@pytest.mark.parametrize("kind", [anthropic_client, openai_client])
def test_an_sdk_without_a_connection_is_unreachable(kind):
    with pytest.raises(ProviderError) as caught:
        ask_through(kind("http://127.0.0.1:9"))
    assert (caught.value.kind, caught.value.retryable) == ("unreachable", True)


def test_a_client_that_is_not_async_is_asked_in_a_thread():
    with json_server(strict.openai_chat) as server:
        client = openai.OpenAI(api_key=KEY, base_url=f"{server.url}/v1", max_retries=0)
        assert ask(SdkProvider(client, "m")).message.content == "All done."
        client.close()


def test_an_answer_that_is_not_an_object_is_malformed():
    class Fake:
        class messages:  # noqa: N801
            @staticmethod
            async def create(**fields):
                await asyncio.sleep(0)
                return "words"

    with pytest.raises(ProviderError, match="must be an object"):
        ask(SdkProvider(Fake(), "m"), a_request())
