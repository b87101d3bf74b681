"""An expected text begins or ends with a quotation mark that has no partner."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.call_difference import argument_demands
from rightcall.improve.golden_edit import accept_too
from rightcall.improve.suspect import Reason, SuspectGolden, value_text, values_of

OPENING, CLOSING = "\"'`“‘«", "\"'`”’»"


def reasons(suspect: SuspectGolden) -> Iterator[Reason]:
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
    first, last = text[0], text[-1]
    if first in OPENING and not _is_paired(text, first) and not (first == "'" and text[1].isalnum()):
        return text[1:].strip()
    is_needed = last in "'’\"”" and (text[-2].isdigit() or (last in "'’" and text[-2] in "sSzZxX"))
    if last in CLOSING and not _is_paired(text, last) and not is_needed:
        return text[:-1].strip()
    return None


def _is_paired(text: str, mark: str) -> bool:
    at = OPENING.find(mark) if mark in OPENING else CLOSING.find(mark)
    opening, closing = OPENING[at], CLOSING[at]
    if opening == closing:
        return text.count(mark) % 2 == 0
    return text.count(opening) == text.count(closing)
