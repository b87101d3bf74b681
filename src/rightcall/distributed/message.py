"""What driver and workers say to each other, as bytes."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from rightcall.errors import ConfigError, InfrastructureError, InputError, RightCallError
from rightcall.model.codec import described
from rightcall.model.run import CaseResult
from rightcall.model.trajectory import Trajectory
from rightcall.store import Key, packed, unpacked
from rightcall.suite import Cell, Plan

Pack = Callable[[Any], bytes]
"""Pickles what goes to a worker; an engine may know more kinds of functions than `pickle` does."""


@dataclass(frozen=True)
class WorkerSetup:
    """All that a worker needs before its first lease. The dataset stays with the driver."""

    plan: Plan
    run_id: str
    models: tuple[str, ...] = ()
    store: str = ""
    epoch: int = 0
    writes: bool = False


class OpenAgent(msgspec.Struct, tag=True, frozen=True):
    """Open the agent and check it; the answer is a `Hello`. `number` is the worker's place among them."""

    at_once: int
    number: int = 0


class Deal(msgspec.Struct, tag=True, frozen=True):
    """The worker's share of the concurrency from now on."""

    at_once: int


class Stop(msgspec.Struct, tag=True, frozen=True):
    """Begin no other cell."""


class Close(msgspec.Struct, tag=True, frozen=True):
    """Close the agent; the answer is a `Farewell`."""


Instruction = OpenAgent | Deal | Stop | Close


class Failed(msgspec.Struct, frozen=True):
    """An error as data: exceptions do not survive every way between two processes."""

    kind: str
    texts: tuple[str, ...]
    trace: str = ""

    @classmethod
    def of(cls, error: BaseException) -> Failed:
        for kind, known in (("config", ConfigError), ("input", InputError), ("infra", InfrastructureError)):
            if isinstance(error, known):
                texts = error.problems if isinstance(error, ConfigError) else (str(error),)
                return cls(kind, texts)
        said = "".join(traceback.format_exception(error))
        return cls("other", (f"{type(error).__name__}: {error}",), said)

    def error(self, where: str) -> RightCallError:
        """The same error, to be raised by the driver."""
        prefix = f"{where}: " if where else ""
        if self.kind == "config":
            return ConfigError(*(f"{prefix}{text}" for text in self.texts))
        if self.kind == "input":
            return InputError(where, self.texts[0])
        if self.kind == "infra":
            return InfrastructureError(f"{prefix}{self.texts[0]}")
        return ConfigError(f"{prefix}{self.texts[0]}\n{self.trace}".rstrip())


class Hello(msgspec.Struct, frozen=True):
    """Who a worker is and whether it can work: where it runs, its versions and fingerprints, every problem."""

    node: str
    versions: dict[str, str] = {}
    fingerprints: dict[str, str] = {}
    problems: tuple[str, ...] = ()
    failed: Failed | None = None


class Farewell(msgspec.Struct, frozen=True):
    """What a worker has to say at the end."""

    notices: tuple[str, ...] = ()


class Sent(msgspec.Struct, frozen=True, omit_defaults=True):
    """Results on their way to the driver, each without its trajectory, which travels as the store's JSON.

    An empty one says that the worker lives.
    """

    results: tuple[CaseResult, ...] = ()
    trajectories: tuple[bytes | None, ...] = ()
    retries: int = 0
    at_once: int = 0
    lag_ms: float = 0.0
    stored: bool = False
    failed: Failed | None = None

    def whole(self) -> list[CaseResult]:
        """The results with their trajectories."""
        return [
            result if data is None else msgspec.structs.replace(result, trajectory=unpacked(data, Trajectory))
            for result, data in zip(self.results, self.trajectories, strict=True)
        ]


def sent_results(results: Iterable[CaseResult]) -> dict[str, Any]:
    """The fields of a `Sent` for these results."""
    kept = list(results)
    return {
        "results": tuple(msgspec.structs.replace(result, trajectory=None) for result in kept),
        "trajectories": tuple(
            None if result.trajectory is None else packed(result.trajectory) for result in kept
        ),
    }


_encoder = msgspec.msgpack.Encoder(enc_hook=described)
_sent, _message = msgspec.msgpack.Decoder(Sent), msgspec.msgpack.Decoder(Instruction)
_hello, _farewell = msgspec.msgpack.Decoder(Hello), msgspec.msgpack.Decoder(Farewell)

encode = _encoder.encode


def encode_sent(sent: Sent) -> bytes:
    """A `Sent` as bytes. What an agent returned may be of a kind no wire knows: it then travels as it is stored."""
    try:
        return encode(sent)
    except (TypeError, ValueError, RecursionError):
        plain = tuple(unpacked(packed(result), CaseResult) for result in sent.results)
        return encode(msgspec.structs.replace(sent, results=plain))


def read_sent(data: bytes) -> Sent:
    return _sent.decode(data)


def read_message(data: bytes) -> Instruction:
    said: Instruction = _message.decode(data)
    return said


def read_hello(data: bytes) -> Hello:
    return _hello.decode(data)


def read_farewell(data: bytes) -> Farewell:
    return _farewell.decode(data)


def pack_lease(number: int, cells: Sequence[Cell], pack: Pack = pickle.dumps) -> bytes:
    """A lease for the wire. A golden with several trials travels once."""
    goldens = {golden.id: golden for golden, _ in cells}
    return pack((number, goldens, [(golden.id, trial) for golden, trial in cells]))


def unpack_lease(data: bytes) -> tuple[int, list[Cell]]:
    goldens: Mapping[str, Any]
    keys: list[Key]
    number, goldens, keys = pickle.loads(data)  # noqa: S301  from our own driver
    return number, [(goldens[golden_id], trial) for golden_id, trial in keys]


def unpack_in_place(data: bytes, settle_in: Callable[[Sequence[str], str], None]) -> Any:
    """What was packed with the places of its modules: they come first, or its functions would not be found."""
    paths, folder, inner = pickle.loads(data)  # noqa: S301
    settle_in(paths, folder)
    return pickle.loads(inner)  # noqa: S301
