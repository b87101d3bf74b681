"""Fault plans: what breaks, where and how often; seeded and fixed before the run.

    seed: 7
    faults:
      - {type: timeout_after_effect, tool: refund, nth: 1}         # the first refund: done, answer lost
      - {type: rate_limit, tool: [search, list_orders], seconds: 20, max_fires: 2}
      - {type: wrong_value, tool: get_balance, path: balance, when: {account: "a1"}, probability: 0.5}

`nth` counts the executions of the tool in one trial from 1. A fault that never fired says nothing: it is
*not run*, never a pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec

from rightcall.core.canonical_json import canonical
from rightcall.core.codec import convert
from rightcall.core.digest import hex_digest
from rightcall.core.errors import ConfigError, suggestion
from rightcall.core.options import described
from rightcall.core.seam import Limb, Schema
from rightcall.files.documents import read_document
from rightcall.records.record import Record, Sequenced

DeliveryFault = Literal["duplicate_delivery", "key_expired"]
FaultBefore = Literal[
    "timeout_before",
    "rate_limit",
    "error_5xx_before",
    "permission_revoked",
    "slow",
    "partial_batch",
]
FaultAfter = Literal["timeout_after_effect", "reset_after_effect", "error_5xx_after"]
ResultFault = Literal["malformed_json", "truncated", "schema_drift", "empty", "wrong_value"]
FaultType = Literal[FaultBefore, FaultAfter, ResultFault, DeliveryFault]
FAULT_TYPES: tuple[str, ...] = get_args(FaultType)
Phase = Literal["delivery", "before", "after", "result"]

PHASES: dict[str, Phase] = {
    **dict.fromkeys(get_args(DeliveryFault), "delivery"),
    **dict.fromkeys(get_args(FaultBefore), "before"),
    **dict.fromkeys(get_args(FaultAfter), "after"),
    **dict.fromkeys(get_args(ResultFault), "result"),
}
"""Where each type takes effect: on the way to the runtime, before the effect, after it, or on the result."""


class Fault(Record, frozen=True, metaclass=Sequenced):
    """One fault. Only `type` is required: without a selector it affects every call.

    `tool` names one tool or several, `nth` the executions that fail, `when` values the arguments must
    include. `seconds` are for slow [default: 5] and rate_limit [default: 30], `path` and `value`
    for wrong_value.
    """

    type: Annotated[FaultType, described("what goes wrong")]
    tool: Annotated[str | tuple[str, ...], described("one tool or several [default: all]")] = ()
    nth: Annotated[
        int | tuple[int, ...],
        described("executions of the tool in a trial that fail, counted from 1 [default: all]"),
    ] = ()
    when: Annotated[dict[str, Any], described("values the arguments must include")] = {}
    probability: Annotated[float, described("probability that the fault occurs", ge=0, le=1)] = 1.0
    max_fires: Annotated[
        Annotated[int, msgspec.Meta(ge=1)] | None, described("maximum occurrences per trial")
    ] = None
    seconds: Annotated[
        Annotated[float, msgspec.Meta(ge=0)] | None,
        described("slow: delay [default: 5]; rate_limit: delay before a retry, in the error [default: 30]"),
    ] = None
    path: Annotated[str, described("wrong_value: path of the value to change")] = ""
    value: Annotated[Any, described("wrong_value: the value to return instead")] = None

    @property
    def delay(self) -> float:
        """Its seconds, or the usual ones of its type."""
        return self.seconds if self.seconds is not None else 30.0 if self.type == "rate_limit" else 5.0

    @property
    def phase(self) -> Phase:
        """Where it takes effect."""
        return PHASES[self.type]

    def names(self) -> tuple[str, ...]:
        """The tools it may affect; empty for all."""
        return (self.tool,) if isinstance(self.tool, str) else self.tool

    def strikes_nth(self, number: int) -> bool:
        """Whether it may affect the `number`-th execution (from 1)."""
        numbers = (self.nth,) if isinstance(self.nth, int) else self.nth
        return not numbers or number in numbers


class FaultPlan(Record, frozen=True, metaclass=Sequenced):
    """All faults of a run. The same plan affects every model in the same way."""

    faults: Annotated[tuple[Fault, ...], described("faults of tools while they run")] = ()
    seed: Annotated[int, described("seed of the random faults")] = 0

    def __bool__(self) -> bool:
        return bool(self.faults)

    @property
    def hash(self) -> str:
        """Identifies the plan in a run's record: equal for equivalent plans."""
        return hex_digest(canonical(msgspec.to_builtins(self)))

    def label(self, index: int) -> str:
        """The name of a fault in ledgers and reports: its place in the plan, its type and its tool."""
        fault = self.faults[index]
        return f"{index}:{fault.type}{':' + '|'.join(fault.names()) if fault.names() else ''}"

    def labels(self) -> tuple[str, ...]:
        return tuple(self.label(index) for index in range(len(self.faults)))

    def check(self, tools: Iterable[str]) -> None:
        """Raise a `ConfigError` that lists every named tool that does not exist."""
        tool_names = list(tools)
        unnamed = "the suite names no tools; those run by its own code are named under tools:"
        known = f"known: {', '.join(tool_names)}" if tool_names else unnamed
        named = [(f"faults[{i}].tool", n) for i, fault in enumerate(self.faults) for n in fault.names()]
        problems = [
            f"{where}: no such tool '{name}'; {suggestion(name, tool_names) or known}"
            for where, name in named
            if name not in tool_names
        ]
        if problems:
            raise ConfigError(*problems)


def read_plan(plain: Any, where: str) -> FaultPlan:
    """A plan from plain data; a list is the list of faults."""
    return convert({"faults": plain} if isinstance(plain, list) else plain, FaultPlan, where)


def load_plan(path: str | Path) -> FaultPlan:
    """A plan from a YAML or JSON file."""
    return read_plan(read_document(path), str(path))


class FaultsLimb(Limb):
    """`faults` of a suite: a file or a list."""

    block = Annotated[
        str | list[dict[str, Any]] | None, described("faults of tools while they run: a file or a list")
    ]
    parts = (Fault,)

    def agent(self, agent: Any, block: str | list[dict[str, Any]], folder: Path, *, loops: bool) -> Any:
        if not loops:
            raise ConfigError("faults affect tools while they run, so they require agent.mode: loop")
        plan = load_plan(folder / block) if isinstance(block, str) else read_plan(block, "faults")
        return replace(agent, faults=plan)

    def schema(self, ref: Callable[[str], Schema]) -> Schema:
        return {"anyOf": [{"type": "string"}, {"type": "array", "items": ref("Fault")}, {"type": "null"}]}
