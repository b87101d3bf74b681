"""Trials that are asked for while a run is in progress, by whoever decides which come next and when they are enough."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from rightcall.agents.session import Session
from rightcall.decide.check_rule import CheckWord
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult, Run
from rightcall.run.backend import Batch, Cell, InProcess, RunWork, Take
from rightcall.store.base import Key
from rightcall.store.sql.store import Store


class RunDecision(NamedTuple):
    """The word and the sentence of a verdict."""

    word: CheckWord
    sentence: str


class Decider(Protocol):
    """Decides which trials of a run take place. `goldens` are those it may ask for, `most_trials` how many at most."""

    goldens: Sequence[AnyGolden]
    most_trials: int

    def identify(self, run: Run) -> Run:
        """The run that begins, with what names its question in the store."""
        ...

    def find_interrupted(self, store: Store, run: Run) -> str | None:
        """The id of a stored run of the same question that was interrupted."""
        ...

    async def decide(self, trials: DecidedTrials) -> RunDecision: ...


class DecidedTrials(InProcess):
    """Runs the trials that a decider asks for, instead of all of the plan.

    A trial without an answer is tried once more before it is stored, unless the first may have acted. `spent` counts
    what was asked for, `answered` are results from before an interruption, which are not asked for again.
    """

    def __init__(self, session: Session, decider: Decider) -> None:
        super().__init__(session)
        self.decider = decider
        self._cells = asyncio.Queue[Cell | None]()
        self._asked: dict[Key, tuple[Cell, asyncio.Future[CaseResult]]] = {}
        self._retried: set[Key] = set()
        self.answered: Mapping[Key, CaseResult] = {}
        self.spent = 0
        self.decision = RunDecision("INCONCLUSIVE", "")

    async def ask(self, cells: Sequence[Cell]) -> list[CaseResult]:
        """Results in the order of the cells, each handed to the store."""
        self.spent += len(cells)
        return list(await asyncio.gather(*map(self._result, cells)))

    def _result(self, cell: Cell) -> asyncio.Future[CaseResult]:
        key = cell[0].id, cell[1]
        if key in self._asked:
            return self._asked[key][1]
        result = asyncio.get_running_loop().create_future()
        if (stored := self.answered.get(key)) is not None:
            result.set_result(stored)
        else:
            self._asked[key] = cell, result
            self._cells.put_nowait(cell)
        return result

    async def run(self, work: RunWork, jobs: Iterator[Cell], take: Take) -> None:
        async def answer(batch: Batch) -> None:
            (result,) = batch.results
            key = result.golden_id, result.trial
            cell, asked = self._asked[key]
            if result.error and not self._session.acts and key not in self._retried:
                self._retried.add(key)
                self.spent += 1
                self._cells.put_nowait(cell)
                return
            await take(batch)
            del self._asked[key]
            asked.set_result(result)

        deciding = asyncio.create_task(self._decide())
        try:
            await self._run_cells(work, self._cells_to_run(), answer)
            self.decision = await deciding
        finally:
            deciding.cancel()
            await asyncio.wait([deciding])

    async def _decide(self) -> RunDecision:
        try:
            return await self.decider.decide(self)
        finally:
            self._cells.put_nowait(None)

    async def _cells_to_run(self) -> AsyncIterator[Cell]:
        while (cell := await self._cells.get()) is not None:
            yield cell
