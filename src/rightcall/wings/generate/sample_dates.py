"""Days and times that exist: in the past for what has happened, in the future for what is planned."""

from __future__ import annotations

import datetime
import random
import re

from rightcall.core.words import name_tokens, word_set
from rightcall.schema.effects import EFFECTS, verb_of
from rightcall.wings.generate.patterns import fits_pattern

_PAST = datetime.datetime(2025, 1, 6, tzinfo=datetime.UTC)
_FUTURE = datetime.datetime(2027, 1, 4, tzinfo=datetime.UTC)
_AHEAD = (
    r"forecasts?|projections?|upcoming|future|book(?:ing)?s?|reserv\w+|flights?|hotels?|trips?|travel\w*|itinerar\w+"
    r"|calendars?|appointments?|trains?|free slots?|available (?:dates|times|slots|rooms)"
)
_READ_AHEAD = re.compile(rf"\b(?:{_AHEAD})\b", re.IGNORECASE)
_PLANNED = re.compile(
    rf"\b(?:{_AHEAD}|schedul\w+|deadlines?|expir\w+|remind\w*|meetings?|events?|rent\w*|due|start|target|sprints?|milestones?)\b",
    re.IGNORECASE,
)
"""Words for what has not happened yet: few where something is read, more where something is planned."""

_HAPPENED = re.compile(
    r"\b(?:logs?|logged|worklogs?|record(?:ed|s)?|histor\w+|archives?|past|expenses?|transactions?|payments?|spent)\b",
    re.IGNORECASE,
)
_FORMS = (
    "%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M",
    "%H:%M", "%H:%M:%S", "%Y/%m/%d", "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%Y-%m", "%Y%m%d", "%Y",
)  # fmt: skip
_NO_DATES = ("abcdef", "Ab-12")
_DIGITS = ("%Y%m%d", "%Y")
"""Forms that a number may have as well: only a name tells that a date is meant."""

_DATE_WORDS = word_set("date day start end since until from to month year begin after before when")


class Calendar:
    """Moments for the arguments of one call: close to each other, none twice."""

    def __init__(self, about: str, rng: random.Random) -> None:
        self._rng = rng
        start = _PAST if is_about_the_past(about) else _FUTURE
        self._day = start + datetime.timedelta(days=rng.randint(0, 300))

    def next_moment(self) -> datetime.datetime:
        """A quarter of an hour of a working day, one to nine days after the last."""
        self._day += datetime.timedelta(days=self._rng.randint(1, 9))
        return self._day.replace(hour=self._rng.randint(7, 19), minute=self._rng.choice((0, 15, 30, 45)))


def is_about_the_past(about: str) -> bool:
    """Whether the dates of a tool lie in the past: it reads what has happened, or records it."""
    name, _, text = about.partition("\n")
    purpose = f"{' '.join(name_tokens(name))} {text}"
    if _HAPPENED.search(purpose):
        return True
    is_read = EFFECTS.get(verb_of(name)) == "read"
    return (_READ_AHEAD if is_read else _PLANNED).search(purpose) is None


def date_form(pattern: str, name: str) -> str:
    """The form of dates or times that a regular expression asks for; empty when it is about something else."""
    if any(fits_pattern(pattern, text) for text in _NO_DATES):
        return ""
    named = not _DATE_WORDS.isdisjoint(name_tokens(name))
    moment = datetime.datetime(2027, 10, 23, 14, 45, tzinfo=datetime.UTC)
    forms = (
        form
        for form in _FORMS
        if (named or form not in _DIGITS) and fits_pattern(pattern, moment.strftime(form))
    )
    return next(forms, "")
