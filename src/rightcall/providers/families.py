"""The family of a model: its maker, whoever serves it under whatever name."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rightcall.providers.hosts import HOSTS
from rightcall.providers.resolver import CLASSES

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
    model = rest if colon and (provider in CLASSES or provider in HOSTS) else name
    if (match := _MAKER.search(model)) is not None:
        return str(match.lastgroup)
    organisation, slash, _ = model.partition("/")
    if slash and organisation:
        return organisation.casefold()
    return _FIRST_DIGIT.split(model, maxsplit=1)[0].strip(" -_.:").casefold() or model.casefold()
