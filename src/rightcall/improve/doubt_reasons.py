"""Reasons to doubt a golden, named as their code in `improve/doubt.py`: from what several agents do instead, then from
what a golden demands, without asking an agent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Any

from rightcall.core.text import percent, pluralize
from rightcall.core.words import words
from rightcall.improve.argument_kind import argument_kind
from rightcall.improve.call_difference import ArgumentDifference, accepts, argument_demands, fills_defaults
from rightcall.improve.doubt import (
    Band,
    GoldenEdit,
    Reason,
    SuspectGolden,
    accept_absence,
    accept_alternative,
    accept_too,
    difference_lines,
    value_text,
    values_of,
)
from rightcall.improve.votes import Votes
from rightcall.metrics.matching.base import MISSING
from rightcall.run.golden_check import notes_of
from rightcall.run.rehearsal.known_good import cannot_be_met as is_unmeetable
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


CODES = ("unknown_tool", "unknown_argument", "required_argument", "invalid_value")


def against_schema(suspect: SuspectGolden) -> Iterator[Reason]:
    """An expected tool, parameter or value that the definitions refuse: what `dataset check` calls an error."""
    if not suspect.toolset.tools:
        return
    for severity, code, message, hint in notes_of(suspect.golden, suspect.toolset.tools):
        if severity == "error" and code in CODES:
            yield Reason("certain", message, evidence=(hint,) if hint else ())


def cannot_be_met(suspect: SuspectGolden) -> Iterator[Reason]:
    """What a golden expects does not pass it, or a call that should have an effect fails in the suite's world."""
    own = suspect.own
    if own is None or suspect.votes.passing:
        return  # somebody met it
    if own.why:
        band: Band = "certain" if is_unmeetable(suspect.golden, own) else "likely"
        yield Reason(band, f"even what it expects does not pass: {own.why}")
        return
    for call in own.trajectory.calls:
        if call.status == "error" and suspect.toolset.changes_world(call.name):
            error = value_text(call.output)
            yield Reason("likely", f"the expected {call.name} fails in the suite's world: {error}")


def default_demanded(suspect: SuspectGolden) -> Iterator[Reason]:
    """A parameter that need not be passed must be passed, though the expected value is the default."""
    toolset = suspect.toolset
    for path, tool, name, spec in argument_demands(suspect.golden):
        if tool not in toolset.tools or toolset.requires(tool, name) or accepts(spec, MISSING):
            continue
        default = toolset.tools[tool].defaults().get(name, MISSING)
        if default is not MISSING and fills_defaults(suspect.golden) and accepts(spec, default):
            continue  # scoring fills it in
        value = next((v for v in values_of(spec) if is_default(toolset, tool, name, v)), MISSING)
        if value is not MISSING:
            sentence = f"{tool}.{name} must be passed, though {value_text(value)} is its default"
            yield Reason("likely", sentence, change=(accept_absence(f"{path}.args.{name}", spec),))


OPENING = "\"'`“‘«"
CLOSING = "\"'`”’»"


def stray_mark(suspect: SuspectGolden) -> Iterator[Reason]:
    """An expected text begins or ends with a quotation mark that has no partner."""
    for path, tool, name, spec in argument_demands(suspect.golden):
        for value in values_of(spec):
            text = _without_stray_mark(value) if isinstance(value, str) else None
            if text is not None and str(value) not in suspect.words:
                sentence = f"{tool}.{name} is expected as {value_text(value)}, with a quotation mark too many"
                yield Reason("likely", sentence, change=(accept_too(f"{path}.args.{name}", spec, text),))


def _without_stray_mark(text: str) -> str | None:
    """The text without its unpaired mark; None when there is none. `boys'`, `6'` and `'90s` need theirs."""
    if len(text) < 2:
        return None
    first = text[0]
    last = text[-1]
    if first in OPENING and not _is_paired(text, first) and not (first == "'" and text[1].isalnum()):
        return text[1:].strip()
    is_needed = last in "'’\"”" and (text[-2].isdigit() or (last in "'’" and text[-2] in "sSzZxX"))
    if last in CLOSING and not _is_paired(text, last) and not is_needed:
        return text[:-1].strip()
    return None


def _is_paired(text: str, mark: str) -> bool:
    at = OPENING.find(mark) if mark in OPENING else CLOSING.find(mark)
    opening = OPENING[at]
    closing = CLOSING[at]
    if opening == closing:
        return text.count(mark) % 2 == 0
    return text.count(opening) == text.count(closing)
