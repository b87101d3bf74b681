"""One answer of a judge as a vote: a verdict, or a code that says why there is none; and what several votes decide."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import reduce
from typing import Any, Literal

from rightcall.metrics.judged.form import VERDICT
from rightcall.providers.base import ModelReply
from rightcall.records.call import ToolCall
from rightcall.records.failure import Failure, JudgeCode
from rightcall.records.record import Record
from rightcall.records.score import Judging, Score
from rightcall.records.trajectory import Usage

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
    calls = reply.message.calls
    text = reply.message.content.strip()
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
    passed = side_of(stated.get("verdict"))
    if passed is None:
        return no_vote("judge_unparsed", f"the verdict is {stated.get('verdict')!r:.80}, not pass or fail")
    reason = str(stated.get("reason", ""))
    for other in (reason, text):
        if verdict_at_end(other) is (not passed):
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
    passed = sum(verdicts)
    number = max(asked, len(votes))
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
    return Score(0.0, False, "", codes, error=vote.error, judged=judging)


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


def verdict_at_end(text: str) -> bool | None:
    """The verdict that a text is, or that its last line or clause states, when it names no other one.

    A clause is `verdict`, `status` or `result`, up to six characters that are not letters, and `pass` or `fail`.
    """
    if len(text) > LONGEST:
        return None
    whole = text.strip().strip(AFTER_MARKER).casefold()
    if whole in SIDES:
        return SIDES[whole]
    markers = list(MARKER.finditer(text))
    words = [marker[1].casefold() for marker in markers]
    named = {SIDES[word] for word in words if word in SIDES}
    if len(named) != 1 or words[-1] not in SIDES or text[markers[-1].end() :].strip(AFTER_MARKER):
        return None
    line = text[: markers[-1].start()].rpartition("\n")[2]
    return named.pop() if CLAUSE_START.search(line) else None


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


def side_of(value: Any) -> bool | None:
    return SIDES.get(value.strip().casefold()) if isinstance(value, str) else None


class _RepeatedKey(ValueError):  # noqa: N818
    """An object has a key twice."""


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    keys = dict(pairs)
    if len(keys) < len(pairs):
        raise _RepeatedKey
    return keys


def verdicts_in(value: Any) -> int:
    """How often the key `verdict` occurs in a value, at any depth."""
    count = 0
    open_values = [value]
    while open_values:
        here = open_values.pop()
        if isinstance(here, dict):
            count += "verdict" in here
            open_values += here.values()
        elif isinstance(here, list):
            open_values += here
    return count
