"""Several votes of a judge, each a structured verdict."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rightcall.core import codec
from rightcall.core.digest import hex_digest
from rightcall.core.errors import ProviderError
from rightcall.metrics.judged.frame import SYSTEM, VERDICT, VERSION, question
from rightcall.metrics.judged.vote import Vote, no_vote, vote_of
from rightcall.model.message import Message
from rightcall.models.base import ModelRequest, Prompt, Provider, Settings
from rightcall.models.endpoint import ModelEndpoint
from rightcall.models.hosts import server_of
from rightcall.models.recorded import judge_provider
from rightcall.models.resolver import endpoint_of, resolve
from rightcall.recording.judged_trial import JUDGING

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
PROMPT = Prompt(SYSTEM, (VERDICT,), Settings(tool_choice="required", max_tokens=500))


async def votes_of(
    model: str | ModelEndpoint | Provider,
    rubric: str,
    material: dict[str, Any],
    *,
    votes: int,
    seed: int = 0,
    cache: str = "",
) -> list[Vote]:
    """Several verdicts on the same material, drawn with different seeds; cached ones are reused."""
    text = question(rubric, material)
    judge = identity_of(model)
    verdict_cache = (
        VerdictCache(cache) if cache and JUDGING.get() is None else None
    )  # a recording is a cache itself
    ballots: list[Vote | None] = [None] * votes
    if verdict_cache is not None:
        for number in range(votes):
            stored = verdict_cache.get(verdict_cache.key(judge, text, seed + number))
            ballots[number] = None if stored is None else Vote(*stored)
    missing = [number for number, vote in enumerate(ballots) if vote is None]
    if missing:
        async with judge_provider(resolve(model)) as provider:
            provider.prepare(PROMPT)
            asked = await asyncio.gather(*(_vote(provider, text, seed + number) for number in missing))
        for number, vote in zip(missing, asked, strict=True):
            ballots[number] = vote
            if verdict_cache is not None and not vote.error:
                verdict_cache.put(verdict_cache.key(judge, text, seed + number), vote.passed, vote.reason)
    return [vote for vote in ballots if vote is not None]


def identity_of(model: str | ModelEndpoint | Provider) -> tuple[str, ...]:
    """What a judge's verdicts depend on: its model, the server it is asked at and its settings."""
    if isinstance(model, str | ModelEndpoint):
        return endpoint_of(model).identity
    return model.name, server_of(model), ""


async def _vote(provider: Provider, text: str, seed: int) -> Vote:
    """One vote. Only a failed request is repeated: asking again after an unusable answer would select answers."""
    error = ""
    for attempt in range(ATTEMPTS):
        request = ModelRequest(PROMPT, (Message("user", text),), trial=seed, seed=seed + 1000 * attempt)
        try:
            return vote_of(await provider.complete(request))
        except ProviderError as problem:
            error = str(problem)
            if not problem.retryable:
                break
            await asyncio.sleep(min(problem.retry_after or 0.5 * 2**attempt, 20))
    return no_vote("judge_unreachable", error)
