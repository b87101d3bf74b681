"""Applies a fault plan to each call."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from rightcall.core.codec import encode
from rightcall.core.declared_values import value_problem
from rightcall.core.errors import ConfigError
from rightcall.core.text import first_names
from rightcall.records.tool import Tool
from rightcall.tools.definitions.behaviour import only_reads
from rightcall.tools.faults.plan import Fault, FaultPlan
from rightcall.tools.runtime.call_outcome import Finished, RawResult
from rightcall.tools.runtime.call_record import how_to_check
from rightcall.tools.runtime.context import CallContext
from rightcall.tools.runtime.errors import ToolError
from rightcall.tools.runtime.invocation import ActiveCall, Keys, Layer, Next, Place, Stage
from rightcall.tools.runtime.json_values import is_json, leaves, replace_leaf
from rightcall.tools.runtime.mocks import includes


def damage_result(fault: Fault, result: Any, rng: random.Random) -> tuple[Any, bool]:
    """The result after the fault, and whether it differs: an empty list cannot be emptied."""
    if not is_json(result):
        return result, False
    match fault.type:
        case "malformed_json":
            damaged_result: Any = RawResult(encode(result).decode() + "}{")
        case "truncated":
            text = encode(result).decode()
            damaged_result = RawResult(text[: max(1, len(text) * 2 // 3)].rstrip('}]"0123456789elus'))
        case "empty":
            damaged_result = type(result)() if isinstance(result, dict | list | str) else None
        case "schema_drift":
            damaged_result = _drift_result(result)
        case "wrong_value":
            damaged_result = _lie(fault, result, rng)
        case _:
            raise NotImplementedError(f"no case for the fault {fault.type}, which changes the result")
    return damaged_result, damaged_result != result


def _drift_result(result: Any) -> Any:
    """Names in another style and numbers as texts, as after an unannounced release."""
    if isinstance(result, dict):
        return {_other_style(name): _drift_result(inner) for name, inner in result.items()}
    if isinstance(result, list):
        return [_drift_result(inner) for inner in result]
    return str(result) if isinstance(result, int | float) and not isinstance(result, bool) else result


def _other_style(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest) if rest else f"{name}Value"


def _lie(fault: Fault, result: Any, rng: random.Random) -> Any:
    """The result with one value changed: the one at `path`, or one drawn from the seed."""
    all_leaves = leaves(result)
    aimed = [leaf for leaf in all_leaves if leaf[0] == fault.path or leaf[0].endswith(f".{fault.path}")]
    candidates = aimed if fault.path else all_leaves
    if not candidates:
        return result
    path, value = rng.choice(candidates)
    lie = fault.value if fault.value is not None else _plausible(value, rng)
    return replace_leaf(result, path, lambda _: lie)


def _plausible(value: Any, rng: random.Random) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + rng.choice((-2, -1, 1, 2, 10)) if abs(value) < 100 else value + value // 10 + 1
    if isinstance(value, float):
        return round(value * rng.choice((0.9, 1.1, 1.5)) + 0.01, 4)
    if not value:
        return "unknown"
    digits = [i for i, character in enumerate(value) if character.isdigit()]
    if digits:
        at = rng.choice(digits)
        return f"{value[:at]}{(int(value[at]) + 1) % 10 if value[at].isascii() else 1}{value[at + 1 :]}"
    return value[::-1] if value != value[::-1] else f"{value}s"


def must_strike_first(fault: Fault, *, writes: bool) -> bool:
    """Whether a fault has to come before the tool runs: an error in place of a result hides no effect of a read."""
    return fault.phase == "delivery" or (fault.phase == "before" and writes and fault.type != "slow")


def fault_layer(plan: FaultPlan, tools: Iterable[str], *_: Any) -> PlannedFaults | None:
    """The layer of a plan; `ConfigError` when it names tools that there are not."""
    if problem := value_problem(FaultPlan, plan):
        raise ConfigError(f"Toolbox: faults {problem}")
    plan.check(tools)
    return PlannedFaults(plan) if plan else None


class PlannedFaults(Layer):
    """The injector of a fault plan. It keeps nothing between calls: counters belong to the trial."""

    virtual_time = True

    def __init__(self, plan: FaultPlan) -> None:
        self.plan = plan

    def unreachable(self, tools: Sequence[Tool]) -> list[str]:
        problems: list[str] = []
        for index, fault in enumerate(self.plan.faults):
            struck = [tool for tool in tools if not fault.names() or tool.name in fault.names()]
            names = [t.name for t in struck if must_strike_first(fault, writes=not only_reads(t.annotations))]
            if names:
                problems.append(
                    f"faults[{index}]: {fault.type} comes before {first_names(names, 3)}, which the agent's own code"
                    " runs before anything of it is seen; use a fault after the effect, or of the result, or name"
                    " tools that only read"
                )
        return problems

    def stages(self, keys: Keys) -> Mapping[Place, Stage]:
        return {"deliver": partial(self.deliver, keys), "strike": self.strike}

    async def deliver(self, keys: Keys, call: ActiveCall, next: Next) -> Finished:
        """Deliver a call to the runtime: possibly after its key has expired, possibly twice."""
        striking = self._faults_of(call, delivery=True)
        for index, fault in striking:
            if fault.type == "key_expired" and keys.forget(call):
                self._note(index, call)
        finished: Finished = await next(call)
        for index, fault in striking:
            if fault.type == "duplicate_delivery":
                self._note(index, call)
                await next(call)
        return finished

    async def strike(self, call: ActiveCall, next: Next) -> Any:
        """Run the tool with the faults applied; for a batch they are decided once."""
        batch = call.batch
        if batch is None:
            armed = self._arm(call)
        elif batch.injection is msgspec.UNSET:
            armed = batch.injection = self._arm(batch)
        else:
            armed = batch.injection
        return await next(call) if armed is None else await armed.run(call, next)

    def _arm(self, call: ActiveCall) -> ArmedFaults | None:
        """The faults that strike this execution, or None."""
        striking = self._faults_of(call, delivery=False)
        return ArmedFaults(self, striking) if striking else None

    def _faults_of(self, call: ActiveCall, *, delivery: bool) -> list[tuple[int, Fault]]:
        name = call.tool_name
        context = call.context
        number = context.count(("executions", delivery, name)) + 1
        return [
            (index, fault)
            for index, fault in enumerate(self.plan.faults)
            if (fault.phase == "delivery") == delivery
            and (not fault.names() or name in fault.names())
            and not (call.ready.has_run and must_strike_first(fault, writes=call.entry.writes))
            and fault.strikes_nth(number)
            and includes(call.arguments, fault.when)
            and (fault.max_fires is None or fires(context, self.plan.label(index)) < fault.max_fires)
            and context.random("fault", self.plan.seed, index, name, number).random() < fault.probability
        ]

    def _note(self, index: int, call: ActiveCall) -> None:
        label = self.plan.label(index)
        call.faults.append(label)
        call.log("fault", detail=label)


class ArmedFaults(msgspec.Struct):
    """The faults that strike one execution, in the order of the plan."""

    planned: PlannedFaults
    striking: list[tuple[int, Fault]]

    async def run(self, call: ActiveCall, next: Next) -> Any:
        """Run the tool, or not, and return its result, or what the faults make of it."""
        perform = next
        context = call.context
        for index, fault in self.striking:
            if fault.phase == "before":
                perform = partial(self._before, index, fault, perform)
        result = await perform(call)
        for index, fault in self.striking:
            if fault.phase == "after":
                self.planned._note(index, call)
                await _lose_the_answer(fault, call)
            elif fault.phase == "result":
                rng = context.random("damage", index, context.count(("damage", index)))
                result, changed = damage_result(fault, result, rng)
                if changed:
                    self.planned._note(index, call)
        return result

    async def _before(self, index: int, fault: Fault, perform: Next, call: ActiveCall) -> Any:
        self.planned._note(index, call)
        if fault.type == "slow":
            await call.context.clock.sleep(fault.delay)
            result = await perform(call)
            if fault.delay >= call.entry.behaviour.timeout_s:
                raise TimeoutError
            return result
        if fault.type == "partial_batch":
            return await _half(perform, call)
        return await _refuse(fault, call)


def fires(context: CallContext, label: str) -> int:
    """How often a fault has fired in a trial."""
    return sum(1 for entry in context.ledger.entries if entry.phase == "fault" and entry.detail == label)


async def _refuse(fault: Fault, call: ActiveCall) -> Any:
    """Fail before anything is done."""
    name = call.tool_name
    if fault.type == "timeout_before":
        await call.context.clock.sleep(call.entry.behaviour.timeout_s)
        raise TimeoutError
    if fault.type == "rate_limit":
        raise ToolError(
            "rate_limited",
            f"too many calls of {name}",
            f"wait {fault.delay:g} s, then call {name} with the same arguments",
            effect="none",
            retry_after_s=fault.delay,
        )
    if fault.type == "permission_revoked":
        raise ToolError(
            "permission_denied", f"the permission to use {name} has been withdrawn", effect="none"
        )
    if fault.type != "error_5xx_before":
        raise NotImplementedError(f"no case for the fault {fault.type}, which comes before the effect")
    raise ToolError(
        "upstream_error",
        f"the service behind {name} answered with an error; nothing was done",
        f"call {name} once more with the same arguments, or tell the user that it is not working",
        effect="none",
        retry="same_key",
    )


async def _lose_the_answer(fault: Fault, call: ActiveCall) -> None:
    """Fail after the tool has done its work."""
    if fault.type == "timeout_after_effect":
        await call.context.clock.sleep(call.entry.behaviour.timeout_s)
        raise TimeoutError
    if fault.type == "reset_after_effect":
        raise ConnectionResetError
    if fault.type != "error_5xx_after":
        raise NotImplementedError(f"no case for the fault {fault.type}, which comes after the effect")
    name = call.tool_name
    writes = call.entry.writes
    first = how_to_check(call) or "find out whether it happened"
    raise ToolError(
        "upstream_error",
        f"the service behind {name} answered with an error",
        f"{first} before anything else" if writes else "",
        effect="unknown" if writes else "none",
        retry="no" if writes else "same_key",
    )


async def _half(perform: Next, call: ActiveCall) -> Any:
    """Do the first half of the longest list in the arguments, then fail."""
    if call.item is not None:
        index, total = call.item
        if index < total // 2:
            return await perform(call)
        raise ToolError("upstream_error", "the service stopped half-way", effect="none", retry="same_key")
    lists = {name: value for name, value in call.arguments.items() if isinstance(value, list) and value}
    if not lists:
        raise ToolError(
            "upstream_error", f"{call.tool_name} stopped half-way", effect="none", retry="same_key"
        )
    name = max(lists, key=lambda key: len(lists[key]))
    whole = call.arguments
    done = lists[name][: len(lists[name]) // 2]
    call.arguments = {**whole, name: done}
    try:
        await perform(call)
    finally:
        call.arguments = whole
    raise ToolError(
        "upstream_error",
        f"{call.tool_name} stopped after {len(done)} of {len(lists[name])} items of '{name}'",
        f"the first {len(done)} are done; call again with the others only",
        effect="done" if done else "none",
    )
