"""What `dataset check` finds that needs no run: goldens that cannot be met, demand defaults, contradict each other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from typing import Literal

from rightcall.improve.doubt import Band
from rightcall.improve.golden_doubts import Doubter
from rightcall.metrics.score_case import Scorer
from rightcall.model.golden import AnyGolden
from rightcall.model.tool import Tool
from rightcall.run.golden_check import DatasetFinding
from rightcall.run.rehearsal.trial import Trial

SEVERITIES: dict[Band, Literal["error", "warning"]] = {
    "certain": "error",
    "likely": "warning",
    "look": "warning",
}
MOST_EXAMINED = 100_000
"""Goldens that are examined; larger datasets are checked for mistakes only."""


class DatasetDoubts:
    """Examines goldens as they are read; `findings` has the doubts. What the schema refuses is found elsewhere."""

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._doubter = Doubter(Trial(Scorer(), tools))

    def watch(self, goldens: Iterator[tuple[str, AnyGolden]]) -> Iterator[tuple[str, AnyGolden]]:
        """The same goldens, examined as they pass."""
        with asyncio.Runner() as loop:
            for where, golden in goldens:
                if self._doubter.examined < MOST_EXAMINED:
                    loop.run(self._doubter.examine(where, golden))
                yield where, golden

    def findings(self) -> Iterator[DatasetFinding]:
        """The doubts about all goldens that were read, the most certain first."""
        for doubt in self._doubter.doubts():
            if doubt.code != "against_schema":
                change = " and ".join(edit.path for edit in doubt.change)
                hint = f"a change of {change} would accept it" if change else ""
                yield DatasetFinding(
                    doubt.where, doubt.golden_id, SEVERITIES[doubt.band], doubt.code, doubt.sentence, hint
                )
