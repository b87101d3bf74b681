"""The span tree: parents without cycles, agents at the root, agents used as tools, nothing twice. Never recursive.

And who works for whom: which call hands over to another agent, which one runs it as a tool, who answered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from rightcall.agents.observed.framework_names import GraphAnswer, handoff_place, name_in_span
from rightcall.limbs.traces.calls import CallSlot
from rightcall.limbs.traces.content import arguments_of
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.span import Observation, SpanPlace
from rightcall.records.call import TRANSFERS, ToolCall, handoff_of
from rightcall.records.trajectory import AgentAnswer


def by_time(observation: Observation) -> tuple[int, str]:
    return observation.span.start, observation.span.span_id


def set_parents(observations: Sequence[Observation], problems: Problems) -> None:
    """Give each span its existing parent; cycles are cut at their earliest span."""
    there = {o.span.span_id: o for o in observations}
    for span_id, observation in there.items():
        above = observation.span.parent_id
        observation.parent = there.get(above) if above != span_id else None
    checked: set[str] = set()
    for start in observations:
        path: dict[str, Observation] = {}
        here: Observation | None = start
        while here is not None and here.span.span_id not in checked and here.span.span_id not in path:
            path[here.span.span_id] = here
            here = here.parent
        if here is not None and here.span.span_id in path:
            circle = [*path.values()][[*path].index(here.span.span_id) :]
            problems.add("circle")
            min(circle, key=by_time).parent = None
        checked.update(path)


def set_places(observations: Sequence[Observation]) -> None:
    """Give each span its position, from the top down; parents that were dropped are skipped."""
    there = {o.span.span_id for o in observations}
    for observation in observations:
        while (above := observation.parent) is not None and above.span.span_id not in there:
            observation.parent = above.parent
    placed: set[str] = set()
    for start in observations:
        path = []
        here = start
        while here.parent is not None and here.parent.span.span_id not in placed:
            path.append(here)
            here = here.parent
        for observation in (here, *reversed(path)):
            observation.place = _in_graph(observation, _below(observation.parent))
            placed.add(observation.span.span_id)


def _below(parent: Observation | None) -> SpanPlace:
    """The position of a child, from its parent's."""
    if parent is None:
        return SpanPlace()
    place = parent.place
    if parent.kind == "agent":
        name, inferred = agent_name(parent, place.depth + (place.tool is not None))
        return replace(_inside(place, name, parent), inferred=inferred)
    return replace(place, tool=parent) if parent.kind == "tool" else place


def agent_name(agent: Observation, depth: int) -> tuple[str, bool]:
    """The name of an agent that has a span, "" if its framework gave none, and whether it is inferred."""
    return name_in_span(agent.span.scope, agent.span.attributes, agent.name, depth)


def _in_graph(observation: Observation, place: SpanPlace) -> SpanPlace:
    """The position of a span in a graph, whose agents have no spans: its metadata names them."""
    graph = observation.graph
    if graph is None or (place.agent is not None and place.tool is None):
        return place
    name = graph.agent_below(place.agent_name) if place.tool is not None else graph.agent
    return _inside(place, name, place.agent)


def _inside(place: SpanPlace, name: str, agent: Observation | None) -> SpanPlace:
    """The position inside an agent: below the one whose tool runs it, otherwise in the place of the one around it."""
    depth = place.depth + (place.tool is not None)
    above = (*place.path, *[""] * depth)[:depth]
    path = (*above, name) if name or depth else ()
    return SpanPlace(agent, depth, None, path, parent=place.tool or place.parent)


def root_of(observations: Sequence[Observation], problems: Problems) -> Observation | None:
    """The agent with the fewest agents above it; of several the span around all of them, otherwise the longest.

    Without agents it is the longest root span.
    """
    agents = [(_agents_above(o), o) for o in observations if o.kind == "agent"]
    if agents:
        least = min(count for count, _ in agents)
        top = [o for count, o in agents if count == least]
        if len(top) > 1:  # steps of one graph are often recorded as agents
            around = [(o, *o.above())[-1] for o in top]
            if all(o is around[0] for o in around) and all(o is not around[0] for o in top):
                return around[0]
            problems.add("roots")
    else:
        there = {o.span.span_id for o in observations}
        top = [o for o in observations if o.span.parent_id not in there]
    return max(top, key=lambda o: (o.span.end - o.span.start, o.span.span_id), default=None)


def _agents_above(observation: Observation) -> int:
    count = 0
    while (agent := observation.place.agent) is not None:
        count = count + 1
        observation = agent
    return count


def without_doubles(seen: list[Observation]) -> list[Observation]:
    """A tool inside a tool of the same name is its client (MCP): one call, not two."""

    def is_double(observation: Observation) -> bool:
        above = next((o for o in observation.above() if o.kind != "other"), None)
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


def note_teamwork(
    slots: Sequence[CallSlot], models: Sequence[Observation], seen: Sequence[Observation]
) -> None:
    """Note on each slot the agent that it hands over to, or that does its work. `models` are those of the steps."""
    workers = _workers(seen)
    for slot in slots:
        if slot.tool is not None:
            slot.handoff = slot.tool.handoff
            slot.delegate = workers.get(slot.tool.span.span_id, "")
    ids = {slot.tool.span.span_id: slot.called.id for slot in slots if slot.tool is not None}
    for slot in slots:
        maker = slot.tool or slot.model
        around = maker.place.parent if maker is not None else None
        slot.parent = ids.get(around.span.span_id, "") or around.call_id if around is not None else ""
    team = set(filter(None, chain.from_iterable(o.place.path for o in seen)))
    _note_transfers(slots, models, team)
    last: GraphAnswer | None = None
    asked: list[CallSlot] = []
    for step, model in enumerate(models):
        if model.graph is None or model.place.depth:
            continue
        handoff = handoff_place(last, model.graph)
        if handoff is not None and not asked[handoff].handoff:
            asked[handoff].handoff = model.graph.agent
        asked = [slot for slot in slots if slot.step == step]
        last = GraphAnswer(model.graph, [ToolCall(slot.called.name) for slot in asked])


def _note_transfers(slots: Sequence[CallSlot], models: Sequence[Observation], team: set[str]) -> None:
    """Note hand-offs that have no span but that of their tool, as Google ADK's `transfer_to_agent`.

    Where its arguments were not recorded, the agent that answers next is the one that took over.
    """
    for slot in slots:
        if slot.handoff or slot.delegate or slot.tool is None or slot.tool.failed:
            continue
        arguments = slot.arguments if slot.arguments is not None else arguments_of(slot.tool.arguments)[0]
        slot.handoff = handoff_of(ToolCall(slot.called.name, arguments), team)
        if not slot.handoff and slot.called.name.lower().startswith(TRANSFERS):
            slot.handoff = _next_agent(slot, models)


def _next_agent(slot: CallSlot, models: Sequence[Observation]) -> str:
    """The agent other than its own that answers after a call; empty if its own goes on."""
    if slot.model is None:
        return ""
    here = slot.model.place
    later = (model.place for model in models[slot.step + 1 :] if model.place.depth == here.depth)
    place = next(later, here)
    return place.agent_name if place.path != here.path else ""


def _workers(seen: Sequence[Observation]) -> dict[str, str]:
    """The agent that each tool runs, by the tool's span: the one nearest below it, the earliest first."""
    workers: dict[str, str] = {}
    for observation in seen:
        place = observation.place
        if observation.kind == "agent" and place.tool is not None:
            if name := agent_name(observation, place.depth + 1)[0]:
                workers.setdefault(place.tool.span.span_id, name)
        elif observation.graph is not None and place.parent is not None and place.agent_name:
            workers.setdefault(place.parent.span.span_id, place.agent_name)
    return workers


def answers_in(every_model: Sequence[Observation], models: Sequence[Observation]) -> tuple[AgentAnswer, ...]:
    """Who answered, in order; none when no agent has a name. `models` are those whose calls count, step by step."""
    if not any(model.place.agent_name for model in every_model):
        return ()
    steps = {model.span.span_id: step for step, model in enumerate(models)}
    return tuple(
        AgentAnswer(
            model.place.agent_name or None,
            model.place.path,
            steps.get(model.span.span_id),
            (model.input_tokens or 0) + (model.output_tokens or 0) if model.has_usage else None,
            latency_ms=model.span.latency_ms,
        )
        for model in every_model
    )
