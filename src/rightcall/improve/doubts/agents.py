"""Doubts from what agents do instead: many agree, none passes, another tool, value or form of a value fits as well."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from rightcall.core.text import percent, pluralize
from rightcall.core.words import words
from rightcall.improve.argument_kind import argument_kind, is_held
from rightcall.improve.call_difference import ArgumentDifference, accepts
from rightcall.improve.doubt import Band, Reason, SuspectGolden, difference_lines, values_of
from rightcall.improve.golden_edit import GoldenEdit, accept_absence, accept_alternative, accept_too
from rightcall.lint.confusability.word_use import request_words
from rightcall.metrics.matching.base import MISSING
from rightcall.model.golden import request_of
from rightcall.run.rehearsal.toolset import is_default, value_key
from rightcall.run.rehearsal.values import is_identifier, results_before

LEAST_AGREEMENT = 0.5
ENOUGH_AGENTS = 3


def agents_agree(suspect: SuspectGolden) -> Iterator[Reason]:
    """Half of the agents or more make the same other call, of at least two makers, and fewer pass."""
    votes, agreement = suspect.votes, suspect.votes.agreement
    if agreement is None or agreement.share < LEAST_AGREEMENT or agreement.share <= votes.passing:
        return
    if votes.n == 2 and len(agreement.agents) < 2:
        return
    likely = votes.n >= ENOUGH_AGENTS or (votes.n == 2 and not votes.passing)
    if votes.n == 1:
        sentence = f"the only agent ({agreement.agents[0]}) does something else" + (
            "" if not votes.passing else f" in {percent(agreement.share)} of its trials"
        )
    else:
        makers = pluralize(len(agreement.families), "maker")
        state = " leave the same other state" if agreement.in_world else ""
        passing = f"{percent(votes.passing)} pass" if votes.passing else "none passes"
        sentence = f"{len(agreement.agents)} of {votes.n} agents, of {makers},{state or ' agree'}; {passing}"
    yield Reason(
        "likely" if likely else "look",
        sentence,
        agreement,
        accept_alternative(suspect.golden, agreement.calls),
        tuple(difference_lines(suspect.difference)),
    )


FEWEST, MOST_PASSING = 5, 0.05
FEWEST_IN_WORLD, MOST_PASSING_IN_WORLD = 4, 0.15
"""Final states are reached in many ways, so that a few agents say more."""


def nobody_passes(suspect: SuspectGolden) -> Iterator[Reason]:
    """Enough agents tried, and next to none passes."""
    votes = suspect.votes
    fewest, most = (FEWEST_IN_WORLD, MOST_PASSING_IN_WORLD) if votes.in_world else (FEWEST, MOST_PASSING)
    if votes.n >= fewest and votes.passing <= most:
        who = "none" if not votes.passing else percent(votes.passing)
        lines = tuple(difference_lines(suspect.difference)) if votes.agreement else ()
        yield Reason("likely", f"{who} of {votes.n} agents passes", votes.agreement, evidence=lines)


ALIKE, SAME_COVER = 0.7, 0.05


def two_tools_fit(suspect: SuspectGolden) -> Iterator[Reason]:
    """Agents call another tool whose text is easily confused with the expected one's, and the request fits both."""
    agreement, tools = suspect.votes.agreement, suspect.difference.other_tool
    if agreement is None or tools is None:
        return
    (wanted, called), wording = tools, suspect.toolset.wording
    request = request_words(request_of(suspect.golden))
    apart = abs(wording.cover(request, wanted) - wording.cover(request, called))
    if suspect.toolset.confusability(wanted, called) >= ALIKE and apart <= SAME_COVER:
        sentence = f"the request fits {called} as well as {wanted}, and their texts are easily confused"
        yield Reason("look", sentence, agreement, accept_alternative(suspect.golden, agreement.calls))


def from_nowhere(suspect: SuspectGolden) -> Iterator[Reason]:
    """A required value stands in nothing that the agent reads, and agents pass another."""
    agreement = suspect.votes.agreement
    if agreement is None:
        return
    read = "\n".join((suspect.words, results_before(agreement.calls, len(agreement.calls))))
    for argument in suspect.difference.arguments:
        values = values_of(argument.expected) if argument.expected is not MISSING else []
        schema = suspect.toolset.parameter(argument.tool, argument.parameter)
        if not values or "enum" in schema or any(isinstance(value, bool) for value in values):
            continue
        stands = any(
            _stands(value, read) or is_default(suspect.toolset, argument.tool, argument.parameter, value)
            for value in values
        )
        if not stands:
            sentence = f"nothing that the agent reads says the value of {argument.tool}.{argument.parameter}"
            yield Reason("look", sentence, agreement, evidence=tuple(difference_lines(suspect.difference)))


def _stands(value: Any, text: str) -> bool:
    """Whether a text says a value, a multiple of it by a unit, or half of its words."""
    if is_held(value, text):
        return True
    if isinstance(value, list):
        return bool(value) and all(_stands(item, text) for item in value)
    if not isinstance(value, str):
        return False
    value_words, text_words = set(words(value[:2_000])), set(words(text[:20_000]))
    return bool(value_words) and 2 * len(value_words & text_words) >= len(value_words)


LEAST_SHARE, LEAST_SHARE_WITHOUT_DEFAULT = 0.2, 0.1
SPELT_ALIKE = 0.85
LONGEST = 500
IGNORABLE = (("case",), ("space",), ("punctuation",), ("case", "space"), ("case", "punctuation"),
             ("case", "space", "punctuation"), ("case", "space", "punctuation", "accents"))  # fmt: skip


def too_strict(suspect: SuspectGolden) -> Iterator[Reason]:
    """Agents pass one value in another form, which the golden refuses: 1 as text, another order, a longer name."""
    agreement, argument = suspect.votes.agreement, suspect.difference.one_argument
    if agreement is None or argument is None or argument.expected is MISSING or agreement.in_world:
        return
    form = _other_form(argument, suspect)
    least = LEAST_SHARE_WITHOUT_DEFAULT if form == "default" else LEAST_SHARE
    if not form or agreement.share < least:
        return
    band: Band = "look" if suspect.votes.n == 1 else "likely"
    who = agreement.agents[0] if len(agreement.agents) == 1 else f"{len(agreement.agents)} agents"
    sentence = f"{SENTENCES[form]} of {argument.tool}.{argument.parameter} is refused, which {who} would pass"
    evidence = tuple(difference_lines(suspect.difference))
    yield Reason(band, sentence, agreement, (_change(argument, form),), evidence)


SENTENCES = {
    "default": "leaving out the default",
    "type": "another type",
    "order": "another order",
    "form": "a longer or shorter form",
    "spelling": "another spelling",
}


def _other_form(argument: ArgumentDifference, suspect: SuspectGolden) -> str:
    """How the value differs from an accepted one, when it means the same; else empty."""
    toolset, actual = suspect.toolset, argument.actual
    values = values_of(argument.expected)
    schema = toolset.parameter(argument.tool, argument.parameter)
    if actual is MISSING:
        is_left_out = any(is_default(toolset, argument.tool, argument.parameter, value) for value in values)
        return "default" if is_left_out and not toolset.requires(argument.tool, argument.parameter) else ""
    if "enum" in schema or any(
        is_identifier(argument.parameter, schema, value) for value in (*values, actual)
    ):
        return ""
    text = str(schema.get("description", ""))
    for value in values:
        if (form := _form(value, actual)) and not (_follows(value, text) and not _follows(actual, text)):
            return form
    return ""


def _form(expected: Any, actual: Any) -> str:
    if argument_kind("wrong_value", expected, actual) == "type":
        return "type"
    if isinstance(expected, list) and isinstance(actual, list):
        same = sorted(value_key(v, {}) for v in expected) == sorted(value_key(v, {}) for v in actual)
        return "order" if same else ""
    if not isinstance(expected, str) or not isinstance(actual, str):
        return ""
    first, second = frozenset(words(expected[:LONGEST])), frozenset(words(actual[:LONGEST]))
    if first and second and (first < second or second < first):
        return "form"
    if any(letter.isdigit() for letter in expected + actual):
        return "spelling" if value_key(expected, {}) == value_key(actual, {}) else ""
    alike = SequenceMatcher(None, expected[:LONGEST].casefold(), actual[:LONGEST].casefold()).ratio()
    return "spelling" if alike > SPELT_ALIKE or value_key(expected, {}) == value_key(actual, {}) else ""


def _change(argument: ArgumentDifference, form: str) -> GoldenEdit:
    spec = argument.expected
    if form == "default":
        return accept_absence(argument.path, spec)
    if form == "spelling" and isinstance(spec, str):
        for ignored in IGNORABLE:
            lenient = {"text": spec, "ignore": list(ignored)}
            if accepts(lenient, argument.actual):
                return GoldenEdit(argument.path, spec, lenient)
    return accept_too(argument.path, spec, argument.actual)


_QUOTED = re.compile(r"['\"`‘“]([^'\"`’”]{1,80})['\"`’”]")
_LAYOUT = re.compile(r"\b[YMDHhms]{2,4}(?:[-/.: T]+[YMDHhms]{2,4})+\b")


def _follows(value: Any, description: str) -> bool:
    """Whether a value has the form that a description shows: like an example, a layout, or one of its words."""
    text = str(value)
    if not description:
        return False
    examples = [_shape(example) for example in _QUOTED.findall(description)]
    layouts = [_shape(re.sub(r"[A-Za-z]+", "9", layout)) for layout in _LAYOUT.findall(description)]
    if examples or layouts:
        return _shape(text) in (*examples, *layouts)
    return len(text) > 1 and re.search(rf"(?<!\w){re.escape(text)}(?!\w)", description) is not None


def _shape(text: str) -> str:
    """The form of a text: kinds of words and marks, so that `Boston, MA` and `New York, NY` have one."""
    kinds = re.sub(r"\d+", "9", text[:LONGEST])
    kinds = re.sub(r"[A-Z][A-Z]+\b", "U", kinds)
    kinds = re.sub(r"[^\W\d_]*[a-z][^\W\d_]*", "w", kinds)
    return re.sub(r"w(?: w)+", "w", kinds)
