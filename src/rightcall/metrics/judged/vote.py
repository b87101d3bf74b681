"""One answer of a judge as a vote: a verdict, or a code that says why there is none; and what several votes decide."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import reduce
from typing import Any, Literal

from rightcall.core.errors import InputError
from rightcall.core.text import one_line
from rightcall.metrics.judged.form import VERDICT
from rightcall.model.call import ToolCall
from rightcall.model.failure import Failure, JudgeCode
from rightcall.model.record import Record
from rightcall.model.score import Judging, Score
from rightcall.model.trajectory import Usage
from rightcall.models.base import ModelReply

SIDES = {"pass": True, "fail": False}
MAJORITY = 0.5
"""The threshold that more than half of the votes must reach: exactly half is a tie."""

Decide = Literal["verdict", "criteria"]
"""What counts in an answer: its verdict, or the conjunction of its criteria, which the verdict must agree with."""


class Vote(Record, frozen=True):
    """One verdict; `error` and `code` are set when the judge gave none. `usage` is what asking for it used."""

    passed: bool = False
    reason: str = ""
    error: str = ""
    code: JudgeCode | None = None
    usage: Usage = Usage()


def no_vote(code: JudgeCode, problem: str) -> Vote:
    return Vote(error=f"{code}: {problem}", code=code)


def vote_of(reply: ModelReply, decide: Decide = "verdict") -> Vote:
    """The verdict of a reply: that of its one structured call, else of the one object that is its text."""
    calls, text = reply.message.calls, reply.message.content.strip()
    if reply.stop == "truncated":
        return no_vote("judge_truncated", "the judge's answer was cut off at its token limit")
    if reply.stop in ("refused", "filtered") or not (calls or text):
        return no_vote("judge_refused", "the judge gave no answer or declined to")
    if not calls:
        stated = verdict_object(text)
        return _vote_without_verdict(text) if stated is None else _vote_of_object(stated, "", decide)
    if len(calls) == 1 and calls[0].name == VERDICT.name and calls[0].arguments is not None:
        return _vote_of_call(calls[0], calls[0].arguments, text, decide)
    if len({str((call.arguments or {}).get("verdict")) for call in calls}) > 1:
        return no_vote("judge_contradiction", f"the judge made {len(calls)} calls that differ")
    return no_vote("judge_unparsed", f"expected one call of {VERDICT.name}, got {len(calls)} calls")


def _vote_of_call(call: ToolCall, stated: dict[str, Any], text: str, decide: Decide) -> Vote:
    """The vote of the one call, unless it states two verdicts: a key twice, or a verdict inside."""
    repeated = call.notes.get("repeated_key")
    if repeated or verdicts_in(stated) > 1:
        key = str(repeated or "verdict")[:40]
        return no_vote("judge_contradiction", f"the judge's call has '{key}' twice")
    return _vote_of_object(stated, text, decide)


def _vote_without_verdict(text: str) -> Vote:
    if SIDES.keys() <= {marker[1].casefold() for marker in MARKER.finditer(text[:LONGEST])}:
        return no_vote("judge_contradiction", "the judge's text names both verdicts")
    return no_vote("judge_unparsed", f"the judge's text is not one object with one verdict: {text[:80]!r}")


def _vote_of_object(stated: dict[str, Any], text: str, decide: Decide) -> Vote:
    """The vote of an object with a verdict, unless it or the text around it says otherwise."""
    passed = side_of(stated.get("verdict"), SIDES)
    if passed is None:
        return no_vote("judge_unparsed", f"the verdict is {stated.get('verdict')!r:.80}, not pass or fail")
    reason = str(stated.get("reason", ""))
    for other in (reason, text):
        if read_verdict(other) is (not passed):
            return no_vote("judge_contradiction", f"the verdict differs from the text: {other[-80:]!r}")
    criteria = stated.get("criteria")
    results = [item for item in criteria if isinstance(item, dict)] if isinstance(criteria, list) else []
    if passed and any(criterion.get("met") is False for criterion in results):
        return no_vote("judge_contradiction", "the verdict is pass, but one of its criteria is not met")
    if decide == "criteria":
        met = [criterion.get("met") for criterion in results]
        if not met or any(type(answer) is not bool for answer in met):
            return no_vote("judge_unparsed", "the answer does not say of each criterion whether it is met")
        if not passed and all(met):
            return no_vote("judge_contradiction", "the verdict is fail, but all of its criteria are met")
    return Vote(passed, reason)


def share_of(votes: Sequence[Vote], threshold: float, asked: int = 0) -> tuple[float, bool] | Vote:
    """The share of the votes that pass and whether it reaches the threshold; else the vote of no verdict that they are.

    Votes without a verdict, and those of `asked` that were not needed, may decide nothing: whichever way they would have
    gone, the result is the same. Exactly half against a threshold of one half is a tie, which is no verdict.
    """
    verdicts = [vote.passed for vote in votes if not vote.error]
    passed, number = sum(verdicts), max(asked, len(votes))
    outcomes = _outcomes(passed, len(verdicts) - passed, number, threshold)
    unusable = [vote for vote in votes if vote.error]
    if len(outcomes) > 1:
        assert unusable, "votes are asked for until they decide"
        why = f"{len(unusable)} of {len(votes)} votes have no verdict: {unusable[0].error}"
        return Vote(error=why, code=unusable[0].code)
    (outcome,) = outcomes
    if outcome is None:
        why = f"{passed} of {number} votes pass, which is a tie; use an odd number of votes"
        return no_vote("judge_split", why)
    return passed / len(verdicts), outcome


def next_votes(votes: Sequence[Vote], asked: int, threshold: float) -> int:
    """How many more votes to ask for at once: as few as could settle both the result and whether votes differ; 0 when done.

    That they differ is worth knowing even when the majority is certain: such cases are the first to show to a person.
    """
    passed = sum(vote.passed for vote in votes if not vote.error)
    failed = sum(not vote.passed for vote in votes if not vote.error)
    left = asked - len(votes)

    def is_settled(more_passed: int, more_failed: int) -> bool:
        differ = bool(passed + more_passed) and bool(failed + more_failed)
        return differ and len(_outcomes(passed + more_passed, failed + more_failed, asked, threshold)) == 1

    if not left or (votes and is_settled(0, 0)):
        return 0
    return next(
        (more for more in range(1, left) if any(is_settled(yes, more - yes) for yes in range(more + 1))), left
    )


def _outcomes(passed: int, failed: int, number: int, threshold: float) -> set[bool | None]:
    """What the votes may decide, however those that are open go: pass, fail, or None for a tie."""
    return {
        None if threshold == MAJORITY and 2 * yes == number else yes / number >= threshold
        for yes in range(passed, number - failed + 1)
    }


def summarize_votes(votes: Sequence[Vote]) -> Judging:
    """How the votes came about: how many have a verdict, whether these agree, and what asking used."""
    verdicts = [vote.passed for vote in votes if not vote.error]
    used = reduce(Usage.plus, (vote.usage for vote in votes), Usage())
    return Judging(len(verdicts), len(set(verdicts)) == 1 and len(verdicts) == len(votes), used)


def no_verdict_score(vote: Vote, judging: Judging) -> Score:
    """The score of a case whose judge gave no verdict: an error with its code."""
    codes = (Failure(vote.code, detail=vote.error),) if vote.code else ()
    return Score(0.0, False, "", codes, vote.error, judging)


LONGEST = 100_000
"""Characters of an answer beyond which it is not read: no verdict is that long."""

FENCED = re.compile(r"```[A-Za-z]*\s*\n(.*?)\n?\s*```", re.S)
MARKER = re.compile(r"\b(?:verdict|status|result)\b[\W\d_]{1,6}([^\W\d_]+)", re.I)
"""`Verdict: pass`, `**Result** – fail`: a label, at most six characters that are not letters, and a word."""

CLAUSE_START = re.compile(r"(?:^|[^\w\s])\s*(?:(?:final|overall)\s+)?$", re.I)
"""What precedes the last clause: the start of the line or punctuation."""

QUOTES = "\"'`*“”„‘’«»"
AFTER_MARKER = QUOTES + "_.!])} \t\r\n"
"""What may follow the last clause."""

MOST_OBJECTS = 50
"""Places at which an object may begin that are tried; beyond them the text holds no verdict."""

SHORTEST_STEM = 3
"""Letters from which on a word that begins like one of the words, such as `failed` or a cut `fai`, counts as it."""


def read_verdict(
    text: str, passes: Sequence[str] = ("pass",), fails: Sequence[str] = ("fail",)
) -> bool | None:
    """The verdict in an answer of a judge without structured output; None when it has none, or more than one.

    A verdict is read if the whole answer is one of the words, quotes and full stop apart; if the answer holds exactly
    one JSON object with `verdict`; or if its last line or clause is `verdict`, `status` or `result`, up to six
    characters that are not letters, and one of the words. Nothing else in the text may name the other side. Case does
    not matter. An answer of more than 100,000 characters has no verdict.
    """
    if not isinstance(text, str) or len(text) > LONGEST:
        return None
    sides = _sides(passes, fails)
    whole = text.strip().strip(QUOTES + ". \t\r\n").casefold()
    if whole in sides:
        return sides[whole]
    named = _sides_in(text, sides)
    objects = _objects(text)
    if objects is None:
        return None
    if objects:
        if len(objects) > 1 or text.count('"verdict"') > 1:  # two, or one and the start of another
            return None
        document, end = objects[0]
        stated = side_of(document["verdict"], sides)
        return stated if named <= {stated} and (not stated) not in _words_sides(text[end:], sides) else None
    last = _last_marker(text)
    return named.pop() if len(named) == 1 and last in sides else None


def _sides(passes: Sequence[str], fails: Sequence[str]) -> dict[str, bool]:
    """Each word with its side; a single word may be given as it is."""
    pass_words, fail_words = ([words] if isinstance(words, str) else list(words) for words in (passes, fails))
    sides = {word.strip().casefold(): True for word in pass_words}
    for word in fail_words:
        if sides.setdefault(word.strip().casefold(), False):
            raise InputError("read_verdict", f"'{one_line(word, 80)}' is in passes and in fails")
    return sides


def verdict_object(text: str) -> dict[str, Any] | None:
    """The object that is the whole text, optionally fenced, if it has one `verdict`; None for anything else.

    An object that repeats a key, or has a verdict inside its verdict, is none.
    """
    if len(text) > LONGEST:
        return None
    bare = text.strip()
    fenced = FENCED.fullmatch(bare)
    try:
        document = json.loads(fenced[1] if fenced else bare, object_pairs_hook=_each_key_once)
    except (ValueError, RecursionError):
        return None
    alone = isinstance(document, dict) and "verdict" in document and verdicts_in(document) == 1
    return document if alone else None


def side_of(value: Any, sides: dict[str, bool]) -> bool | None:
    return sides.get(value.strip().casefold()) if isinstance(value, str) else None


def _sides_in(text: str, sides: dict[str, bool]) -> set[bool]:
    """The sides that the markers of a text name, `failed` and a cut `fai` included; other words are skipped."""
    named: set[bool] = set()
    for marker in MARKER.finditer(text):
        word = marker[1].casefold()
        named |= {sides[word]} if word in sides else _stem_sides(word, sides)
    return named


def _stem_sides(word: str, sides: dict[str, bool]) -> set[bool]:
    if len(word) < SHORTEST_STEM:
        return set()
    return {
        side
        for known_word, side in sides.items()
        if len(known_word) >= SHORTEST_STEM and (word.startswith(known_word) or known_word.startswith(word))
    }


def _words_sides(text: str, sides: dict[str, bool]) -> set[bool]:
    """The sides whose words occur anywhere in a text."""
    words = {word.casefold() for word in re.findall(r"[^\W\d_]+", text)}
    return {side for word, side in sides.items() if word in words}


def _last_marker(text: str) -> str:
    """The word of the last marker if it is the last line or clause, and nothing follows it; else \"\"."""
    last = None
    for last in MARKER.finditer(text):  # noqa: B007  the last of them
        pass
    if last is None or text[last.end() :].strip(AFTER_MARKER):
        return ""
    line = text[: last.start()].rpartition("\n")[2]
    return last[1].casefold() if CLAUSE_START.search(line) else ""


def _objects(text: str) -> list[tuple[dict[str, Any], int]] | None:
    """The outermost JSON objects with `verdict` in a text, each with its end.

    None when one repeats a key or has several verdicts, or when there are too many to read.
    """
    if '"verdict"' not in text and "\\u" not in text:
        return []
    decoder = json.JSONDecoder(object_pairs_hook=_each_key_once)
    objects: list[tuple[dict[str, Any], int]] = []
    place = tried = 0
    while (place := text.find("{", place)) >= 0:
        tried += 1
        if tried > MOST_OBJECTS:
            return None
        try:
            value, place = decoder.raw_decode(text, place)
        except _RepeatedKey:
            return None
        except (ValueError, RecursionError):
            place += 1
            continue
        if verdicts_in(value) > 1:
            return None
        if "verdict" in value:
            objects.append((value, place))
    return objects


class _RepeatedKey(ValueError):  # noqa: N818
    """An object has a key twice."""


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise _RepeatedKey
    return keys


def verdicts_in(value: Any) -> int:
    """How often the key `verdict` occurs in a value, at any depth."""
    count, open_values = 0, [value]
    while open_values:
        here = open_values.pop()
        if isinstance(here, dict):
            count += "verdict" in here
            open_values += here.values()
        elif isinstance(here, list):
            open_values += here
    return count
