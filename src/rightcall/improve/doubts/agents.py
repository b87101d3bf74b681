"""Doubts from what several agents do instead: many agree, none passes, another form of a value fits as well."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from rightcall.core.text import percent, pluralize
from rightcall.core.words import words
from rightcall.improve.argument_kind import argument_kind
from rightcall.improve.call_difference import ArgumentDifference, accepts
from rightcall.improve.doubt import Reason, SuspectGolden, difference_lines, values_of
from rightcall.improve.golden_edit import GoldenEdit, accept_absence, accept_alternative, accept_too
from rightcall.improve.votes import Votes
from rightcall.metrics.matching.base import MISSING
from rightcall.run.rehearsal.toolset import is_default, value_key
from rightcall.run.rehearsal.values import is_identifier

LEAST_AGREEMENT = 0.5
ENOUGH_AGENTS = 3


def most_do_otherwise(votes: Votes) -> bool:
    """Whether half of the agents or more make the same other call, and fewer pass."""
    agreement = votes.agreement
    if agreement is None:
        return False
    return agreement.share >= LEAST_AGREEMENT and agreement.share > votes.passing


def agents_agree(suspect: SuspectGolden) -> Iterator[Reason]:
    """Half of the agents or more make the same other call, of at least two makers, and fewer pass."""
    votes = suspect.votes
    agreement = suspect.votes.agreement
    if agreement is None or not most_do_otherwise(votes):
        return
    both = votes.n == 2 and len(agreement.agents) == 2 and not votes.passing
    if votes.n < ENOUGH_AGENTS and not both:
        return
    makers = pluralize(len(agreement.families), "maker")
    state = " leave the same other state" if agreement.in_world else ""
    passing = f"{percent(votes.passing)} pass" if votes.passing else "none passes"
    sentence = f"{len(agreement.agents)} of {votes.n} agents, of {makers},{state or ' agree'}; {passing}"
    yield Reason(
        "likely",
        sentence,
        agreement,
        accept_alternative(suspect.golden, agreement.calls),
        evidence=tuple(difference_lines(suspect.difference)),
    )


FEWEST = 5
MOST_PASSING = 0.05
FEWEST_IN_WORLD = 4
MOST_PASSING_IN_WORLD = 0.15
"""Final states are reached in many ways, so that a few agents say more."""


def nobody_passes(suspect: SuspectGolden) -> Iterator[Reason]:
    """Enough agents tried, and next to none passes."""
    votes = suspect.votes
    fewest, most = (FEWEST_IN_WORLD, MOST_PASSING_IN_WORLD) if votes.in_world else (FEWEST, MOST_PASSING)
    if votes.n >= fewest and votes.passing <= most:
        who = "none" if not votes.passing else percent(votes.passing)
        lines = tuple(difference_lines(suspect.difference)) if votes.agreement else ()
        yield Reason("likely", f"{who} of {votes.n} agents passes", votes.agreement, evidence=lines)


LEAST_SHARE = 0.2
LEAST_SHARE_WITHOUT_DEFAULT = 0.1
SPELT_ALIKE = 0.85
LONGEST = 500
IGNORABLE = (("case",), ("space",), ("punctuation",), ("case", "space"), ("case", "punctuation"),
             ("case", "space", "punctuation"), ("case", "space", "punctuation", "accents"))  # fmt: skip


def too_strict(suspect: SuspectGolden) -> Iterator[Reason]:
    """Agents pass one value in another form, which the golden refuses: 1 as text, another order, a longer name."""
    agreement = suspect.votes.agreement
    argument = suspect.difference.one_argument
    if agreement is None or argument is None or argument.expected is MISSING or agreement.in_world:
        return
    if suspect.votes.n == 1:
        return
    form = _other_form(argument, suspect)
    least = LEAST_SHARE_WITHOUT_DEFAULT if form == "default" else LEAST_SHARE
    if not form or agreement.share < least:
        return
    who = agreement.agents[0] if len(agreement.agents) == 1 else f"{len(agreement.agents)} agents"
    sentence = f"{SENTENCES[form]} of {argument.tool}.{argument.parameter} is refused, which {who} would pass"
    evidence = tuple(difference_lines(suspect.difference))
    yield Reason("likely", sentence, agreement, (_change(argument, form),), evidence=evidence)


SENTENCES = {
    "default": "leaving out the default",
    "type": "another type",
    "order": "another order",
    "form": "a longer or shorter form",
    "spelling": "another spelling",
}


def _other_form(argument: ArgumentDifference, suspect: SuspectGolden) -> str:
    """How the value differs from an accepted one, when it means the same; else empty."""
    toolset = suspect.toolset
    actual = argument.actual
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
    first = frozenset(words(expected[:LONGEST]))
    second = frozenset(words(actual[:LONGEST]))
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
