"""The name of an agent that has none in a framework where the first agent of a run is known to be the root."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

ROOT = "root"
INFERRED: dict[str, Any] = {"inferred": "agent"}
"""The note of calls whose agent's name was not given by the framework."""
PYDANTIC_AI = "pydantic-ai"
UNNAMED = "agent"
"""What Pydantic AI writes into spans for an agent without a name."""


def name_in_span(scope: str, attributes: Mapping[str, Any], name: str, depth: int) -> tuple[str, bool]:
    """An agent's name as its framework gives it, and whether it is inferred."""
    if not scope.startswith(PYDANTIC_AI) or name != UNNAMED or attributes.get("agent_name") != UNNAMED:
        return name, False
    return ("", False) if depth else (ROOT, True)
