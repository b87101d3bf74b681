"""What to set when a trace lacks content."""

from __future__ import annotations

import pytest

from rightcall.limbs.traces.assembly import capture_hint

STANDARD = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY"
TRACELOOP = "TRACELOOP_TRACE_CONTENT=true"


@pytest.mark.parametrize(
    ("scope", "variables"),
    [
        ("opentelemetry.instrumentation.openai_v2", {STANDARD}),
        ("opentelemetry.instrumentation.google_genai", {STANDARD, TRACELOOP}),
        ("opentelemetry.instrumentation.anthropic", {STANDARD, TRACELOOP}),
        ("traceloop.sdk", {TRACELOOP}),
        ("", {STANDARD}),
    ],
)
def test_an_instrumentation_that_two_projects_publish_is_told_both_variables(scope, variables):
    hint = capture_hint([scope] if scope else [])
    assert {variable for variable in (STANDARD, TRACELOOP) if variable in hint} == variables
