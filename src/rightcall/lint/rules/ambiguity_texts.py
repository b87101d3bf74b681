"""Texts and parameters that do not distinguish two tools."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import chain

from rightcall.core.words import stem, word_set, words
from rightcall.lint.confusability.pairs import LIKELY
from rightcall.lint.features.mentions import CONFIRMING_PARAMETER
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Finding, SetFindings, set_rule


@set_rule("TD501", "error", sources=("TSC",))
def duplicate_description(tools: SetFeatures) -> SetFindings:
    """Two tools have the same description, apart from articles, inflection and punctuation.

    A model chooses by description. With the same text for two tools it chooses at random. Texts that differ in articles
    or endings only are an error when one of the tools destroys something or asks for a confirmation, a warning
    otherwise; the same first sentence is a warning when one of them does, and so is an alias: one name is part of the
    other, and all else is equal.

    Fails: [
      {},
      {"description": "Returns the daily weather forecast of one city, one entry a day! Use it when the user asks about coming days. Fails with not_found for a city it does not know."}
    ]
    Passes: [{}, {}]
    """
    seen: dict[tuple[str, ...], ToolFeatures] = {}
    comparable = {id(tool): _comparable_texts(tool) for tool in tools.tools}
    shared = Counter(chain.from_iterable(comparable.values()))
    for tool in tools.tools:
        # A first sentence that many tools share is about the server, not about what each of them does.
        texts = [key for key in comparable[id(tool)] if key[0] != _SENTENCE or shared[key] == 2]
        same = next((key for key in texts if key in seen), None)
        if same is not None and seen[same].name != tool.name:
            yield from _same_text(seen[same], tool, same[0])
        for key in texts:
            seen.setdefault(key, tool)


def _comparable_texts(tool: ToolFeatures) -> list[tuple[str, ...]]:
    """What to compare, from strict to loose: all words, the stems that carry meaning, those of the first sentence."""
    texts = [(_WORDS, *tool.words)] if tool.words else []
    meaning = _meaning(tool.words)
    texts += [(_STEMS, *meaning)] if len(meaning) > 1 else []
    sentence = _meaning(words(tool.sentences[0])) if tool.sentences else []
    return texts + ([(_SENTENCE, *sentence)] if len(sentence) >= _TELLING else [])


_WORDS = "words"
_STEMS = "stems"
_SENTENCE = "sentence"
_EMPTY = word_set(
    "a an the this that these those it its their your our my is are be was will can of given specific specified"
)
"""Words that make no difference; before and after, all and none do."""

_TELLING = 3
"""Stems of a sentence; fewer fit many tools."""


def _meaning(text: Iterable[str]) -> list[str]:
    return [stem(word) for word in text if word not in _EMPTY]


def _same_text(first: ToolFeatures, second: ToolFeatures, what: str) -> SetFindings:
    is_dangerous = any(
        tool.effect.is_destructive or any(CONFIRMING_PARAMETER.search(name) for name in tool.parameter_names)
        for tool in (first, second)
    )
    is_named = first.name.lower() in second.lower or second.name.lower() in first.lower
    if what == _SENTENCE and (is_named or not is_dangerous):
        return
    problem = {
        _WORDS: f"same description as {first.name}: only the name distinguishes them",
        _STEMS: f"same description as {first.name}, apart from articles and endings",
        _SENTENCE: f"same first sentence as {first.name}",
    }[what]
    is_certain = what == _WORDS or (what == _STEMS and is_dangerous)
    if what == _WORDS and _is_alias(first, second):
        problem = f"an alias of {first.name}: same text, same parameters"
        is_certain = False
    yield Finding(
        ("description",),
        problem,
        "say in each what the other does not do" if "alias" not in problem else "offer one of the two",
        severity=None if is_certain else "warning",
        others=(first.name,),
    ).of(second)


def _is_alias(first: ToolFeatures, second: ToolFeatures) -> bool:
    """`get_summary` and `wiki_get_summary` with the same parameters: whichever is called, the same happens."""
    short, long = sorted((first.name.lower(), second.name.lower()), key=len)
    return (
        first.schema == second.schema
        and re.search(rf"(?:^|[_.-]){re.escape(short)}(?:[_.-]|$)", long) is not None
    )


@set_rule("TD505", "warning", beside=("TD502",), sources=("ANT-def",))
def no_contrast(tools: SetFeatures) -> SetFindings:
    """A pair that scores 0.90 or more, and neither text mentions the other or says “instead of”.

    One sentence in each (“for past days use get_history”) is the cheapest cure for confusion.

    Fails: [
      {
        "name": "get_city_forecast",
        "description": "Returns the daily weather forecast of one city, one entry a day. Use it for coming days. Fails with not_found."
      },
      {
        "name": "get_town_forecast",
        "description": "Returns the daily weather forecast of one town, one entry a day. Use it for coming days. Fails with not_found.",
        "input_schema": {
          "properties": {
            "latitude": null,
            "longitude": null,
            "limit": null,
            "city": {"type": "string", "description": "Town and country in English, such as Hue, Vietnam."},
            "days": {"type": "integer", "description": "How many days ahead, counted from tomorrow."}
          },
          "required": ["city", "days"]
        }
      }
    ]
    Passes: [{}, {}]
    """
    reported: set[int] = set()
    for pair in tools.pairs:
        if pair.score < LIKELY:
            break
        if pair.told_apart or id(pair.second) in reported:
            continue
        reported.add(id(pair.second))
        yield Finding(
            ("description",),
            f"neither it nor {pair.first.name} says when to use the other",
            f"add “for … use {pair.first.name}”, and the same the other way round",
            others=(pair.first.name,),
        ).of(pair.second)
