"""The stage of a call that plants: after its arguments are valid, and around all that runs the tool.

The runtime, its records and the worlds see the tool's own result; only what is handed to the agent carries the plant.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from rightcall.records.golden import AnyGolden
from rightcall.records.message import Message
from rightcall.records.safety import Plant
from rightcall.records.skill_load import SkillIndex
from rightcall.records.tool import Tool
from rightcall.records.trajectory import Trajectory
from rightcall.tools.attacks.tool_list import PlantsInTools
from rightcall.tools.attacks.trial_plants import (
    EARLIER_REQUEST,
    G,
    NoPlace,
    TrialPlants,
    note_documents,
    plant_request,
    plant_text,
    plant_value,
    planted_text,
    plants_in,
)
from rightcall.tools.definitions.validate import schema_problems
from rightcall.tools.runtime.bound_tool import BoundTool
from rightcall.tools.runtime.call_outcome import Finished
from rightcall.tools.runtime.context import CallContext
from rightcall.tools.runtime.errors import ErrorReply
from rightcall.tools.runtime.invocation import ActiveCall, Keys, Layer, Next, Place, Stage

HAS_RUN = "the agent's own code had run the tool, which writes: an error in its place would hide the effect"
IN_RESULTS = frozenset({"result", "name", "memory"})


class PlantLayer(Layer):
    """Plants what the goldens say an attacker wrote: in the results of tools, and in their list."""

    def __init__(self, _: object, entries: Mapping[str, BoundTool], skills: Sequence[Tool]) -> None:
        self._entries = entries
        self._skills = skills

    def begin(self, context: CallContext, golden: AnyGolden | None) -> TrialPlants | None:
        safety = golden.safety if golden is not None else None
        if safety is None or not (safety.plants or safety.first_session):
            return None
        known = [*self._skills, *(entry.tool for entry in self._entries.values())]
        in_skills = any(plant.carrier == "skill" for plant in safety.plants)
        skills = {tool.name: tool for tool in known if tool.kind == "skill"} if in_skills else None
        return PlantsInTools(safety, self._entries, None if skills is None else SkillIndex(skills))

    def earlier(self, golden: AnyGolden) -> tuple[Message, ...]:
        """An exchange that an attacker put before the request."""
        messages: list[Message] = []
        for plant in golden.safety.plants if golden.safety is not None else ():
            if plant.carrier == "history":
                messages += [Message("user", plant.path or EARLIER_REQUEST), Message("assistant", plant.text)]
        return tuple(messages)

    def golden(self, golden: G) -> G:
        return plant_request(golden)

    def note_golden(self, golden: AnyGolden, trajectory: Trajectory) -> Trajectory:
        return trajectory if golden.safety is None else note_documents(golden.safety, trajectory)

    def stages(self, keys: Keys) -> Mapping[Place, Stage]:
        return {"read": plant_in_call}


async def plant_in_call(call: ActiveCall, next: Next) -> Finished:
    """The stage: an error instead of the tool, or its result with what is planted in it."""
    plants = plants_in(call.context)
    if plants is None:
        return await next(call)
    plants.calls_begun += 1
    name = call.tool_name
    safety = plants.safety
    for index, plant in plants.due(name, frozenset({"error"})):
        if call.ready.has_run and call.entry.writes:
            call.context.ledger.add("attack", **plants.line(index, HAS_RUN), **call.note())
            continue
        call.context.ledger.add("attack", **plants.line(index), **call.note())
        detail = f"{name} could not complete this request"
        hint = planted_text(plant, safety)
        reply = ErrorReply("upstream_error", detail, hint, retry="same_key")
        return Finished.with_error("failed", reply, free=True)
    finished: Finished = await next(call)
    if finished.error is not None or finished.outcome != "ok":
        return finished
    output = finished.output
    read = msgspec.structs.replace(call.call, output=output, status="ok")
    for index, plant in (*plants.due(name, IN_RESULTS), *plants.due_in_skill(read)):
        planted, refusal = _plant(call, output, plant, planted_text(plant, safety))
        call.context.ledger.add("attack", **plants.line(index, refusal), **call.note())
        output = output if refusal else planted
    return msgspec.structs.replace(finished, output=output)


def _plant(call: ActiveCall, output: Any, plant: Plant, text: str) -> tuple[Any, str]:
    """A copy of the output with the plant, or why it cannot be there."""
    try:
        if plant.canary is not None:
            planted = plant_value(output, text, path=plant.path, place=plant.place)
        else:
            names_only = plant.carrier == "name"
            path = "" if plant.carrier == "skill" else plant.path  # that of a skill is a file
            planted = plant_text(output, text, path=path, place=plant.place, names_only=names_only)
    except NoPlace as problem:
        return output, str(problem)
    tool = call.entry.tool
    if tool.output_schema is not None and (
        wrong := schema_problems(tool.output_schema, planted, f"tool '{tool.name}', output schema")
    ):
        return output, f"the tool's output schema does not allow it: {wrong[0].message}"
    return planted, ""
