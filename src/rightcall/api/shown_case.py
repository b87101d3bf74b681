"""One case of a run in a notebook: its calls, transcript and scores, drawn as on the dashboard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rightcall.core.errors import InputError
from rightcall.model.run import CaseResult

if TYPE_CHECKING:
    from rightcall.show.view.case import CaseView
    from rightcall.store.sql.store import Store


@dataclass(frozen=True)
class ShownCase:
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
    from rightcall.show.view.run_tools import tools_of

    stored = store.runs.case(run, golden_id)
    trials = {result.trial: result for result in stored.results}
    worst = next((result.trial for result in stored.results if not result.passed), min(trials, default=0))
    number = worst if trial is None else trial
    if number not in trials:
        raise InputError(f"case {golden_id}", f"has no trial {number}", f"it has {len(trials)}")
    return ShownCase(
        trials[number], case_view(stored.golden, trials[number], tools_of(store, store.runs.get(run)))
    )
