"""Several votes of a judge: each a verdict, or a code that says why there is none; and what they decide together."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack
from functools import reduce
from pathlib import Path
from typing import Any, Literal

from msgspec.structs import replace

from rightcall.core import codec
from rightcall.core.digest import hex_digest
from rightcall.core.errors import ProviderError
from rightcall.metrics.judged.form import SYSTEM, VERDICT, VERSION, question
from rightcall.providers.base import ModelReply, ModelRequest, Prompt, Provider, Settings
from rightcall.providers.endpoint import ModelEndpoint
from rightcall.providers.hosts import server_of
from rightcall.providers.recorded import judge_provider
from rightcall.providers.resolver import endpoint_of, resolve
from rightcall.recording.judged_trial import JUDGING
from rightcall.records.call import ToolCall
from rightcall.records.failure import Failure, JudgeCode
from rightcall.records.message import Message
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


DEFAULT = ".rightcall/judgements.db"


class VerdictCache:
    """A small SQLite file, shared between processes. A broken one is ignored."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    @staticmethod
    def key(judge: tuple[str, ...], question: str, vote: int) -> str:
        """A hash of everything a verdict depends on; `judge` is a model with its server and settings, if it has any."""
        model, *where = judge
        parts = [VERSION, SYSTEM, model, question, vote, *([where] if any(where) else [])]
        return hex_digest(codec.encode(parts))

    def get(self, key: str) -> tuple[bool, str] | None:
        if not self._path.exists():
            return None
        with contextlib.suppress(sqlite3.Error), self._open() as database:
            row = database.execute("SELECT passed, reason FROM verdicts WHERE key = ?", (key,)).fetchone()
            return None if row is None else (bool(row[0]), str(row[1]))
        return None

    def put(self, key: str, passed: bool, reason: str) -> None:
        with contextlib.suppress(sqlite3.Error, OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._open() as database:
                database.execute("INSERT OR REPLACE INTO verdicts VALUES (?, ?, ?)", (key, passed, reason))

    @contextlib.contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with contextlib.closing(sqlite3.connect(self._path, timeout=10)) as database, database:
            database.execute(
                "CREATE TABLE IF NOT EXISTS verdicts (key TEXT PRIMARY KEY, passed INTEGER, reason TEXT)"
            )
            yield database


ATTEMPTS = 3
SEVERAL = Prompt(
    SYSTEM, (VERDICT,), Settings(tool_choice="required", max_tokens=1500, parallel_calls=False, strict=True)
)
SINGLE = replace(SEVERAL, settings=replace(SEVERAL.settings, temperature=0.0))
"""The prompt of a judge with one vote. Several votes need the provider's own temperature, to differ where it is unsure."""

_own_temperature: set[tuple[str, ...]] = set()
"""Judges that refuse a temperature: found out once a process, because asking in vain costs a request."""


async def votes_of(
    model: str | ModelEndpoint | Provider,
    rubric: str,
    material: dict[str, Any],
    *,
    votes: int,
    threshold: float = MAJORITY,
    decide: Decide = "verdict",
    seed: int = 0,
    cache: str = "",
) -> list[Vote]:
    """Verdicts on the same material, drawn with different seeds; cached ones are reused.

    Fewer than `votes` when the rest could change neither the result nor whether the votes differ.
    """
    text = question(rubric, material)
    judge = identity_of(model)
    way = f"{decide}/{'single' if votes == 1 else 'several'}"
    is_recorded = JUDGING.get() is not None  # a recording is a cache itself
    verdict_cache = VerdictCache(cache) if cache and not is_recorded else None
    ballots: list[Vote] = []
    async with AsyncExitStack() as stack:
        provider: Provider | None = None
        while more := next_votes(ballots, votes, threshold):
            numbers = range(seed + len(ballots), seed + len(ballots) + more)
            keys = {number: VerdictCache.key((*judge, way), text, number) for number in numbers}
            verdicts = {
                number: Vote(*stored)
                for number in numbers
                if verdict_cache is not None and (stored := verdict_cache.get(keys[number])) is not None
            }
            missing = [number for number in numbers if number not in verdicts]
            if missing and provider is None:
                provider = await stack.enter_async_context(judge_provider(resolve(model)))
            if missing and provider is not None:
                questions = (
                    _vote(provider, judge, text, number, votes=votes, decide=decide) for number in missing
                )
                asked = await asyncio.gather(*questions)
                verdicts |= dict(zip(missing, asked, strict=True))
            for number in missing:
                if verdict_cache is not None and not verdicts[number].error:
                    verdict_cache.put(keys[number], verdicts[number].passed, verdicts[number].reason)
            ballots += [verdicts[number] for number in numbers]
    return ballots


def identity_of(model: str | ModelEndpoint | Provider) -> tuple[str, ...]:
    """What a judge's verdicts depend on: its model, the server it is asked at and its settings."""
    if isinstance(model, str | ModelEndpoint):
        return endpoint_of(model).identity
    return model.name, server_of(model), ""


async def _vote(
    provider: Provider, judge: tuple[str, ...], text: str, seed: int, votes: int, decide: Decide
) -> Vote:
    """One vote. Only a failed request is repeated: asking again after an unusable answer would select answers."""
    error = ""
    prompt = SINGLE if votes == 1 and judge not in _own_temperature else SEVERAL
    provider.prepare(prompt)
    for attempt in range(ATTEMPTS):
        request = ModelRequest(prompt, (Message("user", text),), trial=seed, seed=seed + 1000 * attempt)
        try:
            reply = await provider.complete(request)
            return replace(vote_of(reply, decide), usage=reply.usage)
        except ProviderError as problem:
            error = error or str(problem)
            if prompt is SINGLE and _refuses_temperature(problem):
                prompt = SEVERAL
                if problem.kind != "not_recorded":
                    _own_temperature.add(judge)
                continue
            if problem.kind == "malformed":  # an answer, though none that can be read
                return no_vote("judge_unparsed", str(problem))
            if not problem.retryable or attempt == ATTEMPTS - 1:
                break
            await asyncio.sleep(min(problem.retry_after or 0.5 * 2**attempt, 20))
    return no_vote("judge_unreachable", error)


def _refuses_temperature(problem: ProviderError) -> bool:
    """Whether a model accepts only its own temperature, or was recorded when it did."""
    refused = problem.status in (400, 422) and "temperature" in problem.problem.lower()
    return refused or problem.kind == "not_recorded"
