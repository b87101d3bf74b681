"""Which tools a run confused, read off the failures of its cases."""

from __future__ import annotations

from collections import Counter

from rightcall.lint.evidence import Confusion
from rightcall.metrics.matching.expectation import pattern_text
from rightcall.model.golden import AnyGolden, Golden
from rightcall.store import Store


def confusions(store: Store, run: str) -> list[Confusion]:
    """How often one tool was called where another was expected, against the trials that expected it."""
    found = store.run(run)
    wanted_by = {golden.id: _wanted(golden) for golden in store.goldens(found.id)}
    trials: Counter[str] = Counter()
    confused: Counter[tuple[str, str]] = Counter()
    for result in store.results(found.id):
        if result.error:
            continue
        trials.update(wanted_by.get(result.golden_id, ()))
        for failure in result.codes:
            if failure.code == "wrong_tool" and isinstance(failure.actual, str):
                confused[failure.tool, failure.actual] += 1
    return [
        Confusion(wanted, called, count, max(trials[wanted], count), found.id)
        for (wanted, called), count in confused.most_common()
    ]


def queries_of(goldens: list[AnyGolden]) -> list[tuple[str, str]]:
    """What users ask, with the one tool that answers it: for judging which tools are confusable."""
    return [
        (golden.input, golden.expected_calls[0].tool)
        for golden in goldens
        if isinstance(golden, Golden)
        and len(golden.expected_calls) == 1
        and isinstance(golden.expected_calls[0].tool, str)
    ]


def _wanted(golden: AnyGolden) -> set[str]:
    return {pattern_text(call.tool) for call in golden.expected_calls}
