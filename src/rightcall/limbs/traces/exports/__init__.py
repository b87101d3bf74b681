"""Exports of other tools, as spans: one file per tool, each with `claims(record)` and `spans(record, problems, where)`.

    mlflow      Trace.to_json, one or many        langsmith   runs, flat or nested
    langfuse    rows of observations, traces      console     Phoenix, and the OpenTelemetry SDK's own JSON

Inspect AI's logs have whole transcripts and are read by `inspect_log`. To add one: a file with these two functions and
a line in `EXPORTS`, or a module with these two, as an entry point of `rightcall.exports`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

from rightcall.core.seam import load_plugins
from rightcall.limbs.traces.exports import console, langfuse, langsmith, mlflow
from rightcall.limbs.traces.otlp import Item, json_items
from rightcall.limbs.traces.problems import Problems

EXPORTS: dict[str, ModuleType] = {
    "mlflow": mlflow,
    "langsmith": langsmith,
    "langfuse": langfuse,
    "console": console,
}
OTLP_KEYS = ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs")
LISTS = ("data", "traces", "runs", "observations", "spans", "items", "results")
KNOWN = "OTLP JSON or protobuf, MLflow, LangSmith, Langfuse, Phoenix, Inspect AI"


@cache
def all_exports() -> dict[str, Any]:
    """The exports that are read, those of installed packages last."""
    return EXPORTS | load_plugins("exports", EXPORTS)


def kind_of(record: Any) -> str:
    """Which export a record comes from, by its contents; empty when unknown."""
    if not isinstance(record, dict):
        return ""
    if any(key in record for key in OTLP_KEYS):
        return "otlp"
    return next((name for name, module in all_exports().items() if module.claims(record)), "")


def items_of(record: Any, kind: str, problems: Problems, where: str) -> Iterator[Item]:
    """Spans and events of one record of a known kind."""
    if kind == "otlp":
        yield from json_items(record, problems, where)
    else:
        yield from all_exports()[kind].spans(record, problems, where)


def records_in(document: Any) -> Iterator[Any]:
    """The records of a document: itself, the members of a list, or of the list that it wraps."""
    if isinstance(document, list):
        for item in document:
            yield from records_in(item) if isinstance(item, list) else (item,)
    elif isinstance(document, dict) and not kind_of(document):
        held = next((document[key] for key in LISTS if isinstance(document.get(key), list)), None)
        yield from held if held is not None else (document,)
    else:
        yield document
