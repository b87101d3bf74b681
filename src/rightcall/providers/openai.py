"""OpenAI's two formats: `openai:MODEL` and `openai-responses:MODEL`, and its chat completions at other hosts.

azure:DEPLOYMENT          OpenAI's models on Azure
mistral:MODEL             Mistral's models
openrouter:VENDOR/MODEL   many vendors' models behind one key
ollama:MODEL              a model that Ollama serves, by default on this machine

Chat completions also come from llama.cpp and gateways via `base_url`. Of responses nothing is stored on the server
(`store: false`); they have no `seed`, and `stop` is rejected, because it would be ignored.
"""

from __future__ import annotations

import os
from itertools import chain
from typing import Any, ClassVar
from urllib.parse import quote, urlsplit

from msgspec.structs import replace

from rightcall.core.errors import ConfigError, InputError, ProviderError
from rightcall.core.redaction.clean_text import scrub
from rightcall.core.text import one_line
from rightcall.providers.base import ModelReply, ModelRequest, Prompt
from rightcall.providers.remote import Json, RemoteProvider, usage_of
from rightcall.records import Message
from rightcall.records.dialects import openai, openai_responses
from rightcall.records.dialects.documents import one_answer
from rightcall.records.dialects.endings import Stop, require_calls, stop_of

CACHED = ("prompt_tokens_details", "cached_tokens")
USUAL_ENDS = ("tool_calls", "stop")


class OpenAIProvider(RemoteProvider):
    """GPT models, or any server with `/chat/completions`."""

    prefix: ClassVar[str] = "openai"

    write_tool = staticmethod(openai.write_tool)

    @property
    def path(self) -> str:
        return "/chat/completions"

    @property
    def limit_field(self) -> str:
        """The field with the limit of an answer's tokens.

        Newer OpenAI models reject `max_tokens`, most compatible servers do not support the newer name.
        """
        azure = (urlsplit(self.base_url).hostname or "").endswith(".azure.com")
        return "max_completion_tokens" if self.at_vendor or azure else "max_tokens"

    def strict_tool(self, written: Json) -> Json:
        """Enforced by OpenAI itself: compatible servers may refuse the field."""
        if self.prefix != OpenAIProvider.prefix or not self.at_vendor:
            return written
        return {**written, "function": {**written["function"], "strict": True}}

    def constant(self, prompt: Prompt) -> Json:
        return self.constant_fields(self.model, prompt, self.limit_field)

    @staticmethod
    def constant_fields(model: str, prompt: Prompt, limit: str = "max_completion_tokens") -> Json:
        """Model, settings and the choice of tools; the system prompt is a message here."""
        settings = prompt.settings
        return {
            "model": model,
            limit: settings.max_tokens,
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "stop": settings.stop or None,
            "tool_choice": settings.tool_choice if prompt.tools else None,
            "parallel_tool_calls": settings.parallel_calls if prompt.tools else None,
        }

    @staticmethod
    def request_fields(request: ModelRequest) -> Json:
        """Messages with the system prompt first, and the seed of the trial."""
        messages = openai.write_messages(request.messages)
        if request.prompt.system:
            messages.insert(0, {"role": "system", "content": request.prompt.system})
        seed = request.sampling_seed
        return {"messages": messages} if seed is None else {"messages": messages, "seed": seed}

    @staticmethod
    def read(body: Json, where: str) -> ModelReply:
        """The one choice. Calls count regardless of the finish reason."""
        raw_choices = body.get("choices")
        choices: list[Any] = raw_choices if isinstance(raw_choices, list) else []
        choice: Any = choices[0] if choices else None
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(message, dict):
            raise InputError(
                where, f"has no choices[0].message, found {sorted(body)[:8]}", _gateway_error(body)
            )
        usual = (
            len(choices) == 1 and choice.get("finish_reason") in USUAL_ENDS and "finishReason" not in choice
        )
        read = openai.read_answer(message) if usual else None
        if read is None:
            answer = one_answer(choices, "choices", where)
            read = openai.read_messages([{**item, "role": "assistant"} for item in answer], where)[0]
        require_calls(choice.get("finish_reason"), read.calls, where, "choices[0]")
        return ModelReply(
            read,
            usage_of(body.get("usage"), "prompt_tokens", "completion_tokens", CACHED),
            "refused" if message.get("refusal") else stop_of(choice.get("finish_reason")),
            str(body.get("model") or ""),
        )


def _gateway_error(body: Json) -> str:
    """Some gateways answer 200 with an error inside."""
    error = body.get("error")
    words = error.get("message", error) if isinstance(error, dict) else error
    return f"the server says: {words}" if error else ""


class AzureProvider(OpenAIProvider):
    """A deployment of a resource; its key has its own header.

    With `OPENAI_API_VERSION` set, the address is that of a deployment; without it, Azure's v1 API is asked, whose
    versions are not dated.
    """

    prefix: ClassVar[str] = "azure"
    models_path: ClassVar[str] = ""
    key_header: ClassVar[str] = "api-key"
    limit_field = "max_completion_tokens"

    @property
    def path(self) -> str:
        """Below the resource's endpoint, or below the `base_url` of its v1 API."""
        dated = os.environ.get("OPENAI_API_VERSION", "").strip()
        if dated:
            deployment = quote(self.model, safe="")
            return f"/openai/deployments/{deployment}/chat/completions?api-version={quote(dated)}"
        return "/chat/completions" if self.base_url.endswith("/v1") else "/openai/v1/chat/completions"


class MistralProvider(OpenAIProvider):
    """Mistral's models: the seed is `random_seed`, and a required call is `any`."""

    prefix: ClassVar[str] = "mistral"
    limit_field = "max_tokens"

    def constant(self, prompt: Prompt) -> Json:
        fields = super().constant(prompt)
        if fields["tool_choice"] == "required":
            fields["tool_choice"] = "any"
        return fields

    @staticmethod
    def request_fields(request: ModelRequest) -> Json:
        fields = OpenAIProvider.request_fields(request)
        if "seed" in fields:
            fields["random_seed"] = fields.pop("seed")
        return fields


class OpenRouterProvider(OpenAIProvider):
    """A model of OpenRouter's list. The price of each answer comes with it."""

    prefix: ClassVar[str] = "openrouter"
    models_path: ClassVar[str] = ""
    limit_field = "max_tokens"

    def constant(self, prompt: Prompt) -> Json:
        return {**super().constant(prompt), "usage": {"include": True}}

    @staticmethod
    def read(body: Json, where: str) -> ModelReply:
        """The one choice, with what it cost."""
        reply = OpenAIProvider.read(body, where)
        usage = body.get("usage")
        price = usage.get("cost") if isinstance(usage, dict) else None
        if isinstance(price, int | float) and not isinstance(price, bool) and price >= 0:
            return replace(reply, usage=replace(reply.usage, cost_usd=float(price)))
        return reply


class OllamaProvider(OpenAIProvider):
    prefix: ClassVar[str] = "ollama"
    limit_field = "max_tokens"


CACHED_INPUT = ("input_tokens_details", "cached_tokens")
PASSING = ("server_error", "rate_limit_exceeded")


class OpenAIResponsesProvider(RemoteProvider):
    """GPT models, or any server with `/responses`."""

    prefix: ClassVar[str] = "openai-responses"
    path = "/responses"

    write_tool = staticmethod(openai_responses.write_tool)

    def strict_tool(self, written: Json) -> Json:
        return {**written, "strict": self.at_vendor}

    @staticmethod
    def constant_fields(model: str, prompt: Prompt) -> Json:
        settings = prompt.settings
        if settings.stop:
            raise ConfigError(
                "the Responses API has no setting 'stop'; use openai: instead of openai-responses:"
            )
        return {
            "model": model,
            "instructions": prompt.system or None,
            "max_output_tokens": settings.max_tokens,
            "temperature": settings.temperature,
            "top_p": settings.top_p,
            "tool_choice": settings.tool_choice if prompt.tools else None,
            "parallel_tool_calls": settings.parallel_calls if prompt.tools else None,
            "store": False,
        }

    @staticmethod
    def request_fields(request: ModelRequest) -> Json:
        return {"input": openai_responses.write_messages(request.messages)}

    @staticmethod
    def read(body: Json, where: str) -> ModelReply:
        status = body.get("status")
        if status == "failed":
            raise _response_error(body.get("error"))
        output = body.get("output")
        if not isinstance(output, list) or not all(isinstance(item, dict) for item in output):
            raise InputError(where, f"has no list 'output' of objects, found {sorted(body)[:8]}")
        if status not in ("completed", "incomplete", None):
            raise InputError(where, f"status is {status!r}: the response is not complete")
        assistant_messages = [
            m for m in openai_responses.read_messages(output, where) if m.role == "assistant"
        ]
        text = "".join(message.content for message in assistant_messages)
        calls = tuple(chain.from_iterable(message.calls for message in assistant_messages))
        return ModelReply(
            Message("assistant", text, calls),
            usage_of(body.get("usage"), "input_tokens", "output_tokens", CACHED_INPUT),
            _stop(body, output),
            str(body.get("model") or ""),
        )


def _stop(body: Json, output: list[Json]) -> Stop:
    if body.get("status") == "incomplete":
        details = body.get("incomplete_details")
        reason = details.get("reason") if isinstance(details, dict) else ""
        return "filtered" if stop_of(reason) == "filtered" else "truncated"
    contents = [item["content"] for item in output if isinstance(item.get("content"), list)]
    parts = [part for part in chain.from_iterable(contents) if isinstance(part, dict)]
    return "refused" if any(part.get("type") == "refusal" for part in parts) else "done"


def _response_error(error: Any) -> ProviderError:
    code = str(error.get("code")) if isinstance(error, dict) else ""
    words = error.get("message") if isinstance(error, dict) else error
    return ProviderError(
        f"the model failed: {scrub(one_line(str(words or code or 'no reason given')))}",
        kind="rate_limit" if code == "rate_limit_exceeded" else "server" if code in PASSING else "request",
        retryable=code in PASSING,
    )
