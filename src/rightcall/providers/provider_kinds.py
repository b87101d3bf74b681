"""Every kind of provider by the prefix of its names: what it is, what it needs, what a wrong name may have meant.

And the family of a model: its maker, whoever serves it under whatever name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from rightcall.core.errors import suggestion
from rightcall.core.seam import Plugin, plugins
from rightcall.files.python_object import local_modules
from rightcall.providers.hosts import HOSTS
from rightcall.records.record import Record


class Shelf(Record, frozen=True):
    """One kind of provider: how it is named, what it is, what it needs.

    `models/resolver.py` has its class, except for agents, which the executor runs.
    """

    prefix: str
    usage: str
    about: str
    needs: str = ""

    @property
    def takes_base_url(self) -> bool:
        """Whether its models may be served elsewhere."""
        return self.prefix in HOSTS


SHELVES = (
    Shelf("anthropic", "anthropic:MODEL", "Anthropic's Messages API", "ANTHROPIC_API_KEY"),
    Shelf(
        "openai", "openai:MODEL", "OpenAI's chat completions, and any compatible server via base_url",
        "OPENAI_API_KEY, unless base_url is another server",
    ),
    Shelf("openai-responses", "openai-responses:MODEL", "OpenAI's Responses API", "OPENAI_API_KEY"),
    Shelf(
        "azure", "azure:DEPLOYMENT", "OpenAI's models on Azure", "AZURE_OPENAI_ENDPOINT, AZURE_OPENAI_API_KEY"
    ),
    Shelf(
        "bedrock", "bedrock:MODEL", "models on Amazon Bedrock: the Converse API",
        'AWS_REGION and AWS_BEARER_TOKEN_BEDROCK, or AWS credentials with pip install "rightcall[bedrock]"',
    ),
    Shelf("gemini", "gemini:MODEL", "Google's Gemini API", "GEMINI_API_KEY or GOOGLE_API_KEY"),
    Shelf("mistral", "mistral:MODEL", "Mistral's chat completions", "MISTRAL_API_KEY"),
    Shelf("openrouter", "openrouter:VENDOR/MODEL", "many vendors behind one key", "OPENROUTER_API_KEY"),
    Shelf("ollama", "ollama:MODEL", "a model that Ollama serves, by default on this machine"),
    Shelf(
        "local", "local:smollm2 or local:PATH.gguf", "a model in this process, without key or network",
        'pip install "rightcall[local]", then: rightcall list models --download smollm2',
    ),
    Shelf("keyword", "keyword:", "no model: picks the tool that shares the most words with the request"),
    Shelf("scripted", "scripted:FILE", "replies from a script", "a script"),
    Shelf("http", "http:URL", "an agent that is a service: JSON in, JSON or server-sent events out"),
    Shelf("exec", "exec:COMMAND", "an agent that is a program: a JSON line in, JSON out"),
)  # fmt: skip

AGENTS = ("http", "exec")
"""Kinds that are not models: the executor runs them."""


def provider_names() -> list[str]:
    """Every kind of provider, built in or installed."""
    return [shelf.prefix for shelf in SHELVES] + sorted(provider_plugins())


def is_provider(prefix: str) -> bool:
    """Whether this kind of provider exists; installed packages are searched last, because that takes a while."""
    return any(shelf.prefix == prefix for shelf in SHELVES) or prefix in provider_plugins()


def model_problem(name: str) -> str:
    """Why a name cannot be a model of `models:`; empty when it can."""
    prefix, colon, rest = name.partition(":")
    if not colon or not is_provider(prefix):
        return f"model must be provider:model, got '{name}'; {hint_for(name)}"
    if prefix in AGENTS:
        return f"'{name}' is an agent, which runs its own tools; expected a model"
    if rest or prefix == "keyword":
        return ""
    shelf = next((shelf for shelf in SHELVES if shelf.prefix == prefix), None)
    return f"'{name}' is missing the model; use {shelf.usage if shelf else name}"


_NAMED_LIKE = {
    "claude": "anthropic",
    "gemini-": "gemini",
    "mistral-": "mistral",
    **dict.fromkeys(("gpt", "o1", "o3", "o4"), "openai"),
}
"""How the names of models begin, with their provider."""


def hint_for(name: str) -> str:
    """What somebody who wrote this for a model may have meant."""
    prefixes = provider_names()
    prefix, colon, _ = name.partition(":")
    if prefix in ("python", "py", "callable", "function") and colon:
        return f"an agent in Python is named without a provider: '{name.partition(':')[2]}'"
    for start, provider in _NAMED_LIKE.items():
        if not colon and name.startswith(start):
            return f"did you mean '{provider}:{name}'?"
    if near := suggestion(prefix, [*prefixes, *(local_modules() if colon else ())]):
        return near
    return f"use provider:model with one of {', '.join(prefixes)}"


def provider_plugins() -> dict[str, Plugin]:
    return plugins("providers", {shelf.prefix for shelf in SHELVES})


MAKERS = {
    "openai": "gpt|chatgpt|o[1-9]|codex|davinci",
    "anthropic": "claude",
    "google": "gemini|gemma|palm",
    "meta": "llama|codellama",
    "mistral": "mistral|mixtral|ministral|codestral|magistral|devstral",
    "alibaba": "qwen|qwq",
    "deepseek": "deepseek",
    "xai": "grok",
    "cohere": "command|c4ai|aya",
    "microsoft": "phi|wizardlm",
    "amazon": "nova|titan",
}
"""How the names of a maker's models begin."""

_MAKER = re.compile(
    "|".join(rf"(?P<{maker}>(?:^|[./_:-])(?:{names})(?![a-z]))" for maker, names in MAKERS.items()), re.I
)
_FIRST_DIGIT = re.compile(r"\d")


def family_of(name: str, families: Mapping[str, str] | None = None) -> str:
    """The family that `families` states; else the maker, the organisation in the name, or the name up to a digit."""
    if families and name in families:
        return families[name]
    provider, colon, rest = name.partition(":")
    model = rest if colon and any(shelf.prefix == provider for shelf in SHELVES) else name
    if (match := _MAKER.search(model)) is not None:
        return str(match.lastgroup)
    organisation, slash, _ = model.partition("/")
    if slash and organisation:
        return organisation.casefold()
    return _FIRST_DIGIT.split(model, maxsplit=1)[0].strip(" -_.:").casefold() or model.casefold()
