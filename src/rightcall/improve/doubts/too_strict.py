"""Agents pass the same value in another form, which the golden refuses: 1 as text, another order, a longer name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from rightcall.core.words import words
from rightcall.improve.argument_kind import argument_kind
from rightcall.improve.call_difference import ArgumentDifference, accepts
from rightcall.improve.doubt import Band
from rightcall.improve.golden_edit import GoldenEdit, accept_absence, accept_too
from rightcall.improve.suspect import Reason, SuspectGolden, difference_lines, values_of
from rightcall.metrics.matching.base import MISSING
from rightcall.run.rehearsal.toolset import is_default, value_key
from rightcall.run.rehearsal.values import is_identifier

LEAST_SHARE, LEAST_SHARE_WITHOUT_DEFAULT = 0.2, 0.1
ALIKE = 0.85
LONGEST = 500
IGNORABLE = (("case",), ("space",), ("punctuation",), ("case", "space"), ("case", "punctuation"),
             ("case", "space", "punctuation"), ("case", "space", "punctuation", "accents"))  # fmt: skip


def too_strict(suspect: SuspectGolden) -> Iterator[Reason]:
    """Where one argument alone differs."""
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
    return "spelling" if alike > ALIKE or value_key(expected, {}) == value_key(actual, {}) else ""


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
