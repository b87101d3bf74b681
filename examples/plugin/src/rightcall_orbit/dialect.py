"""Spans of Orbit: `orbit.kind`, `orbit.tool` and `orbit.arguments`."""

from __future__ import annotations

from rightcall.limbs.traces.dialects.common import blank
from rightcall.limbs.traces.span import Observation, Span


def claims(span: Span) -> bool:
    return "orbit.kind" in span.attributes


def observe(span: Span) -> Observation:
    observation = blank(span, "orbit")
    if span.attributes["orbit.kind"] == "tool":
        observation.kind = "tool"
        observation.name = str(span.attributes.get("orbit.tool", ""))
        observation.arguments = span.attributes.get("orbit.arguments", "{}")
    return observation
