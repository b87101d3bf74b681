"""DeepEval's goldens and datasets: files, versions in the store and custom loops."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightcall.agents.callable_agent import as_trajectory
from rightcall.core.errors import ConfigError
from rightcall.core.event_loop import run_blocking
from rightcall.core.text import first_names, pluralize
from rightcall.datasets.dataset import DatasetFiles
from rightcall.deepeval.evaluate.test_cases import aevaluate
from rightcall.deepeval.evaluate.test_result import EvaluationResult
from rightcall.deepeval.names import refuse_name
from rightcall.metrics.base import AnyMetric
from rightcall.records.case import AnyTestCase, ConversationalTestCase, TestCase, case_of
from rightcall.records.expected_call import Expectations
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden
from rightcall.records.trajectory import Trajectory
from rightcall.store.address import open_store
from rightcall.store.base import user_name

if TYPE_CHECKING:
    from rightcall.store.base import DatasetVersion


__all__ = ["ConversationalGolden", "EvaluationDataset", "Expectations", "Golden", "Persona"]


class GoldenPersona(dict[str, Any]):
    """Who the user of a conversation is: a mapping, as a golden stores it, that can be read by attribute too."""

    def __init__(
        self, characteristics: str, name: str | None = None, metadata: dict[str, Any] | None = None
    ) -> None:
        fields = {"characteristics": characteristics, "name": name, "metadata": metadata}
        super().__init__({field: value for field, value in fields.items() if value is not None})

    def __getattr__(self, field: str) -> Any:
        if field in ("characteristics", "name", "metadata"):
            return self.get(field)
        raise AttributeError(field)


Persona = GoldenPersona


class EvaluationDataset(DatasetFiles):
    """Goldens of one kind and test cases, with files, versions in the store, and custom loops.

    `last_run` is the latest result of `evals_iterator`.
    """

    last_run: EvaluationResult | None = None
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
            return opened.datasets.push(
                alias, self.goldens, finalized=finalized, author=author or user_name()
            )

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
            goldens = list(opened.datasets.pull(alias, version, finalized=finalized))
        if auto_convert_goldens_to_test_cases:
            self.test_cases = map(case_of, goldens)
        else:
            self.goldens = goldens

    # A custom loop

    def evals_iterator(
        self,
        metrics: Sequence[AnyMetric] | None = None,
        hyperparameters: Mapping[str, Any] | None = None,
        identifier: str | None = None,
        *,
        store: str | Path | None = None,
        name: str = "evals_iterator",
        **deepeval: Any,
    ) -> Iterator[AnyGolden]:
        """Goldens one after the other; record what your agent did with `evaluate` or `add_test_case`.

            for golden in dataset.evals_iterator(metrics=["tool_selection"]):
                dataset.evaluate(my_agent(golden.input))
            print(dataset.last_run.summary)

        All are scored at the end: what `evaluate` got against the golden, a test case by what it says itself.
        Coroutines are run together at the end. For tasks use `async for … in dataset.aevals_iterator()`. DeepEval's
        configurations have no effect but `async_config.max_concurrent`; `identifier` is the `name` of the run.
        """
        options = _options(hyperparameters, identifier or name, deepeval)
        yield from self._iterate()
        if any(isinstance(answer, asyncio.Future) for answer in (self._made or {}).values()):
            raise ConfigError(  # a task belongs to the running loop, which this function cannot await
                "tasks cannot be awaited here; use: async for golden in dataset.aevals_iterator(…)"
            )
        run_blocking(self._score(metrics or (), store, options))

    async def aevals_iterator(
        self,
        metrics: Sequence[AnyMetric] | None = None,
        hyperparameters: Mapping[str, Any] | None = None,
        identifier: str | None = None,
        *,
        store: str | Path | None = None,
        name: str = "evals_iterator",
        **deepeval: Any,
    ) -> AsyncIterator[AnyGolden]:
        """The same inside an event loop; tasks are awaited at the end."""
        options = _options(hyperparameters, identifier or name, deepeval)
        for golden in self._iterate():
            yield golden
        await self._score(metrics or (), store, options)

    def evaluate(self, made: Any) -> None:
        """Record what the agent did with the current golden: a trajectory, calls, messages, an answer, or a task."""
        if self._made is None or self._current is None:
            raise ConfigError("call evaluate() inside a loop over evals_iterator()")
        self._made[self._current.id] = made

    def add_test_case(self, test_case: AnyTestCase) -> None:
        """Add a test case; inside a loop over `evals_iterator` it is what the agent did with the current golden."""
        super().add_test_case(test_case)
        if self._made is not None and self._current is not None:
            self._made[self._current.id] = test_case

    def _iterate(self) -> Iterator[AnyGolden]:
        if not self.goldens:
            raise ConfigError("the dataset has no goldens")
        self._made = {}
        try:
            for golden in self.goldens:
                self._current = golden
                yield golden
        finally:
            self._current = None  # also when the loop is left early: later test cases belong to no golden

    async def _score(
        self, metrics: Sequence[AnyMetric], store: str | Path | None, options: Mapping[str, Any]
    ) -> None:
        answers = self._made or {}
        self._made = None
        silent = [golden.id for golden in self.goldens if golden.id not in answers]
        if silent:
            shown = first_names(silent, 3)
            for waiting in answers.values():
                if inspect.iscoroutine(waiting):
                    waiting.close()
            raise ConfigError(
                f"neither dataset.evaluate() nor add_test_case() was called for {pluralize(len(silent), 'golden')} "
                f"({shown}); call one of them once per golden"
            )
        cases = await asyncio.gather(*(_case(golden, answers[golden.id]) for golden in self.goldens))
        self.test_cases = cases
        self.last_run = await aevaluate(cases, metrics, store=store, **options)


async def _trajectory(answer: Any) -> Trajectory:
    try:
        done = await answer if inspect.isawaitable(answer) else answer
    except Exception as error:
        return Trajectory(stop_reason="agent_error", error=f"{type(error).__name__}: {error}"[:500])
    return as_trajectory(done)


async def _case(golden: AnyGolden, answer: Any) -> AnyTestCase:
    """The test case that was added, or that of the golden and what the agent did."""
    if isinstance(answer, TestCase | ConversationalTestCase):
        return answer
    done = await _trajectory(answer)
    return TestCase(golden, done) if isinstance(golden, Golden) else ConversationalTestCase(golden, done)


def _options(
    hyperparameters: Mapping[str, Any] | None, name: str, deepeval: Mapping[str, Any]
) -> dict[str, Any]:
    """The arguments of `evaluate` from those of DeepEval's iterator; a `TypeError` for an unknown one."""
    for word in deepeval.keys() - {"async_config", "display_config", "cache_config", "error_config"}:
        raise TypeError(f"evals_iterator() got an unexpected argument '{word}'")
    return {
        "hyperparameters": hyperparameters,
        "identifier": name,
        "async_config": deepeval.get("async_config"),
    }


__getattr__ = refuse_name
