"""The setting to change when a trace lacks content, by instrumentation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rightcall.core.text import pluralize
from rightcall.wings.traces.span import Span

SETTINGS: tuple[tuple[str, str], ...] = (
    (
        "gcp.vertex.agent",
        "set OTEL_SEMCONV_STABILITY_OPT_IN=gen_ai_latest_experimental and "
        "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY (the old value 'true' sends it to logs only)",
    ),
    (
        "opentelemetry.instrumentation.openai_v2",
        "set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY",
    ),
    ("openinference", "unset OPENINFERENCE_HIDE_INPUTS and OPENINFERENCE_HIDE_OUTPUTS"),
    (  # a scope that OpenTelemetry and OpenLLMetry both use
        "opentelemetry.instrumentation",
        "set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY, or with OpenLLMetry "
        "TRACELOOP_TRACE_CONTENT=true",
    ),
    ("traceloop", "set TRACELOOP_TRACE_CONTENT=true"),
    ("pydantic-ai", "use InstrumentationSettings(include_content=True)"),
    ("langfuse", "export the field groups io and tools"),
    ("agent_framework", "set ENABLE_SENSITIVE_DATA=true"),
    ("lmnr", "do not pass ignore_input or ignore_output to observe()"),
)
GENERAL = "set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY"


def setting_for(scope: str) -> str:
    """The setting that makes this instrumentation record content."""
    return next((text for beginning, text in SETTINGS if scope.startswith(beginning)), GENERAL)


def capture_hint(scopes: Sequence[str]) -> str:
    """One sentence for calls whose arguments were not recorded."""
    scope = Counter(scopes).most_common(1)[0][0] if scopes else ""
    return f"to record arguments{f' with {scope}' if scope else ''}: {setting_for(scope)}"


def empty_hint(spans: Sequence[Span]) -> str:
    """One sentence for a trace without an agent."""
    scope = Counter(span.scope for span in spans).most_common(1)[0][0] if spans else ""
    count = pluralize(len(spans), "span")
    description = f"trace {spans[0].trace_id} has {count}, none from a model or a tool"
    return f"{description}; is content capture on? {setting_for(scope)}"
