"""Sessions of the current hour: traces of one session count as one value, the mean of its hour."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from rightcall.store.sql.store import Store
from rightcall.store.watch import SessionHour
from rightcall.wings.monitor.drift import LATE
from rightcall.wings.monitor.week_blocks import HOUR

KIND = "hour"
MOST = 1_000
"""Maximum number of agents whose current hour is remembered; for others, the hour ends with their next trace."""


class SessionHours:
    """Collects check results of the sessions in each agent's current hour.

    They wait in the store, so that memory does not grow with their number and nothing is written twice: `save` adds
    only what is new since the last call.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._hours = {agent: int(data) for agent, data in store.traces.states(KIND).items()}
        self._new: dict[tuple[str, str, str], dict[str, list[float]]] = {}
        self._moved: set[str] = set()

    def add(self, place: tuple[str, str, str], session: str, bad: float, time: int) -> None:
        """Count a check's result on one trace; `place` is agent, version and name of the series."""
        agent, version, name = place
        held = self._new.setdefault((agent, version, session), {}).setdefault(name, [0.0, 0.0, float(time)])
        held[0] += bad
        held[1] += 1

    def begins(self, agent: str, time: int) -> bool:
        """Whether a trace of this time begins a new hour of its agent; late ones count in the current hour.

        A trace from the future must not stop the clock: one that is more than a day older sets it back.
        """
        hour = time // HOUR
        newest = self._hours.get(agent, 0)
        if newest - LATE <= hour <= newest:
            return False
        if len(self._hours) >= MOST:
            self._hours.clear()
        self._hours[agent] = hour
        self._moved.add(agent)
        return True

    def end(self, agent: str) -> Iterator[tuple[tuple[str, str, str], float, int]]:
        """The values of the agent's sessions in the order of their first traces: series, value, time."""
        self.save()
        while hours := self._store.traces.take_sessions(agent):
            for hour in hours:
                for name, (bad, count, time) in hour.values.items():
                    yield (hour.agent, hour.version, name), bad / count, int(time)

    def agents(self) -> list[str]:
        """Agents with sessions that are not counted yet."""
        self.save()
        return self._store.traces.agents_with_sessions()

    def save(self) -> None:
        """Write what is new."""
        new, self._new = self._new, {}
        self._store.traces.add_to_sessions([SessionHour(*place, values) for place, values in new.items()])
        moved = {
            agent: msgspec.json.encode(self._hours[agent]) for agent in self._moved if agent in self._hours
        }
        self._store.traces.set_states(KIND, moved)
        self._moved.clear()
