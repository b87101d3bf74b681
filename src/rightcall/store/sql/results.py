"""Results of a run, one case with all its trials, finished results; and results as JSON Lines.

Equal results give equal lines, in any completion order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, Select, func, or_, select, tuple_

from rightcall.records import AnyGolden, CaseResult, ConversationalGolden, Golden, ToolCall
from rightcall.store.base import Key, ResultFilter
from rightcall.store.sql import tables
from rightcall.store.sql.core import StorePart, portions, select_in, stream_rows
from rightcall.store.sql.golden_sets import of_run
from rightcall.store.sql.record_bytes import canonical, decompress_record, escape_text, unescape_text
from rightcall.store.sql.rows import OUTCOMES, ScoreReader, to_result
from rightcall.store.sql.run_lookup import find

AT_ONCE = 500

EVERYTHING = ResultFilter()

results = tables.results.c


class Results(StorePart):
    __slots__ = ()

    def result_keys(
        self, run: str, golden_ids: Iterable[str] | None = None, *, errors: bool = True
    ) -> Iterator[Key]:
        """Golden id and trial of every stored result, or of those of some goldens, streamed.

        Without `golden_ids` they are in order. Without `errors`, errors are omitted.
        """
        with self._store.read_transaction() as connection:
            own = [results.run_key == find(connection, run).key]
        keys = select(results.golden_id, results.trial).where(
            *own, *([] if errors else [~tables.without_answer()])
        )
        if golden_ids is None:

            def page(connection: Connection, last: Row[Any] | None) -> Sequence[Row[Any]]:
                return connection.execute(_in_order(keys, last).limit(AT_ONCE * 10)).all()

            yield from (tuple(row) for row in stream_rows(self._store, page, AT_ONCE * 10))
            return
        ids = {as_read(golden_id): golden_id for golden_id in golden_ids}
        for some in portions(list(ids)):
            with self._store.read_transaction() as connection:
                rows = connection.execute(keys.where(results.golden_id.in_(some))).all()
            yield from ((ids[golden_id], trial) for golden_id, trial in rows)

    def results(
        self,
        run: str,
        which: ResultFilter = EVERYTHING,
        *,
        limit: int | None = None,
        after: Key | None = None,
        trajectories: bool = False,
    ) -> Iterator[CaseResult]:
        """Every matching result, ordered by golden id and trial, streamed; or the next `limit` of them.

        `after` is golden id and trial of the last one on the previous page. Reads in short transactions: a run in
        progress can be read without blocking it.
        """
        with self._store.read_transaction() as connection:
            row = find(connection, run)  # once: `last` may change before the next page
            scan = scans(connection, row)
        size = AT_ONCE if limit is None else min(limit, AT_ONCE)

        def page(connection: Connection, last: CaseResult | None) -> list[CaseResult]:
            beyond = after if last is None else (last.golden_id, last.trial)
            rows = select_results(connection, row.key, which, size, after=beyond, scan=scan)
            return self._with_details(connection, rows, trajectories)

        yield from islice(stream_rows(self._store, page, size), limit)

    def _with_details(
        self, connection: Connection, rows: Sequence[Row[Any]], trajectories: bool
    ) -> list[CaseResult]:
        numbers = [row.id for row in rows]
        codes = evidence_of(connection, numbers)
        contents = trajectories_of(connection, numbers) if trajectories else {}
        read_scores = ScoreReader(self._store.metric_names)
        return [to_result(row, read_scores, codes.get(row.id, ()), contents.get(row.id)) for row in rows]

    def results_of(
        self, run: str, keys: Iterable[Key], *, trajectories: bool = False
    ) -> dict[Key, CaseResult]:
        """What is stored for these golden ids and trials; those without a result are missing."""
        keys_by_stored_key = {(as_read(golden_id), trial): (golden_id, trial) for golden_id, trial in keys}
        place = tuple_(results.golden_id, results.trial)
        results_by_key: dict[Key, CaseResult] = {}
        with self._store.read_transaction() as connection:
            run_key = find(connection, run).key
            for some in portions(list(keys_by_stored_key)):
                here = results.run_key == run_key, place.in_(some)
                rows = connection.execute(select(tables.results).where(*here)).all()
                for result in self._with_details(connection, rows, trajectories):
                    results_by_key[keys_by_stored_key[result.golden_id, result.trial]] = result
        return results_by_key

    def count(self, run: str, which: ResultFilter = EVERYTHING) -> int:
        """How many results match."""
        with self._store.read_transaction() as connection:
            row = find(connection, run)
            criteria = conditions(row.key, which, scan=scans(connection, row))
            query = select(func.count()).select_from(tables.results).where(*criteria)
            return int(connection.execute(query).scalar_one())

    def goldens(self, run: str, golden_ids: Iterable[str] | None = None) -> Iterator[AnyGolden]:
        """What was expected, as the run saw it: every golden, or some, by id, streamed."""
        golden_id = tables.cases.c.golden_id
        with self._store.read_transaction() as connection:
            query = _goldens_of(find(connection, run).key, tables.goldens.c.content)
        if golden_ids is not None:
            query = query.where(golden_id.in_(sorted(map(as_read, golden_ids))))

        def page(connection: Connection, last: Any) -> Sequence[Any]:
            left = query if last is None else query.where(golden_id > last.golden_id)
            return connection.execute(left.order_by(golden_id).limit(AT_ONCE)).all()

        yield from (to_golden(row.content) for row in stream_rows(self._store, page, AT_ONCE))

    def previews(self, run: str, golden_ids: Iterable[str]) -> dict[str, str]:
        """The beginning of each golden's input, for a list of results."""
        with self._store.read_transaction() as connection:
            return previews_of(connection, find(connection, run).key, golden_ids)


def select_results(
    connection: Connection,
    run_key: int,
    which: ResultFilter,
    limit: int,
    after: Key | None,
    *,
    scan: bool = False,
) -> Sequence[Row[Any]]:
    """The next rows of `results` that match."""
    query = select(tables.results).where(*conditions(run_key, which, scan=scan))
    return connection.execute(_in_order(query, after).limit(limit)).all()


def conditions(
    run_key: int, which: ResultFilter, of: Any = results, *, scan: bool = False
) -> list[ColumnElement[bool]]:
    """A filter as SQL; `of` has the columns of `results` or of an alias, `scan` says how text is searched."""
    criteria: list[ColumnElement[bool]] = [of.run_key == run_key]
    if which.outcome is not None:
        criteria.append(of.outcome == OUTCOMES[which.outcome])
    if which.category is not None:
        criteria.append(of.category == which.category)
    if which.golden_id is not None:
        criteria.append(of.golden_id == which.golden_id)
    if which.code is not None or which.tool:
        criteria.append(of.id.in_(_with_failure(run_key, which)))
        if which.outcome is None:
            criteria.append(of.outcome != tables.UNCHECKED)  # it may have codes, but it did not fail
    if which.failed_metric:
        criteria.append(_fails_metric(which.failed_metric, of))
    if which.text:
        criteria.append(
            or_(
                of.golden_id.icontains(which.text, autoescape=True),
                of.golden_id.in_(_with_input(run_key, which.text, scan)),
            )
        )
    return criteria


def previews_of(connection: Connection, run_key: int, golden_ids: Iterable[str]) -> dict[str, str]:
    query = _goldens_of(run_key, tables.goldens.c.input)
    rows = connection.execute(query.where(tables.cases.c.golden_id.in_(list(golden_ids))))
    return {row.golden_id: row.input for row in rows}


def _goldens_of(run_key: int, column: ColumnElement[Any]) -> Select[Any]:
    """The goldens of a run: the id of each, and one column."""
    cases = tables.cases.c
    goldens = tables.goldens.c
    query = select(cases.golden_id, column).join(tables.goldens, goldens.fingerprint == cases.fingerprint)
    return query.where(of_run(run_key))


def to_golden(content: bytes) -> AnyGolden:
    """A golden of either kind: only conversations have a scenario."""
    fields = decompress_record(content, dict[str, msgspec.Raw])
    return (
        decompress_record(content, ConversationalGolden)
        if "scenario" in fields
        else decompress_record(content, Golden)
    )


def as_read(text: str) -> str:
    """The text as it is read back after it was stored: without unpaired surrogates."""
    return unescape_text(escape_text(text))


def _in_order(query: Select[Any], after: Sequence[Any] | None) -> Select[Any]:
    if after is not None:
        query = query.where(
            tuple_(results.golden_id, results.trial) > tuple_(escape_text(after[0]), after[1])
        )
    return query.order_by(results.golden_id, results.trial)


def _with_failure(run_key: int, which: ResultFilter) -> Select[Any]:
    codes = tables.codes.c
    query = select(codes.result_id).where(codes.run_key == run_key)
    if which.code is not None:
        query = query.where(codes.code == which.code)
    return query.where(codes.tool == which.tool) if which.tool else query


def _fails_metric(name: str, of: Any) -> ColumnElement[bool]:
    failed = tables.failed_metrics.c
    metrics = tables.metrics.c
    return (
        select(failed.result_id)
        .join(tables.metrics, metrics.key == failed.metric_key)
        .where(failed.result_id == of.id, metrics.name == name)
        .exists()
    )


LOOKED_UP = 10_000
"""The largest run whose goldens are looked up one by one in a search."""


def scans(connection: Connection, run: Row[Any]) -> bool:
    """Whether a search in this run reads the goldens of all runs in sequence instead of looking up its own.

    In SQLite 100,000 goldens take 10 ms in sequence, and 200 looked up; PostgreSQL may hold those of many teams.
    """
    return connection.dialect.name == "sqlite" and run.results > LOOKED_UP


def _with_input(run_key: int, text: str, scan: bool) -> Select[Any]:
    cases = tables.cases.c
    goldens = tables.goldens.c
    if scan:
        fingerprints = select(goldens.fingerprint).where(goldens.input.icontains(text, autoescape=True))
        return select(cases.golden_id).where(of_run(run_key), cases.fingerprint.in_(fingerprints))
    # The offset is a fence: without it PostgreSQL scans the goldens of all runs before joining.
    own = _goldens_of(run_key, goldens.input).offset(0).subquery()
    return select(own.c.golden_id).where(own.c.input.icontains(text, autoescape=True))


def evidence_of(connection: Connection, numbers: Sequence[int]) -> dict[int, list[bytes]]:
    """The failures of results by their numbers, in order, as stored."""
    c = tables.codes.c
    evidence_by_result: dict[int, list[bytes]] = defaultdict(list)
    query = select(c.result_id, c.evidence).order_by(c.result_id, c.position)
    for number, evidence in select_in(connection, query, c.result_id, numbers):
        evidence_by_result[number].append(evidence)
    return evidence_by_result


def trajectories_of(connection: Connection, numbers: Sequence[int]) -> dict[int, bytes]:
    t = tables.trajectories.c
    rows = select_in(connection, select(t.result_id, t.content), t.result_id, numbers)
    return {row.result_id: row.content for row in rows}


def export_lines(results: Iterable[CaseResult], *, timings: bool = True) -> Iterator[bytes]:
    """One line of JSON per result, with sorted keys, in the order of `results`.

    Without `timings`, measured times are omitted: two runs that did the same export identical files.
    """
    for result in results:
        yield canonical(result if timings else without_times(result)) + b"\n"


def without_times(result: CaseResult) -> CaseResult:
    trajectory = result.trajectory
    if trajectory is not None:
        messages = tuple(
            msgspec.structs.replace(message, calls=_calls_without_times(message.calls), latency_ms=None)
            for message in trajectory.messages
        )
        calls = _calls_without_times(trajectory.calls)
        trajectory = msgspec.structs.replace(
            trajectory, messages=messages, calls=calls, latency_ms=None, lag_ms=0.0
        )
    return msgspec.structs.replace(result, latency_ms=None, trajectory=trajectory)


def _calls_without_times(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    without: dict[str, Any] = {"latency_ms": None}
    return tuple(msgspec.structs.replace(call, **without) for call in calls)
