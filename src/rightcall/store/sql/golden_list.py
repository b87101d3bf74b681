"""The goldens of a run in the order a list shows them: danger first, then those that failed, every golden once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, select

from rightcall.records import CaseResult
from rightcall.store.base import ListedGolden, ListPart, Outcome, ResultFilter
from rightcall.store.sql import tables
from rightcall.store.sql.results import AT_ONCE, Results, conditions, previews_of, scans
from rightcall.store.sql.rows import OUTCOMES
from rightcall.store.sql.run_lookup import find

ORDER: tuple[Outcome, ...] = ("failed", "error", "passed", "unchecked")
"""A golden is listed under the first of these that one of its trials has."""

results = tables.results.c


class GoldenList(Results):
    """Lists of goldens, each with all its trials."""

    __slots__ = ()

    def goldens_page(
        self,
        run: str,
        which: ResultFilter,
        *,
        limit: int = 100,
        after: ListedGolden | None = None,
        dangerous: Sequence[str] = (),
    ) -> list[ListedGolden]:
        """The next `limit` goldens with a matching trial: those of `dangerous`, then those that failed, then others.

        `after` is the last one shown.
        """
        listed_goldens: list[ListedGolden] = []
        with self._store.read_transaction() as connection:
            row = find(connection, run)
            run_key = row.key
            scan = scans(connection, row)
            ids = _with_text(connection, run_key, which, scan=scan)
            for part in _parts(which, dangerous, after.part if after else None):
                query = _goldens_query(run_key, which, part, ids, dangerous=dangerous, scan=scan)
                if after and after.part == part:
                    query = query.where(results.golden_id > after.golden_id)
                left = limit - len(listed_goldens)
                rows = connection.execute(query.order_by(results.golden_id).limit(left))
                listed_goldens += [ListedGolden(part, golden_id) for golden_id in rows.scalars()]
                if len(listed_goldens) >= limit:
                    break
            return self._with_trials(connection, run_key, listed_goldens)

    def _with_trials(
        self, connection: Connection, run_key: int, listed: Sequence[ListedGolden]
    ) -> list[ListedGolden]:
        """With what a list shows of each: the beginning of its input, its trials without trajectories."""
        ids = [golden.golden_id for golden in listed]
        own = select(tables.results).where(results.run_key == run_key, results.golden_id.in_(ids))
        rows = connection.execute(own.order_by(results.golden_id, results.trial)).all()
        trials: dict[str, list[CaseResult]] = defaultdict(list)
        for result in self._with_details(connection, rows, trajectories=False):
            trials[result.golden_id].append(result)
        inputs = previews_of(connection, run_key, ids)
        return [
            msgspec.structs.replace(
                golden,
                preview=inputs.get(golden.golden_id, ""),
                trials=tuple(trials[golden.golden_id]),
            )
            for golden in listed
        ]

    def neighbours(
        self, run: str, which: ResultFilter, golden_id: str, dangerous: Sequence[str] = ()
    ) -> tuple[str | None, str | None]:
        """The goldens before and after this one in the list; None at either end."""
        with self._store.read_transaction() as connection:
            row = find(connection, run)
            run_key = row.key
            scan = scans(connection, row)

            def first(query: Select[Any], *, last: bool = False) -> str | None:
                order = results.golden_id.desc() if last else results.golden_id
                golden_id: str | None = connection.execute(query.order_by(order).limit(1)).scalar()
                return golden_id

            parts = _parts(which, dangerous)
            ids = _with_text(connection, run_key, which, scan=scan)
            lists = {
                part: _goldens_query(run_key, which, part, ids, dangerous=dangerous, scan=scan)
                for part in parts
            }
            own = (results.run_key == run_key, results.golden_id == golden_id)
            trials = select(results.outcome).where(*own)
            fitting = trials.where(*conditions(run_key, which, scan=scan))
            outcomes = set(connection.execute(fitting).scalars())
            outcomes = outcomes or set(connection.execute(trials).scalars())  # opened past the filter
            own_parts = (
                {"danger"} if golden_id in dangerous else {p for p in ORDER if OUTCOMES[p] in outcomes}
            )
            at = next((n for n, part in enumerate(parts) if part in own_parts), 0)
            here = lists[parts[at]]
            before = first(here.where(results.golden_id < golden_id), last=True)
            after = first(here.where(results.golden_id > golden_id))
            for part in reversed(parts[:at]):
                before = before if before is not None else first(lists[part], last=True)
            for part in parts[at + 1 :]:
                after = after if after is not None else first(lists[part])
        return before, after


def _parts(
    which: ResultFilter, dangerous: Sequence[str], start: ListPart | None = None
) -> tuple[ListPart, ...]:
    """The parts of the list that are left, beginning with `start`."""
    outcomes: tuple[ListPart, ...] = ORDER if which.outcome is None else (which.outcome,)
    parts: tuple[ListPart, ...] = ("danger", *outcomes) if dangerous else outcomes
    return parts[parts.index(start) :] if start in parts else parts


def _with_text(connection: Connection, run_key: int, which: ResultFilter, *, scan: bool) -> list[str] | None:
    """The goldens with the text when they are few: a search scans the goldens once, not for each part of the list."""
    if not which.text:
        return None
    criteria = conditions(run_key, ResultFilter(text=which.text), scan=scan)
    query = select(results.golden_id).distinct().where(*criteria).limit(AT_ONCE + 1)
    ids = connection.execute(query).scalars().all()
    return list(ids) if len(ids) <= AT_ONCE else None


def _goldens_query(
    run_key: int,
    which: ResultFilter,
    part: ListPart,
    ids: list[str] | None,
    dangerous: Sequence[str],
    *,
    scan: bool,
) -> Select[Any]:
    """Ids of the goldens with a matching trial of this part and, in a list of all, none of an earlier one."""
    if ids is not None:
        which = msgspec.structs.replace(which, text="")
    query = select(results.golden_id).distinct().where(*conditions(run_key, which, scan=scan))
    if ids is not None:
        query = query.where(results.golden_id.in_(ids))
    if part == "danger":
        return query.where(results.golden_id.in_(dangerous))
    query = query.where(results.outcome == OUTCOMES[part])
    if dangerous:
        query = query.where(results.golden_id.not_in(dangerous))
    if which.outcome is not None:
        return query
    other = tables.results.alias()
    # Conditions on the golden hold for all its trials.
    of_a_trial = msgspec.structs.replace(which, text="", category=None, golden_id=None)
    for earlier in ORDER[: ORDER.index(part)]:
        same = (
            other.c.run_key == run_key,
            other.c.golden_id == results.golden_id,
            other.c.outcome == OUTCOMES[earlier],
        )
        matching = conditions(run_key, of_a_trial, other.c)
        query = query.where(~select(other.c.id).where(*same, *matching).exists())
    return query
