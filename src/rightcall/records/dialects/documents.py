"""Whole responses of providers and frameworks, as the items of their messages.

chat completions, Mistral, Groq   choices         Gemini              candidates
Responses                         output          Bedrock Converse    output.message
Cohere, Ollama, Strands           message         LangChain           generations, messages
LangGraph, AutoGen                messages        AI SDK of Vercel    response.messages, steps, toolCalls
OpenAI Agents SDK                 new_items       Mistral, Haystack   outputs, replies
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Any

from rightcall.core.errors import InputError
from rightcall.records.dialects.endings import finish_of, is_end_with_calls, require_calls, require_end
from rightcall.records.dialects.message_fields import TYPES
from rightcall.records.dialects.messages import read_items, unwrap_message
from rightcall.records.dialects.part_kinds import LISTS, SINGLES
from rightcall.records.dialects.parts import is_bare_call, read_part, type_of
from rightcall.records.dialects.unread_calls import refuse_unread
from rightcall.records.message import Message, calls_of

Document = dict[str, Any]
ALTERNATIVES = ("choices", "candidates", "generations")


def read_document(document: Document, where: str) -> tuple[Message, ...] | None:
    """The messages of a response, of one message, or of one call; None when it is none of them."""
    items = items_of(document, where)
    if items is None:
        return None
    messages = read_items(items, where, expand=items_of)
    require_calls(finish_of(document), calls_of(messages), where, "the response")
    if not any(item is document for item in items):
        refuse_unread(document, calls_of(messages), where, "the response", read={id(item) for item in items})
    return messages


def items_of(document: Document, where: str) -> list[Any] | None:
    """The items of a response; None when it is not one."""
    document = unwrap_message(document)
    for name in ALTERNATIVES:
        if isinstance(items := document.get(name), list) and items:
            return _with_history(document, one_answer(items, name, where))
    require_end(finish_of(document), where, "the response")
    if isinstance(document.get("role"), str) or type_of(document) in TYPES or "jsonrpc" in document:
        return [document]
    held = _messages_in(document)
    return _message_without_role(document) if held is None else held


def _with_history(document: Document, answer: list[Any]) -> list[Any]:
    """The answer after the calls that google-genai made on its way; at the limit of calls the last of them is both."""
    for name in ("automatic_function_calling_history", "automaticFunctionCallingHistory"):
        if isinstance(history := document.get(name), list) and history:
            return [*history, *(item for item in answer if item not in history)]
    return answer


def _messages_in(document: Document) -> list[Any] | None:
    output, message, response = (document.get(name) for name in ("output", "message", "response"))
    if isinstance(output, list) and all(isinstance(item, dict) for item in output):
        return output if output or document.get("object") == "response" else None
    if isinstance(output, dict) and isinstance(output.get("message"), dict):
        return [_with_model_role(output["message"])]
    if isinstance(message, dict):
        return [_with_model_role(unwrap_message(message))]
    if isinstance(response, dict) and isinstance(response.get("messages"), list):
        return list(response["messages"])
    for name in ("messages", "steps", "new_items", "outputs", "replies"):
        if isinstance(document.get(name), list):
            return list(document[name])
    return None


def _message_without_role(document: Document) -> list[Any] | None:
    """One message without a role, one part, or one call."""
    if document.get("method") == "tools/call" or is_bare_call(document):
        return [document]
    has_calls = any(isinstance(document.get(name), list) for name in LISTS)
    if has_calls or isinstance(document.get("function_call"), dict):
        texts = (document.get(name) for name in ("content", "output", "text"))
        text = next((text for text in texts if isinstance(text, str | list)), "")
        calls = {name: document[name] for name in (*LISTS, *SINGLES) if document.get(name)}
        return [{"role": "assistant", "content": text, **calls}]
    if isinstance(document.get("parts"), list):
        return [{"role": "assistant", "parts": document["parts"]}]
    has_ended = any(name in document for name in ("finish_reason", "stop_reason", "stopReason"))
    if "content" in document and has_ended:
        return [{"role": "assistant", "content": document["content"]}]
    part = read_part(document)
    return [document] if part.call is not None or (part.known and "type" in document) else None


def _with_model_role(message: Document) -> Document:
    """A message of a response, which is the model's."""
    return message if message.get("role") or type_of(message) in TYPES else {**message, "role": "assistant"}


def one_answer(entries: list[Any], name: str, where: str) -> list[Any]:
    """The one answer among alternatives. Entries of one index are pieces of one answer: some servers send text and
    calls apart. Entries of different indexes are different answers, which must call the same: otherwise nobody knows
    which of them the agent followed.
    """
    answers: dict[Any, list[Any]] = {}
    finishes: list[object] = []
    for place, entry in enumerate(_flat(entries)):
        message = _message_in(entry)
        if message is None:
            raise InputError(where, f"{name}[{place}] has no message", "pass the response as it was received")
        finishes.append(finish_of(entry))
        require_end(finishes[-1], where, f"{name}[{place}]")
        index = entry.get("index")
        answers.setdefault(index if isinstance(index, int) else place, []).append(message)
    first, *others = answers.values()
    if ended := next(filter(is_end_with_calls, finishes), None):
        require_calls(ended, calls_of(read_items(first, where)), where, f"{name}[0]")
    expected = _calls(read_items(first, where)) if others else []
    for place, other in enumerate(others, 1):
        if _calls(read_items(other, where)) != expected:
            hint = "return the message that your agent followed, or ask for one answer"
            raise InputError(where, f"{name}[{place}] calls other tools than {name}[0]", hint)
    return first if len(first) == 1 else [_join_pieces(first)]


def _flat(entries: list[Any]) -> list[Document]:
    nested = (entry if isinstance(entry, list) else [entry] for entry in entries)
    return [entry if isinstance(entry, dict) else {} for entry in chain.from_iterable(nested)]


def _message_in(entry: Document) -> Document | None:
    for name in ("message", "content", "delta"):
        if isinstance(inner := entry.get(name), dict):
            return _with_model_role(unwrap_message(inner))
    if entry.get("finishReason") or entry.get("finish_reason"):  # stopped before it said anything
        return {"role": "assistant", "content": ""}
    return {"role": "assistant", "content": entry["text"]} if isinstance(entry.get("text"), str) else None


def _join_pieces(pieces: Iterable[Document]) -> Document:
    whole: Document = {"role": "assistant", "content": []}
    for piece in pieces:
        content = piece.get("content") or piece.get("parts") or []
        whole["content"] += content if isinstance(content, list) else [content]
        for name in LISTS:
            if isinstance(piece.get(name), list):
                whole[name] = [*whole.get(name, ()), *piece[name]]
        for name in SINGLES:
            if piece.get(name) is not None:
                whole[name] = piece[name]
    return whole


def _calls(messages: Iterable[Message]) -> list[tuple[str, Any, Any]]:
    return [(call.name, call.arguments, call.raw) for call in calls_of(messages)]
