"""The maker of a model, read off its name: models of one maker share mistakes."""

from __future__ import annotations

import re
from collections.abc import Mapping

MAKERS = {
    "anthropic": "anthropic",
    "openai": "openai",
    "openai-responses": "openai",
    "gemini": "google",
    "mistral": "mistral",
    "deepseek": "deepseek",
    "xai": "xai",
    "cohere": "cohere",
}
"""Providers that serve the models of one maker."""

_FIRST_DIGIT = re.compile(r"\d")


def family_of(name: str, families: Mapping[str, str] | None = None) -> str:
    """The family that `families` states; else the provider or organisation in the name, or the name up to a digit."""
    if families and name in families:
        return families[name]
    provider, colon, model = name.partition(":")
    if colon and provider in MAKERS:
        return MAKERS[provider]
    model = model if colon else name
    organisation, slash, _ = model.partition("/")
    if slash and organisation:
        return organisation.casefold()
    return _FIRST_DIGIT.split(model, maxsplit=1)[0].strip(" -_.:").casefold() or model.casefold()
