"""What a worker sends next, and how long it may be silent."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from rightcall.wings.ray.engine import WorkerLost

SILENCE_SLICES = 20


async def next_sent(stream: AsyncIterator[bytes], patience: float) -> bytes | None:
    """What a worker sends next, None at the end; a worker that is silent for too long is lost.

    Silence is measured in slices: one in which this process itself was suspended counts as one slice.
    """
    coming = asyncio.ensure_future(_next(stream))
    try:
        for _ in range(SILENCE_SLICES):
            await asyncio.wait([coming], timeout=patience / SILENCE_SLICES)
            if coming.done():
                return coming.result()
    finally:
        coming.cancel()
    raise WorkerLost(f"silent for {patience:g} s")


async def _next(stream: AsyncIterator[bytes]) -> bytes | None:
    try:
        return await anext(stream)
    except StopAsyncIteration:
        return None
