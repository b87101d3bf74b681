"""Requests written without a model: plain, stiff, and exactly as informative as their plan.

They use the words of the tool's description, so they are easier than what people write. Goldens
made this way have the tag `template`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping
from typing import Any

from rightcall.core.codec import encode
from rightcall.core.words import name_tokens, word_set
from rightcall.lint.features.text import sentences
from rightcall.model.tool import Tool
from rightcall.wings.generate.actions import action_of
from rightcall.wings.generate.phrases import PHRASES, Phrases
from rightcall.wings.generate.plannable_tools import request_actions
from rightcall.wings.generate.plans import CallPlan, PlannedCall

_ENVELOPES = word_set(
    "data params parameters path body input args arguments options payload request query requestbody"
)
"""Names of objects that only hold the values of a call."""
_SPELT_OUT = {
    "obj": "object",
    "doc": "document",
    "msg": "message",
    "desc": "description",
    "dest": "destination",
    "src": "source",
}


def template_request(plan: CallPlan, tools: Mapping[str, Tool], *, seed: int = 0) -> str:
    """The request of a plan in its language."""
    rng = random.Random(f"{seed}/{plan.slot.index}/{plan.attempt}/words")  # noqa: S311
    phrases = PHRASES[plan.language]
    if plan.slot.kind == "none":
        opener, idle = rng.choice(phrases.openers), rng.choice(phrases.idle)
        return _capitalize(opener + (_capitalize(idle) if opener.endswith((". ", "! ")) else idle))
    request, *others = (_sentence(call, plan, tools, phrases, rng) for call in plan.calls)
    for call, other in zip(plan.calls[1:], others, strict=True):
        if plan.slot.kind == "parallel":
            again = rng.choice(phrases.again).format(details=_details(call, plan, phrases))
            request += phrases.joined + again
        else:
            joiner = rng.choice(phrases.then if call.after else phrases.also)
            request += phrases.joined + joiner.format(next=_lower_first(other))
    if plan.missing:
        request += phrases.joined + rng.choice(phrases.withheld).format(name=label(plan.missing, phrases))
    return request


def _sentence(
    call: PlannedCall, plan: CallPlan, tools: Mapping[str, Tool], phrases: Phrases, rng: random.Random
) -> str:
    what, used_names = _with_values(request_action(tools[call.tool], tools, phrases), call, plan, phrases)
    details = _details(call, plan, phrases, without=used_names)
    frame = rng.choice(phrases.asks if details else phrases.bare)
    return frame.format(what=what, What=_capitalize(what), details=details, Details=_capitalize(details))


def _details(call: PlannedCall, plan: CallPlan, phrases: Phrases, without: Iterable[str] = ()) -> str:
    details = [
        phrases.result.format(name=label(name, phrases))
        if name in call.bound
        else phrases.detail.format(name=label(name, phrases), value=value_in_words(value, phrases))
        for name, value in _without_envelope(call.arguments).items()
        if name != plan.missing and name not in without
    ]
    return _enumeration(details, phrases)


def _without_envelope(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a person would name: those inside `data` or `params` rather than the envelope."""
    inner: dict[str, Any] = {}
    for name, value in arguments.items():
        is_envelope = isinstance(value, dict) and name.casefold() in _ENVELOPES
        inner |= value if is_envelope and inner.keys().isdisjoint(value) else {name: value}
    return inner


def _with_values(what: str, call: PlannedCall, plan: CallPlan, phrases: Phrases) -> tuple[str, set[str]]:
    """The action with values where it mentions a parameter: "forecast for a city" becomes "forecast for Perth"."""
    used_names: set[str] = set()
    for name, value in call.arguments.items():
        words = label(name, phrases)
        if name in (plan.missing, *call.bound) or not isinstance(value, str) or words.endswith("id"):
            continue
        noun = rf"(?:an?|the) {re.escape(words)}"
        match = re.search(rf"(?<=for |.in |.at )\b{noun}\b(?! (?!for|in|at|on|to|by|with\b)\w)", what)
        if match:
            what = what[: match.start()] + value_in_words(value, phrases) + what[match.end() :]
            used_names.add(name)
    return what, used_names


def request_action(tool: Tool, tools: Mapping[str, Tool], phrases: Phrases) -> str:
    """What the tool does, phrased as a request: from its name in this language, otherwise from its description."""
    if not phrases.verbs:
        return request_actions(tools.values()).get(tool.name) or action_of(tool)
    parts = name_tokens(tool.name)
    verbs = [phrases.verbs[part] for part in parts[:1] if part in phrases.verbs]
    nouns = [phrases.nouns[part] for part in parts[1:] if part in phrases.nouns]
    if verbs and nouns and len(nouns) == len(parts) - 1:
        return phrases.joined.join([*verbs, *reversed(nouns)])
    sentence = next(iter(sentences(tool.description)), "") or " ".join(parts)
    return f"{phrases.quotes[0]}{' '.join(sentence.split())}{phrases.quotes[1]}"


def label(name: str, phrases: Phrases) -> str:
    """A parameter's name as a person would say it."""
    tokens = name_tokens(name)
    tokens = tokens[:-1] if len(tokens) > 1 and tokens[-1] in ("str", "string") else tokens
    words = " ".join(_SPELT_OUT.get(token, token) for token in tokens) or name
    return phrases.names.get(words, words)


def value_in_words(value: Any, phrases: Phrases) -> str:
    """A value in words that identify it exactly."""
    if isinstance(value, bool):
        return phrases.yes if value else phrases.no
    if isinstance(value, str):
        plain = re.fullmatch(r"[\w@.:/+-]+", value) and not value.endswith((".", ":"))
        return value if plain else f"{phrases.quotes[0]}{value}{phrases.quotes[1]}"
    if isinstance(value, list):
        return _enumeration([value_in_words(item, phrases) for item in value], phrases)
    if isinstance(value, dict):
        inside = (f"{label(name, phrases)} {value_in_words(item, phrases)}" for name, item in value.items())
        return f"({phrases.between.join(inside)})"
    return encode(value).decode()


def _enumeration(parts: list[str], phrases: Phrases) -> str:
    return phrases.last.join(filter(None, (phrases.between.join(parts[:-1]), *parts[-1:])))


def _lower_first(text: str) -> str:
    is_word = text[:1].isupper() and text[1:2].islower()
    return text[:1].lower() + text[1:] if is_word else text


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]
