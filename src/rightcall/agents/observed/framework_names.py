"""Which agent runs, as frameworks say it: the same for callbacks and for spans.

Of LangGraph the metadata of a run are read. `lc_agent_name` is the name given to `create_agent(name=…)`. Without one,
the name is that of the node whose graph runs: for a model inside the node `billing`, `langgraph_checkpoint_ns` is
`billing:5f…|model:9a…`, and the name `billing`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rightcall.records.call import ToolCall, same_name

TOOLS = "tools"
"""The node in which tools run; a graph below it was started by a tool."""


@dataclass(frozen=True)
class GraphPlace:
    """The agent of a run inside a graph, "" without a name, and the uppermost node that it belongs to."""

    agent: str
    node: str
    is_graph: bool
    """Whether that node contains a graph, as that of an agent does."""
    in_tool: bool = False
    """Whether the graph that runs was started by a tool."""

    def agent_below(self, above: str) -> str:
        """The agent's name where `above` is the agent whose tool started it: metadata of the outer run is inherited."""
        return "" if self.in_tool and self.agent == above else self.agent


def graph_place(metadata: Any) -> GraphPlace | None:
    """The place of a run by its metadata; None for a run outside LangGraph."""
    if not isinstance(metadata, Mapping):
        return None
    space = metadata.get("langgraph_checkpoint_ns")
    name = metadata.get("lc_agent_name")
    name = name if isinstance(name, str) else ""
    if not isinstance(space, str) or not space:
        return GraphPlace(name, "", False) if name else None
    nodes = [segment.partition(":")[0] for segment in space.split("|")[:1000]]
    around = nodes[:-1]
    in_tool = bool(around) and around[-1] == TOOLS
    agent = name or (around[-1] if around and not in_tool else "")
    return GraphPlace(agent, nodes[0], bool(around), in_tool)


@dataclass(frozen=True)
class GraphAnswer:
    """One answer of a model outside of tools: where it was given, and its calls by position."""

    place: GraphPlace | None
    calls: Sequence[ToolCall]


def handoff_place(before: GraphAnswer | None, place: GraphPlace | None) -> int | None:
    """Which call of the last answer handed the conversation to the agent that answers now; None if none did.

    A graph goes on in another of its agents right after a tool's result only if the tool said so.
    """
    if before is None or not before.calls or place is None or before.place is None:
        return None
    if not (place.agent and place.is_graph) or place.node == before.place.node:
        return None
    named = (
        at
        for at, call in enumerate(before.calls)
        if any(same_name(call.name, f"{prefix}{place.agent}") for prefix in ("transfer_to_", "handoff_to_"))
    )
    return next(named, len(before.calls) - 1)


ROOT = "root"
"""The name of an agent that has none in a framework where the first agent of a run is known to be the root."""
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
