"""Six small worlds: tools with canned results, and what users ask for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import Golden
from rightcall.records.tool import Tool

FOLDER = Path(__file__).parent.parent / "worlds"
NAMES = ("bank", "chat", "travel", "office", "shop", "code_host")

_SCHEMAS: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "integer": {"type": "integer", "minimum": 0},
    "date": {"type": "string", "format": "date"},
    "list": {"type": "array", "items": {"type": "string"}},
}


@dataclass(frozen=True)
class SmallWorld:
    """A world: its tools, their results, the goldens, and a guard of a few lines."""

    name: str
    tools: tuple[Tool, ...]
    mocks: dict[str, Any]
    goldens: tuple[Golden, ...]

    @property
    def own_guard(self) -> Path:
        return FOLDER / f"{self.name}.guard.yaml"


def load_world(name: str) -> SmallWorld:
    """Read one world of `benchmarks/worlds`."""
    document = yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8"))
    tools = tuple(
        Tool(
            tool,
            tool.replace("_", " ").capitalize() + ".",
            {
                "type": "object",
                "properties": {parameter: _SCHEMAS[kind] for parameter, kind in parameters.items()},
                "required": list(parameters),
                "additionalProperties": False,
            },
        )
        for tool, parameters in document["tools"].items()
    )
    goldens = tuple(
        Golden(text, id=f"{name}-{number}", expected_calls=[ExpectedCall(tool, args) for tool, args in calls])
        for number, (text, *calls) in enumerate(document["goldens"], 1)
    )
    return SmallWorld(name, tools, document["mocks"], goldens)


def load_worlds() -> list[SmallWorld]:
    return [load_world(name) for name in NAMES]
