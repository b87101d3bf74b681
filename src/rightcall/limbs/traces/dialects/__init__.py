"""The formats of instrumentations for tools, answers and agents: functions from a span to an observation.

    genai          OpenTelemetry's GenAI conventions, with the events of older versions
    traceloop      OpenLLMetry: its own kinds, numbered names (also under genai names)
    openinference  Phoenix and Arize
    langfuse       `langfuse.observation.*`
    mlflow         `mlflow.spanType` and its inputs and outputs
    laminar        `lmnr.span.*`
    langsmith      runs of LangSmith and LangChain
    vercel         the AI SDK's `ai.*`

Each has `claims(span)` and `observe(span)`. To add one: a file with these two, and a line in `DIALECTS`, before those
whose names it also uses; or a module with these two, as an entry point of `rightcall.dialects`. Tools that export in
another format have `claims_record(record)` and `spans(record, problems, where)` too, and a line in `EXPORTS`.
Inspect AI's logs have whole transcripts and are read by `inspect_log`.

    common  attribute names of the GenAI conventions, and what dialects share
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import Any

from rightcall.core.seam import load_plugins
from rightcall.limbs.traces.dialects import (
    genai,
    laminar,
    langfuse,
    langsmith,
    mlflow,
    openinference,
    traceloop,
    vercel,
)
from rightcall.limbs.traces.dialects.common import blank
from rightcall.limbs.traces.otlp import Item, json_items
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.span import Observation, Span

DIALECTS: dict[str, ModuleType] = {
    "mlflow": mlflow,
    "langfuse": langfuse,
    "openinference": openinference,
    "langsmith": langsmith,
    "vercel": vercel,
    "laminar": laminar,
    "traceloop": traceloop,
    "genai": genai,
}


@cache
def all_dialects() -> tuple[Any, ...]:
    """Those of installed packages first: whoever installs one knows more about these spans."""
    return (*load_plugins("dialects", DIALECTS).values(), *DIALECTS.values())


def observe(span: Span) -> Observation:
    """The span as read by its dialect; `other` when no dialect claims it."""
    other: Observation | None = None
    for dialect in all_dialects():
        if dialect.claims(span):
            observation: Observation = dialect.observe(span)
            if observation.kind != "other":
                return observation
            other = other or observation
    return other or blank(span, "")


EXPORTS: dict[str, ModuleType] = {
    "mlflow": mlflow,
    "langsmith": langsmith,
    "langfuse": langfuse,
    "openinference": openinference,
}
OTLP_KEYS = ("resourceSpans", "resource_spans", "resourceLogs", "resource_logs")
LISTS = ("data", "traces", "runs", "observations", "spans", "items", "results")
KNOWN = (
    "OTLP JSON or protobuf, MLflow, LangSmith, Langfuse, Phoenix, Inspect AI, Claude Code, Codex, Gemini CLI"
)


def kind_of(record: Any) -> str:
    """Which export a record comes from, by its contents; empty when unknown."""
    if not isinstance(record, dict):
        return ""
    if any(key in record for key in OTLP_KEYS):
        return "otlp"
    return next((name for name, module in EXPORTS.items() if module.claims_record(record)), "")


def items_of(record: Any, kind: str, problems: Problems, where: str) -> Iterator[Item]:
    """Spans and events of one record of a known kind."""
    if kind == "otlp":
        yield from json_items(record, problems, where)
    else:
        yield from EXPORTS[kind].spans(record, problems, where)


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
