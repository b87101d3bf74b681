"""A scripted model on loopback that speaks chat completions, responses and Anthropic messages, streamed or whole."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from aiohttp import web

from tests.limbs.adapters.script import Answer, Journal, respond
from tests.providers.loopback import _in_thread

Json = dict[str, Any]


@contextmanager
def model_server(journal: Journal, respond_to: Any = respond) -> Iterator[str]:
    """Its address; every request is noted in the journal."""
    threads: dict[str, list[Json]] = {}

    async def handle(request: web.Request) -> web.StreamResponse:
        body = await request.json()
        journal.note(body)
        if request.path.endswith("/chat/completions"):
            said, turn = _place(body["messages"])
            whole, events = chat_reply(respond_to(said, turn))
        elif request.path.endswith("/responses"):
            items = (
                body["input"]
                if isinstance(body["input"], list)
                else [{"role": "user", "content": body["input"]}]
            )
            items = [*threads.get(body.get("previous_response_id"), []), *items]
            said, turn = _place_of_items(items)
            whole, events = responses_reply(respond_to(said, turn), len(threads))
            threads[whole["id"]] = [*items, *whole["output"]]
        else:
            thread = body.get("thread") or {}
            messages = [*threads.get(thread.get("previous_message_id"), []), *body["messages"]]
            said, turn = _place(messages)
            whole, events = anthropic_reply(respond_to(said, turn), len(threads))
            threads[whole["id"]] = [*messages, {"role": "assistant", "content": whole["content"]}]
        return await send_events(request, events) if body.get("stream") else web.json_response(whole)

    async def start() -> Any:
        app = web.Application(client_max_size=64 << 20)
        app.router.add_post("/{path:.*}", handle)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        return runner.addresses[0][1], runner.cleanup

    with _in_thread(start) as port:
        yield f"http://127.0.0.1:{port}"


def _place(messages: list[Json]) -> tuple[str, int]:
    """What the user said last, and how many answers have come since."""
    said = ""
    turn = 0
    for message in messages:
        words = _words(message)
        if message["role"] == "user" and words is not None:
            said = words
            turn = 0
        turn += message["role"] == "assistant"
    return said, turn


def _words(message: Json) -> str | None:
    content = message.get("content")
    if isinstance(content, str):
        return content
    texts = [part["text"] for part in content or () if part.get("type") == "text"]
    return "".join(texts) if texts else None


def _place_of_items(items: list[Json]) -> tuple[str, int]:
    said = ""
    turn = 0
    inside = False
    for item in items:
        if item.get("role") == "user":
            content = item["content"]
            said = content if isinstance(content, str) else "".join(part["text"] for part in content)
            turn = 0
            inside = False
            continue
        own = item.get("type") in ("function_call", "message")
        turn += own and not inside
        inside = own
    return said, turn


def chat_reply(answer: Answer) -> tuple[Json, list[Json]]:
    calls = [
        {"id": c.id, "type": "function", "function": {"name": c.name, "arguments": c.text}}
        for c in answer.calls
    ]
    finish = "length" if answer.cut else "tool_calls" if calls else "stop"
    finish = "content_filter" if answer.ending == "filtered" else finish
    field = "refusal" if answer.ending == "refused" else "content"
    usage = _chat_usage(answer)
    base = {"id": "chatcmpl-1", "created": 1, "model": "scripted"}
    message: Json = {"role": "assistant", "content": None, field: answer.text or None}
    if calls:
        message["tool_calls"] = calls
    choice = {"index": 0, "finish_reason": finish, "message": message}
    whole = {**base, "object": "chat.completion", "choices": [choice], **usage}

    def chunk(delta: Json, finish: str | None = None, **more: Any) -> Json:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {**base, "object": "chat.completion.chunk", "choices": [choice], **more}

    events = [chunk({"role": "assistant", "content": ""})]
    events += [chunk({field: piece}) for piece in _pieces(answer.text)]
    for index, call in enumerate(calls):
        function = {"name": call["function"]["name"], "arguments": ""}
        events.append(
            chunk(
                {"tool_calls": [{"index": index, "id": call["id"], "type": "function", "function": function}]}
            )
        )
        events += [
            chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
            for piece in _pieces(call["function"]["arguments"])
        ]
    events.append(chunk({}, finish))
    if usage:
        events.append({**base, "object": "chat.completion.chunk", "choices": [], **usage})
    return whole, events


def _chat_usage(answer: Answer) -> Json:
    if answer.usage is None:
        return {}
    given, made = answer.usage
    usage: Json = {"prompt_tokens": given, "completion_tokens": made, "total_tokens": given + made}
    if answer.cached:
        usage["prompt_tokens_details"] = {"cached_tokens": answer.cached}
    return {"usage": usage}


def responses_reply(answer: Answer, number: int) -> tuple[Json, list[Json]]:
    output: list[Json] = [
        {
            "type": "function_call",
            "id": f"fc_{c.id}",
            "call_id": c.id,
            "name": c.name,
            "arguments": c.text,
            "status": "completed",
        }
        for c in answer.calls
    ]
    if answer.text:
        text: Json = {"type": "output_text", "text": answer.text, "annotations": []}
        if answer.ending == "refused":
            text = {"type": "refusal", "refusal": answer.text}
        output.insert(
            0,
            {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]},
        )
    usage: Json | None = None
    if answer.usage is not None:
        given, made = answer.usage
        usage = {"input_tokens": given, "output_tokens": made, "total_tokens": given + made,
                 "input_tokens_details": {"cached_tokens": answer.cached, "cache_write_tokens": 0},
                 "output_tokens_details": {"reasoning_tokens": 0}}  # fmt: skip
    whole = {"id": f"resp_{number}", "object": "response", "created_at": 1, "model": "scripted", "status": "completed",
             "output": output, "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "usage": usage}  # fmt: skip
    if answer.cut:
        whole |= {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    if answer.ending == "filtered":
        whole |= {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}
    started = {**whole, "status": "in_progress", "output": [], "usage": None}
    events = [{"type": "response.created", "response": started, "sequence_number": 0}]
    for index, item in enumerate(output):
        events += [
            {
                "type": f"response.output_item.{when}",
                "output_index": index,
                "item": item,
                "sequence_number": 1,
            }
            for when in ("added", "done")
        ]
    ended = "response.incomplete" if whole["status"] == "incomplete" else "response.completed"
    return whole, [*events, {"type": ended, "response": whole, "sequence_number": 9}]


def anthropic_reply(answer: Answer, number: int) -> tuple[Json, list[Json]]:
    content: list[Json] = [{"type": "text", "text": answer.text}] if answer.text else []
    content += [
        {
            "type": "tool_use",
            "id": c.id,
            "name": c.name,
            "input": c.arguments if isinstance(c.arguments, dict) else {},
        }
        for c in answer.calls
    ]
    stop = "max_tokens" if answer.cut else "tool_use" if answer.calls else "end_turn"
    stop = "refusal" if answer.ending else stop
    given, made = answer.usage or (0, 0)  # this API always reports it
    usage = {"input_tokens": given - answer.cached, "output_tokens": made}
    if answer.cached:
        usage["cache_read_input_tokens"] = answer.cached
    whole = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "scripted", "content": content,
             "stop_reason": stop, "stop_sequence": None, "usage": usage}  # fmt: skip
    opened = {**whole, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    events: list[Json] = [{"type": "message_start", "message": opened}]
    pieces = {call.id: _pieces(call.text) for call in answer.calls}
    for index, block in enumerate(content):
        empty = {**block, "text": ""} if block["type"] == "text" else {**block, "input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": empty})
        if block["type"] == "text":
            deltas = [{"type": "text_delta", "text": piece} for piece in _pieces(block["text"])]
        else:
            deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces[block["id"]]]
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    ended = {"type": "message_delta", "delta": {"stop_reason": stop, "stop_sequence": None}, "usage": usage}
    return whole, [*events, ended, {"type": "message_stop"}]


def gemini_reply(answer: Answer) -> tuple[Json, list[Json]]:
    """The reply of `generateContent`, and its chunks for `streamGenerateContent`."""
    parts: list[Json] = [{"text": answer.text}] if answer.text else []
    parts += [{"functionCall": {"id": c.id, "name": c.name, "args": c.arguments}} for c in answer.calls]
    candidate = {
        "content": {"role": "model", "parts": parts},
        "finishReason": "MAX_TOKENS" if answer.cut else "SAFETY" if answer.ending else "STOP",
        "index": 0,
    }
    whole: Json = {"candidates": [candidate], "modelVersion": "scripted", "responseId": "r1"}
    if answer.usage is not None:
        given, made = answer.usage
        used = {"promptTokenCount": given, "candidatesTokenCount": made, "totalTokenCount": given + made}
        whole["usageMetadata"] = used | ({"cachedContentTokenCount": answer.cached} if answer.cached else {})
    pieces = [
        {
            "candidates": [{"content": {"role": "model", "parts": [{"text": piece}]}, "index": 0}],
            "modelVersion": "scripted",
        }
        for piece in _pieces(answer.text)
    ]
    last = {
        **candidate,
        "content": {"role": "model", "parts": [part for part in parts if "text" not in part]},
    }
    return whole, [*pieces, {**whole, "candidates": [last]}]


def _pieces(text: str) -> list[str]:
    return [text[at : at + 7] for at in range(0, len(text), 7)]


async def send_events(request: web.Request, events: list[Json], *, lost: bool = False) -> web.StreamResponse:
    """Stream an answer; one that is `lost` ends with its connection, in the middle."""
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    for event in events[: len(events) // 2] if lost else events:
        named = f"event: {event['type']}\n" if "type" in event else ""
        await response.write(f"{named}data: {json.dumps(event)}\n\n".encode())
    if lost:
        assert request.transport is not None
        request.transport.close()
        return response
    if "type" not in events[0]:
        await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response
