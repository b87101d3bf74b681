"""The scripted reader as a provider: an agent that reads whatever definitions it is sent."""

from __future__ import annotations

import random
from typing import Any

from benchmarks.planted_suites.reader import Reader
from benchmarks.planted_suites.suites import PlantedSuite
from rightcall.providers.base import ModelReply
from rightcall.records import Message


class ReadingModel:
    """A provider that reads the definitions it is sent, as the planted suites' agent does."""

    name = "reading"

    def __init__(self, suite: PlantedSuite, noise: float = 0.03, seed: str = "", reads: float = 0.8) -> None:
        self._suite = suite
        self._noise = noise
        self._seed = seed
        self._reads = reads

    async def complete(self, request: Any) -> ModelReply:
        reader = Reader(list(request.prompt.tools), request.prompt.system)
        key = f"{self._seed}{request.golden_id}/{request.trial}/{len(request.prompt.system)}"
        meant = self._suite.meant[request.golden_id]
        did = reader.act(meant, random.Random(key), noise=self._noise, reads=self._reads)
        return ModelReply(Message("assistant", did.output, did.calls))

    def prepare(self, prompt: Any) -> None:
        return

    async def check(self) -> list[str]:
        return []

    async def aclose(self) -> None:
        return

    async def __aenter__(self) -> ReadingModel:
        return self

    async def __aexit__(self, *_: object) -> None:
        return
