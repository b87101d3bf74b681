"""Results of tools that differ from the baseline's, for the same call in the same golden."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rightcall.core.text import pluralize
from rightcall.model.run import CaseResult
from rightcall.run.baseline_file import BaselineLine
from rightcall.run.result_marks import mark_excerpts, result_marks, tool_of


def result_notes(
    goldens: Mapping[str, BaselineLine], results: Mapping[str, Sequence[CaseResult]]
) -> Iterator[str]:
    """A note on each tool, with a result before and now. What varied in the baseline is not compared."""
    compared, different = Counter[str](), Counter[str]()
    examples: dict[str, str] = {}
    for golden, mark, key, before in _pairs(goldens, results):
        tool = tool_of(key)
        compared[tool] += 1
        if mark != before:
            different[tool] += 1
            earlier, now = mark_excerpts(before, mark)
            examples.setdefault(tool, f"{earlier} in the baseline, {now} now ({golden})")
    for tool, times in different.most_common():
        calls = pluralize(compared[tool], "call")
        yield f"the result of {tool} differs in {times:,} of {calls}: {examples[tool]}"


def _pairs(
    goldens: Mapping[str, BaselineLine], results: Mapping[str, Sequence[CaseResult]]
) -> Iterator[tuple[str, str, str, str]]:
    """Golden, mark now, key and mark before of each call that both versions made."""
    for golden, trials in sorted(results.items()):
        before = goldens[golden].results if golden in goldens else {}
        for trajectory in (trial.trajectory for trial in trials if before and trial.trajectory is not None):
            for key, mark in result_marks(trajectory.calls).items():
                if before.get(key):
                    yield golden, mark, key, before[key]
