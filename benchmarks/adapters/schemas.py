"""JSON Schemas of the tools, for agents that are given schemas instead of functions."""

from __future__ import annotations

from typing import Any

from benchmarks.adapters.scenarios import ASK_EXPERT, HAND_OVER


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


TEXT = {"type": "string"}
STOP = _object(name=TEXT, nights={"type": "integer"})

SCHEMAS: dict[str, dict[str, Any]] = {
    "get_weather": _object(city=TEXT),
    "forecast": _object(city=TEXT),
    "plan_route": _object(stops={"type": "array", "items": STOP}, notes={"type": "array", "items": TEXT}),
    "book": _object(city=TEXT, nights={"type": "integer"}),
    ASK_EXPERT: _object(input=TEXT),
    HAND_OVER: _object(),
}
