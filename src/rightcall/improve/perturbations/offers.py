"""Which tools are offered, in which order, and without which texts.

Removing a text, an ablation, measures its effect, which is expected: it gets no verdict.
"""

from __future__ import annotations

import copy
import re
from typing import Any

import msgspec

from rightcall.core.errors import ConfigError, suggestion
from rightcall.improve.variant import PerturbTask, Variant
from rightcall.lint.features.text import sentences
from rightcall.model.golden import Golden, expectations_of
from rightcall.model.tool import Tool
from rightcall.tools.runtime.toolbox import Toolbox
from rightcall.tools.worlds.base import make_world

STRANGERS = (
    ("convert_currency", "Convert an amount of money from one currency to another at today's rate."),
    ("play_song", "Play a song or an album on the loudspeaker in the living room."),
    ("order_pizza", "Order a pizza to an address; returns when it will arrive."),
    ("translate_text", "Translate a text from one language into another."),
    ("count_steps", "How many steps somebody walked on a day."),
    ("water_plants", "Water the plants on the balcony for a while."),
    ("rate_movie", "Give a movie a rating from one to five stars."),
    ("park_car", "Find a free parking space near an address."),
)
WORLDS = ("mailbox", "file_tree", "bank", "accounts")
NOT_AVAILABLE = {"error": {"error": "not_available", "detail": "this tool is not available here"}}


def order(task: PerturbTask) -> Variant:
    """The tools reversed, then shuffled. Goldens that define tools are left out."""
    shuffled = list(reversed(task.tools))
    if task.draw:
        task.random("order").shuffle(shuffled)
    return task.with_tools(shuffled, task.on_suite_tools)


def distractors(task: PerturbTask) -> Variant:
    """Unrelated tools among the others: eight, or as many as `distractors=N` says. In a loop they are not available."""
    count = _count(task.about)
    tool_names = {tool.name for tool in task.tools}
    more = [tool for tool in _strangers(count) if tool.name not in tool_names][:count]
    mixed = [*task.tools, *more]
    task.random("distractors").shuffle(mixed)
    mocks = {**task.plan.agent.mocks, **{tool.name: NOT_AVAILABLE for tool in more}}
    if task.plan.agent.mode != "loop":
        mocks = dict(task.plan.agent.mocks)
    return task.with_tools(mixed, task.on_suite_tools, mocks=mocks)


def _count(about: str) -> int:
    if not about:
        return len(STRANGERS)
    if not about.isdigit() or not 1 <= int(about) <= 100:
        raise ConfigError(f"distractors={about}: a number from 1 to 100 is expected, such as distractors=20")
    return int(about)


def _strangers(count: int) -> list[Tool]:
    """Made-up tools, then those of the built-in worlds, then numbered ones."""
    tools = [Tool(name, text) for name, text in STRANGERS]
    if count > len(tools):
        tools += Toolbox([make_world(name, None) for name in WORLDS]).tools
    rooms = range(1, count - len(tools) + 1)
    return tools + [Tool(f"open_door_{n}", f"Open door number {n} of the warehouse.") for n in rooms]


def drop(task: PerturbTask) -> Variant:
    """The expected tool removed: then no other may be called instead. `drop=TOOL` removes one tool."""
    require_tool(task)
    goldens = []
    for golden in task.on_suite_tools:
        expected_tools = {call.tool for call in golden.expected_calls if isinstance(call.tool, str)}
        if task.about and task.about not in expected_tools:
            continue
        if expected_tools and not golden.any_of:
            left = tuple(tool.name for tool in task.tools if tool.name not in expected_tools)
            goldens.append(
                Golden(
                    golden.input, golden.id, "negative", left, golden.system, golden.context, no_calls=True,
                    cluster=golden.cluster,
                )
            )  # fmt: skip
    return task.with_goldens(goldens)


def drop_other(task: PerturbTask) -> Variant:
    """One tool removed that is not needed."""
    goldens = []
    for golden in task.on_suite_tools:
        expected_tools = {call.tool for call in expectations_of(golden)}
        others = [tool.name for tool in task.tools if tool.name not in expected_tools]
        if all(isinstance(tool, str) for tool in expected_tools) and others and len(task.tools) > 1:
            gone = task.random("drop", golden.id).choice(others)
            left = tuple(tool.name for tool in task.tools if tool.name != gone)
            goldens.append(msgspec.structs.replace(golden, tools=left))
    return task.with_goldens(goldens)


def require_tool(task: PerturbTask) -> None:
    """Refuse a tool that does not exist."""
    names = [tool.name for tool in task.tools]
    if task.about and task.about not in names:
        hint = suggestion(task.about, names) or f"known: {', '.join(names)}"
        raise ConfigError(f"no tool '{task.about}' to perturb; {hint}")


_EXAMPLE = re.compile(r"\b(?:for example|for instance|e\.g\.|such as|example)\b", re.I)
_KEYS = frozenset(("examples", "example"))


def bare(task: PerturbTask) -> Variant:
    """No descriptions, or with `bare=TOOL` none for that tool."""
    require_tool(task)
    changed = [_without_words(tool) if task.about in ("", tool.name) else tool for tool in task.tools]
    return task.with_tools(changed, task.goldens)


def examples(task: PerturbTask) -> Variant:
    """No examples: neither in schemas nor as sentences of descriptions."""
    changed = [
        msgspec.structs.replace(
            tool, description=_plain(tool.description), input_schema=_strip_examples(tool.input_schema)
        )
        for tool in task.tools
    ]
    return task.with_tools(changed, task.goldens)


def system(task: PerturbTask) -> Variant:
    """No system prompt, neither the agent's nor a golden's."""
    goldens = [msgspec.structs.replace(golden, system=None) for golden in task.goldens]
    return task.with_tools(task.tools, goldens, system="")


def _without_words(tool: Tool) -> Tool:
    schema = copy.deepcopy(tool.input_schema)
    for schema_of_parameter in (schema.get("properties") or {}).values():
        if isinstance(schema_of_parameter, dict):
            schema_of_parameter.pop("description", None)
    return msgspec.structs.replace(tool, description="", input_schema=schema)


def _strip_examples(value: Any, *, of_names: bool = False) -> Any:
    """A schema without examples; under `properties` the keys are names of parameters, which stay."""
    if isinstance(value, dict):
        return {
            key: _plain(inner)
            if key == "description" and isinstance(inner, str) and not of_names
            else _strip_examples(inner, of_names=key == "properties" and not of_names)
            for key, inner in value.items()
            if of_names or key not in _KEYS
        }
    return [_strip_examples(inner) for inner in value] if isinstance(value, list) else value


def _plain(text: str) -> str:
    """A text without its sentences that give an example; the first sentence stays."""
    for sentence in sentences(text)[1:]:
        if _EXAMPLE.search(sentence):
            text = re.sub(rf"\s*{re.escape(sentence)}[.!?]*", "", text, count=1)
    return text.strip()
