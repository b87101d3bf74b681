"""`bedrock:MODEL`: Amazon's Converse API.

The key is `AWS_BEARER_TOKEN_BEDROCK`; without one, requests are signed with AWS credentials (the extra `bedrock`).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar
from urllib.parse import quote, urlsplit

from msgspec.structs import replace

from rightcall.core.errors import ConfigError, InputError, MissingExtraError
from rightcall.providers.base import ModelReply, ModelRequest, Prompt, Settings
from rightcall.providers.remote import (
    Json,
    RemoteProvider,
    answer_message,
    fields_without_none,
    usage_beside_cache,
)
from rightcall.records import Message, Tool, ToolResult
from rightcall.records.dialects import wire
from rightcall.records.dialects.anthropic import system_text
from rightcall.records.dialects.endings import require_calls, stop_of

BROKEN = ("malformed_model_output", "malformed_tool_use")
"""Answers in which a call was lost."""
TOKENS = ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheWriteInputTokens")
THINKING = "reasoningContent"


class BedrockProvider(RemoteProvider):
    """Any model that Converse speaks to: a model id, an inference profile or an ARN."""

    prefix: ClassVar[str] = "bedrock"
    models_path: ClassVar[str] = ""
    tools_field: ClassVar[str] = ""
    _session: Any = None

    @property
    def path(self) -> str:
        return f"/model/{quote(self.model, safe='')}/converse"

    def signature(self, body: bytes) -> Mapping[str, str] | None:
        """Signature Version 4 of this request, unless a key is sent."""
        if not self._gets_vendor_key() or self._sends_key():
            return None
        try:
            from botocore.auth import SigV4Auth  # type: ignore[import-not-found,unused-ignore]
            from botocore.awsrequest import AWSRequest  # type: ignore[import-not-found,unused-ignore]
            from botocore.session import Session  # type: ignore[import-not-found,unused-ignore]
        except ImportError:
            raise MissingExtraError(
                f"{self.name} without AWS_BEARER_TOKEN_BEDROCK", "botocore", "bedrock"
            ) from None
        self._session = self._session or Session()
        credentials = self._session.get_credentials()
        if credentials is None:
            raise ConfigError(
                f"{self.name} needs AWS credentials; set AWS_BEARER_TOKEN_BEDROCK or AWS_PROFILE"
            )
        address = str(self._http.url(self.path))
        region = self._region(address)
        signed = AWSRequest("POST", address, {"content-type": "application/json"}, body)
        SigV4Auth(credentials.get_frozen_credentials(), "bedrock", region).add_auth(signed)
        return {name.lower(): str(value) for name, value in signed.headers.items()}

    def _region(self, address: str) -> str:
        """That of the vendor's host, else of the environment."""
        if self.at_vendor:
            return (urlsplit(address).hostname or "").split(".")[1]
        for name in ("AWS_REGION", "AWS_DEFAULT_REGION"):
            if region := os.environ.get(name, "").strip():
                return region
        raise ConfigError(f"{self.name} needs a region; set AWS_REGION")

    def constant(self, prompt: Prompt) -> Json:
        settings = prompt.settings
        fields: Json = {
            "system": [{"text": prompt.system}] if prompt.system else None,
            "inferenceConfig": _inference(settings) or None,
        }
        if prompt.tools:
            fields["toolConfig"] = {"tools": [self.write_tool(tool) for tool in prompt.tools]}
            if settings.tool_choice == "none":
                raise ConfigError("the Converse API has no tool_choice none; leave the tools out")
            if settings.tool_choice:
                choice = "any" if settings.tool_choice == "required" else "auto"
                fields["toolConfig"]["toolChoice"] = {choice: {}}
        return fields

    @staticmethod
    def request_fields(request: ModelRequest) -> Json:
        """The messages, and the system text when the conversation itself has some. There is no seed."""
        fields: Json = {"messages": write_messages(request.messages)}
        if conversation_system := system_text(request.messages):
            fields["system"] = [
                {"text": text} for text in (request.prompt.system, conversation_system) if text
            ]
        return fields

    @staticmethod
    def write_tool(tool: Tool) -> Json:
        described = {"description": tool.description} if tool.description else {}
        return {"toolSpec": {"name": tool.name, **described, "inputSchema": {"json": tool.input_schema}}}

    @staticmethod
    def read(body: Json, where: str) -> ModelReply:
        output = body.get("output")
        message = output.get("message") if isinstance(output, dict) else None
        content = message.get("content") if isinstance(message, dict) else None
        if not isinstance(content, list):
            raise InputError(where, f"has no output.message.content, found {sorted(body)[:8]}")
        reason = str(body.get("stopReason") or "")
        if reason in BROKEN:
            raise InputError(where, f"stopReason {reason}: a call was lost")
        blocks = [block for block in content if isinstance(block, dict)]
        thinking = tuple(block for block in blocks if THINKING in block)
        spoken = [block for block in blocks if THINKING not in block]
        answer = Message("assistant")
        if spoken:
            answer = answer_message({"role": "assistant", "content": spoken}, where)
        require_calls(reason, answer.calls, where, "the answer")
        usage = usage_beside_cache(body.get("usage"), *TOKENS)
        return ModelReply(replace(answer, thinking=thinking), usage, stop_of(reason))


def write_messages(messages: Iterable[Message]) -> list[Json]:
    """Messages as Converse takes them: roles alternate, and results come before the user's text."""
    written: list[Json] = []
    for message in wire.merge_tool_messages(messages):
        if message.role == "system":
            continue
        role = "assistant" if message.role == "assistant" else "user"
        if message.role == "tool":
            content = [_result(result) for result in wire.results_of(message)]
        else:
            content = _message_blocks(message)
        if content and written and written[-1]["role"] == role:
            written[-1]["content"] += content
        elif content:
            written.append({"role": role, "content": content})
    return written


def _message_blocks(message: Message) -> list[Json]:
    thinking: list[Json] = [block for block in message.thinking if THINKING in block]
    text = [{"text": message.content}] if message.content else []
    calls = [
        {"toolUse": {"toolUseId": call.id, "name": call.name, "input": call.arguments or {}}}
        for call in message.calls
    ]
    return [*thinking, *text, *calls]


def _result(result: ToolResult) -> Json:
    output = result.output
    shown = {"json": output} if isinstance(output, dict) else {"text": wire.output_text(output)}
    failed = {"status": "error"} if result.is_error else {}
    return {"toolResult": {"toolUseId": result.call_id, "content": [shown], **failed}}


def _inference(settings: Settings) -> Json:
    return fields_without_none(
        maxTokens=settings.max_tokens,
        temperature=settings.temperature,
        topP=settings.top_p,
        stopSequences=list(settings.stop) or None,
    )
