"""Requests written without a model: plain, stiff, and exactly as informative as their plan.

They use the words of the tool's description, so they are easier than what people write. Goldens
made this way have the tag `template`.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any

from rightcall.core.codec import encode
from rightcall.model.tool import Tool
from rightcall.wings.generate.phrases import Phrases, phrases_of
from rightcall.wings.generate.plans import CallPlan, PlannedCall

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-.\s]+")
_ABOUT_THE_TOOL = ("this", "the tool", "a tool", "use", "used", "tool")


def template_request(plan: CallPlan, tools: Mapping[str, Tool], *, seed: int = 0) -> str:
    """The request of a plan in its language."""
    rng = random.Random(f"{seed}/{plan.slot.index}/{plan.attempt}/words")  # noqa: S311
    phrases = phrases_of(plan.language)
    if plan.slot.kind == "none":
        sentence = rng.choice(phrases.openers) + rng.choice(phrases.idle)
        return sentence[:1].upper() + sentence[1:]
    first, *others = (_sentence(call, plan, tools, phrases, rng) for call in plan.calls)
    for call, other in zip(plan.calls[1:], others, strict=True):
        joiner = rng.choice(phrases.then if call.after else phrases.also)
        first += phrases.joined + joiner.format(next=_lower_first(other))
    return first


def _sentence(
    call: PlannedCall, plan: CallPlan, tools: Mapping[str, Tool], phrases: Phrases, rng: random.Random
) -> str:
    what, used_names = _with_values(action_of(tools[call.tool], phrases), call, plan, phrases)
    details = [
        phrases.result.format(name=label(name, phrases))
        if name in call.bound
        else phrases.detail.format(name=label(name, phrases), value=value_in_words(value, phrases))
        for name, value in call.arguments.items()
        if name != plan.missing and name not in used_names
    ]
    if not details:
        frame, detail_text = rng.choice(phrases.bare), ""
    else:
        frame, detail_text = rng.choice(phrases.asks), phrases.between.join(details)
    return frame.format(
        what=what, What=_capitalize(what), details=detail_text, Details=_capitalize(detail_text)
    )


def _with_values(what: str, call: PlannedCall, plan: CallPlan, phrases: Phrases) -> tuple[str, set[str]]:
    """The action with values where it mentions a parameter: "forecast for a city" becomes "forecast for Perth"."""
    used_names: set[str] = set()
    for name, value in call.arguments.items():
        words = label(name, phrases)
        if name in (plan.missing, *call.bound) or not isinstance(value, str) or words.endswith("id"):
            continue
        noun = rf"(?:an?|the)(?: given| specific| specified)? {re.escape(words)}"
        match = re.search(rf"(?<=for |.in |.at )\b{noun}\b(?! (?!for|in|at|on|to|by|and|with\b)\w)", what)
        if match:
            what = what[: match.start()] + value_in_words(value, phrases) + what[match.end() :]
            used_names.add(name)
    return what, used_names


def action_of(tool: Tool, phrases: Phrases) -> str:
    """What the tool does, phrased as a request: from its name in this language, otherwise from its description."""
    parts = [part.casefold() for part in _CAMEL.split(tool.name) if part]
    verbs = [phrases.verbs[part] for part in parts[:1] if part in phrases.verbs]
    nouns = [phrases.nouns[part] for part in parts[1:] if part in phrases.nouns]
    if verbs and nouns and len(nouns) == len(parts) - 1:
        return phrases.joined.join([*verbs, *reversed(nouns)])
    sentence = re.split(r"(?<=[.!?。])\s|\n|。", tool.description.strip(), maxsplit=1)[0].rstrip(".。!?: ")
    if not sentence or len(sentence) > 120 or sentence.casefold().startswith(_ABOUT_THE_TOOL):
        return " ".join(parts)
    if phrases.verbs or _starts_with_verb(sentence, parts):
        return (
            _lower_first(sentence)
            if not phrases.verbs
            else f"{phrases.quotes[0]}{sentence}{phrases.quotes[1]}"
        )
    return f"get this: {_lower_first(sentence)}"


def _starts_with_verb(sentence: str, parts: list[str]) -> bool:
    first = sentence.split(maxsplit=1)[0].casefold()
    return first in _VERBS or first == parts[0]


def label(name: str, phrases: Phrases) -> str:
    """A parameter's name as a person would say it."""
    words = " ".join(part.casefold() for part in _CAMEL.split(name) if part)
    return phrases.names.get(words, words)


def value_in_words(value: Any, phrases: Phrases) -> str:
    """A value in words that identify it exactly."""
    if isinstance(value, bool):
        return phrases.yes if value else phrases.no
    if isinstance(value, str):
        plain = re.fullmatch(r"[\w@.:/+-]+", value) and not value.endswith((".", ":"))
        return value if plain else f"{phrases.quotes[0]}{value}{phrases.quotes[1]}"
    if isinstance(value, list):
        return phrases.between.join(value_in_words(item, phrases) for item in value)
    if isinstance(value, dict):
        inside = (f"{label(name, phrases)} {value_in_words(item, phrases)}" for name, item in value.items())
        return f"({phrases.between.join(inside)})"
    return encode(value).decode()


def _lower_first(text: str) -> str:
    is_word = text[:1].isupper() and text[1:2].islower()
    return text[:1].lower() + text[1:] if is_word else text


def _capitalize(text: str) -> str:
    return text[:1].upper() + text[1:]


_BASE_FORMS = """
add analyze answer apply approve archive assign book browse build buy calculate call cancel change check choose
clear close compare compute connect convert copy count create deactivate delete deliver deploy describe disable
download draft edit enable estimate evaluate execute export extract fetch filter find fix forward generate get
give import insert inspect install invite issue join list load lock log look make mark measure merge modify
monitor move notify open order pause pay perform pick place plan play post predict print process publish pull
push query read rebook receive recommend record refund register reject release remind remove rename render
repeat replace reply report request reschedule reserve reset resize resolve restart restore resume retrieve
return review rotate run save scan schedule search see select sell send set share show sign solve sort split
start stop store submit subscribe suggest summarize sync tag take tell test track transfer translate turn unlock
unsubscribe update upload validate verify view write zip
"""
_VERBS = frozenset(_BASE_FORMS.split())
