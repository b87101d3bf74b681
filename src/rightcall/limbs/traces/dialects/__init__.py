"""The formats of instrumentations for tools, answers and agents. Pure functions from a span to an observation.

    genai          OpenTelemetry's GenAI conventions, with the events of older versions
    traceloop      OpenLLMetry: its own kinds, numbered names (also under genai names)
    openinference  Phoenix and Arize
    langfuse       `langfuse.observation.*`
    mlflow         `mlflow.spanType` and its inputs and outputs
    laminar        `lmnr.span.*`
    langsmith      runs of LangSmith and LangChain
    vercel         the AI SDK's `ai.*`

Each has `claims(span)` and `observe(span)`. To add one: a file with these two, and a line in `DIALECTS`, before those
whose names it also uses; or a module with these two, as an entry point of `rightcall.dialects`.

    common  shared by the dialects
"""

from __future__ import annotations

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
