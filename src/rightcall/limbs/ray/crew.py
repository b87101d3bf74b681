"""The workers of a run: who sits where, what share of the work each has, and what they are told."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import msgspec

from rightcall.core.errors import ConfigError, InfrastructureError
from rightcall.limbs.ray.engine import WorkerEngine, WorkerLost, WorkerOptions
from rightcall.limbs.ray.lease import shares
from rightcall.limbs.ray.message import (
    Close,
    Deal,
    Hello,
    Instruction,
    OpenOrder,
    RateShare,
    Sent,
    encode,
    read_farewell,
    read_hello,
)
from rightcall.limbs.ray.worker import FINGERPRINTS, versions
from rightcall.records.run import CaseResult
from rightcall.records.score import Note
from rightcall.records.trajectory import Trajectory
from rightcall.run.backend import Cell, RunWork
from rightcall.run.plan import Plan

DEAL_SECONDS = 5.0
HEARD_SECONDS = 2.0
"""How long a worker may take to learn that its share was reduced, before others get more."""


class RateDealer:
    """Sends workers their even shares of the rate. A share is reduced before another is raised."""

    def __init__(self, tell: Callable[[Seat, RateShare], Awaitable[None]]) -> None:
        self._tell = tell
        self._turn = asyncio.Lock()

    async def keep_dealing(self, seats: Callable[[], Sequence[Seat]]) -> None:
        """Deal every few seconds, until cancelled."""
        while True:
            await self.deal(seats())
            await asyncio.sleep(DEAL_SECONDS)

    async def deal(self, seats: Sequence[Seat]) -> None:
        async with self._turn:
            share = 1 / max(1, len(seats))
            less = [seat for seat in seats if seat.rate_share > share]
            if all(await asyncio.gather(*(self._tell_share(seat, share) for seat in less))):
                more = [seat for seat in seats if seat.rate_share < share]
                await asyncio.gather(*(self._tell_share(seat, share) for seat in more))

    async def _tell_share(self, seat: Seat, share: float) -> bool:
        """Send a worker its share; False if it may still be using a larger one. A lost worker has none."""
        worker = seat.worker
        if worker is None:
            return True
        try:
            async with asyncio.timeout(HEARD_SECONDS):
                await self._tell(seat, RateShare(share))
        except TimeoutError:
            return share > seat.rate_share
        if seat.worker is worker:
            seat.rate_share = share
        return True


GRACE_SECONDS = 10.0
"""How long cells in progress may take to end after an interruption, and a worker to close."""

START_SECONDS = 30.0
"""How long a worker that is being started keeps its share of the concurrency."""


class Crew:
    """The seats of a run. A worker is on its seat once it has said hello and is fit to work."""

    def __init__(
        self,
        engine: WorkerEngine,
        options: WorkerOptions,
        plan: Plan,
        seats: int,
        setup: bytes,
        expected: Mapping[str, str],
        tell: Callable[[str], None],
    ) -> None:
        self._engine = engine
        self._options = options
        self._plan = plan
        self._tell = tell
        self._setup = setup
        self._expected = expected
        self.seats = [Seat(number) for number in range(seats)]
        self.notices: dict[Note, None] = {}
        self.dealer = None
        if plan.agent.rate is not None:
            self.dealer = RateDealer(lambda seat, share: self._send(seat.worker, share))
        self._messages: set[asyncio.Task[None]] = set()
        self._told_of_waiting = False

    def workers_present(self) -> list[Seat]:
        return [seat for seat in self.seats if seat.worker is not None]

    async def welcome(self, seat: Seat) -> Any:
        """A worker that has said hello and is fit to work; ended if it is no longer needed."""
        worker = await self._engine.spawn(seat.number, self._setup)
        try:
            seat.at_once = self._share(seat)
            hello = read_hello(await self._greet(worker, OpenOrder(seat.at_once, seat.number)))
            seat.node = hello.node
            refuse_unfit(seat, hello, self._expected)
        except BaseException:
            await self._engine.lost(worker)
            raise
        return worker

    async def _greet(self, worker: Any, greeting: OpenOrder) -> bytes:
        patience = self._options.hello_seconds
        try:
            async with asyncio.timeout(patience):
                return await self._engine.tell(worker, encode(greeting))
        except TimeoutError:
            raise WorkerLost(f"no hello within {patience:g} s") from None

    def tell_of_waiting(self) -> None:
        """Report once that some workers are waiting for resources; they are used when they start."""
        waiting = [seat for seat in self.seats if seat.worker is None]
        late = [seat for seat in waiting if loop_time() - seat.since >= START_SECONDS]
        if late and not self._told_of_waiting:
            self._told_of_waiting = True
            self._tell(
                f"{len(self.seats) - len(waiting)} of {len(self.seats)} workers are running; "
                "the others are waiting for resources"
            )

    async def dismiss(self, seat: Seat) -> None:
        """Close a worker; if it dies now, nothing is lost."""
        try:
            async with asyncio.timeout(GRACE_SECONDS):
                answer = await self._engine.tell(seat.worker, encode(Close()))
            self.notices |= dict.fromkeys(read_farewell(answer).notices)
        except (WorkerLost, TimeoutError):
            pass
        await self.end(seat)

    async def end(self, seat: Seat) -> str:
        """End the worker on a seat, if there is one, and say how it ended."""
        worker = seat.worker
        seat.worker = None
        return await self._engine.lost(worker) if worker is not None else ""

    async def end_all(self) -> None:
        """End workers that are left when a run breaks off; after a good end there are none."""
        for message in tuple(self._messages):
            message.cancel()
        for seat in self.workers_present():
            await self.end(seat)

    def deal(self) -> None:
        """Tell workers whose share has changed; those that get less first."""
        changed = [
            (seat, share) for seat in self.workers_present() if (share := self._share(seat)) != seat.at_once
        ]
        for seat, share in sorted(changed, key=lambda pair: pair[1] - pair[0].at_once):
            seat.at_once = share
            self.say(seat, Deal(share))

    def say(self, seat: Seat, message: Instruction) -> None:
        """Send a worker a message without waiting: one that hangs must not delay the others."""
        task = asyncio.create_task(self._send(seat.worker, message))
        self._messages.add(task)
        task.add_done_callback(self._messages.discard)

    async def _send(self, worker: Any, message: Instruction) -> None:
        with suppress(WorkerLost):  # the task that waits for its results reports it
            await self._engine.tell(worker, encode(message))

    def _share(self, seat: Seat) -> int:
        """The concurrency of a seat, shared by seats that have a worker or will have one soon."""
        recent = loop_time() - START_SECONDS
        active = [
            other for other in self.seats if other is seat or other.worker is not None or other.since > recent
        ]
        return max(1, shares(self._plan.concurrency, len(active))[active.index(seat)])


def loop_time() -> float:
    return asyncio.get_running_loop().time()


@dataclass(eq=False)
class Seat:
    """One worker's place: its current worker and how it is doing."""

    number: int
    worker: Any = None
    node: str = ""
    at_once: int = 0
    since: float = 0.0
    results: int = 0
    first_lease: float = 0.0
    reported: Sent = field(default_factory=Sent)
    rate_share: float = 0.0

    def vacate(self, now: float) -> None:
        """Mark the seat as empty; a new worker may take it."""
        self.since = now
        self.worker = None
        self.node = ""
        self.results = 0
        self.first_lease = 0.0
        self.reported = Sent()
        self.rate_share = 0.0

    @property
    def name(self) -> str:
        return f"worker {self.number}" + (f" on {self.node}" if self.node else "")

    def rate(self, now: float) -> float:
        busy = now - self.first_lease
        return self.results / busy if self.first_lease and self.results and busy > 0 else 0.0


def refuse_unfit(seat: Seat, hello: Hello, expected: Mapping[str, str]) -> None:
    """Refuse a worker that could not start, or would not do what the driver planned."""
    if hello.failed is not None:
        raise hello.failed.error(f"{seat.name} cannot start")
    problems = [f"{hello.node}: {problem}" for problem in hello.problems]
    problems += [
        f"{hello.node}: has {name} {hello.versions.get(name, 'of no known version')}, here it is {mine}"
        for name, mine in versions().items()
        if hello.versions.get(name) != mine
    ]
    problems += [
        f"{hello.node}: its {name} are not those of this machine; is an older copy of the code installed there?"
        for name in FINGERPRINTS
        if hello.fingerprints.get(name) != expected.get(name)
    ]
    if problems:
        raise ConfigError(*problems)


MOST_DEATHS = 10
DEATHS_SECONDS = 60.0
"""Workers lost within these seconds, none with a result, that end the run."""


def fruitless_deaths(before: Sequence[float], now: float, why: str) -> list[float]:
    """When workers were lost without a result lately, and now again; raises when workers only die."""
    recent = [at for at in (*before, now) if at >= now - DEATHS_SECONDS]
    if len(recent) >= MOST_DEATHS:
        raise InfrastructureError(
            f"{len(recent)} workers were lost within a minute without a result, the last one because: {why}"
        )
    return recent


async def deadly_result(work: RunWork, cell: Cell, why: str) -> CaseResult:
    """The result of a case that ended its process twice."""
    golden, trial = cell
    ended = Trajectory(
        stop_reason="agent_error" if work.plan.own_agent else "infra_error",
        error=f"the process ended twice ({why}) while this case ran",
    )
    result = await work.plan.scorer.result(golden, trial, ended, work.tools)
    return msgspec.structs.replace(result, trajectory=ended)
