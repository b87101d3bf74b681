"""`gemini:MODEL`: Google's `generateContent`.

Tools are sent as JSON Schema, all results of a turn in one message. Signatures of thoughts are kept in the
message and sent back with the call they belong to.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar
from urllib.parse import quote

from msgspec.structs import replace

from rightcall.core.errors import InputError
from rightcall.providers.base import ModelReply, ModelRequest, Prompt, Settings
from rightcall.providers.remote import Json, RemoteProvider, answer_message, fields_without_none, tokens_at
from rightcall.records import Message, Tool, ToolResult, Usage
from rightcall.records.dialects import wire
from rightcall.records.dialects.anthropic import system_text
from rightcall.records.dialects.endings import stop_of

BROKEN = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE")
"""Answers in which a call was lost."""
MODES = {"auto": "AUTO", "required": "ANY", "none": "NONE"}
SIGNATURE = "thoughtSignature"


class GeminiProvider(RemoteProvider):
    """Gemini models by their API key."""

    prefix: ClassVar[str] = "gemini"
    models_path: ClassVar[str] = "/v1/models"
    key_header: ClassVar[str] = "x-goog-api-key"
    tools_field: ClassVar[str] = ""

    @property
    def path(self) -> str:
        return f"/v1/models/{quote(self.model, safe='')}:generateContent"

    def constant(self, prompt: Prompt) -> Json:
        settings = prompt.settings
        fields: Json = {
            "systemInstruction": _system(prompt.system),
            "generationConfig": _generation(settings) or None,
        }
        if prompt.tools:
            fields["tools"] = [{"functionDeclarations": [self.write_tool(tool) for tool in prompt.tools]}]
            if settings.tool_choice:
                fields["toolConfig"] = {"functionCallingConfig": {"mode": MODES[settings.tool_choice]}}
        return fields

    @staticmethod
    def request_fields(request: ModelRequest) -> Json:
        """The messages, the seed of the trial, and the system text when the conversation itself has some."""
        fields: Json = {"contents": write_contents(request.messages)}
        if conversation_system := system_text(request.messages):
            fields["systemInstruction"] = _system(
                "\n\n".join(filter(None, (request.prompt.system, conversation_system)))
            )
        if (seed := request.sampling_seed) is not None:
            fields["generationConfig"] = {**_generation(request.prompt.settings), "seed": seed}
        return fields

    @staticmethod
    def write_tool(tool: Tool) -> Json:
        """A declaration with the schema as it is."""
        described = {"description": tool.description} if tool.description else {}
        return {"name": tool.name, **described, "parametersJsonSchema": tool.input_schema}

    @staticmethod
    def read(body: Json, where: str) -> ModelReply:
        """The one candidate; none when the request was blocked."""
        usage = _usage(body.get("usageMetadata"))
        model = str(body.get("modelVersion") or "")
        candidates = body.get("candidates")
        feedback = body.get("promptFeedback")
        if not candidates and isinstance(feedback, dict) and feedback.get("blockReason"):
            return ModelReply(Message("assistant"), usage, "filtered", model)
        if not isinstance(candidates, list) or not candidates or not isinstance(candidates[0], dict):
            raise InputError(where, f"has no candidates[0], found {sorted(body)[:8]}")
        candidate = candidates[0]
        reason = str(candidate.get("finishReason") or "")
        if reason in BROKEN:
            words = str(candidate.get("finishMessage") or "a call was lost")[:200]
            raise InputError(where, f"finishReason {reason}: {words}")
        content = candidate.get("content")
        raw_parts = content.get("parts") if isinstance(content, dict) else None
        parts = [part for part in raw_parts if isinstance(part, dict)] if isinstance(raw_parts, list) else []
        spoken = [part for part in parts if not part.get("thought")]
        answer = answer_message({"role": "model", "parts": spoken}, where) if spoken else Message("assistant")
        return ModelReply(replace(answer, thinking=tuple(_signatures(spoken))), usage, stop_of(reason), model)


def write_contents(messages: Iterable[Message]) -> list[Json]:
    """Messages in Google's format: the model's are `model`, all others `user`."""
    contents: list[Json] = []
    names: dict[str, str] = {}
    for message in wire.merge_tool_messages(messages):
        if message.role == "system":
            continue
        if message.role == "tool":
            parts = [_result(result, names) for result in wire.results_of(message)]
        else:
            names |= {call.id: call.name for call in message.calls}
            parts = _message_parts(message)
        if parts:
            contents.append({"role": "model" if message.role == "assistant" else "user", "parts": parts})
    return contents


def _signatures(parts: list[Json]) -> Iterable[Json]:
    """The signature of each call, by its position among the calls; -1 is that of the text."""
    position = -1
    for part in parts:
        position += "functionCall" in part
        if isinstance(signature := part.get(SIGNATURE), str):
            yield {"call": position if "functionCall" in part else -1, SIGNATURE: signature}


def _message_parts(message: Message) -> list[Json]:
    signed = {
        block["call"]: block[SIGNATURE]
        for block in message.thinking
        if isinstance(block.get("call"), int) and SIGNATURE in block
    }
    parts: list[Json] = []
    if message.content:
        parts.append({"text": message.content, **_signature(signed.get(-1))})
    for position, call in enumerate(message.calls):
        called = {"id": call.id, "name": call.name, "args": call.arguments or {}}
        parts.append({"functionCall": called, **_signature(signed.get(position))})
    return parts


def _signature(signature: str | None) -> Json:
    return {} if signature is None else {SIGNATURE: signature}


def _result(result: ToolResult, names: Mapping[str, str]) -> Json:
    """The response must be an object; a failure is under `error`."""
    output: Any = result.output
    if result.is_error:
        response: Any = {"error": output}
    else:
        response = output if isinstance(output, dict) else {"result": output}
    name = names.get(result.call_id, "")
    return {"functionResponse": {"id": result.call_id, "name": name, "response": response}}


def _system(text: str) -> Json | None:
    return {"role": "user", "parts": [{"text": text}]} if text else None  # the role that Google's SDK writes


def _generation(settings: Settings) -> Json:
    return fields_without_none(
        temperature=settings.temperature,
        topP=settings.top_p,
        maxOutputTokens=settings.max_tokens,
        stopSequences=list(settings.stop) or None,
    )


def _usage(usage: Any) -> Usage:
    """Thoughts are part of the output here, tokens from a cache part of the input."""
    output_tokens = tokens_at(usage, "candidatesTokenCount") + tokens_at(usage, "thoughtsTokenCount")
    input_tokens = tokens_at(usage, "promptTokenCount") + tokens_at(usage, "toolUsePromptTokenCount")
    return Usage(input_tokens, output_tokens, cached_tokens=tokens_at(usage, "cachedContentTokenCount"))
