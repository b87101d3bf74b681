"""The span tree: parents without cycles, agents at the root, agents used as tools, nothing twice. Never recursive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rightcall.agents.observed.framework_names import name_in_span
from rightcall.wings.traces.problems import Problems
from rightcall.wings.traces.span import Observation


@dataclass(frozen=True)
class SpanPlace:
    """The position of a span: the nearest agent above it, its depth of agents used as tools, and the enclosing call.

    `path` lists the agents' names from the root, "" for one without a name; `parent` is the tool that runs its agent;
    `inferred` says that the framework gave its agent no name.
    """

    agent: Observation | None = None
    depth: int = 0
    tool: Observation | None = None
    path: tuple[str, ...] = ()
    parent: Observation | None = None
    inferred: bool = False


def by_time(observation: Observation) -> tuple[int, str]:
    return observation.span.start, observation.span.span_id


def parents(observations: Sequence[Observation], problems: Problems) -> dict[str, str]:
    """The existing parent of each span; cycles are cut at their earliest span."""
    there = {o.span.span_id: o for o in observations}
    up = {
        i: o.span.parent_id for i, o in there.items() if o.span.parent_id in there and o.span.parent_id != i
    }
    checked: set[str] = set()
    for start in there:
        path: list[str] = []
        here: str | None = start
        seen: set[str] = set()
        while here is not None and here not in checked and here not in seen:
            seen.add(here)
            path.append(here)
            here = up.get(here)
        if here is not None and here in seen:
            circle = path[path.index(here) :]
            problems.add("circle")
            up.pop(min(circle, key=lambda i: by_time(there[i])))
        checked.update(path)
    return up


def places(observations: Sequence[Observation], up: dict[str, str]) -> dict[str, SpanPlace]:
    """The position of each span, from the top down."""
    there = {o.span.span_id: o for o in observations}
    place_of: dict[str, SpanPlace] = {}
    for start in there:
        path: list[str] = []
        here: str | None = start
        while here is not None and here not in place_of:
            path.append(here)
            here = up.get(here)
        for span_id in reversed(path):
            above = up.get(span_id)
            place = _below(there[above], place_of[above]) if above is not None else SpanPlace()
            place_of[span_id] = _in_graph(there[span_id], place)
    return place_of


def _below(parent: Observation, place: SpanPlace) -> SpanPlace:
    """The position of a child, from its parent's."""
    if parent.kind == "agent":
        name, inferred = agent_name(parent, place.depth + (place.tool is not None))
        return replace(_inside(place, name, parent), inferred=inferred)
    if parent.kind == "tool":
        return replace(place, tool=parent)
    return place


def agent_name(agent: Observation, depth: int) -> tuple[str, bool]:
    """The name of an agent that has a span, "" if its framework gave none, and whether it is inferred."""
    return name_in_span(agent.span.scope, agent.span.attributes, agent.name, depth)


def _in_graph(observation: Observation, place: SpanPlace) -> SpanPlace:
    """The position of a span in a graph, whose agents have no spans: its metadata names them."""
    if observation.graph is None or (place.agent is not None and place.tool is None):
        return place
    above = place.path[-1] if place.path else ""
    name = observation.graph.agent_below(above) if place.tool is not None else observation.graph.agent
    return _inside(place, name, place.agent)


def _inside(place: SpanPlace, name: str, agent: Observation | None) -> SpanPlace:
    """The position inside an agent: below the one whose tool runs it, otherwise in the place of the one around it."""
    depth = place.depth + (place.tool is not None)
    above = (*place.path, *[""] * depth)[:depth]
    path = (*above, name) if name or depth else ()
    return SpanPlace(agent, depth, None, path, place.tool or place.parent)


def root_of(
    observations: Sequence[Observation],
    place_of: dict[str, SpanPlace],
    up: dict[str, str],
    problems: Problems,
) -> Observation | None:
    """The agent with the fewest agents above it; of several the span around all of them, otherwise the longest.

    Without agents it is the longest root span.
    """
    agents = [o for o in observations if o.kind == "agent"]
    if agents:
        fewest = {id(o): _agents_above(o, place_of) for o in agents}
        least = min(fewest.values())
        top = [o for o in agents if fewest[id(o)] == least]
        if len(top) > 1:  # steps of one graph are often recorded as agents
            around = {_uppermost(o.span.span_id, up) for o in top}
            if len(around) == 1 and (whole := around.pop()) not in {o.span.span_id for o in top}:
                return next(o for o in observations if o.span.span_id == whole)
            problems.add("roots")
        return max(top, key=lambda o: (o.span.end - o.span.start, o.span.span_id))
    there = {o.span.span_id for o in observations}
    roots = [o for o in observations if o.span.parent_id not in there]
    return max(roots, key=lambda o: (o.span.end - o.span.start, o.span.span_id), default=None)


def _uppermost(span_id: str, up: dict[str, str]) -> str:
    while span_id in up:
        span_id = up[span_id]
    return span_id


def _agents_above(observation: Observation, place_of: dict[str, SpanPlace]) -> int:
    count, seen = 0, set()
    above = place_of[observation.span.span_id].agent
    while above is not None and above.span.span_id not in seen:
        count += 1
        seen.add(above.span.span_id)
        above = place_of[above.span.span_id].agent
    return count


def parents_among(up: dict[str, str], kept: set[str]) -> dict[str, str]:
    """Parents among the kept spans, skipping dropped ones."""
    parents: dict[str, str] = {}
    for span_id in kept:
        above = up.get(span_id)
        while above is not None and above not in kept:
            above = up.get(above)
        if above is not None:
            parents[span_id] = above
    return parents


def without_doubles(seen: list[Observation], up: dict[str, str]) -> list[Observation]:
    """A tool inside a tool of the same name is its client (MCP): one call, not two."""
    there = {o.span.span_id: o for o in seen}

    def is_double(observation: Observation) -> bool:
        above = there.get(up.get(observation.span.span_id, ""))
        while above is not None and above.kind == "other":
            above = there.get(up.get(above.span.span_id, ""))
        return above is not None and above.kind == "tool" and above.name == observation.name

    return [o for o in seen if o.kind != "tool" or not o.name or not is_double(o)]


def one_spelling(seen: list[Observation], problems: Problems) -> list[Observation]:
    """Two instrumentations record everything twice: for each kind, the format with more tools counts."""
    spellings = {o.spelling for o in seen if o.kind != "other"}
    if len(spellings) < 2:
        return seen
    tools = Counter(o.spelling for o in seen if o.kind == "tool")
    everything = Counter(o.spelling for o in seen if o.kind != "other")
    order = sorted(spellings, key=lambda s: (-tools[s], -everything[s], s))
    best = {
        k: next((s for s in order if any(o.kind == k and o.spelling == s for o in seen)), "")
        for k in ("tool", "llm", "agent")
    }
    kept = [o for o in seen if o.kind == "other" or o.spelling == best[o.kind]]
    if len(kept) < len(seen):
        problems.add("spellings", ", ".join(order[1:]), len(seen) - len(kept))
    return kept
