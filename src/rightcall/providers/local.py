"""`local:smollm2`, `local:PATH.gguf`: a model inside this process, run by llama.cpp.

One inference at a time, in a dedicated thread. At temperature 0 the answer depends only on the request: the
token cache is rewound to the end of the prompt before every request, because the same tokens evaluated in
another batch give slightly different numbers.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter
from typing import Any

from msgspec.structs import replace

from rightcall.core.codec import encode
from rightcall.core.errors import MissingExtraError, ProviderError
from rightcall.core.text import one_line
from rightcall.providers.base import ModelReply, ModelRequest, Prompt, Provider
from rightcall.providers.endpoint import ProviderOptions
from rightcall.providers.remote import usage_of
from rightcall.providers.weights import MODELS, model_path
from rightcall.records import Message, Tool
from rightcall.records.dialects.endings import Stop
from rightcall.records.dialects.wire import output_text, parse_call, results_of
from rightcall.schema.subschemas import reference_of, target_of

CONTEXT = 8192
DEFAULT_MAX_TOKENS = 192
_LOOK = 8  # tokens: enough to reach the tool's name
_ALTERNATIVES = 50


class LocalProvider(Provider):
    """A GGUF file, loaded at the first request."""

    at_once = 1

    def __init__(self, model: str, *, threads: int | None = None) -> None:
        self.name = f"local:{model}"
        self.model = model
        is_file = model.endswith(".gguf") or "/" in model
        self._path = Path(model).expanduser() if is_file else model_path(model)
        # llama.cpp busy-waits: leave a core free
        self._threads = threads or max(1, (os.cpu_count() or 1) - 1)
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="rightcall-local")
        self._engine: Engine | None = None

    @classmethod
    def of(cls, model: str, options: ProviderOptions) -> LocalProvider:
        return cls(model, threads=options.threads)

    def __repr__(self) -> str:
        return f"LocalProvider({self.model!r})"

    async def complete(self, request: ModelRequest) -> ModelReply:
        return await asyncio.get_running_loop().run_in_executor(self._worker, self._answer, request)

    async def check(self) -> list[str]:
        from importlib.util import find_spec

        problems = [] if find_spec("xllamacpp") else [str(_missing_package())]
        return problems if self._path.is_file() else [*problems, _missing_weights(self.model, self._path)]

    async def aclose(self) -> None:
        """Free the model after the current inference."""
        await asyncio.get_running_loop().run_in_executor(self._worker, setattr, self, "_engine", None)
        self._worker.shutdown(wait=False)

    def _answer(self, request: ModelRequest) -> ModelReply:
        if self._engine is None:
            self._engine = Engine(self._path, self.model, self._threads)
        started = perf_counter()
        reply = self._engine.answer(request)
        return replace(reply, latency_ms=(perf_counter() - started) * 1000, model=self.name)


class Engine:
    """The loaded model and its cache of the latest prompt. Used by one thread."""

    def __init__(self, path: Path, model: str, threads: int) -> None:
        if not path.is_file():
            raise ProviderError(_missing_weights(model, path), kind="local")
        try:
            import xllamacpp  # type: ignore[import-untyped, import-not-found, unused-ignore]
        except ImportError:
            raise _missing_package() from None
        self._llama = xllamacpp
        self._server = self._load(path, threads)
        self._prompt: Prompt | None = None
        self._bias: float | None = None

    def answer(self, request: ModelRequest) -> ModelReply:
        """First decide whether a tool is needed, then which one with which arguments, or what to say."""
        prompt = request.prompt
        tools = request.prompt.tools
        if not tools:
            reply, text = self._ask(self._body(request) | {"cache_prompt": False})
            return replace(reply, message=Message("assistant", text.strip()))
        self._rewind(prompt)
        body = self._body(request)
        words, calls = self._answer_kinds(prompt, body)
        limit = prompt.settings.max_tokens
        longest = None if limit is None else 4 * limit
        for plain in (False, True):  # llama.cpp silently ignores a grammar that it cannot compile
            schema = answer_schema(tools if calls else (), words=words, plain=plain, longest=longest)
            reply, text = self._ask({**body, "grammar": self._grammar(schema)})
            message = read_answer(text, tools, f"call_{request.turn}_0")
            if message is not None:
                return replace(reply, message=message)
            if reply.stop == "truncated":
                break
        return replace(reply, message=Message("assistant", text))

    def _answer_kinds(self, prompt: Prompt, body: Json) -> tuple[bool, bool]:
        """Whether the model may answer with text, and whether with calls.

        A small model is biased toward or against tools regardless of the request. So the odds of naming a
        tool are compared with the odds for a request about nothing ("Calibrate Before Use", Zhao et al.
        2021): on BFCL that separates relevant from irrelevant requests better than the model's own first
        choice.
        """
        choice = prompt.settings.tool_choice
        if choice in ("required", "none"):
            return choice == "none", choice == "required"
        odds = self._odds(prompt, body)
        if odds is None or self._bias is None:
            return True, True
        return odds <= self._bias, odds > self._bias

    def _rewind(self, prompt: Prompt) -> None:
        """Rewind the token cache to the end of the prompt, evaluated the same way every time."""
        neutral = self._body(ModelRequest(prompt, (Message("user", NEUTRAL_REQUEST),)))
        if self._prompt == prompt:
            self._server.handle_chat_completions({**neutral, "max_tokens": 1})
            return
        self._prompt, self._bias = prompt, self._odds(prompt, {**neutral, "cache_prompt": False})

    def _odds(self, prompt: Prompt, body: Json) -> float | None:
        """Log odds that the model names a tool and not `none`; None if it did not get that far."""
        schema = answer_schema(prompt.tools, words=True)
        looked = {"max_tokens": _LOOK, "temperature": 0, "logprobs": True, "top_logprobs": _ALTERNATIVES}
        answer = self._completion({**body, **looked, "grammar": self._grammar(schema)})
        tokens = (answer["choices"][0].get("logprobs") or {}).get("content") or []
        return _odds_of_naming(tokens, [tool.name for tool in prompt.tools])

    def _ask(self, body: Json) -> tuple[ModelReply, str]:
        answer = self._completion(body)
        choice = answer["choices"][0]
        text = choice["message"].get("content") or ""
        stop: Stop = "truncated" if choice.get("finish_reason") == "length" else "done"
        cached = ("prompt_tokens_details", "cached_tokens")
        usage = usage_of(answer.get("usage"), "prompt_tokens", "completion_tokens", cached)
        return ModelReply(Message("assistant", text), replace(usage, cost_usd=0.0), stop), text

    def _completion(self, body: Json) -> Json:
        answer: Json = self._server.handle_chat_completions(body)
        if "error" in answer:
            words = one_line(str(answer["error"].get("message", answer["error"])))
            raise ProviderError(f"the local model refused the request: {words}", kind="local")
        return answer

    def _body(self, request: ModelRequest) -> Json:
        settings = request.prompt.settings
        system = system_text(request.prompt.system, request.prompt.tools)
        system_messages = [{"role": "system", "content": system}] if system else []
        body: Json = {
            "messages": [*system_messages, *chat(request.messages)],
            "max_tokens": settings.max_tokens or DEFAULT_MAX_TOKENS,
            "temperature": settings.temperature or 0,
            "seed": request.sampling_seed or 0,
            "cache_prompt": True,
        }
        if settings.top_p is not None:
            body["top_p"] = settings.top_p
        return body | ({"stop": list(settings.stop)} if settings.stop else {}) | settings.extra

    def _grammar(self, schema: Json) -> str:
        grammar: str = self._llama.json_schema_to_grammar(encode(schema).decode())
        return grammar

    def _load(self, path: Path, threads: int) -> Any:
        params = self._llama.CommonParams()
        params.model.path = str(path)
        params.n_ctx = CONTEXT
        params.n_parallel = 1
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        params.warmup = False
        params.verbosity = -1
        params.cache_ram_mib = 0  # no second cache: see the module docstring
        try:
            return self._llama.Server(params)
        except Exception as error:  # the exception for a file that is not a model differs by version
            raise ProviderError(f"{path} cannot be loaded: {one_line(str(error))}", kind="local") from None


def _odds_of_naming(tokens: list[Json], names: list[str]) -> float | None:
    written = ""
    for token in tokens:
        at_name = written.endswith('"tool": "')
        merged = written.endswith('"tool":') and len(token["token"].strip()) > 1  # the quote and the name
        if at_name or merged:
            tool = none = 1e-6
            for other in token.get("top_logprobs", []):
                start = other["token"].strip()
                start = start.removeprefix('"') if merged else start
                if start and NO_TOOL.startswith(start):
                    none += math.exp(other["logprob"])
                elif start and any(name.startswith(start) for name in names):
                    tool += math.exp(other["logprob"])
            return math.log(tool / none)
        written += token["token"]
    return None


def _missing_package() -> MissingExtraError:
    return MissingExtraError("a local model", "xllamacpp", "local")


def _missing_weights(model: str, path: Path) -> str:
    if model in MODELS:
        return (
            f"the weights of local:{model} are not installed; run:"
            f" rightcall list models --download {model} (or use keyword:, which needs no weights)"
        )
    return f"model file not found: {path}"


Json = dict[str, Any]

NO_TOOL = "none"
NEUTRAL_REQUEST = "Hello!"
"""A request about nothing: the odds of a tool then show the model's bias, not its judgement."""

_LONGEST_DESCRIPTION = 400
_LONGEST_ANSWER = 240
_DEEPEST = 5
# llguidance option: no flexible white space, so that no tokens are spent on indentation
_COMPACT = {"whitespace_flexible": False, "item_separator": ", ", "key_separator": ": "}


def system_text(system: str, tools: tuple[Tool, ...]) -> str:
    """The system message: the user's own, then the tools and how to answer."""
    if not tools:
        return system
    lines = [f"- {signature(tool)}: {tool.description[:_LONGEST_DESCRIPTION]}" for tool in tools]
    rules = [
        "You choose a tool for the user's request. Reply with JSON.",
        "Tools:",
        *lines,
        f"- {NO_TOOL}: no tool above can do what the user asks",
        'Reply {"tool": name, "arguments": {...}} to use a tool, or {"tool": "none", "answer": text}.',
    ]
    return "\n".join([system, *rules] if system else rules)


def signature(tool: Tool) -> str:
    """`get_weather(city: string, units?: celsius|fahrenheit)`."""
    required = tool.input_schema.get("required")
    needed = required if isinstance(required, list) else []
    parts = [
        f"{name}{'' if name in needed else '?'}: {_type(schema)}" for name, schema in tool.parameters.items()
    ]
    return f"{tool.name}({', '.join(parts)})"


def chat(messages: Iterable[Message]) -> list[Json]:
    """The conversation as text: calls as the JSON the model wrote, results as user messages."""
    chat_messages: list[Json] = []
    for message in messages:
        if message.role == "tool":
            results = "\n".join(
                f"{r.name or 'Tool'} result: {output_text(r.output)}" for r in results_of(message)
            )
            chat_messages.append({"role": "user", "content": results})
        elif message.calls:
            for call in message.calls:
                name = encode(call.name).decode()
                arguments = encode(call.arguments or {}).decode()
                text = f'{{"tool": {name}, "arguments": {arguments}}}'
                chat_messages.append({"role": "assistant", "content": text})
        else:
            chat_messages.append({"role": message.role, "content": message.content})
    return chat_messages


def answer_schema(
    tools: Iterable[Tool], *, words: bool, plain: bool = False, longest: int | None = None
) -> Json:
    """The schema of the answer. `words` allows no tool; `plain` leaves the arguments unconstrained."""
    branches = [
        _branch("arguments", t.name, {"type": "object"} if plain else shape(t.input_schema)) for t in tools
    ]
    if words:
        limit = {"type": "string", "maxLength": longest or _LONGEST_ANSWER}
        branches.append(_branch("answer", NO_TOOL, limit))
    return {"anyOf": branches, "x-guidance": _COMPACT}


def read_answer(text: str, tools: tuple[Tool, ...], call_id: str) -> Message | None:
    """The answer as a message, or None when it does not match the schema."""
    answer = parse_call("", text, "").arguments
    if answer is None or not isinstance(answer.get("tool"), str):
        return None
    if answer["tool"] == NO_TOOL and "arguments" not in answer:
        return Message("assistant", str(answer.get("answer", "")))
    if answer["tool"] not in {tool.name for tool in tools}:
        return None
    return Message("assistant", calls=(parse_call(answer["tool"], answer.get("arguments"), call_id),))


def shape(schema: Any, root: Json | None = None, depth: int = 0) -> Json:
    """The part of a schema that a grammar can express: types, enums, properties, items; local references followed.

    Patterns, bounds and combinations are left to validation: many cannot be expressed in a grammar.
    """
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return {}
    root = schema if root is None else root
    reference = reference_of(schema)
    if reference is not None:
        return shape(target_of(root, reference), root, depth + 1)
    for word in ("anyOf", "oneOf"):
        if isinstance(schema.get(word), list) and schema[word]:
            return {"anyOf": [shape(option, root, depth + 1) for option in schema[word]]}
    kept = {word: schema[word] for word in ("type", "enum", "const") if word in schema}
    if isinstance(schema.get("items"), dict):
        kept["items"] = shape(schema["items"], root, depth + 1)
    properties = schema.get("properties")
    if isinstance(properties, dict):
        kept["properties"] = {name: shape(inner, root, depth + 1) for name, inner in properties.items()}
        required = schema.get("required")
        kept["required"] = [n for n in required if n in properties] if isinstance(required, list) else []
        kept["additionalProperties"] = False
    elif depth == 0:  # a tool that declares no parameters takes none
        kept |= {"type": "object", "properties": {}, "additionalProperties": False}
    return kept


def _branch(name: str, tool: str, content: Json) -> Json:
    return {
        "type": "object",
        "properties": {"tool": {"const": tool}, name: content},
        "required": ["tool", name],
        "additionalProperties": False,
    }


def _type(schema: Any) -> str:
    if not isinstance(schema, dict):
        return "any"
    choices = schema.get("enum")
    if isinstance(choices, list):
        return "|".join(str(choice) for choice in choices[:20])
    kind = schema.get("type", "any")
    return "|".join(map(str, kind)) if isinstance(kind, list) else str(kind)
