"""The results before and after one, in the order a list shows them."""

from __future__ import annotations

from sqlalchemy import select, tuple_

from rightcall.store.base import Key, ResultFilter
from rightcall.store.sql import tables
from rightcall.store.sql.core import Core
from rightcall.store.sql.results import conditions
from rightcall.store.sql.runs import find
from rightcall.store.sql.text import held

results = tables.results.c


class Neighbours(Core):
    """The part of the store that navigates between results."""

    def neighbours(self, run: str, which: ResultFilter, key: Key) -> tuple[Key | None, Key | None]:
        """The results before and after `key` among those that match; None at either end."""
        place, here = tuple_(results.golden_id, results.trial), tuple_(held(key[0]), key[1])
        with self.reading() as connection:
            wanted = conditions(find(connection, run).key, which)
            query = select(results.golden_id, results.trial).where(*wanted).limit(1)
            down, up = (results.golden_id.desc(), results.trial.desc()), (results.golden_id, results.trial)
            before = connection.execute(query.where(place < here).order_by(*down)).first()
            after = connection.execute(query.where(place > here).order_by(*up)).first()
        return (before[0], before[1]) if before else None, (after[0], after[1]) if after else None
