"""Statistics of a dataset, counted in one pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from rightcall.metrics.matching.expectation import pattern_text
from rightcall.model.golden import AnyGolden, Golden, counted_category, request_of
from rightcall.model.record import Record


class DatasetStatistics(Record, frozen=True):
    """Counts over goldens. `tools` counts expected calls by tool; `calls_per_golden` how many goldens expect n."""

    goldens: int
    kind: str
    categories: dict[str, int]
    calls_per_golden: dict[int, int]
    tools: dict[str, int]
    forbidden: dict[str, int]
    tags: dict[str, int]
    clusters: int
    without_expectation: int
    mean_input_characters: float


def dataset_statistics(goldens: Iterable[AnyGolden]) -> DatasetStatistics:
    """Count goldens as they are read."""
    categories: Counter[str] = Counter()
    sizes: Counter[int] = Counter()
    tools: Counter[str] = Counter()
    forbidden: Counter[str] = Counter()
    tags: Counter[str] = Counter()
    clusters: set[str] = set()
    characters = bare = total = 0
    kind = "empty"
    for golden in goldens:
        total += 1
        kind = "single turn" if isinstance(golden, Golden) else "conversations"
        characters += len(request_of(golden))
        categories[counted_category(golden)] += 1
        sizes[len(golden.expected_calls)] += 1
        tools.update(pattern_text(call.tool) for call in golden.expected_calls)
        forbidden.update(map(pattern_text, golden.forbidden_calls))
        tags.update(golden.tags)
        bare += not (golden.expected_calls or golden.forbidden_calls or golden.no_calls)
        if golden.cluster is not None:
            clusters.add(golden.cluster)
    return DatasetStatistics(
        goldens=total,
        kind=kind,
        categories=dict(categories.most_common()),
        calls_per_golden=dict(sorted(sizes.items())),
        tools=dict(tools.most_common()),
        forbidden=dict(forbidden.most_common()),
        tags=dict(tags.most_common()),
        clusters=len(clusters),
        without_expectation=bare,
        mean_input_characters=characters / total if total else 0.0,
    )
