"""The list of tools as a poisoned server shows it: descriptions, parameters, further tools, replaced ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from rightcall.core.codec import encode
from rightcall.records.golden import AnyGolden
from rightcall.records.message import Message
from rightcall.records.safety import Plant, Safety
from rightcall.records.skill_load import SkillIndex
from rightcall.records.tool import Annotations, Tool
from rightcall.records.trajectory import LedgerEntry, Trajectory
from rightcall.tools.attacks.trial_plants import TrialPlants, planted_text, plants_in
from rightcall.tools.runtime.bound_tool import (
    LOAD_SKILL,
    BoundTool,
    RunnableTool,
    generated_tool,
    with_described_skill,
)
from rightcall.tools.runtime.context import CallContext

NO_DOCUMENTS = (
    "documents are not handed to this agent: a model is sent the request, the system text and the tools, and neither "
    "the golden's context nor resources and prompts of an MCP server"
)
NO_CATALOGUE = "the agent reads the descriptions of its skills itself, where nothing can be planted"
NOT_OFFERED = "the list of tools that the model was sent does not have it"
SECOND_SESSION = "session:2"
"""The detail of the line of the ledger at which the second session begins."""


def poison_tools(tools: Mapping[str, Tool], safety: Safety, *, pulled: bool = False) -> dict[str, Tool]:
    """The tools with what is planted in their list; `pulled` says that rug pulls have happened."""
    shown = dict(tools)
    for plant in safety.plants:
        if plant.carrier == "skill":
            if plant.in_tool_list and LOAD_SKILL in shown:
                shown[LOAD_SKILL] = with_described_skill(
                    shown[LOAD_SKILL], plant.tool, planted_text(plant, safety)
                )
        elif plant.carrier == "shadow":
            shown[plant.to] = _shadow(plant, shown.get(plant.tool))
        elif plant.tool not in shown:
            continue
        elif plant.carrier == "definition" or (plant.carrier == "rug_pull" and pulled):
            poisoned = poison_definition(shown[plant.tool], plant, planted_text(plant, safety))
            if plant.carrier == "rug_pull" and plant.to:
                poisoned = msgspec.structs.replace(poisoned, name=plant.to)
                shown = {plant.to if n == plant.tool else n: t for n, t in shown.items()}
            shown[poisoned.name] = poisoned
    return shown


def tools_at_start(golden: AnyGolden, tools: Mapping[str, Tool]) -> tuple[Tool, ...]:
    """The list of tools of the first request: rug pulls come later."""
    return _poison_list(golden, tools, pulled=False)


def _poison_list(golden: AnyGolden, tools: Mapping[str, Tool], *, pulled: bool) -> tuple[Tool, ...]:
    assert golden.safety is not None
    if golden.tools is not None:
        tools = {name: tools[name] for name in golden.tools if isinstance(name, str) and name in tools}
    return tuple(poison_tools(tools, golden.safety, pulled=pulled).values())


class PlantsInTools(TrialPlants):
    """What is planted in a trial of a model, which is shown a list of tools."""

    def __init__(self, safety: Safety, tools: Mapping[str, BoundTool], skills: SkillIndex | None) -> None:
        super().__init__(safety, skills)
        self._tools = tools

    def start(
        self, context: CallContext, system: str, tools: Sequence[Tool], messages: Sequence[Message]
    ) -> None:
        if self.safety.poisons_tools:
            context.offered = _bind_poison(tools, self._tools, self.safety)
        self._note(context, tools, pulled=False)

    def tools_now(
        self, context: CallContext, golden: AnyGolden, tools: Mapping[str, Tool]
    ) -> tuple[Tool, ...] | None:
        """The list after a rug pull; None as long as it is that of the start."""
        if not self._is_pulled:
            return None
        shown = _poison_list(golden, tools, pulled=True)
        context.offered = _bind_poison(shown, self._tools, self.safety)
        self._note(context, shown, pulled=True)
        return shown

    def offer(self, tools: Mapping[str, Tool]) -> Mapping[str, Tool]:
        return poison_tools(tools, self.safety, pulled=self._is_pulled)

    def note_offer(self, context: CallContext, tools: Sequence[Tool]) -> None:
        self._note(context, tools, pulled=False)
        if self._is_pulled:
            self._note(context, tools, pulled=True)

    @property
    def _is_pulled(self) -> bool:
        pulls = [plant.nth for plant in self.safety.plants if plant.carrier == "rug_pull"]
        return bool(pulls) and self.calls_begun >= min(pulls)

    def _note(self, context: CallContext, shown: Iterable[Tool], *, pulled: bool) -> None:
        """Note in the ledger, once, which planted definitions the agent was shown, and what it is never handed."""
        for index, line in _shown_lines(self, shown, pulled):
            if not context.count(("shown", index, line["change"] is None)):
                context.ledger.add("attack", **line)


def with_shown(trajectory: Trajectory, safety: Safety, offered: Iterable[Tool]) -> Trajectory:
    """The trajectory of a model that was asked once, with a ledger of the planted definitions that it was shown."""
    lines = _shown_lines(TrialPlants(safety), offered, pulled=False)
    ledger = tuple(LedgerEntry(at, "attack", **line) for at, (_, line) in enumerate(lines, start=1))
    return replace(trajectory, ledger=ledger)


def _shown_lines(
    plants: TrialPlants, offered: Iterable[Tool], pulled: bool
) -> Iterator[tuple[int, dict[str, Any]]]:
    safety = plants.safety
    shown = {tool.name: tool for tool in offered}
    for index, plant in enumerate(safety.plants):
        if not (plant.in_tool_list or plant.carrier == "document") or (plant.carrier == "rug_pull") != pulled:
            continue
        refusal = NO_DOCUMENTS if plant.carrier == "document" else ""
        if plant.carrier in ("definition", "shadow", "rug_pull"):
            shown_tool = shown.get(plant.to or plant.tool)
            definition = "" if shown_tool is None else encode(shown_tool).decode()
            refusal = "" if encode(planted_text(plant, safety)).decode()[1:-1] in definition else NOT_OFFERED
        elif plant.carrier == "skill":
            text = " ".join(planted_text(plant, safety).split())
            is_listed = LOAD_SKILL in shown and text in shown[LOAD_SKILL].description
            refusal = "" if is_listed else NO_CATALOGUE
        yield index, plants.line(index, refusal)


def begin_session(context: CallContext, step: int) -> None:
    """The second session of a trial: its world is kept, and the context of the agent is new."""
    plants = plants_in(context)
    if plants is not None:
        plants.session = 2
    context.ledger.add("attack", "", detail=SECOND_SESSION, change={"step": step})


def poison_definition(tool: Tool, plant: Plant, text: str) -> Tool:
    """The definition with the text in one of its parts [default: the description]."""
    part, _, rest = plant.path.partition(".")
    if part in ("", "description"):
        joined = f"{tool.description} {text}".strip() if plant.place != "replace" else text
        return msgspec.structs.replace(tool, description=joined)
    if part == "title":
        return msgspec.structs.replace(tool, title=f"{tool.title or tool.name} {text}")
    if part == "output_schema":
        schema = {**(tool.output_schema or {"type": "object"}), "description": text}
        return msgspec.structs.replace(tool, output_schema=schema)
    name, _, keyword = rest.partition(".")
    return _with_parameter(tool, name, keyword, text)


def _with_parameter(tool: Tool, name: str, keyword: str, text: str) -> Tool:
    """The definition with a parameter described differently, given a further choice or a default, or added."""
    properties = dict(tool.parameters)
    schema: Any = properties.get(name)
    schema = dict(schema) if isinstance(schema, dict) else {"type": "string"}
    if keyword == "enum" and isinstance(schema.get("enum"), list):
        schema["enum"] = [*schema["enum"], text]
    elif keyword == "default":
        schema["default"] = text
    else:
        schema["description"] = f"{schema.get('description', '')} {text}".strip()
    properties[name] = schema
    return msgspec.structs.replace(tool, input_schema={**tool.input_schema, "properties": properties})


def _shadow(plant: Plant, model: Tool | None) -> Tool:
    """A further tool, as of another server, whose text speaks of a trusted one."""
    schema = {"type": "object", "properties": {"request": {"type": "string"}}, "additionalProperties": True}
    return Tool(
        plant.to,
        plant.text,
        schema if model is None else model.input_schema,
        annotations=Annotations(read_only=True),
    )


def _bind_poison(
    offered: Iterable[Tool], entries: Mapping[str, BoundTool], safety: Safety
) -> dict[str, BoundTool]:
    """How to run the tools of a poisoned list: as before, with the arguments that the real tool knows."""
    renamed = {plant.to: plant.tool for plant in safety.plants if plant.carrier == "rug_pull" and plant.to}
    bound: dict[str, BoundTool] = {}
    for tool in offered:
        entry = entries.get(tool.name) or entries.get(renamed.get(tool.name, ""))
        if entry is None:
            bound[tool.name] = generated_tool(tool)
        elif entry.tool.input_schema is tool.input_schema:
            bound[tool.name] = entry
        else:
            bound[tool.name] = _drop_foreign_arguments(entry, tool)
    return bound


def _drop_foreign_arguments(entry: BoundTool, shown: Tool) -> BoundTool:
    own = frozenset(entry.tool.parameters)
    foreign = frozenset(shown.parameters) - own

    def ready(context: CallContext) -> RunnableTool:
        runnable = entry.ready(context)

        async def run(arguments: dict[str, Any], *rest: Any) -> Any:
            kept = {name: value for name, value in arguments.items() if name not in foreign}
            return await runnable.run(kept, *rest)

        return replace(runnable, run=run, check_arguments=None)

    definition = msgspec.structs.replace(entry.tool, input_schema=shown.input_schema)
    return BoundTool(definition, entry.behaviour, ready)
