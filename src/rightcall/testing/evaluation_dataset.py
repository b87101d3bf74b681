"""`EvaluationDataset` for users: `DatasetFiles` with the store and scoring."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightcall.api import RunResult, ascore_cases
from rightcall.datasets import case_of
from rightcall.errors import ConfigError
from rightcall.event_loop import finished
from rightcall.executor import as_trajectory
from rightcall.metrics import AnyMetric
from rightcall.model.case import AnyTestCase, ConversationalTestCase, TestCase
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.text import counted
from rightcall.model.trajectory import Trajectory
from rightcall.store import open_store, user_name
from rightcall.testing.golden_generation import GoldenGeneration

if TYPE_CHECKING:
    from rightcall.store import DatasetVersion


class EvaluationDataset(GoldenGeneration):
    """Goldens of one kind and test cases, with files, versions in the store, generation, and custom loops.

    `last_run` is the latest result of `evals_iterator`.
    """

    last_run: RunResult | None = None
    _made: dict[str, Any] | None = None
    _current: AnyGolden | None = None

    # Versions in the store

    def push(
        self,
        alias: str,
        finalized: bool = True,
        *,
        store: str | Path | None = None,
        author: str | None = None,
    ) -> DatasetVersion:
        """Store the goldens as the next version of an alias; `finalized=False` stores a draft."""
        with open_store(store) as opened:
            return opened.push_dataset(alias, self.goldens, finalized=finalized, author=author or user_name())

    def pull(
        self,
        alias: str,
        finalized: bool = True,
        auto_convert_goldens_to_test_cases: bool = False,
        *,
        version: int | None = None,
        store: str | Path | None = None,
    ) -> None:
        """Load the goldens of a version [default: the newest finalized one]."""
        with open_store(store, must_exist=True) as opened:
            found = list(opened.pull_dataset(alias, version, finalized=finalized))
        if auto_convert_goldens_to_test_cases:
            self.test_cases = map(case_of, found)
        else:
            self.goldens = found

    # A custom loop

    def evals_iterator(
        self,
        metrics: Sequence[AnyMetric] = (),
        *,
        store: str | Path | None = None,
        name: str = "evals_iterator",
    ) -> Iterator[AnyGolden]:
        """Goldens one after the other; record what your agent did with `evaluate`. All are scored at the end.

            for golden in dataset.evals_iterator(metrics=["tool_selection"]):
                dataset.evaluate(my_agent(golden.input))
            print(dataset.last_run.summary)

        Coroutines are run together at the end. For tasks use `async for … in dataset.aevals_iterator()`.
        """
        yield from self._given_out()
        if any(isinstance(made, asyncio.Future) for made in (self._made or {}).values()):
            raise ConfigError(  # a task belongs to the running loop, which this function cannot await
                "tasks cannot be awaited here; use: async for golden in dataset.aevals_iterator(…)"
            )
        finished(self._scored(metrics, store, name))

    async def aevals_iterator(
        self,
        metrics: Sequence[AnyMetric] = (),
        *,
        store: str | Path | None = None,
        name: str = "evals_iterator",
    ) -> AsyncIterator[AnyGolden]:
        """The same inside an event loop; tasks are awaited at the end."""
        for golden in self._given_out():
            yield golden
        await self._scored(metrics, store, name)

    def evaluate(self, made: Any) -> None:
        """Record what the agent did with the current golden: a trajectory, calls, messages, an answer, or a task."""
        if self._made is None or self._current is None:
            raise ConfigError("call evaluate() inside a loop over evals_iterator()")
        self._made[self._current.id] = made

    def _given_out(self) -> Iterator[AnyGolden]:
        if not self.goldens:
            raise ConfigError("the dataset has no goldens")
        self._made = {}
        for golden in self.goldens:
            self._current = golden
            yield golden
        self._current = None

    async def _scored(self, metrics: Sequence[AnyMetric], store: str | Path | None, name: str) -> None:
        made, self._made = self._made or {}, None
        silent = [golden.id for golden in self.goldens if golden.id not in made]
        if silent:
            shown = ", ".join(silent[:3]) + (", …" if len(silent) > 3 else "")
            for waiting in made.values():
                if inspect.iscoroutine(waiting):
                    waiting.close()
            raise ConfigError(
                f"dataset.evaluate() was not called for {counted(len(silent), 'golden')} ({shown});"
                " call it once per golden"
            )
        done = await asyncio.gather(*(_trajectory(made[golden.id]) for golden in self.goldens))
        cases = [_case(golden, found) for golden, found in zip(self.goldens, done, strict=True)]
        self.test_cases = cases
        self.last_run = await ascore_cases(cases, metrics, store=store, name=name)


async def _trajectory(made: Any) -> Trajectory:
    try:
        done = await made if inspect.isawaitable(made) else made
    except Exception as error:
        return Trajectory(stop_reason="agent_error", error=f"{type(error).__name__}: {error}"[:500])
    return as_trajectory(done)


def _case(golden: AnyGolden, made: Trajectory) -> AnyTestCase:
    return TestCase(golden, made) if isinstance(golden, Golden) else ConversationalTestCase(golden, made)
