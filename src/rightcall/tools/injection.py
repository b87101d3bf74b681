"""Making a fault plan happen, call by call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from rightcall.tools.context import CallContext
from rightcall.tools.damage import damaged
from rightcall.tools.errors import ToolError
from rightcall.tools.execute import check_words
from rightcall.tools.faults import Fault, FaultPlan
from rightcall.tools.idempotency_store import IdempotencyStore
from rightcall.tools.invocation import Finished
from rightcall.tools.mocks import includes
from rightcall.tools.prepare import Prepared


@dataclass
class PlannedFaults:
    """The injector of a fault plan. It keeps nothing between calls: counters belong to the trial."""

    plan: FaultPlan
    store: IdempotencyStore

    async def deliver(
        self, deliver: Callable[[], Awaitable[Finished]], prepared: Prepared, context: CallContext
    ) -> Finished:
        """Bring a call to the runtime: perhaps after its key was forgotten, perhaps twice."""
        striking = self._striking(prepared, context, delivery=True)
        for index, fault in striking:
            if fault.type == "key_expired" and self.store.forget(prepared.key):
                self._note(index, prepared, context)
        finished = await deliver()
        for index, fault in striking:
            if fault.type == "duplicate_delivery":
                self._note(index, prepared, context)
                await deliver()
        return finished

    def arm(self, prepared: Prepared, context: CallContext) -> ArmedFaults | None:
        """The faults that strike this execution, or None."""
        striking = self._striking(prepared, context, delivery=False)
        return ArmedFaults(self, striking) if striking else None

    def _striking(
        self, prepared: Prepared, context: CallContext, *, delivery: bool
    ) -> list[tuple[int, Fault]]:
        name = prepared.entry.tool.name
        number = context.count(("executions", delivery, name)) + 1
        return [
            (index, fault)
            for index, fault in enumerate(self.plan.faults)
            if (fault.phase == "delivery") == delivery
            and (not fault.names() or name in fault.names())
            and fault.strikes_nth(number)
            and includes(prepared.arguments, fault.when)
            and (fault.max_fires is None or fires(context, self.plan.label(index)) < fault.max_fires)
            and self._draw(index, name, number, context) < fault.probability
        ]

    def _draw(self, index: int, tool: str, number: int, context: CallContext) -> float:
        return context.random("fault", self.plan.seed, index, tool, number).random()

    def _note(self, index: int, prepared: Prepared, context: CallContext) -> None:
        label = self.plan.label(index)
        prepared.faults.append(label)
        note = {**prepared.note(), "time": context.clock.now(), "detail": label}
        context.ledger.add("fault", prepared.entry.tool.name, **note)


@dataclass
class ArmedFaults:
    """The faults that strike one execution, in the order of the plan."""

    planned: PlannedFaults
    striking: list[tuple[int, Fault]]

    async def run(
        self, perform: Callable[[], Awaitable[Any]], prepared: Prepared, context: CallContext
    ) -> Any:
        """Run the tool, or not, and give its result, or something else."""
        for index, fault in self.striking:
            if fault.phase == "before":
                perform = self._before(index, fault, perform, prepared, context)
        result = await perform()
        for index, fault in self.striking:
            if fault.phase == "after":
                self.planned._note(index, prepared, context)
                await _lose_the_answer(fault, prepared, context)
            elif fault.phase == "result":
                rng = context.random("damage", index, context.count(("damage", index)))
                result, changed = damaged(fault, result, rng)
                if changed:
                    self.planned._note(index, prepared, context)
        return result

    def _before(
        self,
        index: int,
        fault: Fault,
        perform: Callable[[], Awaitable[Any]],
        prepared: Prepared,
        context: CallContext,
    ) -> Callable[[], Awaitable[Any]]:
        async def struck() -> Any:
            if fault.type == "stale_read":
                return await self._stale(index, fault, perform, prepared, context)
            self.planned._note(index, prepared, context)
            if fault.type == "slow":
                return await _slowly(fault, perform, prepared, context)
            if fault.type == "partial_batch":
                return await _half(perform, prepared)
            return await _refuse(fault, prepared, context)

        return struck

    async def _stale(
        self,
        index: int,
        fault: Fault,
        perform: Callable[[], Awaitable[Any]],
        prepared: Prepared,
        context: CallContext,
    ) -> Any:
        """What the tool would have answered some changes ago; fires only when that can be known."""
        past = prepared.ready.past
        if past is None or prepared.entry.writes or (earlier := past(fault.age)) is None:
            return await perform()
        self.planned._note(index, prepared, context)
        return await earlier(prepared.arguments)


def fires(context: CallContext, label: str) -> int:
    """How often a fault has fired in a trial."""
    return sum(1 for entry in context.ledger.entries if entry.phase == "fault" and entry.detail == label)


async def _refuse(fault: Fault, prepared: Prepared, context: CallContext) -> Any:
    """Fail before anything is done."""
    name = prepared.entry.tool.name
    if fault.type == "timeout_before":
        await context.clock.sleep(prepared.entry.behaviour.timeout_s)
        raise TimeoutError
    if fault.type == "rate_limit":
        raise ToolError(
            "rate_limited",
            f"too many calls of {name}",
            f"wait {fault.retry_after_s:g} s, then call {name} with the same arguments",
            retry_after_s=fault.retry_after_s,
        )
    if fault.type == "permission_revoked":
        raise ToolError("permission_denied", f"the permission to use {name} has been withdrawn")
    raise ToolError(
        "upstream_error",
        f"the service behind {name} answered with an error; nothing was done",
        f"call {name} once more with the same arguments, or tell the user that it is not working",
        retry="same_key",
    )


async def _lose_the_answer(fault: Fault, prepared: Prepared, context: CallContext) -> None:
    """Fail after the tool has done its work."""
    if fault.type == "timeout_after_effect":
        await context.clock.sleep(prepared.entry.behaviour.timeout_s)
        raise TimeoutError
    if fault.type == "reset_after_effect":
        raise ConnectionResetError
    name, writes = prepared.entry.tool.name, prepared.entry.writes
    first = check_words(prepared) or "find out whether it happened"
    raise ToolError(
        "upstream_error",
        f"the service behind {name} answered with an error",
        f"{first} before anything else" if writes else "",
        effect="unknown" if writes else "none",
        retry="no" if writes else "same_key",
    )


async def _slowly(
    fault: Fault, perform: Callable[[], Awaitable[Any]], prepared: Prepared, context: CallContext
) -> Any:
    await context.clock.sleep(fault.seconds)
    result = await perform()
    if fault.seconds >= prepared.entry.behaviour.timeout_s:
        raise TimeoutError
    return result


async def _half(perform: Callable[[], Awaitable[Any]], prepared: Prepared) -> Any:
    """Do the first half of the longest list in the arguments, then fail."""
    if prepared.item is not None:
        index, total = prepared.item
        if index < total // 2:
            return await perform()
        raise ToolError("upstream_error", "the service stopped half-way", retry="same_key")
    lists = {name: value for name, value in prepared.arguments.items() if isinstance(value, list) and value}
    if not lists:
        raise ToolError("upstream_error", f"{prepared.entry.tool.name} stopped half-way", retry="same_key")
    name = max(lists, key=lambda key: len(lists[key]))
    whole = prepared.arguments
    done = lists[name][: len(lists[name]) // 2]
    prepared.arguments = {**whole, name: done}
    try:
        await perform()
    finally:
        prepared.arguments = whole
    raise ToolError(
        "upstream_error",
        f"{prepared.entry.tool.name} stopped after {len(done)} of {len(lists[name])} items of '{name}'",
        f"the first {len(done)} are done; call again with the others only",
        effect="done" if done else "none",
    )
