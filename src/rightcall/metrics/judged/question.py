"""Several votes of a judge, each a structured verdict."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from rightcall.core import codec
from rightcall.core.digest import hex_digest
from rightcall.core.errors import ProviderError
from rightcall.metrics.judged.form import SYSTEM, VERDICT, VERSION, question
from rightcall.metrics.judged.vote import MAJORITY, Decide, Vote, next_votes, no_vote, vote_of
from rightcall.providers.base import ModelRequest, Prompt, Provider, Settings
from rightcall.providers.endpoint import ModelEndpoint
from rightcall.providers.hosts import server_of
from rightcall.providers.recorded import judge_provider
from rightcall.providers.resolver import endpoint_of, resolve
from rightcall.recording.judged_trial import JUDGING
from rightcall.records.message import Message

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
