"""Metrics of a conversation and its answers, and the numbers, dates and names of an answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from rightcall.core.dates import MONTHS, days_named, without_dates
from rightcall.core.text import one_line
from rightcall.metrics.base import CallMetric, Metric, require_threshold
from rightcall.metrics.matching.base import Scope, short_json
from rightcall.metrics.matching.expectation import missing_content
from rightcall.metrics.matching.judge_case import score_calls
from rightcall.metrics.matching.reasons import reason
from rightcall.metrics.value_sources import TIME, ValueSources, bare_text, read_number, without_times
from rightcall.records.case import TestCase
from rightcall.records.failure import Code, Failure
from rightcall.records.score import Score


@dataclass(frozen=True)
class Turns(CallMetric):
    """The share of a conversation's turns in which the agent called what that turn expects.

    An agent may make every call of a conversation and still make one of them a turn too early. It is measured for every
    conversation, and its reason names the first turn that went wrong. A golden of one turn is one turn.

    Golden: {"input": "Where is A-7?", "expected_calls": [{"tool": "find_order", "args": {"id": "A-7"}}]}
    Fails: []
    Passes: [{"name": "find_order", "arguments": {"id": "A-7"}}]
    """

    def measure(self, case: TestCase) -> Score:
        verdict = score_calls(case.golden, case.trajectory, case.tools)
        return Score.passed_if(verdict.passed, reason(verdict.failures))


CODES_OF_ENDINGS: dict[str, Code] = {
    "max_turns": "loop_limit",
    "limit": "loop_limit",
    "refused": "refused",
    "filtered": "content_filter",
    "rejected": "request_rejected",
    "unreadable": "unreadable_result",
    "agent_error": "agent_error",
}


@dataclass(frozen=True)
class Termination(Metric):
    """Whether a conversation ended as it should, instead of running out of turns or time.

    A conversation that a limit ends was not resolved, however well its calls look. `accept` names the endings that are
    good: the script ended, the user got what they wanted, or was handed over to a human. A trajectory that does
    not record its ending is judged by its stop reason.

    Golden: {"input": "Cancel my order"}
    Fails: {"dialogue": {"ended": "max_turns", "why": "the user spoke 10 times and had more to say"}}
    Passes: {"dialogue": {"ended": "user_stop"}}
    """

    accept: tuple[str, ...] = ("script_end", "user_stop", "transfer", "stopped")

    def measure(self, case: TestCase) -> Score:
        trajectory = case.trajectory
        ended: str = trajectory.stop_reason if trajectory.stop_reason != "done" else "script_end"
        why = trajectory.error
        if trajectory.dialogue is not None:
            ended = trajectory.dialogue.ended
            why = trajectory.dialogue.why
        if ended in self.accept:
            return Score(1.0, True)
        code = CODES_OF_ENDINGS.get(ended)
        reason = f"it ended by {ended}" + (f": {why}" if why else "")
        return Score(0.0, False, reason, (Failure(code, detail=why),) if code else ())


@dataclass(frozen=True)
class CommunicatedFacts(Metric):
    """Share of the required facts that the agent told the user, in any turn.

    A user who is not told what was done asks again. `facts` are texts and matchers, by default those in the
    golden's `output_contains`; `$1,094` counts as `1094`. What the user said, or what was said before
    the agent began, does not count. Without facts the case is an error.

    Golden: {"input": "What is my balance, and send Bob 5 euros", "output_contains": ["1094", "sent"]}
    Fails: {"messages": [{"role": "assistant", "content": "Your balance is $1,094."}, {"role": "user", "content": "sent?"}]}
    Passes: {"messages": [{"role": "assistant", "content": "Your balance is $1,094."}, {"role": "assistant", "content": "Sent."}]}
    """

    facts: tuple[Any, ...] = ()
    threshold: float = 1.0

    def __post_init__(self) -> None:
        require_threshold(self.name, self.threshold)

    def nothing_to_check(self, case: TestCase) -> str:
        stated = self.facts or case.golden.output_contains
        return "" if stated else "no facts are set, and no output_contains is"

    def measure(self, case: TestCase) -> Score:
        facts = list(self.facts or case.golden.output_contains)
        if not facts:
            return Score.broken(self.nothing_to_check(case))
        text = case.trajectory.all_said
        plain = re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)
        scope = Scope(calls=case.trajectory.calls)
        missing = [
            fact for fact in missing_content(facts, text, scope) if missing_content([fact], plain, scope)
        ]
        value = 1 - len(missing) / len(facts)
        if value >= self.threshold:
            return Score(value, True)
        codes = tuple(Failure("missing_content", expected=fact) for fact in missing)
        shown = ", ".join(short_json(fact, 80) for fact in missing[:5])
        return Score(value, False, f"not communicated: {shown}", codes)


@dataclass(frozen=True)
class GroundedValues(Metric):
    """Share of the answer's numbers, identifiers, dates and names that come from a result, the request or the context.

    An invented price or order number is worse than none, and finding it needs no model. `1,200`, `1200` and `1.2k` are
    equal, as are dates in digits and in words; a rounded number is the number, and counts, totals and differences follow
    from the results. A name is a capitalised word within a sentence. `allow` are further texts that may be stated;
    `kinds` are those checked. An answer without values passes; without an answer the case is an error.

    Golden: {"input": "What does room 12 cost?"}
    Fails: {"output": "Room 12 costs $95 a night.", "calls": [{"name": "get_price", "status": "ok", "output": {"price": 90}}]}
    Passes: {"output": "Room 12 costs $90 a night.", "calls": [{"name": "get_price", "status": "ok", "output": {"price": 90}}]}
    """

    kinds: tuple[str, ...] = ("number", "id", "date", "name")
    allow: tuple[str, ...] = ()
    threshold: float = 1.0

    def __post_init__(self) -> None:
        require_threshold(self.name, self.threshold)

    def nothing_to_check(self, case: TestCase) -> str:
        return "" if case.trajectory.output.strip() else "there is no answer"

    def measure(self, case: TestCase) -> Score:
        if reason := self.nothing_to_check(case):
            return Score.broken(reason)
        from rightcall.metrics.builtin.dialogue import check_values

        values, missing = check_values(case, self.kinds, self.allow)
        if not values:
            return Score(1.0, True)
        share = 1 - len(missing) / len(values)
        if share >= self.threshold:
            return Score(share, True)
        texts = ", ".join(f"{value.kind} {one_line(value.text, 60)}" for value in missing[:5])
        return Score(share, False, f"in no result, request or context: {texts}")


def check_values(
    case: TestCase, kinds: Collection[str], allow: Iterable[str]
) -> tuple[list[AnswerValue], list[AnswerValue]]:
    """The values of these kinds in the answer, and those of them that are in no source; `allow` are further sources."""
    values = [value for value in answer_values(case.trajectory.output) if value.kind in kinds]
    if not values:
        return [], []
    sources = ValueSources(case, allow)
    numbers = [value.number for value in values if value.kind == "number" and not value.day]
    return values, [value for value in values if not _is_grounded(value, sources, numbers)]


def _is_grounded(value: AnswerValue, sources: ValueSources, numbers: list[float]) -> bool:
    if value.kind == "date":
        return sources.has_day(value.day)
    if value.kind == "number":
        if value.day:  # a time of day
            return _has_time(int(value.number), sources)
        return sources.has_number(value.number, value.slack, numbers)
    if value.kind == "id":
        return bare_text(value.text) in sources.bare
    words = [word.removesuffix("'s").removesuffix("’s") for word in value.text.casefold().split()]
    return sum(bare_text(word) in sources.bare for word in words) * 2 > len(words)


def _has_time(clock: int, sources: ValueSources) -> bool:
    """Whether a time of day stands in the sources as 19:30, 1930, 7:30 pm or 7 pm."""
    hour, minute = divmod(clock, 100)
    forms = {f"{hour:02}{minute:02}", f"{hour}{minute:02}", f"{hour % 12 or 12}{minute:02}"}
    forms |= {f"{hour % 12 or 12}{half}m" for half in "ap"} if not minute else set()
    return any(form in sources.bare for form in forms)


ValueKind = Literal["number", "id", "date", "name"]
MOST_ANSWER = 20_000
LARGEST_COUNT = 20
"""Whole numbers up to this are counts: nothing is rounded to them."""

_URL = re.compile(r"https?://\S+|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+")
_ID = re.compile(r"(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[^\W\d_])[^\W_][\w-]*[^\W_](?![\w-])")
_NOT_ID = re.compile(
    r"\d+(?:st|nd|rd|th|s|x|k|m|b|bn|am|pm|h|hr|hrs|min|mins|kg|g|km|cm|mm|mb|gb|tb|c|f|d|w|usd|eur|gbp|ms|px|°c|°f|pt|"
    r"nights?|days?|hours?|minutes?|year|month|week|day|hour|minute|star|way|person|people|item|step|seat|bed)"
    r"(?:-\w+)*|\d+-[^\W\d]+(?:-[^\W\d]+)*|(?:[^\W\d]+-)*\d{1,2}",
    re.I,
)
"""`3rd`, `12kg`, `2-star`, `top-5`: words with a number, which is checked as one where it stands alone."""

_NUMBER = re.compile(
    r"(?P<about>(?:about|around|roughly|approximately|approx\.?|nearly|almost|over|under|more than|less than|some|circa|~|≈)\s*"
    r"[$€£¥]?)?(?<![\w.,])(?P<digits>\d{1,3}(?:[,\u00a0\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<scale>\s?(?:k|m|bn|million|"
    r"thousand|billion)\b)?(?![.,]?\d|(?:st|nd|rd|th|x|s)\b|-[^\W\d_])",
    re.I,
)
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}
_NO_VALUES = re.compile(r"^\s*(?:#+\s*)?(?:step\s+)?\d{1,2}[.):](?=\s)|\b24/7\b|\b100\s?%", re.I | re.M)
"""Numbers of lists, and figures of speech."""

_PHONE = re.compile(r"(?<![\w.])\+?\(?\d[\d() -]{7,18}\d(?!\w)")
_NAME = re.compile(r"(?<=[\w,;:–-] )[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)*")
_INSIDE = re.compile(r"(?<=[^\W\d_]{2} )(?:([A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)*)|[a-zß-ÿ][\w'’-]*)")
_NOUNS_ARE_CAPITAL = re.compile(
    r"\b(?:der|die|das|und|ist|nicht|eine?[mnrs]?|für|mit|den|dem|ich|wir|Sie|von|zu[mr]?)\b"
)
"""Words of German, which writes every noun with a capital."""

_COMMON_WORDS = """
monday tuesday wednesday thursday friday saturday sunday the this that please thanks thank here your our yes no let would
could if is it it's i'm i've i'll hi hello dear note total status order english usd eur euro euros dollar dollars pdf ok
sorry you've you'll you're we're we've there they he she ai internet web google mr mrs ms dr
"""
_COMMON = frozenset(_COMMON_WORDS.split()) | frozenset(MONTHS)
MOST_CAPITALS = 0.4


class AnswerValue(NamedTuple):
    """A value as the answer writes it. `number` and `slack` are set for numbers, `day` (MM-DD) for dates."""

    kind: ValueKind
    text: str
    number: float = 0.0
    slack: float = 0.0
    day: str = ""


def answer_values(answer: str) -> list[AnswerValue]:
    """Every value of an answer, once. Numbers of lists, and capitals where most words have one, are none."""
    text = answer[:MOST_ANSWER]
    values: list[AnswerValue] = []
    text = _NO_VALUES.sub(" ", text)
    days = days_named(text)
    values += [AnswerValue("date", day if day > "1000" else day[5:], day=day[5:]) for day in sorted(days)]
    text = without_dates(text)
    values += [AnswerValue("id", address.rstrip(".,;:!?)")) for address in _URL.findall(text)]
    text = _URL.sub(" ", text)
    values += [AnswerValue("id", word) for word in _ID.findall(text) if not _NOT_ID.fullmatch(word)]
    text = _ID.sub(lambda word: word[0] if _NOT_ID.fullmatch(word[0]) else " ", text)
    values += [AnswerValue("id", phone) for phone in _PHONE.findall(text)]
    text = _PHONE.sub(" ", text)
    values += _times(text)
    text = without_times(text)
    values += _numbers(text)
    values += [AnswerValue("name", name) for name in _names(text)]
    return list(dict.fromkeys(values))


def _times(text: str) -> Iterator[AnswerValue]:
    """Times of day as numbers of hours and minutes, `19:30` as 1930, whichever way sources write them."""
    for match in TIME.finditer(text):
        hour = int(match[1] or match[4])
        minute = int(match[2] or 0)
        afternoon = (match[3] or match[5] or "").lower() == "p"
        hour = hour % 12 + 12 if afternoon else hour
        yield AnswerValue("number", match[0].strip(), hour * 100 + minute, 0.0, day="time")


def _numbers(text: str) -> Iterator[AnswerValue]:
    for match in _NUMBER.finditer(text):
        digits = match["digits"]
        scale = (match["scale"] or "").strip().lower()
        factor = _SCALES.get(scale, 1.0)
        value = read_number(digits) * factor
        decimals = len(digits.partition(".")[2])
        slack = 0.5 * 10**-decimals * factor  # what rounding to these digits hides
        if not decimals and value <= LARGEST_COUNT:
            slack = 0.0  # a count
        if match["about"]:
            slack = max(slack, 0.05 * value)
        yield AnswerValue("number", (digits + (match["scale"] or "")).strip(), value, slack)


def _names(text: str) -> Iterator[str]:
    """Capitalised words within a sentence, where capitals are for names: not in German, nor in titles."""
    inside = [match[1] for match in _INSIDE.finditer(text)]
    if sum(name is not None for name in inside) > MOST_CAPITALS * len(inside):
        return
    if len(_NOUNS_ARE_CAPITAL.findall(text)) > 1:
        return
    for match in _NAME.finditer(text):
        words = [word for word in match[0].split() if word.casefold().rstrip("'’s") not in _COMMON]
        if words and not all(word.isupper() for word in words):
            yield " ".join(words)
