"""`openai:MODEL`: chat completions, also from vLLM, Ollama, llama.cpp and gateways via `base_url`."""

from __future__ import annotations

from typing import Any, ClassVar
from urllib.parse import urlsplit

from rightcall.core.errors import InputError
from rightcall.model.dialects import openai_chat as spelling
from rightcall.model.dialects.documents import one_answer
from rightcall.models.base import ModelReply, ModelRequest, Prompt, stop_of
from rightcall.models.remote import Json, RemoteProvider, usage_of

CACHED = ("prompt_tokens_details", "cached_tokens")


class OpenAIProvider(RemoteProvider):
    """GPT models, or any server with `/chat/completions`."""

    prefix: ClassVar[str] = "openai"

    write_tool = staticmethod(spelling.write_tool)

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
    def varying(request: ModelRequest) -> Json:
        """Messages with the system prompt first, and the seed of the trial."""
        messages = spelling.write_messages(request.messages)
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
        answer = one_answer(choices, "choices", where)
        read = spelling.read_messages([{**item, "role": "assistant"} for item in answer], where)
        return ModelReply(
            read[0],
            usage_of(body.get("usage"), "prompt_tokens", "completion_tokens", CACHED),
            "refused" if message.get("refusal") else stop_of(choice.get("finish_reason")),
            str(body.get("model") or ""),
        )


def _gateway_error(body: Json) -> str:
    """Some gateways answer 200 with an error inside."""
    error = body.get("error")
    words = error.get("message", error) if isinstance(error, dict) else error
    return f"the server says: {words}" if error else ""
