"""Who works for whom in a trace: which call hands over to another agent, which one runs it as a tool, who answered."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from rightcall.agents.observed.framework_names import GraphAnswer, handoff_place
from rightcall.limbs.traces.calls import CallSlot
from rightcall.limbs.traces.content import arguments_of
from rightcall.limbs.traces.span import Observation
from rightcall.limbs.traces.structure import agent_name
from rightcall.records.agent_names import TRANSFERS, handoff_of
from rightcall.records.call import ToolCall
from rightcall.records.trajectory import AgentAnswer


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
    _note_transfers(slots, models, {name for name in chain.from_iterable(o.place.path for o in seen) if name})
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
