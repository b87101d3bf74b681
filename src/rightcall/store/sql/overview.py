"""An overview: the suites, groups and agents of all runs."""

from __future__ import annotations

from sqlalchemy import func, select

from rightcall.store.base import SuiteOverview
from rightcall.store.sql import tables
from rightcall.store.sql.core import Core

runs = tables.runs.c


class Overview(Core):
    """The part of the store that lists suites, groups and agents."""

    def suites(self, limit: int = 100) -> list[SuiteOverview]:
        """Every suite that has runs, the one that ran last first."""
        last = func.max(runs.started_at).label("last")
        query = select(runs.name, func.count().label("found"), last).group_by(runs.name)
        with self.reading() as connection:
            rows = connection.execute(query.order_by(last.desc(), runs.name).limit(limit))
            return [SuiteOverview(row.name, row.found, row.last) for row in rows]

    def agents(self, limit: int = 100) -> list[str]:
        """Every agent that has runs, by name."""
        with self.reading() as connection:
            query = select(runs.agent).where(runs.agent != "").distinct().order_by(runs.agent).limit(limit)
            return list(connection.execute(query).scalars())

    def groups(self, limit: int = 100) -> list[str]:
        """Every group that has runs, by name."""
        with self.reading() as connection:
            query = select(runs.group_name).where(runs.group_name != "").distinct()
            return list(connection.execute(query.order_by(runs.group_name).limit(limit)).scalars())
