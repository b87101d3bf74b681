"""The catalogue of metrics, generated from their docstrings."""

from __future__ import annotations

import dataclasses
import inspect
import re
from typing import Any

from rightcall.files import load_object
from rightcall.metrics.base import Metric
from rightcall.metrics.function import FunctionMetric
from rightcall.metrics.resolve import DIMENSIONS, JUDGED, metric_class, metric_names, resolve_metric
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
    """The page of one metric: a name, `module:Class` or `module:function`. Unknown ones raise a `ConfigError`."""
    metric = _loaded(name)
    described = metric.function if isinstance(metric, FunctionMetric) else metric
    summary, _, rest = _docstring(described).partition("\n\n")
    example = {
        label: found[1] for label in EXAMPLE_LABELS if (found := re.search(rf"^{label}: (.*)$", rest, re.M))
    }
    explanation = re.sub(rf"^({'|'.join(EXAMPLE_LABELS)}): .*$\n?", "", rest, flags=re.M).strip()
    return MetricPage(
        name=name,
        summary=summary.replace("\n", " "),
        explanation=explanation,
        example=example,
        settings=_settings(metric),
        measured="always" if name in DIMENSIONS else "by a model" if name in JUDGED else "on request",
    )


def _loaded(name: str) -> Metric | type[Metric]:
    """A class is not called unless settings are given: it may have required ones."""
    if ":" in name and ("(" in name or not isinstance(load_object(name, "metric"), type)):
        return resolve_metric(name)
    return metric_class(name)


def _docstring(described: Any) -> str:
    """The docstring of a metric that has its own: neither that of its base class nor the one dataclasses write."""
    kind = described if inspect.isfunction(described) or isinstance(described, type) else type(described)
    text = vars(kind).get("__doc__") or "" if isinstance(kind, type) else kind.__doc__ or ""
    written = not (dataclasses.is_dataclass(kind) and text.startswith(f"{kind.__name__}("))
    return inspect.cleandoc(text) if text and written else "(no docstring)"


def _settings(metric: Any) -> dict[str, Any]:
    """Each setting with its value: that given in parentheses, else its default."""
    if not dataclasses.is_dataclass(metric):
        return {}
    fields = [field for field in dataclasses.fields(metric) if field.name != "function"]
    if isinstance(metric, type):
        return {field.name: field.default for field in fields}
    return {field.name: getattr(metric, field.name) for field in fields}
