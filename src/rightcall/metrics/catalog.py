"""The catalogue of metrics, generated from their docstrings."""

from __future__ import annotations

import dataclasses
import inspect
import re
from typing import Any

from rightcall.metrics.resolve import DIMENSIONS, JUDGED, metric_class, metric_names
from rightcall.model.record import Record

EXAMPLE_LABELS = ("Tools", "Golden", "Fails", "Passes")


class MetricPage(Record, frozen=True):
    """A metric for a reader. `example` holds JSON under the labels Tools, Golden, Fails and Passes."""

    name: str
    summary: str
    explanation: str
    example: dict[str, str]
    settings: dict[str, Any]
    measured: str


def metric_pages() -> list[MetricPage]:
    """The pages of all metrics: those of every case, those on request, those that ask a model."""
    return [metric_page(name) for name in (*metric_names(), *JUDGED)]


def metric_page(name: str) -> MetricPage:
    """The page of one metric, or a `ConfigError` that suggests a name."""
    metric = metric_class(name)
    summary, _, rest = inspect.cleandoc(metric.__doc__ or name).partition("\n\n")
    example = {
        label: found[1] for label in EXAMPLE_LABELS if (found := re.search(rf"^{label}: (.*)$", rest, re.M))
    }
    explanation = re.sub(rf"^({'|'.join(EXAMPLE_LABELS)}): .*$\n?", "", rest, flags=re.M).strip()
    settings: dict[str, Any] = {}
    if dataclasses.is_dataclass(metric):
        settings = {field.name: field.default for field in dataclasses.fields(metric)}
    return MetricPage(
        name=name,
        summary=summary.replace("\n", " "),
        explanation=explanation,
        example=example,
        settings=settings,
        measured="always" if name in DIMENSIONS else "by a model" if name in JUDGED else "on request",
    )
