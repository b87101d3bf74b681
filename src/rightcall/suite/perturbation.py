"""Harmless changes that should change nothing: tools in another order, under neutral names, among strangers.

A kind is a function from a plan and a draw to the plan that is run instead, with its goldens. To add one: a function
and its name in `KINDS`.
"""

from __future__ import annotations

import copy
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from rightcall.errors import ConfigError
from rightcall.executor import Session
from rightcall.model.golden import ExpectedCall, Golden
from rightcall.model.tool import Tool
from rightcall.suite.plan import Plan

DRAWS = 3
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

Perturb = Callable[[Plan, Sequence[Tool], Sequence[Golden], int], tuple[Plan, list[Golden]]]


def _with_tools(plan: Plan, tools: Sequence[Tool]) -> Plan:
    return replace(plan, agent=replace(plan.agent, tools=list(tools)))


def order(
    plan: Plan, tools: Sequence[Tool], goldens: Sequence[Golden], draw: int
) -> tuple[Plan, list[Golden]]:
    """The tools reversed, then shuffled. Goldens with their own tools are skipped."""
    shuffled = list(reversed(tools))
    if draw:
        random.Random(f"{plan.seed}/order/{draw}").shuffle(shuffled)  # noqa: S311
    return _with_tools(plan, shuffled), [g for g in goldens if g.tools is None]


def names(
    plan: Plan, tools: Sequence[Tool], goldens: Sequence[Golden], draw: int
) -> tuple[Plan, list[Golden]]:
    """Neutral names. Goldens whose text names a tool are left out."""
    numbers = list(range(1, len(tools) + 1))
    random.Random(f"{plan.seed}/names/{draw}").shuffle(numbers)  # noqa: S311
    new = {tool.name: f"tool_{number:02}" for tool, number in zip(tools, numbers, strict=True)}
    if not new:
        return plan, list(goldens)
    spoken = re.compile(
        "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in sorted(new, key=len, reverse=True))
    )

    def text(words: str) -> str:
        return spoken.sub(lambda found: new[found.group()], words)

    renamed = [
        msgspec.structs.replace(tool, name=new[tool.name], description=text(tool.description), title="")
        for tool in tools
    ]
    agent = replace(
        plan.agent,
        tools=renamed,
        system=text(plan.agent.system),
        mocks={new.get(name, name): mock for name, mock in plan.agent.mocks.items()},
        tool_sets={
            name: tuple(new.get(one, one) for one in members)
            for name, members in plan.agent.tool_sets.items()
        },
    )
    fitting = [g for g in goldens if not spoken.search(g.input)]
    return replace(plan, agent=agent), [renamed_golden(g, new) for g in fitting]


def renamed_golden(golden: Golden, new: Mapping[str, str]) -> Golden:
    """The golden with its tools under other names."""

    def call(one: ExpectedCall) -> ExpectedCall:
        tool: Any = one.tool
        if isinstance(tool, str):
            tool = new.get(tool, tool)
        elif isinstance(tool, tuple):
            tool = tuple(new.get(name, name) for name in tool)
        return msgspec.structs.replace(one, tool=tool)

    return msgspec.structs.replace(
        golden,
        expected_calls=tuple(map(call, golden.expected_calls)),
        any_of=tuple(tuple(map(call, calls)) for calls in golden.any_of),
        forbidden_calls=tuple(
            new.get(one, one) if isinstance(one, str) else one for one in golden.forbidden_calls
        ),
        tools=None
        if golden.tools is None
        else tuple(new.get(one, one) if isinstance(one, str) else one for one in golden.tools),
    )


def distractors(
    plan: Plan, tools: Sequence[Tool], goldens: Sequence[Golden], draw: int
) -> tuple[Plan, list[Golden]]:
    """Unrelated tools among the others. Goldens with their own tools are skipped."""
    known = {tool.name for tool in tools}
    more = [Tool(name, text) for name, text in STRANGERS if name not in known]
    mixed = [*tools, *more]
    random.Random(f"{plan.seed}/distractors/{draw}").shuffle(mixed)  # noqa: S311
    return _with_tools(plan, mixed), [g for g in goldens if g.tools is None]


def paraphrase(
    plan: Plan, tools: Sequence[Tool], goldens: Sequence[Golden], draw: int
) -> tuple[Plan, list[Golden]]:
    """Other words for the same request: those that a golden gives under `metadata.paraphrases`."""
    made = []
    for golden in goldens:
        given = golden.metadata.get("paraphrases")
        words = [text for text in given if isinstance(text, str)] if isinstance(given, list) else []
        if words:
            made.append(msgspec.structs.replace(golden, input=words[draw % len(words)]))
    if not made:
        raise ConfigError("--perturb paraphrase needs goldens with metadata.paraphrases: a list of texts")
    return plan, made


def typos(
    plan: Plan, tools: Sequence[Tool], goldens: Sequence[Golden], draw: int
) -> tuple[Plan, list[Golden]]:
    """Two letters exchanged in a word that is no value of an expected argument."""
    made = []
    for golden in goldens:
        values = " ".join(
            str(value) for call in golden.expected_calls for value in (call.args or {}).values()
        )
        words = golden.input.split(" ")
        free = [
            at for at, word in enumerate(words) if len(word) > 4 and word.isalpha() and word not in values
        ]
        if free:
            rng = random.Random(f"{plan.seed}/typos/{golden.id}/{draw}")  # noqa: S311
            at = rng.choice(free)
            spot = rng.randrange(1, len(words[at]) - 2)
            word = words[at]
            words[at] = word[:spot] + word[spot + 1] + word[spot] + word[spot + 2 :]
            made.append(msgspec.structs.replace(golden, input=" ".join(words)))
    return plan, made


def drop(
    plan: Plan, tools: Sequence[Tool], goldens: Sequence[Golden], draw: int
) -> tuple[Plan, list[Golden]]:
    """The wanted tool left out: then no other may be called instead."""
    made = []
    for golden in goldens:
        wanted = {call.tool for call in golden.expected_calls if isinstance(call.tool, str)}
        if wanted and golden.tools is None and not golden.any_of:
            left = tuple(tool.name for tool in tools if tool.name not in wanted)
            made.append(Golden(golden.input, golden.id, "negative", left, golden.system, golden.context, no_calls=True,
                               cluster=golden.cluster))  # fmt: skip
    return plan, made


def drop_other(
    plan: Plan, tools: Sequence[Tool], goldens: Sequence[Golden], draw: int
) -> tuple[Plan, list[Golden]]:
    """One tool left out that is not needed."""
    made = []
    for golden in goldens:
        wanted = {call.tool for calls in (golden.expected_calls, *golden.any_of) for call in calls}
        others = [tool.name for tool in tools if tool.name not in wanted]
        plain = all(isinstance(tool, str) for tool in wanted)
        if golden.tools is None and plain and others and len(tools) > 1:
            gone = random.Random(f"{plan.seed}/drop/{golden.id}/{draw}").choice(others)  # noqa: S311
            left = tuple(tool.name for tool in tools if tool.name != gone)
            made.append(msgspec.structs.replace(golden, tools=left))
    return plan, made


def bare(
    plan: Plan, tools: Sequence[Tool], goldens: Sequence[Golden], draw: int
) -> tuple[Plan, list[Golden]]:
    """No descriptions at all: what the words are worth."""
    return _with_tools(plan, [_stripped(tool) for tool in tools]), list(goldens)


def _stripped(tool: Tool) -> Tool:
    schema = copy.deepcopy(tool.input_schema)
    for one in (schema.get("properties") or {}).values():
        if isinstance(one, dict):
            one.pop("description", None)
    return msgspec.structs.replace(tool, description="", input_schema=schema)


KINDS: dict[str, Perturb] = {
    "order": order,
    "names": names,
    "distractors": distractors,
    "paraphrase": paraphrase,
    "typos": typos,
    "drop": drop,
    "drop_other": drop_other,
    "bare": bare,
}
RANDOM = frozenset(("order", "names", "distractors", "typos", "drop_other", "paraphrase"))
ABLATIONS = frozenset(("bare",))
"""Changes that may well change something: they get no verdict."""


def perturbed_plan(plan: Plan, kind: str, draw: int) -> tuple[Plan, list[Golden]]:
    """The plan that is run instead, and its goldens, in one of several draws."""
    model = plan.agent.model
    if isinstance(model, str) and model.startswith("recorded"):
        raise ConfigError("--perturb changes the requests, and a cassette only knows those it recorded")
    tools = list(Session(plan.agent).toolbox.tools)
    goldens = [golden for golden in plan.goldens() if isinstance(golden, Golden)]
    return KINDS[kind](plan, tools, goldens, draw)
