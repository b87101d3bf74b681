"""An analysis as `rc.analyze` returns it: with a view in notebooks."""

from __future__ import annotations

from rightcall.improve.findings import Analysis


class RunAnalysis(Analysis, frozen=True):
    """Why a run fails; a notebook shows the findings as a table."""

    def _repr_html_(self) -> str:
        from rightcall.show.notebook import analysis_html

        return analysis_html(self)
