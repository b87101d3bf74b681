"""A result as the rows of its tables, and back.

Its scores are in one column, and nothing else knows how they are written: MessagePack of a list with one entry a
metric, in their order. A perfect score is the metric's number alone; any other is a list of number, value, passed,
reason, error and failures, and of how a model judged and what an attack did, if they did. A reason that an earlier
entry has is written as that entry's place, because one mistake usually explains most dimensions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import BigInteger, Double, LargeBinary, Table

from rightcall.core.errors import InputError
from rightcall.core.text import shorten
from rightcall.records import CaseResult, Failure, Score, Trajectory, Usage
from rightcall.records.run import CaseOutcome, ScoredCalls
from rightcall.records.safety import AttackOutcome
from rightcall.records.score import Judging
from rightcall.store.sql.record_bytes import (
    Words,
    column_bytes,
    compress_record,
    decode_record,
    decompress_record,
    encode_record,
    escape_text,
    whole,
)
from rightcall.store.sql.tables import ERROR, FAILED, PASSED, UNCHECKED, results

LONGEST_ID = 1000
"""Bytes of a golden's id: PostgreSQL refuses to index much longer ones."""

OUTCOMES: dict[CaseOutcome, int] = {
    "failed": FAILED,
    "passed": PASSED,
    "error": ERROR,
    "unchecked": UNCHECKED,
}

LARGEST = 2**63 - 1

_CALLS = msgspec.msgpack.Decoder(ScoredCalls)

Row = tuple[Any, ...]


class PackedResult(CaseResult, frozen=True):
    """A result whose trajectory was already packed elsewhere; `trajectory` itself is not stored."""

    packed_trajectory: bytes | None = None


class ResultRows(NamedTuple):
    """The rows of one result, without its number and its run; `usage` is what it adds to the run's, with its judges."""

    golden_id: str
    trial: int
    outcome: int
    rest: Row
    failed: list[int]
    codes: list[Row]
    trajectory: bytes | None
    usage: Usage


def to_rows(result: CaseResult, pack: ScorePacker) -> ResultRows:
    """Everything about a result as columns; the trajectory compressed."""
    check_golden_id(result.golden_id)
    scores, failed = pack(result.metrics)
    spent = result.usage
    usage = Usage(limit_count(spent.input_tokens), limit_count(spent.output_tokens), spent.cost_usd)
    return ResultRows(
        escape_text(result.golden_id),
        result.trial,
        OUTCOMES[result.outcome],
        (
            result.passed,
            _number(result.score),
            result.category,
            escape_text(result.error),
            _number(result.latency_ms),
            usage.input_tokens,
            usage.output_tokens,
            _number(usage.cost_usd),
            scores,
            escape_text(result.first_request) or None,
            msgspec.msgpack.encode(result.calls) if result.calls.pairs else None,
        ),
        failed=failed,
        codes=[
            (
                position,
                failure.code,
                escape_text(failure.tool),
                escape_text(failure.parameter),
                encode_record(failure),
            )
            for position, failure in enumerate(result.codes)
        ],
        trajectory=_trajectory(result),
        usage=usage.plus(result.judge_usage) if result.metrics else usage,
    )


def _trajectory(result: CaseResult) -> bytes | None:
    if isinstance(result, PackedResult):
        return result.packed_trajectory
    return None if result.trajectory is None else compress_record(result.trajectory)


def to_result(
    row: Any, read_scores: ScoreReader, codes: Iterable[bytes], trajectory: bytes | None
) -> CaseResult:
    """The result, from a row of `results` and its related rows, each in order."""
    check_row(results, row)
    return CaseResult(
        golden_id=row.golden_id,
        trial=row.trial,
        passed=bool(row.passed),
        score=math.nan if row.score is None else row.score,
        metrics=read_scores(row.scores),
        codes=tuple(decode_record(evidence, Failure) for evidence in codes),
        category=row.category,
        error=row.error,
        latency_ms=row.latency_ms,
        usage=Usage(row.input_tokens, row.output_tokens, row.cost_usd),
        trajectory=None if trajectory is None else decompress_record(trajectory, Trajectory),
        first_request=row.first_request or "",
        checked=row.outcome != UNCHECKED,
        calls=ScoredCalls() if row.pairs is None else _CALLS.decode(row.pairs),
    )


def check_golden_id(golden_id: str) -> None:
    """An id that one engine could not store is rejected by all of them."""
    if len(golden_id) * 4 > LONGEST_ID and len(golden_id.encode(errors="replace")) > LONGEST_ID:
        raise InputError(
            f"golden {shorten(golden_id, 41)!r}",
            f"the id is longer than {LONGEST_ID} bytes",
            "use a shorter id",
        )


def limit_count(tokens: int | None) -> int:
    """The count, limited to the largest value of the column; an unknown one adds nothing to the run's."""
    return min(tokens or 0, LARGEST)


def _number(value: float | None) -> float | None:
    """SQLite stores NaN as NULL, so NULL represents it on every engine."""
    return None if value is None or math.isnan(value) else float(value)


TYPES: dict[type, Any] = {Words: str, BigInteger: int, Double: float, LargeBinary: bytes}


def check_row(table: Table, row: Any) -> None:
    """Raise `msgspec.ValidationError` unless the columns of a row have the types they were written with.

    SQLite keeps a value of any type in any column. A text where a number was written is damage, and is refused where
    it is read; later it would end an addition somewhere else with a traceback.
    """
    names, types = _types(table)
    msgspec.convert([getattr(row, name) for name in names], types)


@cache
def _types(table: Table) -> tuple[list[str], Any]:
    columns = [column for column in table.columns if type(column.type) in TYPES]
    kinds = [(TYPES[type(column.type)], column.nullable) for column in columns]
    types = tuple(kind | None if nullable else kind for kind, nullable in kinds)
    return [column.name for column in columns], tuple[types]  # type: ignore[valid-type]


PERFECT = Score(1.0, True)

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[int | list[Any]]).decode


class ScorePacker:
    """Packs scores under a store's numbers of metrics. Results that share one dict of scores are packed once."""

    def __init__(self, metric_keys: Mapping[str, int]) -> None:
        self._keys = metric_keys
        self._shared: tuple[Mapping[str, Score] | None, bytes] = (None, b"")

    def __call__(self, scores: Mapping[str, Score]) -> tuple[bytes, list[int]]:
        """The bytes, and the numbers of the metrics that did not pass."""
        if self._shared[0] is scores:
            return self._shared[1], []
        data = _encode(_entries(scores, self._keys))
        failed = [self._keys[name] for name, score in scores.items() if not score.passed]
        if not failed:
            self._shared = scores, data
        return data, failed


def _entries(scores: Mapping[str, Score], keys: Mapping[str, int]) -> list[Any]:
    places: dict[str, int] = {}
    entries: list[Any] = []
    for name, score in scores.items():
        if score is PERFECT or score == PERFECT:
            entries.append(keys[name])
            continue
        reason: str | int = whole(score.reason)
        if reason:
            first = places.setdefault(str(reason), len(entries))
            reason = reason if first == len(entries) else first
        entry: list[Any] = [keys[name], float(score.value), bool(score.passed), reason]
        if score.error or score.codes or score.judged or score.attack:
            entry += [whole(score.error), encode_record(score.codes) if score.codes else None]
        if score.judged or score.attack:
            entry.append(encode_record(score.judged) if score.judged else None)
        if score.attack:
            entry.append(encode_record(score.attack))
        entries.append(entry)
    return entries


class ScoreReader:
    """Reads packed scores with a store's names of metrics. Perfect scores of the same metrics share one dict."""

    def __init__(self, metric_names: Callable[[Iterable[int]], Mapping[int, str]]) -> None:
        self._look_up = metric_names
        self._names = metric_names(())
        self._perfect: dict[bytes, dict[str, Score]] = {}

    def __call__(self, data: bytes | None) -> dict[str, Score]:
        if not data:
            return {}
        data = column_bytes(data)
        cached_scores = self._perfect.get(data)
        if cached_scores is not None:
            return cached_scores
        entries = _read(data)
        keys = [entry[0] if isinstance(entry, list) else entry for entry in entries]
        if any(key not in self._names for key in keys):  # written by another process since
            self._names = self._look_up(keys)
        scores = {self._names[key]: _score(entry, entries) for key, entry in zip(keys, entries, strict=True)}
        if all(score is PERFECT for score in scores.values()):
            self._perfect[data] = scores
        return scores


def _score(entry: int | list[Any], entries: list[int | list[Any]]) -> Score:
    if isinstance(entry, int):
        return PERFECT
    _, value, passed, reason, *rest = entry
    if isinstance(reason, int):
        reason = entries[reason][3]  # type: ignore[index]
    error, codes, *further = rest or ("", None)
    judged, attack = (*further, None, None)[:2]
    return Score(
        float(value),
        passed,
        reason,
        decode_record(codes, tuple[Failure, ...]) if codes else (),
        error=error,
        judged=decode_record(judged, Judging) if judged else None,
        attack=decode_record(attack, AttackOutcome) if attack else None,
    )


def _read(data: bytes) -> list[int | list[Any]]:
    try:
        return _decode(data)
    except msgspec.DecodeError as error:
        problem = f"scores in the store cannot be read ({error})"
        raise InputError("store", problem, "the store is damaged") from error
