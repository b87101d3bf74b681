"""The scores of a result in one column, and back: the only place that knows how they are written.

MessagePack of a list with one entry a metric, in their order. A perfect score is the metric's number alone; any other
is a list of number, value, passed, reason, error and failures, and of how a model judged and what an attack did, if
they did. A reason that an earlier entry has is written as that entry's place, because one mistake usually explains
most dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from rightcall.core.errors import InputError
from rightcall.model import Failure, Score
from rightcall.model.safety import AttackOutcome
from rightcall.model.score import Judging
from rightcall.store.sql.record_bytes import column_bytes, decode_record, encode_record, whole

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
        self._look_up, self._names = metric_names, metric_names(())
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


def renumber_scores(data: bytes | None, numbers: Mapping[int, int]) -> bytes | None:
    """The same scores under the numbers of another store."""
    if not data:
        return data
    entries = (
        [numbers[entry[0]], *entry[1:]] if isinstance(entry, list) else numbers[entry]
        for entry in _read(column_bytes(data))
    )
    return _encode(list(entries))


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
        error,
        decode_record(judged, Judging) if judged else None,
        decode_record(attack, AttackOutcome) if attack else None,
    )


def _read(data: bytes) -> list[int | list[Any]]:
    try:
        return _decode(data)
    except msgspec.DecodeError as error:
        problem = f"scores in the store cannot be read ({error})"
        raise InputError("store", problem, "the store is damaged") from error
