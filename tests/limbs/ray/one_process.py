"""An engine whose workers are tasks of this process, and which kills them on request."""

from __future__ import annotations

import asyncio
import io
import pickle
import random
from collections.abc import AsyncIterator
from types import MappingProxyType
from typing import Any

from rightcall.limbs.ray.engine import WorkerLost, unpack_in_place
from rightcall.limbs.ray.message import unpack_lease
from rightcall.limbs.ray.worker import Worker


def dumps(value: Any) -> bytes:
    """Pickles what cloudpickle pickles and `pickle` does not, as far as these tests need it."""
    out = io.BytesIO()
    pickler = pickle.Pickler(out)
    pickler.dispatch_table = {MappingProxyType: lambda proxy: (_proxy, (dict(proxy),))}
    pickler.dump(value)
    return out.getvalue()


def _proxy(values: dict[Any, Any]) -> Any:
    return MappingProxyType(values)


class OneProcess:
    """`kills` is how likely a worker is to die with each batch it sends, at most `most_kills` times."""

    pack = staticmethod(dumps)

    def __init__(self, *, kills: float = 0.0, seed: int = 0, most_kills: int = 20) -> None:
        self.random = random.Random(seed)
        self.kills = kills
        self.left = most_kills
        self.alive: set[Worker] = set()
        self.made: list[Worker] = []
        self.started = 0

    def opening(self) -> str:
        return ""

    async def open(self) -> None:
        return

    async def spawn(self, number: int, setup: bytes) -> Worker:
        self.started += 1
        worker = Worker(lambda: unpack_in_place(setup, lambda paths, folder: None))
        self.alive.add(worker)
        self.made.append(worker)
        return worker

    async def lease(self, worker: Worker, payload: bytes) -> AsyncIterator[bytes]:
        self._require(worker)
        stream = worker.lease(payload)
        spared = (
            len(unpack_lease(payload)[1]) == 1
        )  # a case that is alone when its worker dies twice is blamed
        try:
            while True:
                coming = asyncio.ensure_future(anext(stream))
                while not coming.done():
                    await asyncio.wait([coming], timeout=0.01)
                    self._require(worker)
                try:
                    sent = coming.result()
                except StopAsyncIteration:
                    return
                self._draw(worker, spared)
                yield sent
                self._draw(worker, spared)
        finally:
            coming.cancel()

    async def tell(self, worker: Worker, message: bytes) -> bytes:
        self._require(worker)
        return await worker.tell(message)

    async def lost(self, worker: Worker) -> str:
        self.kill(worker)
        return ""

    async def watch(self) -> None:
        await asyncio.Event().wait()

    def kill(self, worker: Worker) -> None:
        """The process is gone: nothing it does is seen by anybody."""
        self.alive.discard(worker)
        if worker._running is not None:
            worker._running.cancel()

    def _draw(self, worker: Worker, spared: bool) -> None:
        if not spared and self.left and self.random.random() < self.kills:
            self.left -= 1
            self.kill(worker)
        self._require(worker)

    def _require(self, worker: Any) -> None:
        if worker not in self.alive:
            raise WorkerLost("killed")
