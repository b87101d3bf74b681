"""The list of tools as a poisoned server shows it: descriptions, parameters, further tools, replaced ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from rightcall.core.codec import encode
from rightcall.records.safety import Plant, Safety
from rightcall.records.skill_load import SkillIndex
from rightcall.records.tool import Annotations, Tool
from rightcall.tools.attacks.trial_plants import TrialPlants, planted_text
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


class PlantsInTools(TrialPlants):
    """What is planted in a trial of a model, which is shown a list of tools."""

    def __init__(self, safety: Safety, tools: Mapping[str, BoundTool], skills: SkillIndex | None) -> None:
        super().__init__(safety, skills)
        self._tools = tools

    def offer(self, tools: Mapping[str, Tool]) -> Mapping[str, Tool] | None:
        if not self.safety.poisons_tools:
            return None
        return poison_tools(tools, self.safety, pulled=self._is_pulled)

    def note_offer(self, context: CallContext, tools: Sequence[Tool]) -> None:
        """Note in the ledger, once, which planted definitions the agent was shown, and what it is never handed."""
        shown = {tool.name: tool for tool in tools}
        for index, plant in enumerate(self.safety.plants):
            is_due = plant.carrier != "rug_pull" or self._is_pulled
            if not is_due or not (plant.in_tool_list or plant.carrier == "document"):
                continue
            refusal = _not_shown(plant, shown, planted_text(plant, self.safety))
            if not context.count(("shown", index, not refusal)):
                context.ledger.add("attack", **self.line(index, refusal))

    def bind_offer(self, context: CallContext, tools: Sequence[Tool]) -> None:
        if self.safety.poisons_tools:
            context.offered = _bind_poison(tools, self._tools, self.safety)

    def begin_session(self, context: CallContext, step: int) -> None:
        self.session = 2
        context.ledger.add("attack", "", detail=SECOND_SESSION, change={"step": step})

    @property
    def _is_pulled(self) -> bool:
        pulls = [plant.nth for plant in self.safety.plants if plant.carrier == "rug_pull"]
        return bool(pulls) and self.calls_begun >= min(pulls)


def _not_shown(plant: Plant, shown: Mapping[str, Tool], text: str) -> str:
    """Why a list of tools does not show a text; empty when it does."""
    if plant.carrier == "document":
        return NO_DOCUMENTS
    if plant.carrier == "skill":
        is_listed = LOAD_SKILL in shown and " ".join(text.split()) in shown[LOAD_SKILL].description
        return "" if is_listed else NO_CATALOGUE
    tool = shown.get(plant.to or plant.tool)
    definition = "" if tool is None else encode(tool).decode()
    return "" if encode(text).decode()[1:-1] in definition else NOT_OFFERED


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
