"""Datasets: load goldens, and check them before a run."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightcall.api.tool_lint import definitions_given
from rightcall.records.golden import AnyGolden, with_id

if TYPE_CHECKING:
    from rightcall.run.golden_check import DatasetFinding


def load_dataset(path: str | Path) -> list[AnyGolden]:
    """All goldens of a file, in memory. `rightcall.datasets.goldens.load_goldens` reads them one at a time."""
    from rightcall.datasets.goldens import load_goldens

    return list(load_goldens(path))


def check_dataset(
    dataset: str | Path | Iterable[AnyGolden], *, tools: str | Path | Iterable[Any] = ()
) -> list[DatasetFinding]:
    """Problems that would make a run on these goldens worthless: unknown tools, invalid arguments, contradictions.

    `tools` are the tools of the goldens, or their file; without them arguments are not checked against schemas.
    """
    from rightcall.run.golden_check import check_goldens
    from rightcall.tools.definitions.source import load_tools

    offered = load_tools(tools) if isinstance(tools, str | Path) else definitions_given(tools)
    return list(check_goldens(_with_places(dataset), {tool.name: tool for tool in offered}))


def _with_places(dataset: str | Path | Iterable[AnyGolden]) -> Iterator[tuple[str, AnyGolden]]:
    from rightcall.datasets.goldens import numbered_goldens

    if isinstance(dataset, str | Path):
        for line, golden in numbered_goldens(dataset, strict_lines=sys.maxsize):
            yield f"{dataset}:{line}", golden
    else:
        yield from ((f"golden '{golden.id}'", golden) for golden in map(with_id, dataset))
