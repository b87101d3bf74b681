"""Doubts from what a golden demands, without asking an agent."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.call_difference import accepts, argument_demands, fills_defaults
from rightcall.improve.doubt import Band, Reason, SuspectGolden, values_of
from rightcall.improve.golden_edit import accept_absence, accept_too, value_text
from rightcall.metrics.matching.base import MISSING
from rightcall.run.golden_check import notes_of
from rightcall.run.rehearsal.own_behaviour import cannot_be_met as is_unmeetable
from rightcall.run.rehearsal.toolset import is_default

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
