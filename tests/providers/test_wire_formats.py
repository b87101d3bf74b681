"""Requests pass strict readers of each format; answers of every kind are read for what they are."""

from __future__ import annotations

from typing import Any

import pytest

from rightcall.core.errors import ConfigError, ProviderError
from rightcall.providers.base import ModelRequest, Prompt, Settings
from rightcall.providers.resolver import resolve
from rightcall.records import Message, ToolCall, ToolResult
from tests.providers import strict

from .loopback import json_server
from .samples import CONVERSATION, PROMPT, WEATHER, a_request, ask

FORMATS = [
    ("anthropic", "", strict.anthropic, "/v1/messages"),
    ("openai", "/v1", strict.openai_chat, "/v1/chat/completions"),
    ("openai-responses", "/v1", strict.openai_responses, "/v1/responses"),
    ("azure", "", strict.openai_chat, "/openai/v1/chat/completions"),
    ("bedrock", "", strict.bedrock, "/model/some-model/converse"),
    ("gemini", "", strict.gemini, "/v1/models/some-model:generateContent"),
    ("mistral", "/v1", strict.mistral, "/v1/chat/completions"),
    ("openrouter", "/api/v1", strict.openrouter, "/api/v1/chat/completions"),
    ("ollama", "/v1", strict.openai_chat, "/v1/chat/completions"),
]


@pytest.fixture(autouse=True)
def project(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_VERSION", raising=False)


@pytest.mark.parametrize(("prefix", "base", "reader", "path"), FORMATS)
@pytest.mark.parametrize(
    "prompt", [PROMPT, Prompt(), Prompt("", (WEATHER,), Settings(tool_choice="required", top_p=0.5))]
)
def test_a_whole_conversation_is_spelt_as_the_server_wants_it(prefix, base, reader, path, prompt):
    with json_server(reader) as server:
        provider = resolve(f"{prefix}:some-model", base_url=server.url + base)
        reply = ask(provider, ModelRequest(prompt, CONVERSATION, seed=3))
    assert reply.message == Message("assistant", "All done.")
    assert (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cached_tokens) == (15, 7, 4)
    assert (reply.stop, server.paths) == ("done", [path])
    assert reply.model == ("" if prefix == "bedrock" else "some-model")  # which Converse does not say
    assert reply.usage.cost_usd == {"openrouter": 0.25, "ollama": 0}.get(prefix)


def test_the_system_text_of_a_conversation_joins_the_prompts_own_for_anthropic():
    with json_server(strict.anthropic) as server:
        messages = (Message("system", "Be brief."), Message("user", "Hi"))
        ask(resolve("anthropic:m", base_url=server.url), ModelRequest(Prompt("You help."), messages))
    assert server.bodies[0]["system"] == "You help.\n\nBe brief."


def test_settings_of_one_server_are_passed_on_as_they_are():
    with json_server(
        lambda body: strict.openai_chat({k: v for k, v in body.items() if k != "top_k"})
    ) as server:
        prompt = Prompt(settings=Settings(extra={"top_k": 5}, max_tokens=9))
        ask(resolve("openai:m", base_url=server.url), a_request(prompt=prompt))
    assert (server.bodies[0]["top_k"], server.bodies[0]["max_tokens"]) == (5, 9)


def test_a_prompt_is_encoded_once_for_all_its_requests():
    provider = resolve("openai:m", base_url="http://127.0.0.1:1")
    written = []
    provider.write_tool = lambda tool: written.append(tool.name) or {}
    for _ in range(5):
        provider.prepare(PROMPT)
    provider.prepare(Prompt("Another system text.", PROMPT.tools))
    assert written == [tool.name for tool in PROMPT.tools]


CALL = {"id": "x", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Hue"}'}}


def chat(message: dict[str, Any], finish: str = "stop") -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", **message}, "finish_reason": finish}]}


def calls_in(body: dict[str, Any], prefix: str = "openai"):
    with json_server(lambda _: body) as server:
        return ask(resolve(f"{prefix}:m", base_url=server.url))


HUE = ToolCall("get_weather", {"city": "Hue"}, "x")


@pytest.mark.parametrize(
    ("body", "calls", "stop"),
    [
        (chat({"content": None, "tool_calls": [CALL]}, "stop"), (HUE,), "done"),
        (
            chat({"tool_calls": [CALL, {**CALL, "id": "y"}]}, "tool_calls"),
            (HUE, ToolCall("get_weather", {"city": "Hue"}, "y")),
            "done",
        ),
        (
            chat({"tool_calls": [{**CALL, "function": {"name": "f", "arguments": {"a": 1}}}]}),
            (ToolCall("f", {"a": 1}, "x"),),
            "done",
        ),
        (
            chat({"tool_calls": [{**CALL, "function": {"name": "f", "arguments": '{"a": '}}]}, "length"),
            (ToolCall("f", None, "x", raw='{"a": '),),
            "truncated",
        ),
        (
            chat({"tool_calls": [{"function": CALL["function"]}, {"function": CALL["function"]}]}),
            (
                ToolCall("get_weather", {"city": "Hue"}, "call_0_0"),
                ToolCall("get_weather", {"city": "Hue"}, "call_0_1"),
            ),
            "done",
        ),
        (chat({"content": ""}), (), "done"),
        (chat({"content": None, "refusal": "I can't."}), (), "refused"),
        (chat({"content": "par"}, "length"), (), "truncated"),
        (chat({"content": ""}, "content_filter"), (), "filtered"),
    ],
)
def test_chat_answers_are_read_by_what_is_in_them(body, calls, stop):
    reply = calls_in(body)
    assert (reply.message.calls, reply.stop) == (calls, stop)


@pytest.mark.parametrize(
    ("content", "reason", "text", "names", "stop"),
    [
        (
            [
                {"type": "text", "text": "Let me"},
                {"type": "tool_use", "id": "a", "name": "f", "input": {}},
                {"type": "tool_use", "id": "b", "name": "g", "input": {"x": 1}},
            ],
            "end_turn",
            "Let me",
            ["f", "g"],
            "done",
        ),
        ([{"type": "thinking", "thinking": "…"}], "end_turn", "", [], "done"),
        ([], "end_turn", "", [], "done"),
        ([{"type": "text", "text": "No."}], "refusal", "No.", [], "refused"),
        ([{"type": "text", "text": "cut"}], "max_tokens", "cut", [], "truncated"),
    ],
)
def test_anthropic_answers_are_read_by_what_is_in_them(content, reason, text, names, stop):
    reply = calls_in({"content": content, "stop_reason": reason}, "anthropic")
    assert (reply.message.content, [c.name for c in reply.message.calls], reply.stop) == (text, names, stop)


ITEM = {"type": "function_call", "call_id": "x", "name": "get_weather", "arguments": '{"city": "Hue"}'}


@pytest.mark.parametrize(
    ("body", "calls", "stop"),
    [
        ({"status": "completed", "output": [ITEM]}, (HUE,), "done"),
        (
            {"output": [{"type": "web_search_call", "id": "w"}, ITEM]},
            (ToolCall("web_search", {}, "w", kind="hosted"), HUE),
            "done",
        ),
        ({"status": "completed", "output": []}, (), "done"),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}, "output": []},
            (),
            "truncated",
        ),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}, "output": []},
            (),
            "filtered",
        ),
        (
            {
                "output": [
                    {
                        "type": "message",
                        "role": "assistant",
                        "content": [{"type": "refusal", "refusal": "No"}],
                    }
                ]
            },
            (),
            "refused",
        ),
    ],
)
def test_responses_are_read_by_what_is_in_them(body, calls, stop):
    reply = calls_in(body, "openai-responses")
    assert (reply.message.calls, reply.stop) == (calls, stop)


def test_a_response_that_failed_is_an_error_of_the_provider():
    body = {
        "status": "failed",
        "error": {"code": "rate_limit_exceeded", "message": "slow down"},
        "output": [],
    }
    with pytest.raises(ProviderError, match="slow down") as caught:
        calls_in(body, "openai-responses")
    assert (caught.value.kind, caught.value.retryable) == ("rate_limit", True)


@pytest.mark.parametrize(
    ("prefix", "body"),
    [
        ("openai", {}),
        ("openai", {"choices": []}),
        ("openai", {"choices": [3]}),
        ("openai", {"error": "busy"}),
        ("openai", {"choices": [{"message": {"tool_calls": "no list"}}]}),
        ("openai", {"choices": [{"message": {"content": 5}}]}),
        ("anthropic", {"content": "words"}),
        ("anthropic", {"content": [{"type": "tool_use", "name": 5}]}),
        ("openai-responses", {"output": [5]}),
        ("openai-responses", {"status": "queued", "output": []}),
    ],
)
def test_json_that_is_not_an_answer_is_unusable(prefix, body):
    with pytest.raises(ProviderError, match="unusable response") as caught:
        calls_in(body, prefix)
    assert caught.value.kind == "malformed"


def candidate(parts: list[dict[str, Any]], reason: str = "STOP") -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": reason}]}


FUNCTION = {"functionCall": {"name": "get_weather", "args": {"city": "Hue"}}}


@pytest.mark.parametrize(
    ("body", "calls", "stop"),
    [
        (
            candidate([{"text": "thinking", "thought": True}, FUNCTION, FUNCTION]),
            (
                ToolCall("get_weather", {"city": "Hue"}, "call_0_0"),
                ToolCall("get_weather", {"city": "Hue"}, "call_0_1"),
            ),
            "done",
        ),
        (candidate([{"functionCall": {**FUNCTION["functionCall"], "id": "x"}}]), (HUE,), "done"),
        (candidate([{"functionCall": {"name": "now"}}]), (ToolCall("now", {}, "call_0_0"),), "done"),
        (candidate([{"text": "cut"}], "MAX_TOKENS"), (), "truncated"),
        (candidate([], "SAFETY"), (), "filtered"),
        ({"candidates": [{"finishReason": "PROHIBITED_CONTENT"}]}, (), "filtered"),
        ({"promptFeedback": {"blockReason": "SAFETY"}}, (), "filtered"),
    ],
)
def test_gemini_answers_are_read_by_what_is_in_them(body, calls, stop):
    reply = calls_in(body, "gemini")
    assert (reply.message.calls, reply.stop) == (calls, stop)


def converse(content: list[dict[str, Any]], reason: str = "end_turn") -> dict[str, Any]:
    return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": reason}


USE = {"toolUse": {"toolUseId": "x", "name": "get_weather", "input": {"city": "Hue"}}}


@pytest.mark.parametrize(
    ("body", "calls", "stop"),
    [
        (converse([{"text": "Let me"}, USE], "tool_use"), (HUE,), "done"),
        (converse([{"reasoningContent": {"reasoningText": {"text": "…"}}}, USE]), (HUE,), "done"),
        (converse([{"text": "cut"}], "max_tokens"), (), "truncated"),
        (converse([], "guardrail_intervened"), (), "filtered"),
    ],
)
def test_converse_answers_are_read_by_what_is_in_them(body, calls, stop):
    reply = calls_in(body, "bedrock")
    assert (reply.message.calls, reply.stop) == (calls, stop)


@pytest.mark.parametrize(
    ("prefix", "body", "told"),
    [
        ("gemini", candidate([], "MALFORMED_FUNCTION_CALL"), "MALFORMED_FUNCTION_CALL"),
        ("gemini", {}, "has no candidates"),
        ("gemini", {"candidates": [3]}, "has no candidates"),
        ("bedrock", converse([], "malformed_tool_use"), "a call was lost"),
        ("bedrock", converse([], "tool_use"), "has no call"),
        ("openai", chat({"content": ""}, "tool_calls"), "has no call"),
        ("openai", chat({"content": "", "tool_calls": []}, "tool_calls"), "has no call"),
        ("openai", chat({"content": "I wi"}, "error"), "ended with error"),
        ("anthropic", {"content": [], "stop_reason": "tool_use"}, "has no call"),
        ("bedrock", {"output": {"message": {"content": "text"}}}, "has no output.message.content"),
    ],
)
def test_an_answer_in_which_a_call_was_lost_is_no_answer(prefix, body, told):
    with pytest.raises(ProviderError, match=told):
        calls_in(body, prefix)


def test_what_a_model_thought_goes_back_to_where_it_came_from():
    signed = {**FUNCTION, "thoughtSignature": "c2lnbmVk"}
    reasoned = {"reasoningContent": {"reasoningText": {"text": "…", "signature": "s"}}}
    for prefix, body in (("gemini", candidate([signed])), ("bedrock", converse([reasoned, USE]))):
        said = calls_in(body, prefix).message
        result = Message("tool", results=(ToolResult(said.calls[0].id, "31"),))
        with json_server(lambda _, body=body: body) as server:
            request = ModelRequest(Prompt(), (Message("user", "Hi"), said, result))
            ask(resolve(f"{prefix}:m", base_url=server.url), request)
        [sent] = server.bodies
        if prefix == "gemini":
            assert sent["contents"][1]["parts"][0]["thoughtSignature"] == "c2lnbmVk"
        else:
            assert sent["messages"][1]["content"][0] == reasoned


def test_azures_dated_api_is_that_of_a_deployment(monkeypatch):
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    with json_server(strict.openai_chat) as server:
        ask(resolve("azure:my-gpt", base_url=server.url))
    assert server.paths == ["/openai/deployments/my-gpt/chat/completions"]


def test_a_choice_that_a_format_lacks_is_refused_before_anything_is_sent():
    prompt = Prompt("", (WEATHER,), Settings(tool_choice="none"))
    with pytest.raises(ConfigError, match="has no tool_choice none"):
        resolve("bedrock:m", base_url="http://127.0.0.1:1").prepare(prompt)
