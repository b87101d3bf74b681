"""Two runs golden by golden: what was fixed, what broke, what stayed."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Connection, Subquery, case, func, select

from rightcall.store.base import Change, ComparedCase
from rightcall.store.sql import tables
from rightcall.store.sql.core import Core
from rightcall.store.sql.run_lookup import find

results = tables.results.c


class StoredComparison:
    """Two runs golden by golden; read when asked."""

    def __init__(self, store: Core, before: str, after: str) -> None:
        self._store, self._before, self._after = store, before, after

    def counts(self) -> dict[Change, int]:
        """How many goldens each change happened to; changes that did not happen are omitted."""
        with self._store.read_transaction() as connection:
            compared = _comparison_rows(connection, self._before, self._after)
            query = select(compared.c.change, func.count().label("goldens")).group_by(compared.c.change)
            return {row.change: row.goldens for row in connection.execute(query)}

    def page(
        self, change: Change | None = None, *, limit: int = 100, beyond: str | None = None
    ) -> list[ComparedCase]:
        """The next goldens by id that a change happened to; `beyond` is the last one on the previous page."""
        with self._store.read_transaction() as connection:
            compared = _comparison_rows(connection, self._before, self._after)
            query = select(compared).order_by(compared.c.golden_id).limit(limit)
            if change is not None:
                query = query.where(compared.c.change == change)
            if beyond is not None:
                query = query.where(compared.c.golden_id > beyond)
            return [ComparedCase(*row) for row in connection.execute(query)]


def _comparison_rows(connection: Connection, before: str, after: str) -> Subquery:
    """A row for each golden of either run. Compared with itself, every golden of a run is unchanged."""
    first, second = find(connection, before).key, find(connection, after).key
    sides = [_side(first, "before"), _side(second, "after")]
    keys = (first, second)
    counted = (
        select(results.golden_id, *(column for side in sides for column in side))
        .where(results.run_key.in_(keys))
        .group_by(results.golden_id)
        .subquery("counted")
    )
    c = counted.c
    return select(
        c.golden_id,
        _change(c).label("change"),
        c.before_passed,
        c.before_judged,
        c.after_passed,
        c.after_judged,
    ).subquery("compared")


def _side(run_key: int, name: str) -> list[ColumnElement[Any]]:
    here = results.run_key == run_key
    return [
        func.sum(case((here & (results.outcome == tables.PASSED), 1), else_=0)).label(f"{name}_passed"),
        func.sum(case((here & results.outcome.in_((tables.PASSED, tables.FAILED)), 1), else_=0)).label(
            f"{name}_judged"
        ),
        func.sum(case((here, 1), else_=0)).label(f"{name}_found"),
    ]


def _change(c: Any) -> ColumnElement[str]:
    passed_before, passed_after = 2 * c.before_passed >= c.before_judged, 2 * c.after_passed >= c.after_judged
    return case(
        (c.before_found == 0, "added"),
        (c.after_found == 0, "removed"),
        ((c.before_judged == 0) | (c.after_judged == 0), "unjudged"),
        (passed_before & passed_after, "passing"),
        (passed_after, "fixed"),
        (passed_before, "broken"),
        else_="failing",
    )
