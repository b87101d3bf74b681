"""Call plans: the calls a request should lead to, sampled from the tools' schemas.

The schedule decides what each slot is about (a kind of plan, a tool, a parameter or choice to cover); the plan fills in
values. Both depend only on the seed and the slot's number, so a run can be resumed and repeated.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from rightcall.core.words import name_tokens, word_set, words as text_words
from rightcall.limbs.generate.values import (
    choices_of,
    json_type,
    open_parameters,
    parameter_schema,
    sample_arguments,
)
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.record import Record
from rightcall.records.tool import Tool
from rightcall.schema.effects import effect_of

PlanKind = Literal["one", "several", "parallel", "dependent", "none", "missing", "near_miss", "enum"]
WEIGHTS: Mapping[PlanKind, int] = {
    "one": 30, "several": 10, "parallel": 8, "dependent": 6, "none": 10, "missing": 8, "near_miss": 8, "enum": 6,
}  # fmt: skip
"""The relative frequency of each kind."""

WITHOUT_CALLS: frozenset[PlanKind] = frozenset(("none", "missing"))
_REFERENCES = word_set("id ids key slug uuid")
"""Last words of parameters that refer to one thing; a name or a number of one thing may be that of another."""


class PlannedCall(Record, frozen=True):
    """One call of a plan. `bound` maps a parameter to the path in the result of the call `after` that gives it."""

    tool: str
    arguments: dict[str, Any]
    id: str = ""
    after: str = ""
    bound: dict[str, str] = {}


class PlannedSlot(Record, frozen=True):
    """What one golden should be about. `turn` counts how often its tool was planned before."""

    index: int
    kind: PlanKind
    tools: tuple[str, ...] = ()
    turn: int = 0

    @property
    def id(self) -> str:
        """A name that is stable across resumes: number, kind, tools."""
        return "-".join([f"{self.index:04}", self.kind, *self.tools])


class CallPlan(Record, frozen=True):
    """The calls a request should lead to. `missing` is a required parameter that the request must not contain."""

    slot: PlannedSlot
    calls: tuple[PlannedCall, ...] = ()
    attempt: int = 0
    missing: str = ""
    distractor: str = ""

    @property
    def has_calls(self) -> bool:
        """Whether the agent should call anything."""
        return self.slot.kind not in WITHOUT_CALLS

    def expected_calls(self, tools: Mapping[str, Tool]) -> tuple[ExpectedCall, ...]:
        """The calls as a golden states them."""
        return tuple(_expectation(call, tools[call.tool]) for call in self.calls) if self.has_calls else ()


class Schedule:
    """Slots in order: kinds by weight, the least used tool that supports the kind; `most_idle` without a call."""

    def __init__(
        self,
        tools: Sequence[Tool],
        seed: int = 0,
        kinds: Mapping[PlanKind, int] = WEIGHTS,
        most_idle: int | None = None,
    ) -> None:
        shuffled = sorted(tools, key=lambda tool: tool.name)
        random.Random(f"{seed}/tools").shuffle(shuffled)  # noqa: S311
        self._pairs = dependent_pairs(shuffled)
        self._able = {kind: self._those_able(kind, shuffled) for kind in kinds}
        self._weights = {kind: weight for kind, weight in kinds.items() if weight and self._able[kind]}
        self._used: Counter[str] = Counter()
        self._made: Counter[PlanKind] = Counter()
        self._about: Counter[tuple[PlanKind, tuple[str, ...]]] = Counter()
        self._index = 0
        self._most_idle = most_idle

    def take(self, count: int) -> list[PlannedSlot]:
        """The next slots."""
        return [self._next() for _ in range(count)] if self._weights else []

    def _next(self) -> PlannedSlot:
        calling = {kind: weight for kind, weight in self._weights.items() if kind not in WITHOUT_CALLS}
        if calling and sum(self._made[kind] for kind in WITHOUT_CALLS) == self._most_idle:
            self._weights = calling  # goldens without a call are no substitute for those that repeat others
        total = sum(self._weights.values())
        index = self._index
        self._index = self._index + 1
        kind = max(self._weights, key=lambda k: self._weights[k] * (index + 1) / total - self._made[k])
        self._made[kind] += 1
        called = 1 if kind == "near_miss" else None  # its second tool must not be called
        chosen = min(
            self._able[kind],
            key=lambda names: (sum(self._used[name] for name in names[:called]), self._about[kind, names]),
        )
        turn = self._about[kind, chosen]
        self._about[kind, chosen] += 1
        self._used.update(chosen[:called])
        return PlannedSlot(index, kind, chosen, turn)

    def _those_able(  # noqa: PLR0911  a table of kinds
        self, kind: PlanKind, tools: Sequence[Tool]
    ) -> list[tuple[str, ...]]:
        """The tools, or groups of tools, that a kind of plan applies to."""
        match kind:
            case "none":
                return [()]
            case "dependent":
                return [(first, second) for first, second, _ in self._pairs]
            case "several":
                others = [*tools[len(tools) // 2 :], *tools[: len(tools) // 2]]
                pairs = zip(tools, others, strict=True)
                return [(tool.name, other.name) for tool, other in pairs] if len(tools) > 1 else []
            case "near_miss":
                neighbours = ((tool, dangerous_neighbour(tool, tools)) for tool in tools)
                return [(tool.name, other.name) for tool, other in neighbours if other is not None]
            case "missing":
                return [(tool.name,) for tool in tools if parameters_to_withhold(tool)]
            case "enum":
                return [(tool.name,) for tool in tools if _choices(tool)]
            case "parallel":
                return [(tool.name,) for tool in tools if tool.parameters and not _takes_several(tool)]
            case _:
                return [(tool.name,) for tool in tools]


def plan_of(
    slot: PlannedSlot,
    tools: Mapping[str, Tool],
    *,
    seed: int = 0,
    attempt: int = 0,
) -> CallPlan | None:
    """The plan of a slot; a different one for each attempt. None when a tool's schema cannot be sampled."""
    rng = random.Random(f"{seed}/{slot.index}/{attempt}")  # noqa: S311
    maker = _Sampler(slot, tools, rng, slot.turn + attempt)
    calls = maker.calls()
    if calls is None:
        return None
    distractor = slot.tools[1] if slot.kind == "near_miss" else ""
    return CallPlan(slot, calls, attempt, maker.missing, distractor=distractor)


class _Sampler:
    """Fills one slot with values."""

    def __init__(self, slot: PlannedSlot, tools: Mapping[str, Tool], rng: random.Random, turn: int) -> None:
        self._slot = slot
        self._tools = tools
        self._rng = rng
        self._turn = turn
        self.missing = ""

    def calls(self) -> tuple[PlannedCall, ...] | None:
        kind = self._slot.kind
        names = self._slot.tools
        if kind == "none":
            return ()
        if kind == "dependent":
            return self._dependent(*names)
        if kind == "parallel":
            return self._two_calls(names[0])
        called = names if kind == "several" else names[:1]
        calls = tuple(call for name in called if (call := self._call(name)) is not None)
        return calls if len(calls) == len(called) else None

    def _call(self, name: str) -> PlannedCall | None:
        tool = self._tools[name]
        kind = self._slot.kind
        names = set(parameters_of_turn(tool, self._turn))
        fixed = dict[str, Any]()
        if kind == "missing":
            self.missing = self._rng.choice(parameters_to_withhold(tool))
        elif kind == "enum":
            choices = _choices(tool)
            parameter, value = choices[self._turn % len(choices)]
            fixed = {parameter: value}
            names = {*required_parameters(tool), parameter}
        arguments = sample_arguments(tool, frozenset(names), self._rng, fixed=fixed)
        return None if arguments is None else PlannedCall(name, arguments)

    def _two_calls(self, name: str) -> tuple[PlannedCall, ...] | None:
        """Calls of one tool that differ in their arguments."""
        tool = self._tools[name]
        calls = list[PlannedCall]()
        names = frozenset(parameters_of_turn(tool, self._turn)) or frozenset([next(iter(tool.parameters))])
        for _ in range(12):
            arguments = sample_arguments(tool, names, self._rng)
            if arguments is not None and all(_differ(tool, arguments, call.arguments) for call in calls):
                calls.append(PlannedCall(name, arguments))
            if len(calls) == 2:
                return tuple(calls)
        return None

    def _dependent(self, first: str, second: str) -> tuple[PlannedCall, ...] | None:
        pairs = dependent_pairs(list(self._tools.values()))
        parameter = next(name for *pair, name in pairs if pair == [first, second])
        source = self._call(first)
        tool = self._tools[second]
        if source is None:
            return None
        stated = frozenset(parameters_of_turn(tool, self._turn)) - {parameter}
        shared = {name: value for name, value in source.arguments.items() if name in stated}
        names = stated | {parameter}
        arguments = sample_arguments(tool, names, self._rng, fixed=shared)
        if arguments is None:
            return None
        return (
            PlannedCall(first, source.arguments, "first"),
            PlannedCall(second, arguments, after="first", bound={parameter: parameter}),
        )


def required_parameters(tool: Tool) -> list[str]:
    """The parameters that every call must have."""
    required = tool.input_schema.get("required") or ()
    return [name for name in tool.parameters if name in required]


def mentionable_parameters(tool: Tool) -> list[str]:
    """The parameters that have values to draw from."""
    return [name for name in tool.parameters if name not in open_parameters(tool)]


def _choices(tool: Tool) -> list[tuple[str, Any]]:
    """Enumerated parameters with each of their values; a default only where there is nothing else."""
    choices = [(name, value) for name in mentionable_parameters(tool) for value in choices_of(tool, name)]
    unusual = [
        (name, value) for name, value in choices if value != parameter_schema(tool, name).get("default")
    ]
    return unusual or choices


def parameters_of_turn(tool: Tool, turn: int) -> list[str]:
    """The parameters of a call: what is required, and from the second turn on one optional parameter."""
    required = required_parameters(tool)
    optional = [name for name in mentionable_parameters(tool) if name not in required]
    return [*required, optional[(turn - 1) % len(optional)]] if turn and optional else required


def _takes_several(tool: Tool) -> bool:
    """Whether one call can do for several things what two calls would do: a list among what it needs."""
    return any(json_type(parameter_schema(tool, name)) == "array" for name in required_parameters(tool))


def _differ(tool: Tool, arguments: Mapping[str, Any], others: Mapping[str, Any]) -> bool:
    """Whether two calls are about different things: nobody asks for the same thing twice with another limit."""
    subject = [name for name in required_parameters(tool) if not choices_of(tool, name)] or list(arguments)
    return any(arguments.get(name) != others.get(name) for name in subject)


def parameters_to_withhold(tool: Tool) -> list[str]:
    """The parameters that a request may say it still owes."""
    return [name for name in required_parameters(tool) if name not in tool.defaults()]


_MOST_SHARED = 0.5


def dangerous_neighbour(tool: Tool, tools: Sequence[Tool]) -> Tool | None:
    """The tool with an effect that shares the most words with this one, unless it could serve the same request."""
    own = _words_of(tool)

    def overlap(other: Tool) -> float:
        return len(own & _words_of(other)) / max(1, len(own | _words_of(other)))

    others = [
        other
        for other in tools
        if other.name != tool.name and effect_of(other.name, other.annotations).is_write
    ]
    best = max(others, key=overlap, default=None)
    return best if best is not None and 0 < overlap(best) <= _MOST_SHARED else None


def _words_of(tool: Tool) -> set[str]:
    return {*name_tokens(tool.name), *text_words(tool.description)}


def dependent_pairs(tools: Sequence[Tool]) -> list[tuple[str, str, str]]:
    """Two tools and the identifier that the first's result provides to the second, according to their schemas."""
    pairs = []
    for first in tools:
        outputs: Any = (first.output_schema or {}).get("properties")
        for second in tools if isinstance(outputs, dict) else ():
            shared = [
                p
                for p in required_parameters(second)
                if p in outputs
                and p not in first.parameters
                and _REFERENCES.intersection(name_tokens(p)[-1:])
            ]
            if second.name != first.name and shared:
                pairs.append((first.name, second.name, shared[0]))
    return pairs


def _expectation(call: PlannedCall, tool: Tool) -> ExpectedCall:
    arguments = {name: expectation_of_value(tool, name, value) for name, value in call.arguments.items()}
    for name, path in call.bound.items():
        arguments[name] = {"ref": {"call": call.after, "path": path}}
    return ExpectedCall(call.tool, arguments, id=call.id, after=(call.after,) if call.after else ())


def expectation_of_value(tool: Tool, name: str, value: Any) -> Any:
    """How a golden states an argument: words in free text ignoring case and spacing, everything else exactly."""
    schema = parameter_schema(tool, name)
    is_free = json_type(schema) == "string" and not any(
        key in schema for key in ("enum", "const", "pattern", "format")
    )
    if is_free and isinstance(value, str) and value.replace(" ", "").isalpha():
        return {"text": value, "ignore": ["case", "space"]}
    return {"exact": value} if isinstance(value, dict) else value
