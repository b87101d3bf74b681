"""An engine on Ray: the only file that imports it.

Ray repeats nothing here (`max_restarts=0`, `max_task_retries=0`): only the store knows what is done. Secrets never go
into `runtime_env`, which Ray writes to its logs; workers find them in their own environment.
"""

from __future__ import annotations

import asyncio
import atexit
import logging
import os
import pickle
import secrets
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from rightcall.distributed.engine import WorkerLost
from rightcall.distributed.message import Failed, unpack_in_place
from rightcall.distributed.shipment import shipment
from rightcall.distributed.worker import Worker, settle_in
from rightcall.errors import ConfigError, InfrastructureError, MissingExtraError

T = TypeVar("T")

TASK_RETRIES = 3
OBJECT_STORE_BYTES = 200 * 2**20
"""Batches are small and dropped at once; Ray would take 30 % of the memory."""

BATCHES_AHEAD = 4
"""Batches a worker may send before the driver has read them: beyond, it waits."""

ASK_HEAD_SECONDS, HEAD_SILENCE_SECONDS = 5.0, 20.0
"""Ray ends a driver from C++ 60 s after it lost the head, with exit code 1, which would read as "did not pass"."""

JOB_VARIABLE = "RAY_JOB_CONFIG_JSON_ENV_VAR"
"""Set by `ray job submit` and KubeRay: the job has a runtime environment already."""


@dataclass(frozen=True)
class RayOptions:
    """Where workers run, and what each of them needs. No `address`: a cluster that is started here and ended again."""

    address: str = ""
    workers: int | None = None
    cpus: float = 1.0
    gpus: float = 0.0
    memory: int | None = None
    labels: dict[str, str] = field(default_factory=dict)
    folder: Path = Path()
    dataset: Path | None = None


class RayEngine:
    """Workers as actors. `open` connects, `close` ends what `open` started; runs may follow each other meanwhile."""

    def __init__(self, options: RayOptions) -> None:
        self._options = options
        self._opened, self._mine = False, True
        self._head_lost = False
        self._setups: dict[bytes, Any] = {}
        self._actors: set[Any] = set()

    @property
    def local(self) -> bool:
        """Whether workers run on this machine, and see its files."""
        return not self._options.address

    def opening(self) -> str:
        """A line for those who wait for `open`; empty when it is done."""
        if self._opened:
            return ""
        if self.local:
            return "starting Ray on this machine (several seconds)"
        return f"connecting to the Ray cluster at {self._options.address}"

    async def open(self) -> None:
        """Connect, or start a cluster; blocks for some seconds, because nothing else can be done meanwhile."""
        if self._opened:
            return
        if self.local:
            _secure()
        ray = import_ray()
        if ray.is_initialized():  # a program that uses Ray itself: one process has one connection
            self._opened, self._mine = True, False
            self._actor_class = ray.remote(_Actor)
            return
        started = _start_settings(self._options) if self.local else _join_settings(self._options)
        _quieten(ray)
        try:
            ray.init(
                **started, log_to_driver=False, logging_level=logging.ERROR, namespace=secrets.token_hex(8)
            )
        except Exception as error:  # Ray raises whatever there is, also `Exception` itself
            with suppress(Exception):
                ray.shutdown()  # what it had started by then
            raise _not_connected(self._options.address, error) from error
        self._opened = True
        self._actor_class = ray.remote(_Actor)
        await asyncio.sleep(0)  # whoever was interrupted while Ray started has not begun a run

    def close(self) -> None:
        """End the workers, and the cluster if it was started here."""
        if not self._opened:
            return
        self._opened = False
        ray = import_ray()
        if not self._mine:
            return
        if self._head_lost:  # a shutdown would ask the head, which does not answer
            _end_processes()
            atexit.register(_leave)  # Ray crashes or hangs in what Python does after this
            return
        ray.shutdown()

    def pack(self, value: Any) -> bytes:
        """Pickled, with functions of notebooks and scripts by value."""
        packed: bytes = import_ray().cloudpickle.dumps(value)
        return packed

    def count(self) -> int:
        """How many workers to use: as asked for, or as many as there is room for."""
        if self._options.workers is not None:
            return self._options.workers
        cpus = import_ray().cluster_resources().get("CPU", 1.0)
        return max(1, int(cpus / max(self._options.cpus, 0.01)))

    async def spawn(self, number: int, setup: bytes) -> Any:
        options, ray = self._options, import_ray()
        if setup not in self._setups:
            self._setups = {setup: ray.put(setup)}
        more: dict[str, Any] = {"memory": options.memory} if options.memory else {}
        if options.labels:
            more["label_selector"] = dict(options.labels)
        actor = self._actor_class.options(
            num_cpus=options.cpus, num_gpus=options.gpus, max_restarts=0, max_task_retries=0, **more
        ).remote(self._setups[setup])
        self._actors.add(actor)
        try:
            await actor.ready.remote()
        except asyncio.CancelledError:
            self._kill(actor)
            raise
        except ray.exceptions.RayError as error:
            self._kill(actor)
            raise WorkerLost(_cause(error)) from None
        return actor

    async def lease(self, worker: Any, payload: bytes) -> AsyncIterator[bytes]:
        ray = import_ray()
        stream = worker.lease.options(
            num_returns="streaming", _generator_backpressure_num_objects=BATCHES_AHEAD
        ).remote(payload)
        try:
            async for ref in stream:
                sent: bytes = await ref
                del ref  # nothing is kept in the object store longer than it takes to read it
                yield sent
        except ray.exceptions.RayError as error:
            raise WorkerLost(_cause(error)) from None

    async def tell(self, worker: Any, message: bytes) -> bytes:
        ray = import_ray()
        try:
            answer: bytes = await worker.tell.remote(message)
        except ray.exceptions.RayError as error:
            raise WorkerLost(_cause(error)) from None
        return answer

    async def lost(self, worker: Any) -> str:
        self._kill(worker)
        return ""

    async def watch(self) -> None:
        head = _Head()
        while True:
            await asyncio.sleep(1.0)
            if head.silent_for() > HEAD_SILENCE_SECONDS:
                self._head_lost = True
                raise InfrastructureError(
                    f"the head of the Ray cluster has not answered for {HEAD_SILENCE_SECONDS:g} s; "
                    "stored results are kept"
                )

    def map(self, work: Callable[[T], None], items: Sequence[T]) -> Iterator[None]:
        """Do work for every item as a task; yields as each ends. A task whose process is lost is done again."""
        ray = import_ray()
        options = self._options
        task = ray.remote(_call).options(
            num_cpus=options.cpus, num_gpus=options.gpus, max_retries=TASK_RETRIES,
            **({"memory": options.memory} if options.memory else {}),
        )  # fmt: skip
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
    """The process of a worker on Ray."""

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
    """What a task does; gives its error as bytes."""
    try:
        do = unpack_in_place(work, settle_in)
        do(pickle.loads(item))  # noqa: S301  from our own driver
    except Exception as error:
        return msgspec.msgpack.encode(Failed.of(error))
    return None


class _Head:
    """Asks the head from a thread: a call to one that is gone does not return for a minute."""

    def __init__(self) -> None:
        self._answered = time.monotonic()
        threading.Thread(target=self._ask, name="rightcall-head", daemon=True).start()

    def silent_for(self) -> float:
        return time.monotonic() - self._answered

    def _ask(self) -> None:
        ray = import_ray()
        while ray.is_initialized():
            with suppress(Exception):  # the silence says it; a head that comes back is heard again
                ray.nodes()
                self._answered = time.monotonic()
            time.sleep(ASK_HEAD_SECONDS)


def import_ray() -> Any:
    """Ray, or how to install it."""
    # Ray reports usage to its makers unless this is set before it is imported.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError as error:
        if error.name != "ray":  # it is there, and something it needs is not
            raise ConfigError(f"Ray is installed but cannot be imported: {error}") from error
        if sys.platform not in ("linux", "darwin", "win32") or sys.maxsize < 2**32:
            raise ConfigError(f"Ray has no package for {sys.platform}; run without --workers") from None
        raise MissingExtraError("--on ray", "ray", "ray") from None
    return ray


def read_place(text: str) -> str:
    """The address in `ray[:ADDRESS]`; empty for a cluster that is started here."""
    if text.startswith(("ray://", "ray:ray://")):
        raise ConfigError(
            "--on ray://… is Ray Client, which is not made for long runs; run the command on the cluster with "
            "`ray job submit`, and --on ray:auto"
        )
    kind, _, address = text.partition(":")
    if kind != "ray":
        raise ConfigError(f"--on: unknown place '{text}'; use ray, ray:auto or ray:HOST:PORT")
    return address


def _start_settings(options: RayOptions) -> dict[str, Any]:
    """A cluster of this machine alone, for the length of the run; never the one RAY_ADDRESS names."""
    # Ray starts workers with a niceness of 15; here they are what the user waits for.
    os.environ.setdefault("RAY_worker_niceness", "0")
    cpus = os.cpu_count() or 1
    if options.workers is not None:
        cpus = max(cpus, int(-(-options.workers * options.cpus // 1)))
    return {
        "address": "local",
        "num_cpus": cpus,
        "include_dashboard": False,
        "object_store_memory": OBJECT_STORE_BYTES,
    }


def _secure() -> None:
    """A token for a cluster started here, kept out of the home folder. Ray reads it when it is imported."""
    if "ray" not in sys.modules and "RAY_AUTH_MODE" not in os.environ:
        os.environ["RAY_AUTH_MODE"] = "token"
        os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))


def _join_settings(options: RayOptions) -> dict[str, Any]:
    if JOB_VARIABLE in os.environ:
        return {"address": options.address}
    return {"address": options.address, "runtime_env": shipment(options.folder, options.dataset)}


def _quieten(ray: Any) -> None:
    """Ray prints deaths of workers to stdout, where the lines of --json go; the driver tells of them itself."""
    logging.getLogger("ray").setLevel(logging.ERROR)
    worker = sys.modules.get("ray._private.worker")
    if hasattr(worker, "print_to_stdstream"):
        worker.print_to_stdstream = lambda *lines, **options: None  # type: ignore[union-attr]


def _end_processes() -> None:
    """End what is left of a cluster that was started here and lost its head."""
    node = getattr(sys.modules.get("ray._private.worker"), "_global_node", None)
    if node is not None:
        with suppress(Exception):
            node.kill_all_processes(check_alive=False, allow_graceful=False)


def _leave() -> None:
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(InfrastructureError.exit_code)


def _not_connected(address: str, error: Exception) -> ConfigError | InfrastructureError:
    text = " ".join(str(error).split())
    if "ersion mismatch" in text:
        return ConfigError(f"this machine and the Ray cluster differ: {text}")
    if "Could not find any running Ray instance" in text:
        return InfrastructureError(
            "this machine belongs to no Ray cluster: join one with `ray start`, name its address, --on ray:HOST:PORT, "
            "or let --on ray start one for this run"
        )
    if not address:
        return InfrastructureError(f"cannot start a Ray cluster on this machine: {text}")
    return InfrastructureError(
        f"cannot reach the Ray cluster at '{address}': {text}; check the address with `ray status`, and set "
        "RAY_AUTH_MODE=token and RAY_AUTH_TOKEN if the cluster has a token"
    )


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
