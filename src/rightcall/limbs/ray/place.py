"""Where a run takes place: an engine and its options, from a suite and the command line."""

from __future__ import annotations

import asyncio
import pickle
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any, Self, TypeVar

import msgspec

from rightcall.core.errors import ConfigError, InfrastructureError
from rightcall.core.event_loop import run_blocking
from rightcall.core.options import described
from rightcall.core.seam import Limb
from rightcall.decide.verdict import Verdict
from rightcall.limbs.ray.driver import Driver
from rightcall.limbs.ray.engine import WorkerLost, WorkerOptions, unpack_in_place
from rightcall.limbs.ray.message import Failed
from rightcall.limbs.ray.ray import RayOptions, connect, disconnect, import_ray, read_place
from rightcall.limbs.ray.worker import Worker, settle_in
from rightcall.metrics.score_case import Scorer
from rightcall.records.record import Record
from rightcall.records.run import Summary
from rightcall.run.plan import Plan
from rightcall.run.rescorer import RescoreShard, RescoreTask, rescore_run
from rightcall.store.sql.store import Store

UNITS = {"": 1, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40,
         "kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}  # fmt: skip


class WorkersConfig(Record, frozen=True):
    """Worker processes on Ray that share a run. Does not affect results."""

    on: Annotated[
        str,
        described("ray (started here), ray:auto (this machine's cluster) or ray:HOST:PORT"),
    ] = "ray"
    count: Annotated[
        Annotated[int, msgspec.Meta(ge=1, le=10_000)] | None,
        described("worker processes [default: CPUs / cpus]"),
    ] = None
    cpus: Annotated[float, described("CPUs per worker", ge=0)] = 1.0
    gpus: Annotated[float, described("GPUs per worker, or a fraction of one", ge=0)] = 0.0
    memory: Annotated[str | None, described("memory per worker, such as 2GiB")] = None


class WorkersLimb(Limb):
    """`workers` of a suite, which commands read."""

    block = Annotated[WorkersConfig | None, described("worker processes of a run on Ray")]


class Workers:
    """Workers for the runs of a command: `backend` makes one for each, `close` ends what was started for them."""

    def __init__(self, config: WorkersConfig, *, folder: Path, dataset: Path | None) -> None:
        self._folder = folder.resolve()
        self._engine = RayEngine(
            RayOptions(
                read_place(config.on),
                config.count,
                config.cpus,
                config.gpus,
                memory=read_bytes(config.memory) if config.memory else None,
                folder=self._folder,
                dataset=dataset,
            )
        )

    def backend(self, plan: Plan, store: Store, tell: Callable[[str], None]) -> Driver:
        """The backend of one run; raises when the plan cannot be run on workers."""
        if problems := list(unfit(plan, store)):
            raise ConfigError(*problems)
        options = WorkerOptions(
            paths=(str(self._folder), str(Path.cwd())),
            folder=str(Path.cwd()) if self._engine.local else "",
        )
        return Driver(self._engine, options, tell)

    def rescore(
        self,
        store: Store,
        run: str,
        scorer: Scorer,
        *,
        done: Callable[[int, int], None] = lambda count, of: None,
        tell: Callable[[str], None] = lambda line: None,
    ) -> tuple[str, Summary, Verdict]:
        """Score a stored run again, a task for some thousand results at a time."""
        if store.file is not None and not self._engine.local:
            raise ConfigError("nodes of a cluster cannot write to a file here; rescore on a PostgreSQL store")
        run_id = store.runs.get(run).id  # before seconds are spent on starting Ray
        self._open(tell)

        def spread(task: RescoreTask, shards: Sequence[RescoreShard]) -> Iterator[None]:
            for count, _ in enumerate(self._engine.map(task, shards), 1):
                done(count, len(shards))
                yield

        return run_blocking(rescore_run(store, run_id, scorer, spread=spread))

    def _open(self, tell: Callable[[str], None]) -> None:
        if news := self._engine.opening():
            tell(news)
        run_blocking(self._engine.open())

    def close(self) -> None:
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def unfit(plan: Plan, store: Store) -> Iterator[str]:
    """Why a plan cannot be run on workers; nothing when it can."""
    agent = plan.agent
    if agent.recordings is not None:
        yield "recording writes one file, which workers cannot share; run without workers to record"
    if agent.runs_tools and store.file is not None:
        yield (
            "tools that run for real (agent.execute: real, or a mock with real: true) require a PostgreSQL store with "
            "workers: keys that keep an effect from happening twice must be seen by every worker"
        )


def read_bytes(text: str) -> int:
    """`2GiB` as bytes."""
    digits = text.strip().rstrip("".join(set("".join(UNITS)))).strip()
    unit = text.strip()[len(digits) :].strip()
    try:
        return round(float(digits) * UNITS[unit])
    except (ValueError, KeyError):
        raise ConfigError(
            f"workers.memory: '{text}' is not an amount of memory; write 2GiB or 500MB"
        ) from None


T = TypeVar("T")

TASK_RETRIES = 3
BATCHES_AHEAD = 4
"""Batches a worker may send before the driver has read them; then it waits."""

ASK_HEAD_SECONDS = 5.0
HEAD_SILENCE_SECONDS = 20.0
"""Ray ends a driver from C++ 60 s after it lost the head, with exit code 1, which would read as "did not pass"."""


class RayEngine:
    """Workers as actors. `open` connects, `close` ends what `open` started; runs may follow each other meanwhile."""

    def __init__(self, options: RayOptions) -> None:
        self._options = options
        self._opened = False
        self._mine = True
        self._head_lost = False
        self._setups: dict[bytes, Any] = {}
        self._actors: set[Any] = set()

    @property
    def local(self) -> bool:
        """Whether workers run on this machine, and see its files."""
        return not self._options.address

    def opening(self) -> str:
        if self._opened:
            return ""
        if self.local:
            return "starting Ray on this machine (several seconds)"
        return f"connecting to the Ray cluster at {self._options.address}"

    async def open(self) -> None:
        """Connect, or start a cluster; blocks for some seconds, because nothing else can be done meanwhile."""
        if self._opened:
            return
        self._mine = connect(self._options)
        self._opened = True
        self._actor_class = import_ray().remote(_Actor)
        await asyncio.sleep(0)  # whoever was interrupted while Ray started has not begun a run

    def close(self) -> None:
        if not self._opened:
            return
        self._opened = False
        if self._mine:
            disconnect(head_lost=self._head_lost)

    def pack(self, value: Any) -> bytes:
        """Pickled, with functions of notebooks and scripts by value."""
        packed: bytes = import_ray().cloudpickle.dumps(value)
        return packed

    def count(self) -> int:
        if self._options.workers is not None:
            return self._options.workers
        cpus = import_ray().cluster_resources().get("CPU", 1.0)
        return max(1, int(cpus / max(self._options.cpus, 0.01)))

    async def spawn(self, number: int, setup: bytes) -> Any:
        if setup not in self._setups:
            self._setups = {setup: import_ray().put(setup)}
        actor = self._actor_class.options(max_restarts=0, max_task_retries=0, **self._resources()).remote(
            self._setups[setup]
        )
        self._actors.add(actor)
        try:
            with _as_lost_worker():
                await actor.ready.remote()
        except (asyncio.CancelledError, WorkerLost):
            self._kill(actor)
            raise
        return actor

    def _resources(self) -> dict[str, Any]:
        """What each worker needs."""
        options = self._options
        memory = {"memory": options.memory} if options.memory else {}
        return {"num_cpus": options.cpus, "num_gpus": options.gpus, **memory}

    async def lease(self, worker: Any, payload: bytes) -> AsyncIterator[bytes]:
        stream = worker.lease.options(
            num_returns="streaming", _generator_backpressure_num_objects=BATCHES_AHEAD
        ).remote(payload)
        with _as_lost_worker():
            async for ref in stream:
                sent: bytes = await ref
                del ref  # nothing is kept in the object store longer than it takes to read it
                yield sent

    async def tell(self, worker: Any, message: bytes) -> bytes:
        with _as_lost_worker():
            answer: bytes = await worker.tell.remote(message)
        return answer

    async def lost(self, worker: Any) -> str:
        self._kill(worker)
        return ""

    async def watch(self) -> None:
        head = _Head()
        while True:
            await asyncio.sleep(1.0)
            if time.monotonic() - head.answered > HEAD_SILENCE_SECONDS:
                self._head_lost = True
                raise InfrastructureError(
                    f"the head of the Ray cluster has not answered for {HEAD_SILENCE_SECONDS:g} s; "
                    "stored results are kept"
                )

    def map(self, work: Callable[[T], None], items: Sequence[T]) -> Iterator[None]:
        """Do work for every item as a task; yields as each ends. A task whose process is lost is done again."""
        ray = import_ray()
        options = self._options
        task = ray.remote(_call).options(max_retries=TASK_RETRIES, **self._resources())
        packed = ray.put(self.pack(((str(options.folder.resolve()), str(Path.cwd())), "", self.pack(work))))
        waiting = [task.remote(packed, self.pack(item)) for item in items]
        while waiting:
            ended, waiting = ray.wait(waiting)
            try:
                failed = ray.get(ended[0])
            except ray.exceptions.RayError as error:
                raise InfrastructureError(
                    f"a task was lost {TASK_RETRIES + 1} times: {_cause(error)}"
                ) from None
            if failed is not None:
                for rest in waiting:
                    ray.cancel(rest, force=True)
                raise msgspec.msgpack.decode(failed, type=Failed).error("")
            yield

    def _kill(self, actor: Any) -> None:
        self._actors.discard(actor)
        if not self._head_lost:
            import_ray().kill(actor, no_restart=True)


class _Actor:
    """The process of a worker on Ray. It is not a worker itself: Ray wraps every method of an actor."""

    def __init__(self, setup: bytes) -> None:
        self._worker = Worker(lambda: unpack_in_place(setup, settle_in))

    async def ready(self) -> None:
        """Answers once the process runs."""

    async def tell(self, message: bytes) -> bytes:
        return await self._worker.tell(message)

    async def lease(self, payload: bytes) -> AsyncIterator[bytes]:
        async for sent in self._worker.lease(payload):
            yield sent


def _call(work: bytes, item: bytes) -> bytes | None:
    """The body of a task; returns an error as bytes."""
    try:
        do = unpack_in_place(work, settle_in)
        do(pickle.loads(item))  # noqa: S301  from our own driver
    except Exception as error:
        return msgspec.msgpack.encode(Failed.of(error))
    return None


class _Head:
    """Pings the head from a thread: a call to a lost head does not return for a minute."""

    def __init__(self) -> None:
        self.answered = time.monotonic()
        threading.Thread(target=self._ask, name="rightcall-head", daemon=True).start()

    def _ask(self) -> None:
        ray = import_ray()
        while ray.is_initialized():
            with suppress(Exception):  # the silence says it; a head that comes back is heard again
                ray.nodes()
                self.answered = time.monotonic()
            time.sleep(ASK_HEAD_SECONDS)


@contextmanager
def _as_lost_worker() -> Iterator[None]:
    """Errors of Ray about a worker, as `WorkerLost`."""
    try:
        yield
    except import_ray().exceptions.RayError as error:
        raise WorkerLost(_cause(error)) from None


def _cause(error: Exception) -> str:
    """How a worker ended: Ray's long message in a few words."""
    text = str(error)
    if "low on memory" in text or type(error).__name__ == "OutOfMemoryError":
        return "out of memory"
    if "node has died" in text or "node died" in text or type(error).__name__ == "NodeDiedError":
        return "its node is gone"
    if "creation task" in text or "__init__" in text:
        return " ".join(text.split())[:500]
    return "its process ended"
