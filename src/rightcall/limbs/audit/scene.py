"""What operators see of a golden: what it says, its tools, what is right, and values of other goldens.

A mutant is one bug: what was changed, whether it is provably wrong, how much harm it does.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, get_args

from rightcall.metrics.matching.base import equality_key
from rightcall.metrics.matching.expectation import fits
from rightcall.metrics.value_sources import bare_text
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import AnyGolden, expectations_of
from rightcall.records.record import Record
from rightcall.records.trajectory import Trajectory
from rightcall.run.rehearsal.stage import with_argument
from rightcall.run.rehearsal.toolset import Toolset, call_key
from rightcall.run.rehearsal.values import results_before, stands_in, values_listed_in

MOST_VALUES = 30
"""Values kept of each parameter of the dataset."""


class Argument(NamedTuple):
    """One argument of a call in right behaviour."""

    at: int
    tool: str
    name: str
    value: Any
    schema: dict[str, Any]
    required: bool
    stands: bool
    """Whether the request, the context or an earlier result says the value."""
    is_open: bool = False
    """Whether the golden leaves it open and no right value is known: this one was made up."""

    @property
    def is_stated(self) -> bool:
        """Whether the value is right and stands in what the agent could read."""
        return self.stands and not self.is_open


@dataclass
class SeenValues:
    """Values of each parameter in the dataset: the first few in an order of theirs, whatever the order of goldens."""

    _values: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)

    def add(self, calls: Sequence[ToolCall]) -> None:
        for call in calls:
            for name, value in (call.arguments or {}).items():
                if isinstance(value, str | int | float):
                    seen = self._values.setdefault((call.name, name), {})
                    seen[repr(value)] = value
                    if len(seen) > MOST_VALUES:
                        del seen[max(seen)]

    def others(self, tool: str, name: str, value: Any) -> list[Any]:
        """Other values of the parameter."""
        seen = self._values.get((tool, name), {})
        others = [other for other in seen.values() if type(other) is type(value) and other != value]
        return sorted(others, key=str)


@dataclass(frozen=True)
class Scene:
    """One golden with everything that a mutant of its right behaviour can be made from."""

    golden: AnyGolden
    toolset: Toolset
    words: str
    good: Sequence[Trajectory]
    values: SeenValues
    seed: str = ""
    needs_content: bool = False
    """Whether a metric reads the expected answer of the golden."""
    is_made: bool = False
    """Whether no agent's behaviour is known: what the golden leaves open is then a guess."""

    def arguments(self, good: Trajectory) -> Iterator[Argument]:
        """Every argument of the calls that succeeded."""
        for at, call in enumerate(good.calls):
            if call.status == "error" or not call.arguments:
                continue
            text = "\n".join((self.words, results_before(good.calls, at)))
            for name, value in call.arguments.items():
                schema = self.toolset.parameter(call.name, name)
                required = self.toolset.requires(call.name, name)
                stands = stands_in(value, text)
                yield Argument(
                    at,
                    call.name,
                    name,
                    value,
                    schema=schema,
                    required=required,
                    stands=stands,
                    is_open=self.is_open(call.name, name),
                )

    def is_open(self, tool: str, parameter: str) -> bool:
        """Whether a value of right behaviour is a guess: the golden says nothing of it, and no agent showed it."""
        if not self.is_made:
            return False
        return not any(
            parameter in (call.args or {}) for call in self.expectations() if fits(call.tool)(tool)
        )

    def is_listed(self, tool: str, parameter: str, value: Any) -> bool:
        """Whether the golden itself lists a value among those it accepts."""
        specs = ((call.args or {}).get(parameter) for call in self.expectations() if fits(call.tool)(tool))
        return any(equality_key(value) in map(equality_key, values_listed_in(spec)) for spec in specs)

    def effectful(self, tool: str) -> bool:
        """Whether a tool certainly changes the world."""
        return self.toolset.changes_world(tool)

    def value_harm(self, tool: str, *, is_object: bool = False) -> Harm:
        """The harm of a wrong value; `is_object` says that the value names what is acted on."""
        if not self.effectful(tool):
            return "wrong_value"
        return "wrong_object" if is_object else "wrong_effect"

    def change_argument(
        self, good: Trajectory, argument: Argument, other: Any, *, is_object: bool = False
    ) -> Change:
        """The behaviour with another value of an argument; of an open one nothing is known to be replaced."""
        changed = with_argument(good, argument.at, argument.name, other)
        harm = self.value_harm(argument.tool, is_object=is_object)
        before = None if argument.is_open else argument.value
        return Change(changed, harm, argument.at, argument.name, before=before, after=other)

    def expectations(self) -> list[ExpectedCall]:
        """Every expected call of the golden, in all of its alternatives and turns."""
        return list(expectations_of(self.golden))

    def key(self, trajectory: Trajectory) -> Hashable:
        """What two behaviours share that are the same for a reader: calls as a multiset, and the answer."""
        keys = sorted(repr(call_key(self.toolset, call)) for call in trajectory.calls)
        return tuple(keys), bare_text(trajectory.output)


Harm = Literal[
    "double_effect",
    "extra_effect",
    "wrong_object",
    "wrong_effect",
    "wrong_tool",
    "missed",
    "wrong_value",
    "order",
    "answer",
]
HARMS: tuple[Harm, ...] = get_args(Harm)
"""Worst first."""


class Change(NamedTuple):
    """What an operator made of right behaviour. `call` is the place of the call it changed; None: not in one call."""

    trajectory: Trajectory
    harm: Harm
    call: int | None = None
    parameter: str = ""
    before: Any = None
    after: Any = None


class Mutant(Record, frozen=True):
    """A trajectory with one bug.

    `id` is stable: it depends on the golden's content, the operator, the place and the new value. `origin` is the
    place of the right behaviour, among those of the golden, that it was made from.
    """

    id: str
    golden_id: str
    operator: str
    harm: Harm
    trajectory: Trajectory
    call: int | None = None
    tool: str = ""
    parameter: str = ""
    before: Any = None
    after: Any = None
    origin: int = 0
