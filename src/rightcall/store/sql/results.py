"""Results of a run, one case with all its trials, finished results."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, Select, func, or_, select, tuple_

from rightcall.core.errors import InputError
from rightcall.model import AnyGolden, CaseResult, ConversationalGolden, Golden
from rightcall.store.base import Key, ResultFilter
from rightcall.store.sql import tables
from rightcall.store.sql.core import Core
from rightcall.store.sql.golden_sets import of_run
from rightcall.store.sql.packed_scores import ScoreReader
from rightcall.store.sql.record_bytes import expanded, given, held
from rightcall.store.sql.rows import OUTCOMES, to_result
from rightcall.store.sql.runs import find

AT_ONCE = 500

EVERYTHING = ResultFilter()

results = tables.results.c


class Results(Core):
    """The part of the store for results."""

    def finished(self, run: str, *, errors: bool = True) -> Iterator[Key]:
        """Golden id and trial of every stored result, in order, streamed: `set(store.finished(run))`.

        Without `errors`, errors are omitted.
        """
        with self.reading() as connection:
            key = find(connection, run).key
        last: Key | None = None
        while True:
            with self.reading() as connection:
                keys = keys_after(connection, key, last, errors=errors)
            if not keys:
                return
            yield from keys
            last = keys[-1]

    def results(
        self, run: str, which: ResultFilter = EVERYTHING, *, trajectories: bool = False
    ) -> Iterator[CaseResult]:
        """Every matching result, ordered by golden id and trial, streamed.

        Reads in short transactions: a run in progress can be read without blocking it.
        """
        with self.reading() as connection:
            run_id = find(connection, run).id  # once: `last` may change before the next page
        last: Key | None = None
        while page := self.results_page(run_id, which, limit=AT_ONCE, after=last, trajectories=trajectories):
            yield from page
            last = page[-1].golden_id, page[-1].trial

    def results_page(
        self,
        run: str,
        which: ResultFilter = EVERYTHING,
        *,
        limit: int = 100,
        after: Key | None = None,
        trajectories: bool = False,
    ) -> list[CaseResult]:
        """The next `limit` results; `after` is golden id and trial of the last one on the previous page."""
        with self.reading() as connection:
            row = find(connection, run)
            found = chosen(connection, row.key, which, limit, after, scan=scans(connection, row))
            return self._with_details(connection, found, trajectories)

    def _with_details(
        self, connection: Connection, rows: Sequence[Row[Any]], trajectories: bool
    ) -> list[CaseResult]:
        numbers = [row.id for row in rows]
        codes = _codes(connection, numbers)
        contents = _trajectories(connection, numbers) if trajectories else {}
        read_scores = ScoreReader(self.metric_names)
        return [to_result(row, read_scores, codes.get(row.id, ()), contents.get(row.id)) for row in rows]

    def finished_of(self, run: str, golden_ids: Iterable[str]) -> set[Key]:
        """Golden id and trial of the stored results of these goldens."""
        wanted = {given(held(golden_id)): golden_id for golden_id in golden_ids}
        stored, found = list(wanted), set[Key]()
        with self.reading() as connection:
            run_key = find(connection, run).key
            for start in range(0, len(stored), AT_ONCE):
                some = results.run_key == run_key, results.golden_id.in_(stored[start : start + AT_ONCE])
                rows = connection.execute(select(results.golden_id, results.trial).where(*some))
                found.update((wanted[golden_id], trial) for golden_id, trial in rows)
        return found

    def results_of(
        self, run: str, keys: Iterable[Key], *, trajectories: bool = False
    ) -> dict[Key, CaseResult]:
        """What is stored for these golden ids and trials; those without a result are missing."""
        wanted = {(given(held(golden_id)), trial): (golden_id, trial) for golden_id, trial in keys}
        place, stored = tuple_(results.golden_id, results.trial), list(wanted)
        found: dict[Key, CaseResult] = {}
        with self.reading() as connection:
            run_key = find(connection, run).key
            for start in range(0, len(stored), AT_ONCE):
                some = results.run_key == run_key, place.in_(stored[start : start + AT_ONCE])
                rows = connection.execute(select(tables.results).where(*some)).all()
                for result in self._with_details(connection, rows, trajectories):
                    found[wanted[result.golden_id, result.trial]] = result
        return found

    def count(self, run: str, which: ResultFilter = EVERYTHING) -> int:
        """How many results match."""
        with self.reading() as connection:
            row = find(connection, run)
            wanted = conditions(row.key, which, scan=scans(connection, row))
            query = select(func.count()).select_from(tables.results).where(*wanted)
            return int(connection.execute(query).scalar_one())

    def code_counts(self, run: str) -> dict[str, int]:
        """The number of failures by code, also for a run in progress. Unchecked cases did not fail."""
        c = tables.codes.c
        with self.reading() as connection:
            row = find(connection, run)
            counted = select(c.code, func.count().label("failures")).where(c.run_key == row.key)
            if row.unchecked:
                counted = counted.join(tables.results, results.id == c.result_id)
                counted = counted.where(results.outcome != tables.UNCHECKED)
            rows = connection.execute(counted.group_by(c.code).order_by(c.code))
            return {row.code: row.failures for row in rows}

    def result(self, run: str, golden_id: str, trial: int = 0) -> CaseResult:
        """One trial of one golden, with its trajectory."""
        of_golden = self.results(run, ResultFilter(golden_id=golden_id), trajectories=True)
        found = next((result for result in of_golden if result.trial == trial), None)
        if found is None:
            raise InputError(f"run {run}", f"has no result for golden '{golden_id}', trial {trial}")
        return found

    def goldens(self, run: str) -> Iterator[AnyGolden]:
        """Every golden of the run, by id, streamed."""
        with self.reading() as connection:
            key, last = find(connection, run).key, None
        while True:
            with self.reading() as connection:
                rows = goldens_after(connection, key, last)
            if not rows:
                return
            yield from (to_golden(row.content) for row in rows)
            last = rows[-1].golden_id

    def previews(self, run: str, golden_ids: Iterable[str]) -> dict[str, str]:
        """The beginning of each golden's input, for a list of results."""
        cases, goldens = tables.cases.c, tables.goldens.c
        query = select(cases.golden_id, goldens.input).join(
            tables.goldens, goldens.fingerprint == cases.fingerprint
        )
        with self.reading() as connection:
            key = find(connection, run).key
            wanted = (of_run(key), cases.golden_id.in_(list(golden_ids)))
            return {row.golden_id: row.input for row in connection.execute(query.where(*wanted))}

    def golden(self, run: str, golden_id: str) -> AnyGolden | None:
        """What was expected, as the run saw it; None when the run was written without its goldens."""
        with self.reading() as connection:
            return golden_of(connection, find(connection, run).key, golden_id)


def keys_after(connection: Connection, run_key: int, after: Key | None, *, errors: bool) -> list[Key]:
    """The next golden ids and trials that have a result, in order."""
    query = select(results.golden_id, results.trial).where(results.run_key == run_key)
    if not errors:
        query = query.where(~tables.without_answer())
    rows = connection.execute(_in_order(query, after).limit(AT_ONCE * 10))
    return [(golden_id, trial) for golden_id, trial in rows]


def chosen(
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
    found: list[ColumnElement[bool]] = [of.run_key == run_key]
    if which.outcome is not None:
        found.append(of.outcome == OUTCOMES[which.outcome])
    if which.category is not None:
        found.append(of.category == which.category)
    if which.golden_id is not None:
        found.append(of.golden_id == which.golden_id)
    if which.code is not None or which.tool:
        found.append(of.id.in_(_with_failure(run_key, which)))
        if which.outcome is None:
            found.append(of.outcome != tables.UNCHECKED)  # it may have codes, but it did not fail
    if which.failed_metric:
        found.append(_fails_metric(which.failed_metric, of))
    if which.tag:
        t = tables.case_tags.c
        tagged = select(t.golden_id).where(t.run_key == run_key, t.tag == which.tag)
        found.append(of.golden_id.in_(tagged))
    if which.text:
        found.append(
            or_(
                of.golden_id.icontains(which.text, autoescape=True),
                of.golden_id.in_(_with_input(run_key, which.text, scan)),
            )
        )
    return found


def golden_of(connection: Connection, run_key: int, golden_id: str) -> AnyGolden | None:
    """What was expected, as the run saw it."""
    content = connection.execute(
        select(tables.goldens.c.content)
        .join(tables.cases, tables.cases.c.fingerprint == tables.goldens.c.fingerprint)
        .where(of_run(run_key), tables.cases.c.golden_id == golden_id)
    ).scalar()
    return None if content is None else to_golden(content)


def goldens_after(connection: Connection, run_key: int, after: str | None) -> Sequence[Any]:
    """The next goldens of a run, by id."""
    cases, goldens = tables.cases.c, tables.goldens.c
    query = (
        select(cases.golden_id, goldens.content)
        .join(tables.goldens, goldens.fingerprint == cases.fingerprint)
        .where(of_run(run_key))
        .order_by(cases.golden_id)
        .limit(AT_ONCE)
    )
    return connection.execute(query if after is None else query.where(cases.golden_id > after)).all()


def to_golden(content: bytes) -> AnyGolden:
    """A golden of either kind: only conversations have a scenario."""
    fields = expanded(content, dict[str, msgspec.Raw])
    return expanded(content, ConversationalGolden) if "scenario" in fields else expanded(content, Golden)


def _in_order(query: Select[Any], after: Key | None) -> Select[Any]:
    if after is not None:
        query = query.where(tuple_(results.golden_id, results.trial) > tuple_(held(after[0]), after[1]))
    return query.order_by(results.golden_id, results.trial)


def _with_failure(run_key: int, which: ResultFilter) -> Select[Any]:
    codes = tables.codes.c
    query = select(codes.result_id).where(codes.run_key == run_key)
    if which.code is not None:
        query = query.where(codes.code == which.code)
    return query.where(codes.tool == which.tool) if which.tool else query


def _fails_metric(name: str, of: Any) -> ColumnElement[bool]:
    failed, metrics = tables.failed_metrics.c, tables.metrics.c
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
    cases, goldens = tables.cases.c, tables.goldens.c
    if scan:
        found = select(goldens.fingerprint).where(goldens.input.icontains(text, autoescape=True))
        return select(cases.golden_id).where(of_run(run_key), cases.fingerprint.in_(found))
    own = (
        select(cases.golden_id, goldens.input)
        .join(tables.goldens, goldens.fingerprint == cases.fingerprint)
        .where(of_run(run_key))
        .offset(
            0
        )  # an optimization fence: without it PostgreSQL scans the goldens of all runs before joining
        .subquery()
    )
    return select(own.c.golden_id).where(own.c.input.icontains(text, autoescape=True))


def _slices(numbers: Sequence[int]) -> Iterator[Sequence[int]]:
    return (numbers[start : start + AT_ONCE] for start in range(0, len(numbers), AT_ONCE))


def _codes(connection: Connection, numbers: Sequence[int]) -> dict[int, list[bytes]]:
    c = tables.codes.c
    found: dict[int, list[bytes]] = defaultdict(list)
    for some in _slices(numbers):
        query = select(c.result_id, c.evidence).where(c.result_id.in_(some)).order_by(c.result_id, c.position)
        for number, evidence in connection.execute(query):
            found[number].append(evidence)
    return found


def _trajectories(connection: Connection, numbers: Sequence[int]) -> dict[int, bytes]:
    t = tables.trajectories.c
    return {
        number: content
        for some in _slices(numbers)
        for number, content in connection.execute(select(t.result_id, t.content).where(t.result_id.in_(some)))
    }
