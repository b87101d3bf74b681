"""One answer of a judge as a vote: a verdict, or a code that says why there is none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from rightcall.metrics.judged.frame import VERDICT
from rightcall.metrics.judged.verdict_text import markers, occurrences, read_verdict, side_of, verdict_object
from rightcall.model.call import ToolCall
from rightcall.model.record import Record
from rightcall.models.base import ModelReply

JudgeCode = Literal[
    "judge_unparsed",  # neither one structured call nor a text that is one object with one verdict
    "judge_truncated",  # the answer was cut off, whatever it holds
    "judge_refused",  # the judge declined, a filter removed the answer, or it is empty
    "judge_contradiction",  # two different verdicts, or a verdict against its own criteria or reason
    "judge_unreachable",  # the model could not be asked
]

SIDES = {"pass": True, "fail": False}


class Vote(Record, frozen=True):
    """One verdict; `error` and `code` are set when the judge gave none."""

    passed: bool = False
    reason: str = ""
    error: str = ""
    code: JudgeCode | None = None


def no_vote(code: JudgeCode, problem: str) -> Vote:
    return Vote(error=f"{code}: {problem}", code=code)


def vote_of(reply: ModelReply) -> Vote:
    """The verdict of a reply: that of its one structured call, else of the one object that is its text."""
    calls, text = reply.message.calls, reply.message.content.strip()
    if reply.stop == "truncated":
        return no_vote("judge_truncated", "the judge's answer was cut off at its token limit")
    if reply.stop == "refused" or not (calls or text):
        return no_vote("judge_refused", "the judge gave no answer or declined to")
    if not calls:
        stated = verdict_object(text)
        return _vote_without_verdict(text) if stated is None else _vote_of_object(stated, "")
    if len(calls) == 1 and calls[0].name == VERDICT.name and calls[0].arguments is not None:
        return _vote_of_call(calls[0], calls[0].arguments, text)
    if len({str((call.arguments or {}).get("verdict")) for call in calls}) > 1:
        return no_vote("judge_contradiction", f"the judge made {len(calls)} calls that differ")
    return no_vote("judge_unparsed", f"expected one call of {VERDICT.name}, got {len(calls)} calls")


def _vote_of_call(call: ToolCall, stated: dict[str, Any], text: str) -> Vote:
    """The vote of the one call, unless it states two verdicts: a key twice, or a verdict inside."""
    repeated = call.notes.get("repeated_key")
    if repeated or occurrences(stated, "verdict") > 1:
        return no_vote(
            "judge_contradiction", f"the judge's call has '{str(repeated or 'verdict')[:40]}' twice"
        )
    return _vote_of_object(stated, text)


def share_of(votes: Sequence[Vote], threshold: float) -> tuple[float, bool] | str:
    """The share of the votes that pass and whether it reaches the threshold; else why the votes decide nothing.

    Votes without a verdict may decide nothing: they must not matter, whichever way they would have gone.
    """
    passed = sum(vote.passed for vote in votes if not vote.error)
    unusable = [vote for vote in votes if vote.error]
    at_least, at_most = passed / len(votes), (passed + len(unusable)) / len(votes)
    if at_least < threshold <= at_most and unusable:
        return f"{len(unusable)} of {len(votes)} votes have no verdict: {unusable[0].error}"
    return passed / (len(votes) - len(unusable)), at_least >= threshold


def _vote_without_verdict(text: str) -> Vote:
    sides = set(markers(text, SIDES))
    if len(sides) > 1:
        return no_vote("judge_contradiction", "the judge's text names both verdicts")
    return no_vote("judge_unparsed", f"the judge's text is not one object with one verdict: {text[:80]!r}")


def _vote_of_object(stated: dict[str, Any], text: str) -> Vote:
    """The vote of an object with a verdict, unless it or the text around it says otherwise."""
    passed = side_of(stated.get("verdict"), SIDES)
    if passed is None:
        return no_vote("judge_unparsed", f"the verdict is {stated.get('verdict')!r:.80}, not pass or fail")
    reason = str(stated.get("reason", ""))
    for other in (reason, text):
        if read_verdict(other) is (not passed):
            return no_vote("judge_contradiction", f"the verdict differs from the text: {other[-80:]!r}")
    criteria = stated.get("criteria")
    results = criteria if isinstance(criteria, list) else ()
    if passed and any(isinstance(criterion, dict) and criterion.get("met") is False for criterion in results):
        return no_vote("judge_contradiction", "the verdict is pass, but one of its criteria is not met")
    return Vote(passed, reason)
