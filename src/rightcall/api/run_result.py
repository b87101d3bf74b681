"""A finished run in Python and in notebooks: summary, verdict, and results read from the store when needed."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, overload

import msgspec

from rightcall.api.run_display import in_notebook
from rightcall.core.seam import load
from rightcall.decide.verdict import Verdict
from rightcall.records.run import CaseResult, Summary

if TYPE_CHECKING:
    from rightcall.datasets.review import ExpectedDrafts
    from rightcall.decide.safety_numbers import SafetyNumbers
    from rightcall.run.judged_estimate import NoJudgedRate
    from rightcall.run.preparation import PlanWarning
    from rightcall.show.screen import Screen
    from rightcall.show.view.case import CaseView
    from rightcall.show.whole_run import RunMatrix
    from rightcall.stats.judged_rate import JudgedRate
    from rightcall.store.sql.store import Store


MOST_ROWS = 20
"""Rows of a table in a notebook; a data frame has all of them."""


class ResultSequence(Sequence[CaseResult]):
    """The results of a run, ordered by golden and trial and read from the store when they are needed.

    Index by position (`results[0]`, `results[-1]`), or by golden and trial (`results["hanoi"]`, `results["hanoi", 2]`).
    """

    def __init__(self, store: Store, run: str) -> None:
        self._store = store
        self._run = run

    def __len__(self) -> int:
        return self._store.runs.count(self._run)

    def __iter__(self) -> Iterator[CaseResult]:
        return self._store.runs.results(self._run, trajectories=True)

    @overload
    def __getitem__(self, at: int | str | tuple[str, int]) -> CaseResult: ...
    @overload
    def __getitem__(self, at: slice) -> list[CaseResult]: ...

    def __getitem__(self, at: int | str | tuple[str, int] | slice) -> CaseResult | list[CaseResult]:
        if isinstance(at, slice):
            return self._read(self._keys[at])
        if isinstance(at, int):
            return self._read([self._keys[at]])[0]
        golden_id, trial = (at, 0) if isinstance(at, str) else at
        if results := self._read([(golden_id, trial)]):
            return results[0]
        raise KeyError(f"run {self._run}: has no result for golden '{golden_id}', trial {trial}")

    def _read(self, keys: Sequence[tuple[str, int]]) -> list[CaseResult]:
        results = self._store.runs.results_of(self._run, keys, trajectories=True)
        return [results[key] for key in keys if key in results]

    def __repr__(self) -> str:
        return f"<{len(self):,} results of run {self._run}>"

    def _repr_html_(self) -> str:
        from rightcall.show.notebook import results_html
        from rightcall.show.view.failures import case_names

        return results_html(self[:MOST_ROWS], len(self), case_names(self._store, self._run))

    @cached_property
    def _keys(self) -> list[tuple[str, int]]:
        return sorted(self._store.runs.result_keys(self._run))


@dataclass(frozen=True, repr=False)
class RunResult:
    """A finished run: its id in the store, the summary and the verdict.

    `results` reads the cases from the store, in a fixed order. A notebook shows it as a table, `to_pandas()`
    makes a row per result.
    """

    id: str
    summary: Summary
    verdict: Verdict
    store: Store

    @property
    def results(self) -> ResultSequence:
        """The results, read when they are needed: a sequence that can be indexed by position or golden."""
        return ResultSequence(self.store, self.id)

    def case(self, golden_id: str, trial: int | None = None) -> ShownCase:
        """One case for a notebook: calls next to expected ones, the transcript, scores.

        Without a trial, the first that did not pass, or else the first.
        """

        return shown_case(self.store, self.id, golden_id, trial)

    @property
    def safety(self) -> SafetyNumbers | None:
        """What attacks did, with every rate and its interval; None for a run without attempts."""
        from rightcall.run.attacks import attack_numbers

        return attack_numbers(self.store, self.id)

    @property
    def passed(self) -> bool:
        """Whether the verdict is PASS."""
        return self.verdict.word == "PASS"

    def expected_drafts(self) -> ExpectedDrafts:
        """Drafts that propose expected calls for goldens that state no check, from what most trials did.

        Review them before they decide anything: `rightcall generate expected` and `generate review` do the same.
        """
        drafts: ExpectedDrafts = load("services", "expected_drafts")(self.store, self.id)
        return drafts

    def judged(self, metric: str = "") -> JudgedRate | NoJudgedRate:
        """The rate that people would give by a judged metric, from their labels and the judge's verdicts.

        Without enough labels the result is false and its `reason` says why.
        """
        from rightcall.run.judged_estimate import run_judged_rate

        return run_judged_rate(self.store, self.id, metric)

    def to_pandas(self) -> Any:
        """A pandas data frame with a row per result, and a column per metric."""
        from rightcall.show.notebook import result_columns

        try:
            pandas = import_module("pandas")
        except ImportError:
            raise ImportError("to_pandas() needs pandas: pip install pandas") from None
        return pandas.DataFrame(result_columns(self.store.runs.results(self.id, trajectories=True)))

    def show(self, case: str = "", *, width: int | None = None) -> None:
        """Print the run in full, as `rightcall runs show` does; with the id of a golden, one case."""
        from rightcall.show.screen import Screen

        out = Screen(width=width)
        if not case:
            from rightcall.show.whole_run import show_run

            show_run(out, self.store, self.store.runs.get(self.id), kinds=MOST_ROWS)
            return
        from rightcall.show.case_screen import show_case

        show_case(out, self.store, self.store.runs.get(self.id), case)

    def matrix(self) -> RunMatrix:
        """Which case passed which metric: printed, a row for each case and a column for each metric."""
        from rightcall.show.whole_run import run_matrix

        return run_matrix(self.store, self.id)

    def require(self) -> None:
        """Raise an `AssertionError` with the screen of the run unless it passed."""
        if not self.passed:
            raise AssertionError(f"\n{self.screen()}")

    def screen(self, *, every: bool = False) -> str:
        """What `rightcall run` prints of the run, without colours; `every` names each golden that did not pass."""
        from rightcall.show.screen import screen_text

        return screen_text(partial(print_result, self, every=every))

    def __str__(self) -> str:
        return self.verdict.sentence

    def __repr__(self) -> str:
        return f"<RunResult {self.id}: {self.verdict.sentence}>"

    def _repr_html_(self) -> str:
        from rightcall.show.notebook import run_html
        from rightcall.show.view.grouped_trials import failed_goldens

        failed, more = failed_goldens(self.store, self.id, MOST_ROWS)
        return run_html(
            self.id, self.verdict.word, self.verdict.reason, self.summary, failed=failed, more=more
        )


def print_result(run: RunResult, out: Screen, *, every: bool = False) -> None:
    """Print the screen of a run, as the command line does, without commands to type next."""
    from rightcall.show.run_screen import print_failed
    from rightcall.show.safety import print_finished

    print_finished(out, run.store, run.id, run.summary, verdict=run.verdict)
    if every:
        print_failed(out, run.store, run.id)


def announce(run: RunResult, *, quiet: bool | None) -> None:
    """Print a run once, where somebody reads what is printed: not in a notebook, which shows the value, nor in tests.

    With `CI=true` each golden that did not pass has a line.
    """
    silent = in_notebook() or "PYTEST_CURRENT_TEST" in os.environ if quiet is None else quiet
    if not silent:
        from rightcall.show.screen import Screen

        print_result(run, Screen(), every=os.environ.get("CI") == "true")


def warn_of_mode(warning: PlanWarning) -> None:
    """Warn about a mode that can never satisfy a golden, or a tool that differs from its approved definition.

    A gate's verdict reports its own limits.
    """
    if warning.about in ("mode", "lock"):
        warnings.warn(warning.text, stacklevel=2)


class ShownCase(msgspec.Struct, frozen=True):
    """A trial of a golden: `result` as stored, and `view`, what is shown of it."""

    result: CaseResult
    view: CaseView

    def __repr__(self) -> str:
        return repr(self.result)

    def _repr_html_(self) -> str:
        from rightcall.show.notebook import case_html

        return case_html(self.view)


def shown_case(store: Store, run: str, golden_id: str, trial: int | None) -> ShownCase:
    """A case of a stored run; without a trial, the first that did not pass, or else the first."""
    from rightcall.show.view.case import case_view

    stored = store.runs.case(run, golden_id)
    result = stored.trial(trial)
    return ShownCase(result, case_view(stored.golden, result, store.tools_of(store.runs.get(run))))
