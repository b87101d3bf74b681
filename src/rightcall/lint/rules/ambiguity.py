"""Tools that a model confuses: pairs of them, and texts and parameters that do not distinguish two."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

from rightcall.core.groups import group_by
from rightcall.core.words import stem, word_set, words
from rightcall.lint.confusability.pairs import LIKELY, WARN, ToolPair
from rightcall.lint.confusability.similarity import edit_distance, pairs_with_a_key
from rightcall.lint.features.mentions import CONFIRMING_PARAMETER, LINKS, STOP_WORDS
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import SEVERITIES, Finding, SetFindings, Severity, set_rule
from rightcall.schema.effects import DELETE_SYNONYMS, DESTROY

SAME_TEXT = 0.95
DESTROYS = 0.80
"""From here on two tools that destroy are an error; below, a reader kept delete_chart and delete_image apart."""


@set_rule("TD502", "warning", sources=("TSC", "SM2"))
def confusable_pair(tools: SetFeatures) -> SetFindings:
    """Two tools have a similarity of 0.70 or more in text, parameters and names.

    The score is 0.5 · similarity of the texts + 0.3 · share of common parameters + 0.2 · similarity of the
    names, lower when the texts distinguish the two. From 0.70 on it is an info, from 0.90 a warning, and a
    warning as soon as stored runs show the confusion; an error with nearly the same text, or from 0.80 on
    when both destroy something (from 0.70 on when only the verbs of the names differ: remove, delete), as long as
    neither text distinguishes them. It ranks pairs that models really
    confuse above others, but it is a hint, not a proof: with stored runs the finding includes what was
    measured.

    A warning too where one tool approves what the other, with the same parameters, asks somebody to approve, and
    neither text names the other: a model that should ask decides by itself.

    Fails: [
      {
        "name": "get_city_forecast",
        "description": "Returns the daily weather forecast of one city, one entry a day. Use it for coming days instead of guessing. Fails with not_found for a city it does not know."
      },
      {
        "name": "get_town_forecast",
        "description": "Returns the daily weather forecast of one town, one entry a day. Use it for coming days instead of guessing. Fails with not_found for a town it does not know.",
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
    for approving, asking in _approvals(tools):
        yield Finding(
            ("description",),
            f"decides what {asking.name} asks somebody to decide, with the same parameters",
            f"say in each when to use the other: “beyond … use {asking.name}”",
            others=(asking.name,),
        ).of(approving)
    for pairs in alike_by_second(tools.pairs):
        worst = pairs[0]
        names_destruction = worst.first.effect.is_destructive or worst.second.effect.is_destructive
        yield Finding(
            ("description",),
            confusion_text(pairs),
            "name what each destroys and what it leaves, in the name and in the first sentence"
            if names_destruction
            else contrast_hint(worst),
            severity=min((_severity(pair) for pair in pairs), key=SEVERITIES.index),
            others=tuple(pair.first.name for pair in pairs),
        ).of(worst.second)


ASK = word_set("ask obtain request seek submit")
APPROVAL = word_set("approval authorisation authorization clearance consent permission")
APPROVE = word_set("accept allow approve authorise authorize grant permit")


def _approvals(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, ToolFeatures]]:
    """A tool that approves, with one of the same parameters that asks for an approval."""
    named = [tool for tool in tools.by_name.values() if tool.parameter_names]
    approving = [tool for tool in named if APPROVE & tool.name_words]
    for asking in named:
        if asking in approving or not _asks_for_approval(asking.name_tokens):
            continue
        for tool in approving:
            alike = tool.parameter_names == asking.parameter_names
            if alike and asking.name not in tool.description and tool.name not in asking.description:
                yield tool, asking


def _asks_for_approval(name: Sequence[str]) -> bool:
    """`ask_for_approval`, but not `decline_permission_request`."""
    verb = next((place for place, word in enumerate(name) if word in ASK), len(name))
    return not APPROVAL.isdisjoint(name[verb:])


def alike_by_second(pairs: Iterable[ToolPair]) -> Iterable[list[ToolPair]]:
    """The pairs that are similar enough to be reported, those with one second tool together, the worst first."""
    return group_by((pair for pair in pairs if pair.score >= WARN), lambda pair: id(pair.second)).values()


def confusion_text(pairs: Sequence[ToolPair]) -> str:
    """With which tools the second one of the pairs is confused, and why."""
    worst = pairs[0]
    more = f" and {len(pairs) - 1} more" if len(pairs) > 1 else ""
    return f"easily confused with {worst.first.name}{more} ({worst.score:.2f}): {worst.why}"


def contrast_hint(pair: ToolPair) -> str:
    """What each text of a pair should say of the other."""
    return f"say in each when to use the other: “for … use {pair.first.name}”"


def _severity(pair: ToolPair) -> Severity:
    # A model does not mistake get for delete: what is dangerous is two verbs of the same effect.
    destroys = pair.first.effect.kind == "destroy" and pair.second.takes_away
    destroys = destroys or (pair.second.effect.kind == "destroy" and pair.first.takes_away)
    destroys = destroys and LINKS.isdisjoint((pair.first.name_tokens[-1], pair.second.name_tokens[-1]))
    if not pair.told_apart and (
        (destroys and (pair.score >= DESTROYS or _differ_by_verb(pair)))
        or (pair.score >= LIKELY and pair.text >= SAME_TEXT)
    ):
        return "error"
    return "warning" if pair.score >= LIKELY else "info"


def _differ_by_verb(pair: ToolPair) -> bool:
    """`remove_project` and `delete_project`: one thing, two words for the same, and the same parameters."""
    tools = pair.first, pair.second
    first, second = (set(tool.name_tokens) - {tool.effect.verb} for tool in tools)
    same_verb = all({tool.effect.verb, tool.opening_verb} & (DELETE_SYNONYMS | DESTROY) for tool in tools)
    return same_verb and first == second and bool(first) and pair.parameters == 1.0


SHORTEST = 6
LONGEST = 256
"""Characters of a name that is compared: no provider accepts longer ones, and the cost grows with the square."""


@set_rule("TD503", "warning", sources=("META",))
def near_name(tools: SetFeatures) -> SetFindings:
    """Two names differ by a letter, a plural, or the order of their words.

    `get_order` and `get_orders` are easily mixed up, by models as by people. Name the difference: `get_order`
    and `list_orders`. A conversion and its inverse (`speech_to_text`, `text_to_speech`) are not reported if
    their texts differ enough.

    Fails: [{}, {"name": "get_forecasts"}]
    Passes: [{}, {"name": "list_forecasts"}]
    """
    for first, second in _candidates(tools):
        if first.name.casefold() == second.name.casefold():
            continue
        if sorted(first.name_tokens) == sorted(second.name_tokens):
            if "".join(first.name_tokens) != "".join(second.name_tokens) and not _two_terms(first, second):
                yield second, _finding(first, second, "has the same words as")
        elif _one_token_apart(first.name_tokens, second.name_tokens):
            yield second, _finding(first, second, "is a letter or two from")


def _two_terms(first_tool: ToolFeatures, second_tool: ToolFeatures) -> bool:
    """`speech_to_text`, `text_to_speech`: a way and its way back, whose first sentences have little in common."""
    if "to" not in first_tool.name_tokens:
        return False
    first, second = (
        {stem(word) for word in words(tool.opening)} - STOP_WORDS for tool in (first_tool, second_tool)
    )
    return len(first & second) * 2 < min(len(first), len(second))


def _candidates(tools: SetFeatures) -> Iterator[tuple[ToolFeatures, ToolFeatures]]:
    """Pairs with the same number of words and of about the same length, each once."""
    compared = (tool for tool in tools.by_name.values() if SHORTEST <= len(tool.name) <= LONGEST)

    def keys_of(tool: ToolFeatures) -> set[tuple[str, ...]]:
        """Its words in any order, and its words but for one of them."""
        words = tool.name_tokens
        but_one = {(str(at), *words[:at], "*", *words[at + 1 :]) for at in range(len(words))}
        return {tuple(sorted(words)), *but_one}

    for first, second in pairs_with_a_key(compared, keys_of):
        if abs(len(first.name) - len(second.name)) <= 2:
            yield first, second


def _one_token_apart(first: tuple[str, ...], second: tuple[str, ...]) -> bool:
    """Do they differ in one word, by at most two letters of a word that is not short?"""
    different = [(a, b) for a, b in zip(first, second, strict=True) if a != b]
    if len(different) != 1:
        return False
    a, b = different[0]
    if min(len(a), len(b)) < 4 or a.isdigit() or b.isdigit():
        return False
    plural = a.rstrip("s") == b.rstrip("s")
    return plural or edit_distance(a, b, 1) <= 1


def _finding(first: ToolFeatures, second: ToolFeatures, how: str) -> Finding:
    return Finding(
        ("name",), f"'{second.name}' {how} '{first.name}'", "make the difference a word", others=(first.name,)
    )


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
