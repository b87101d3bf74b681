"""A real model in this process: it calls tools, abstains, and answers the same every time."""

from __future__ import annotations

import asyncio

import pytest

from rightcall.core.errors import ProviderError
from rightcall.providers.base import ModelRequest, Prompt, Settings
from rightcall.providers.local import answer_schema, read_answer, shape, signature, system_text
from rightcall.providers.resolver import resolve
from rightcall.records import Message, Tool

from .samples import DELETE, PROMPT, WEATHER, a_request

pytestmark = pytest.mark.stories

TWO = Prompt("", (WEATHER, DELETE))
QUESTIONS = (
    "What is the weather in Paris?",
    "What is the capital of Peru?",
    "What is the weather in Rome today?",
)


@pytest.fixture(scope="module")
def ask_all(weights):
    """Questions all at once to one model, loaded once."""
    provider = resolve("local:smollm2", threads=1)

    async def all_of(prompt, questions):
        return await asyncio.gather(*(provider.complete(a_request(q, prompt=prompt)) for q in questions))

    yield lambda prompt, *questions: asyncio.run(all_of(prompt, questions))
    asyncio.run(provider.aclose())


@pytest.fixture(scope="module")
def answered(ask_all):
    return ask_all(TWO, *QUESTIONS)


def test_it_calls_a_tool_with_arguments_of_the_right_shape(answered):
    (call,) = answered[0].message.calls
    assert (call.name, call.arguments.keys() >= {"city"}, call.id) == ("get_weather", True, "call_0_0")
    assert call.arguments["city"] == "Paris"


def test_its_tokens_are_counted_and_cost_nothing(answered):
    usage = answered[0].usage
    assert usage.input_tokens > 50 and 5 < usage.output_tokens < 100 and usage.cost_usd == 0
    assert answered[0].latency_ms > 0 and answered[0].model == "local:smollm2"


def test_the_order_of_the_questions_changes_no_answer(answered, ask_all):
    again = ask_all(TWO, *reversed(QUESTIONS))[::-1]
    assert [reply.message for reply in again] == [reply.message for reply in answered]


def test_tool_choice_is_obeyed(ask_all):
    choices = [
        ask_all(Prompt("", (WEATHER, DELETE), Settings(tool_choice=choice, max_tokens=24)), QUESTIONS[0])[
            0
        ].message.calls
        for choice in ("required", "none")
    ]
    assert [len(calls) for calls in choices] == [1, 0]


def test_a_schema_no_grammar_can_hold_still_gets_an_answer(ask_all):
    strange = Tool("find", "Find a thing.", {"type": "object", "properties": {"x": {"type": "no such type"}}})
    (reply,) = ask_all(
        Prompt("", (strange,), Settings(tool_choice="required", max_tokens=40)), "Find my keys"
    )
    assert reply.message.role == "assistant" and (reply.message.calls or reply.message.content)


def test_without_tools_it_just_talks(ask_all):
    (reply,) = ask_all(Prompt("", settings=Settings(max_tokens=8)), "Say hello.")
    assert reply.message.content and reply.stop in ("done", "truncated")


def test_a_prompt_longer_than_the_context_is_an_error_of_that_call(ask_all):
    with pytest.raises(ProviderError, match="context size") as caught:
        ask_all(Prompt(), "word " * 9_000)
    assert not caught.value.retryable


def test_llama_cpps_own_server_answers_the_openai_provider(weights):
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    params.n_ctx = 2048
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.warmup = False
    params.verbosity = -1
    server = xllamacpp.Server(params)

    async def once():
        async with resolve("openai:smollm2", base_url=f"{server.listening_address}/v1") as provider:
            settings = Settings(temperature=0, max_tokens=12, seed=1)
            assert await provider.check() == []
            words = await provider.complete(a_request("Say hello.", prompt=Prompt("Be brief.", (), settings)))
            tools = await provider.complete(a_request(prompt=Prompt("", PROMPT.tools, settings)))
            return words, tools

    words, tools = asyncio.run(once())
    assert (
        words.message.content
        and words.usage.output_tokens in range(1, 13)
        and words.stop in ("done", "truncated")
    )
    assert tools.usage.input_tokens > words.usage.input_tokens


def test_a_file_that_is_not_a_model_cannot_be_loaded(tmp_path):
    path = tmp_path / "x.gguf"
    path.write_bytes(b"not a model")

    async def once():
        async with resolve(f"local:{path}") as provider:
            await provider.complete(a_request())

    with pytest.raises(ProviderError, match="cannot be loaded"):
        asyncio.run(once())


def test_the_prompt_shows_signatures_and_the_way_out():
    text = system_text("Be kind.", (WEATHER,))
    assert text.startswith("Be kind.\n") and "- none: no tool above" in text
    assert signature(WEATHER) == "get_weather(city: string, units?: celsius|fahrenheit)"


def test_the_shape_of_a_schema_follows_references_and_leaves_out_what_no_grammar_has():
    schema = {
        "$defs": {"d": {"type": "string", "pattern": "^(?=x)"}},
        "properties": {"a": {"$ref": "#/$defs/d"}},
    }
    assert shape(schema)["properties"] == {"a": {"type": "string"}}
    loop = {"$defs": {"d": {"$ref": "#/$defs/d"}}, "properties": {"a": {"$ref": "#/$defs/d"}}}
    assert shape(loop)["properties"] == {"a": {}}
    assert len(answer_schema((WEATHER, DELETE), words=True)["anyOf"]) == 3


@pytest.mark.parametrize("text", ["", "{", "[]", '{"tool": 3}', '{"tool": "unknown", "arguments": {}}'])
def test_an_answer_without_the_shape_is_not_a_call(text):
    assert read_answer(text, (WEATHER,), "c") is None


def test_what_was_said_before_reaches_the_model_as_words():
    from rightcall.providers.local import chat

    from .samples import CONVERSATION

    roles = [(m["role"], m["content"][:18]) for m in chat((*CONVERSATION, Message("assistant", "Fine.")))]
    assert roles[1] == ("assistant", '{"tool": "get_weat') and roles[3] == ("user", 'Tool result: {"cel')
    assert isinstance(ModelRequest(PROMPT, CONVERSATION).turn, int)
