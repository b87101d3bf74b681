"""Strict readers of the wire formats: a request that a vendor's server would refuse fails here."""

from __future__ import annotations

import json
from typing import Any

Json = dict[str, Any]


def anthropic(body: Json) -> Json:
    """https://platform.claude.com/docs/en/api/messages"""
    only(
        body,
        {"model", "max_tokens", "messages"},
        {"system", "tools", "temperature", "top_p", "tool_choice", "stop_sequences"},
    )
    assert isinstance(body["max_tokens"], int) and body["max_tokens"] > 0
    for tool in body.get("tools", []):
        only(tool, {"name", "input_schema"}, {"description"})
        assert tool["input_schema"]["type"] == "object"
    owed: set[str] = set()
    for i, message in enumerate(body["messages"]):
        only(message, {"role", "content"}, set())
        assert message["role"] in ("user", "assistant") and message["content"], f"messages[{i}]"
        assert i or message["role"] == "user", "the first message is the user's"
        owed = anthropic_blocks(message, owed)
    assert not owed, f"calls without result: {owed}"
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [{"type": "text", "text": "All "}, {"type": "text", "text": "done."}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 11, "output_tokens": 7, "cache_read_input_tokens": 4},
    }


def anthropic_blocks(message: Json, owed: set[str]) -> set[str]:
    blocks = message["content"] if isinstance(message["content"], list) else []
    kinds = [block["type"] for block in blocks]
    results = {block["tool_use_id"] for block in blocks if block["type"] == "tool_result"}
    assert results == owed, f"results {results} for calls {owed} must all be in the next user message"
    assert kinds == sorted(kinds, key=lambda kind: kind != "tool_result"), "results come before text"
    for block in blocks:
        if block["type"] == "tool_use":
            only(block, {"type", "id", "name", "input"}, set())
            assert message["role"] == "assistant" and isinstance(block["input"], dict)
        elif block["type"] == "tool_result":
            only(block, {"type", "tool_use_id"}, {"content", "is_error"})
            assert message["role"] == "user"
    return {block["id"] for block in blocks if block["type"] == "tool_use"}


def openai_chat(body: Json) -> Json:
    """https://platform.openai.com/docs/api-reference/chat/create"""
    only(
        body,
        {"model", "messages"},
        {
            "tools",
            "temperature",
            "max_tokens",
            "max_completion_tokens",
            "seed",
            "stop",
            "top_p",
            "tool_choice",
            "parallel_tool_calls",
        },
    )
    assert body.get("tools", ["one"]), "an empty list of tools is refused"
    for tool in body.get("tools", []):
        only(tool, {"type", "function"}, set())
        only(tool["function"], {"name", "parameters"}, {"description", "strict"})
    owed: list[str] = []
    for i, message in enumerate(body["messages"]):
        if message["role"] == "tool":
            only(message, {"role", "tool_call_id", "content"}, set())
            assert isinstance(message["content"], str)
            owed.remove(message["tool_call_id"])
            continue
        assert not owed, f"calls without result before messages[{i}]: {owed}"
        only(message, {"role", "content"}, {"tool_calls"})
        for call in message.get("tool_calls", []):
            only(call, {"id", "type", "function"}, set())
            only(call["function"], {"name", "arguments"}, set())
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
            owed.append(call["id"])
    assert not owed, f"calls without result: {owed}"
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": "All done.", "refusal": None},
            }
        ],
        "usage": {
            "prompt_tokens": 15,
            "completion_tokens": 7,
            "total_tokens": 22,
            "prompt_tokens_details": {"cached_tokens": 4},
        },
    }


def openai_responses(body: Json) -> Json:
    """https://platform.openai.com/docs/api-reference/responses/create"""
    only(
        body,
        {"model", "input", "store"},
        {
            "instructions",
            "tools",
            "temperature",
            "max_output_tokens",
            "top_p",
            "tool_choice",
            "parallel_tool_calls",
        },
    )
    for tool in body.get("tools", []):
        only(tool, {"type", "name", "parameters", "strict"}, {"description"})
        assert tool["type"] == "function"
    owed: list[str] = []
    for item in body["input"]:
        if item["type"] == "function_call":
            only(item, {"type", "call_id", "name", "arguments"}, set())
            assert isinstance(json.loads(item["arguments"]), dict)
            owed.append(item["call_id"])
        elif item["type"] == "function_call_output":
            only(item, {"type", "call_id", "output"}, set())
            assert isinstance(item["output"], str)
            owed.remove(item["call_id"])
        else:
            only(item, {"type", "role", "content"}, set())
            assert not owed, f"calls without result: {owed}"
    return {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": body["model"],
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "metadata": {},
        "instructions": None,
        "temperature": None,
        "top_p": None,
        "output": [
            {"type": "reasoning", "id": "rs", "summary": []},
            {
                "type": "message",
                "id": "m",
                "role": "assistant",
                "status": "completed",
                "content": [{"type": "output_text", "text": "All done.", "annotations": []}],
            },
        ],
        "usage": {
            "input_tokens": 15,
            "output_tokens": 7,
            "total_tokens": 22,
            "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 0},
            "output_tokens_details": {"reasoning_tokens": 0},
        },
    }


def mistral(body: Json) -> Json:
    """https://docs.mistral.ai/api: as OpenAI's, but `random_seed`, and `any` for a required call."""
    assert "seed" not in body and body.get("tool_choice") in (None, "auto", "none", "any")
    return openai_chat({name: value for name, value in body.items() if name != "random_seed"})


def openrouter(body: Json) -> Json:
    """https://openrouter.ai/docs: as OpenAI's, with a request for the price."""
    assert body["usage"] == {"include": True}
    answer = openai_chat({name: value for name, value in body.items() if name != "usage"})
    answer["usage"]["cost"] = 0.25
    return answer


def gemini(body: Json) -> Json:
    """https://ai.google.dev/api/generate-content"""
    only(body, {"contents"}, {"systemInstruction", "tools", "toolConfig", "generationConfig"})
    only(
        body.get("generationConfig", {}),
        set(),
        {"temperature", "topP", "maxOutputTokens", "stopSequences", "seed"},
    )
    for tool in body.get("tools", []):
        only(tool, {"functionDeclarations"}, set())
        for declaration in tool["functionDeclarations"]:
            only(declaration, {"name", "parametersJsonSchema"}, {"description"})
    owed: list[tuple[str, str]] = []
    for content in body["contents"]:
        only(content, {"role", "parts"}, set())
        assert content["role"] in ("user", "model") and content["parts"]
        for part in content["parts"]:
            if "functionCall" in part:
                only(part["functionCall"], {"name", "args"}, {"id"})
                owed.append((part["functionCall"]["id"], part["functionCall"]["name"]))
            elif "functionResponse" in part:
                only(part["functionResponse"], {"name", "response"}, {"id"})
                assert isinstance(part["functionResponse"]["response"], dict)
                owed.remove((part["functionResponse"]["id"], part["functionResponse"]["name"]))
            else:
                only(part, {"text"}, set())
    assert not owed, f"calls without result: {owed}"
    return {
        "candidates": [
            {
                "content": {
                    "role": "model",
                    "parts": [{"text": "Hm.", "thought": True}, {"text": "All "}, {"text": "done."}],
                },
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 15,
            "candidatesTokenCount": 5,
            "thoughtsTokenCount": 2,
            "cachedContentTokenCount": 4,
            "totalTokenCount": 22,
        },
        "modelVersion": "some-model",
    }


def bedrock(body: Json) -> Json:
    """https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html"""
    only(body, {"messages"}, {"system", "inferenceConfig", "toolConfig"})
    only(body.get("inferenceConfig", {}), set(), {"maxTokens", "temperature", "topP", "stopSequences"})
    for tool in body.get("toolConfig", {}).get("tools", []):
        only(tool, {"toolSpec"}, set())
        only(tool["toolSpec"], {"name", "inputSchema"}, {"description"})
        only(tool["toolSpec"]["inputSchema"], {"json"}, set())
    roles = [message["role"] for message in body["messages"]]
    assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"] * (len(roles) % 2), roles
    owed: set[str] = set()
    for message in body["messages"]:
        only(message, {"role", "content"}, set())
        results = {b["toolResult"]["toolUseId"] for b in message["content"] if "toolResult" in b}
        assert results == owed, f"results {results} for calls {owed}"
        owed = {b["toolUse"]["toolUseId"] for b in message["content"] if "toolUse" in b}
        for block in message["content"]:
            assert len(block) == 1 and block.keys() <= {"text", "toolUse", "toolResult"}
            if "toolUse" in block:
                only(block["toolUse"], {"toolUseId", "name", "input"}, set())
            if "toolResult" in block:
                only(block["toolResult"], {"toolUseId", "content"}, {"status"})
    assert not owed, f"calls without result: {owed}"
    return {
        "output": {"message": {"role": "assistant", "content": [{"text": "All "}, {"text": "done."}]}},
        "stopReason": "end_turn",
        "usage": {"inputTokens": 11, "outputTokens": 7, "totalTokens": 22, "cacheReadInputTokens": 4},
        "metrics": {"latencyMs": 1},
    }


def only(found: Json, needed: set[str], allowed: set[str]) -> None:
    missing = needed - found.keys()
    unknown = found.keys() - needed - allowed
    assert not missing, f"missing {sorted(missing)}"
    assert not unknown, f"unknown {sorted(unknown)}"
