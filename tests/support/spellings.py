"""Every spelling of calls that is read: how some calls are written in it, as dicts and as objects.

A writer takes calls and other parts (text and reasoning, as that spelling has them), and gives a whole response.
`tests/data/spellings` holds what the real packages of `PACKAGES` dump for the same calls.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Json = dict[str, Any]


class Call(NamedTuple):
    """A call to write."""

    name: str
    arguments: Json
    id: str


class Spelling(NamedTuple):
    """`write` gives a whole response, `messages` the messages in it; `ids` says whether calls keep their ids."""

    write: Callable[[Sequence[Call], bool], Any]
    messages: Callable[[Any], list[Any]]
    title: str
    ids: bool = True


def chat_call(call: Call) -> Json:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
    }


def openai_chat(calls: Sequence[Call], mixed: bool) -> Json:
    message = {"role": "assistant", "content": "Let me see." if mixed else None, "refusal": None,
               "tool_calls": [chat_call(call) for call in calls]}  # fmt: skip
    choice = {
        "index": 0,
        "finish_reason": "tool_calls" if calls else "stop",
        "logprobs": None,
        "message": message,
    }
    return {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def openai_legacy(calls: Sequence[Call], mixed: bool) -> list[Json]:
    return [
        {"role": "assistant", "content": "Hm." if mixed else None,
         "function_call": {"name": call.name, "arguments": json.dumps(call.arguments)}}
        for call in calls
    ]  # fmt: skip


def responses(calls: Sequence[Call], mixed: bool) -> Json:
    items: list[Json] = [{"type": "reasoning", "id": "rs_1", "summary": []}] if mixed else []
    for call in calls:
        items.append({"type": "function_call", "id": f"fc_{call.id}", "call_id": call.id, "name": call.name,
                      "arguments": json.dumps(call.arguments), "status": "completed"})  # fmt: skip
    if mixed:
        text = {"type": "output_text", "text": "One moment.", "annotations": []}
        items.append(
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
        )
    return {"id": "r", "object": "response", "created_at": 1, "model": "m", "output": items, "tools": [],
            "parallel_tool_calls": True, "tool_choice": "auto"}  # fmt: skip


def responses_mcp(calls: Sequence[Call], mixed: bool) -> Json:
    found = responses([], mixed)
    found["output"] += [
        {"type": "mcp_call", "id": call.id, "name": call.name, "arguments": json.dumps(call.arguments),
         "server_label": "shop", "output": "done"}
        for call in calls
    ]  # fmt: skip
    return found


def _anthropic(kind: str) -> Callable[[Sequence[Call], bool], Json]:
    def write(calls: Sequence[Call], mixed: bool) -> Json:
        server = {"server_name": "shop"} if kind == "mcp_tool_use" else {}
        blocks: list[Json] = [{"type": "text", "text": "Let me look.", "citations": None}] if mixed else []
        if mixed:
            blocks.insert(0, {"type": "thinking", "thinking": "Hm.", "signature": "s"})
        blocks += [
            {"type": kind, "id": call.id, "name": call.name, "input": call.arguments, **server}
            for call in calls
        ]
        return {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": blocks,
                "stop_reason": "tool_use" if calls else "end_turn", "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip

    return write


def _gemini(field: str) -> Callable[[Sequence[Call], bool], Json]:
    def write(calls: Sequence[Call], mixed: bool) -> Json:
        parts: list[Json] = [{"text": "Hm.", "thought": True}, {"text": "Let me see."}] if mixed else []
        parts += [{field: {"id": call.id, "name": call.name, "args": call.arguments}} for call in calls]
        return {"candidates": [{"content": {"role": "model", "parts": parts}, "index": 0}]}

    return write


def bedrock(calls: Sequence[Call], mixed: bool) -> Json:
    content: list[Json] = []
    if mixed:
        content = [{"reasoningContent": {"reasoningText": {"text": "Hm."}}}, {"text": "Let me see."}]
    content += [
        {"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.arguments}} for call in calls
    ]
    return {"output": {"message": {"role": "assistant", "content": content}}, "stopReason": "tool_use" if calls else "end_turn",
            "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {"latencyMs": 1}}  # fmt: skip


def strands(calls: Sequence[Call], mixed: bool) -> Json:
    return {
        "type": "agent_result",
        "message": bedrock(calls, mixed)["output"]["message"],
        "stop_reason": "tool_use" if calls else "end_turn",
    }


def mistral(calls: Sequence[Call], mixed: bool) -> Json:
    found = openai_chat(calls, False)
    message = found["choices"][0]["message"]
    message["tool_calls"] = [
        {
            "id": call.id,
            "type": "function",
            "index": 0,
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in calls
    ]
    if mixed:
        thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
        message["content"] = [thought, {"type": "text", "text": "Let me see."}]
    return found


def cohere(calls: Sequence[Call], mixed: bool) -> Json:
    plan = {"tool_plan": "I will look."} if mixed else {}
    message = {"role": "assistant", "tool_calls": [chat_call(call) for call in calls], **plan}
    return {"id": "x", "finish_reason": "TOOL_CALL" if calls else "COMPLETE", "message": message}


def ollama(calls: Sequence[Call], mixed: bool) -> Json:
    thought = {"thinking": "Hm."} if mixed else {}
    found = [{"function": {"name": call.name, "arguments": call.arguments}} for call in calls]
    return {
        "model": "m",
        "done": True,
        "message": {"role": "assistant", "content": "", "tool_calls": found, **thought},
    }


def langchain(calls: Sequence[Call], mixed: bool) -> Json:
    content: Any = [{"type": "text", "text": "Let me see."}] if mixed else ""
    if mixed:  # as ChatAnthropic writes it: the calls are in the content too
        content += [
            {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments} for call in calls
        ]
    made = [{"name": call.name, "args": call.arguments, "id": call.id, "type": "tool_call"} for call in calls]
    message = {"type": "ai", "content": content, "tool_calls": made, "invalid_tool_calls": [], "additional_kwargs": {},
               "response_metadata": {}}  # fmt: skip
    return {"messages": [{"type": "human", "content": "Weather?"}, message]}


def langchain_constructor(calls: Sequence[Call], mixed: bool) -> list[Json]:
    message = langchain(calls, mixed)["messages"][1]
    return [
        {
            "lc": 1,
            "type": "constructor",
            "id": ["langchain", "schema", "messages", "AIMessage"],
            "kwargs": message,
        }
    ]


def langchain_stored(calls: Sequence[Call], mixed: bool) -> list[Json]:
    return [{"type": "ai", "data": langchain(calls, mixed)["messages"][1]}]


def langchain_result(calls: Sequence[Call], mixed: bool) -> Json:
    return {
        "generations": [[{"text": "", "message": langchain_constructor(calls, mixed)[0]}]],
        "llm_output": None,
    }


def ai_sdk(calls: Sequence[Call], mixed: bool) -> Json:
    parts: list[Json] = (
        [{"type": "reasoning", "text": "Hm."}, {"type": "text", "text": "Let me see."}] if mixed else []
    )
    made = [
        {"type": "tool-call", "toolCallId": c.id, "toolName": c.name, "input": c.arguments} for c in calls
    ]
    messages = [{"role": "assistant", "content": parts + made}]
    reason = "tool-calls" if calls else "stop"
    return {"text": "", "toolCalls": made, "finishReason": reason, "response": {"messages": messages}}


def ai_sdk_interface(calls: Sequence[Call], mixed: bool) -> Json:
    parts: list[Json] = [{"type": "step-start"}, {"type": "text", "text": "Let me see."}] if mixed else []
    for place, call in enumerate(calls):
        named = (
            {"type": f"tool-{call.name}"}
            if place % 2 == 0
            else {"type": "dynamic-tool", "toolName": call.name}
        )
        parts.append(
            {
                **named,
                "toolCallId": call.id,
                "state": "output-available",
                "input": call.arguments,
                "output": 1,
            }
        )
    return {"id": "m", "role": "assistant", "parts": parts}


def ai_sdk_invocations(calls: Sequence[Call], mixed: bool) -> Json:
    made = [
        {"state": "result", "toolCallId": c.id, "toolName": c.name, "args": c.arguments, "result": 1}
        for c in calls
    ]
    parts = [{"type": "tool-invocation", "toolInvocation": one} for one in made] if mixed else []
    return {"id": "m", "role": "assistant", "content": "", "toolInvocations": made, "parts": parts}


def autogen(calls: Sequence[Call], mixed: bool) -> Json:
    made = [{"id": call.id, "arguments": json.dumps(call.arguments), "name": call.name} for call in calls]
    messages: list[Json] = [{"source": "user", "content": "Weather?", "type": "TextMessage"}]
    messages += [{"source": "a", "content": "Hm.", "type": "ThoughtEvent"}] if mixed else []
    messages.append({"source": "a", "content": made, "type": "ToolCallRequestEvent"})
    results = [{"content": "1", "name": call.name, "call_id": call.id, "is_error": False} for call in calls]
    messages.append({"source": "a", "content": results, "type": "ToolCallExecutionEvent"})
    if mixed:
        messages.append({"source": "a", "content": "1", "type": "ToolCallSummaryMessage", "tool_calls": made,
                         "results": results})  # fmt: skip
    return {"messages": messages, "stop_reason": None}


def autogen_core(calls: Sequence[Call], mixed: bool) -> list[Json]:
    made = [{"id": call.id, "arguments": json.dumps(call.arguments), "name": call.name} for call in calls]
    return [{"content": made, "thought": "Hm." if mixed else None, "source": "a", "type": "AssistantMessage"}]


def mcp(calls: Sequence[Call], mixed: bool) -> list[Json]:
    found: list[Json] = [{"jsonrpc": "2.0", "id": "0", "method": "tools/list"}] if mixed else []
    for call in calls:
        params = {"name": call.name, "arguments": call.arguments}
        found.append({"jsonrpc": "2.0", "id": call.id, "method": "tools/call", "params": params})
        result = {"content": [{"type": "text", "text": "1"}], "isError": False}
        found.append({"jsonrpc": "2.0", "id": call.id, "result": result})
    return found


def pydantic_ai(calls: Sequence[Call], mixed: bool) -> list[Json]:
    parts: list[Json] = [{"part_kind": "thinking", "content": "Hm."}] if mixed else []
    parts += [{"part_kind": "text", "content": "Let me see."}] if mixed else []
    parts += [
        {"part_kind": "tool-call", "tool_name": c.name, "args": c.arguments, "tool_call_id": c.id}
        for c in calls
    ]
    prompt = {"part_kind": "user-prompt", "content": "Weather?", "timestamp": "2026-01-01"}
    told = [
        {"part_kind": "tool-return", "tool_name": c.name, "content": 1, "tool_call_id": c.id} for c in calls
    ]
    return [
        {"kind": "request", "parts": [prompt], "instructions": None},
        {
            "kind": "response",
            "parts": parts,
            "model_name": "m",
            "finish_reason": "tool_call" if calls else "stop",
        },
        *([{"kind": "request", "parts": told}] if told else []),
    ]


def llama_index(calls: Sequence[Call], mixed: bool) -> Json:
    blocks: list[Json] = [{"block_type": "thinking", "content": "Hm."}] if mixed else []
    blocks += [{"block_type": "text", "text": "Let me see."}] if mixed else []
    for call in calls:
        blocks.append({"block_type": "tool_call", "tool_call_id": call.id, "tool_name": call.name,
                       "tool_kwargs": call.arguments})  # fmt: skip
    return {
        "message": {"role": "assistant", "additional_kwargs": {}, "blocks": blocks},
        "raw": None,
        "delta": None,
    }


def agents_items(calls: Sequence[Call], mixed: bool) -> Json:
    raw = responses(calls, mixed)["output"]
    kinds = {
        "function_call": "tool_call_item",
        "reasoning": "reasoning_item",
        "message": "message_output_item",
    }
    items = [{"agent": {"name": "a"}, "raw_item": item, "type": kinds[item["type"]]} for item in raw]
    return {"input": "Weather?", "new_items": items, "raw_responses": [{"output": raw}], "final_output": None}


def adk(calls: Sequence[Call], mixed: bool) -> list[Json]:
    content = _gemini("functionCall")(calls, mixed)["candidates"][0]["content"]
    return [{"content": content, "author": "a", "invocationId": "i", "actions": {"stateDelta": {}}}]


def native(calls: Sequence[Call], mixed: bool) -> list[Json]:
    made = [{"name": call.name, "arguments": call.arguments, "id": call.id} for call in calls]
    return [{"role": "assistant", "content": "Let me see." if mixed else "", "calls": made}]


def _whole(found: Any) -> list[Any]:
    return found if isinstance(found, list) else [found]


def _listed(found: Any) -> list[Any]:
    return list(found["messages"])


SPELLINGS: dict[str, Spelling] = {
    "native": Spelling(native, _whole, "RightCall"),
    "openai": Spelling(
        openai_chat, lambda found: [found["choices"][0]["message"]], "OpenAI chat completions"
    ),
    "openai_legacy": Spelling(openai_legacy, _whole, "OpenAI `function_call`", ids=False),
    "openai_responses": Spelling(responses, lambda found: found["output"], "OpenAI Responses"),
    "openai_mcp_call": Spelling(responses_mcp, lambda found: found["output"], "OpenAI Responses, `mcp_call`"),
    "anthropic": Spelling(_anthropic("tool_use"), _whole, "Anthropic `tool_use`"),
    "anthropic_server": Spelling(_anthropic("server_tool_use"), _whole, "Anthropic `server_tool_use`"),
    "anthropic_mcp": Spelling(_anthropic("mcp_tool_use"), _whole, "Anthropic `mcp_tool_use`"),
    "gemini": Spelling(_gemini("functionCall"), lambda found: [found["candidates"][0]["content"]], "Gemini"),
    "google_genai": Spelling(
        _gemini("function_call"), lambda found: [found["candidates"][0]["content"]], "google-genai"
    ),
    "bedrock": Spelling(bedrock, lambda found: [found["output"]["message"]], "Bedrock Converse"),
    "strands": Spelling(strands, lambda found: [found["message"]], "Strands Agents"),
    "mistral": Spelling(mistral, lambda found: [found["choices"][0]["message"]], "Mistral"),
    "cohere": Spelling(cohere, lambda found: [found["message"]], "Cohere v2"),
    "ollama": Spelling(ollama, lambda found: [found["message"]], "Ollama", ids=False),
    "langchain": Spelling(langchain, _listed, "LangChain and LangGraph"),
    "langchain_constructor": Spelling(langchain_constructor, _whole, "LangChain, serialized (`lc`)"),
    "langchain_stored": Spelling(langchain_stored, _whole, "LangChain, stored (`messages_to_dict`)"),
    "langchain_result": Spelling(langchain_result, _whole, "LangChain `LLMResult`"),
    "ai_sdk": Spelling(ai_sdk, lambda found: found["response"]["messages"], "AI SDK of Vercel"),
    "ai_sdk_interface": Spelling(ai_sdk_interface, _whole, "AI SDK, parts for user interfaces"),
    "ai_sdk_invocations": Spelling(ai_sdk_invocations, _whole, "AI SDK, `toolInvocations`"),
    "autogen": Spelling(autogen, _listed, "AutoGen AgentChat"),
    "autogen_core": Spelling(autogen_core, _whole, "AutoGen Core"),
    "pydantic_ai": Spelling(pydantic_ai, _whole, "Pydantic AI"),
    "llama_index": Spelling(llama_index, lambda found: [found["message"]], "LlamaIndex"),
    "agents_items": Spelling(agents_items, lambda found: found["new_items"], "OpenAI Agents SDK, items"),
    "adk": Spelling(adk, _whole, "Google ADK, events"),
    "mcp": Spelling(mcp, _whole, "MCP `tools/call`"),
}
