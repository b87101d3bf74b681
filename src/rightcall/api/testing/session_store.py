"""Stores test results: one run per test function, from any process."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from rightcall.core.digest import hex_digest
from rightcall.core.errors import InputError, StoreError
from rightcall.metrics.tally import Tally
from rightcall.records.golden import AnyGolden
from rightcall.records.run import CaseResult
from rightcall.run.plan import Plan
from rightcall.run.preparation import Prepared
from rightcall.store.address import Persistence, open_store, store_address
from rightcall.store.sql.run_writer import RunWriter
from rightcall.store.sql.store import Store


class SessionStore:
    """Writes results of a test session. Workers that share a session's id share its runs."""

    def __init__(self, session: str, store: str | None) -> None:
        self.session = session
        self._address = store
        self._store: Store | None = None
        self._writers: dict[str, RunWriter] = {}
        self._persist = Persistence()

    def run_id(self, plan: Plan) -> str:
        """The same in every process that tests this function with this agent."""
        digest = hex_digest(f"{plan.name}\0{plan.agent.name}")
        return f"{self.session}-{digest[:4]}"

    def keep(
        self,
        prepared: Prepared,
        goldens: Sequence[AnyGolden],
        results: Sequence[CaseResult],
        *,
        again: bool = False,
    ) -> str:
        """Store the results of a plan on these goldens; returns the id of their run.

        Results that came `again` replace those without an answer.
        """
        run_id = self.run_id(prepared.plan)
        if run_id not in self._writers:
            self._writers[run_id] = self._persist(lambda: self._begin(prepared, goldens, run_id))
        if again:
            repeated = {result.golden_id for result in results}
            self._persist(lambda: self._writers[run_id].drop_errors(repeated))
        self._persist(lambda: self._writers[run_id].add(results))
        return run_id

    def finish(self, run_id: str, word: str, trials: int) -> None:
        """Write the summary and verdict of a run with `trials` results.

        Tests decide for themselves which goldens they check with which agent, so a run is complete when every trial
        that a test received is stored. Otherwise a `StoreError` says what is missing.
        """
        store = self._open()
        if store.runs.get(run_id).finished:
            return
        tally = Tally().add_all(store.runs.results(run_id))
        stored = tally.decided + tally.errors + tally.unchecked
        if stored < trials:
            raise StoreError(
                f"run {run_id}: {stored:,} of {trials:,} results are stored, so it cannot be finished",
                retryable=False,
            )
        self._persist(lambda: store.runs.finish(run_id, tally.summary(), word, early=True))

    def close(self) -> None:
        if self._store is not None:
            self._store.close()

    @property
    def display_address(self) -> str:
        return store_address(self._address).shown

    def _begin(self, prepared: Prepared, goldens: Sequence[AnyGolden], run_id: str) -> RunWriter:
        store = self._open()
        plan = prepared.plan
        run = prepared.new_run()
        whole = plan.fingerprints(prepared.definitions)  # of all goldens, not only of those run so far
        run = msgspec.structs.replace(run, id=run_id, fingerprints={**run.fingerprints, **whole})
        try:
            writer = store.runs.begin(run, planned=len(goldens) * plan.trials, documents=prepared.documents)
        except InputError:  # another worker was first, or this is the second attempt
            writer = store.runs.join(run_id)
        writer.add_goldens(goldens)
        return writer

    def _open(self) -> Store:
        if self._store is None:
            self._store = open_store(self._address)
        return self._store
