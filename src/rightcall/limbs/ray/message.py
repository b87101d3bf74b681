"""The messages between driver and workers, as bytes."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec

from rightcall.core.codec import describe_value
from rightcall.core.errors import ConfigError, InfrastructureError, InputError, RightCallError
from rightcall.metrics.dimensions import SPOTLESS
from rightcall.records.failure import Failure
from rightcall.records.golden import AnyGolden
from rightcall.records.run import CaseResult, ScoredCalls
from rightcall.records.score import Note, Score
from rightcall.records.trajectory import Trajectory, Usage
from rightcall.run.backend import Cell
from rightcall.run.watched_inputs import WatchedInputs
from rightcall.store.base import Key
from rightcall.store.sql.record_bytes import compress_record, decode_record, encode_record
from rightcall.store.sql.rows import PackedResult

Pack = Callable[[Any], bytes]
"""Pickles what goes to a worker; an engine may know more kinds of functions than `pickle` does."""


class OpenOrder(msgspec.Struct, tag=True, frozen=True):
    """Open the agent and check it; the answer is a `Hello`. `number` is the worker's place among them."""

    at_once: int
    number: int = 0


class Deal(msgspec.Struct, tag=True, frozen=True):
    """The worker's share of the concurrency from now on."""

    at_once: int


class RateShare(msgspec.Struct, tag=True, frozen=True):
    """The worker's share of the agent's rate from now on; none until it has heard of one."""

    share: float


class Stop(msgspec.Struct, tag=True, frozen=True):
    """Begin no other cell."""


class Close(msgspec.Struct, tag=True, frozen=True):
    """Close the agent; the answer is a `Farewell`."""


Instruction = OpenOrder | Deal | RateShare | Stop | Close


class Failed(msgspec.Struct, frozen=True):
    """An error as data: exceptions do not survive every way between two processes."""

    kind: str
    texts: tuple[str, ...]

    @classmethod
    def of(cls, error: BaseException) -> Failed:
        kinds = (("config", ConfigError), ("input", InputError), ("infra", InfrastructureError))
        for kind, error_class in kinds:
            if isinstance(error, error_class):
                texts = error.problems if isinstance(error, ConfigError) else (str(error),)
                return cls(kind, texts)
        trace = "".join(traceback.format_exception(error))
        return cls("config", (f"{type(error).__name__}: {error}\n{trace}".rstrip(),))

    def error(self, where: str) -> RightCallError:
        """The same error, to be raised by the driver."""
        prefix = f"{where}: " if where else ""
        if self.kind == "input":
            return InputError(where, self.texts[0])
        if self.kind == "infra":
            return InfrastructureError(f"{prefix}{self.texts[0]}")
        return ConfigError(*(f"{prefix}{text}" for text in self.texts))


class Hello(msgspec.Struct, frozen=True):
    """A worker's introduction: where it runs, its versions and fingerprints, and every problem."""

    node: str
    versions: dict[str, str] = {}
    fingerprints: dict[str, str] = {}
    problems: tuple[str, ...] = ()
    failed: Failed | None = None


class Farewell(msgspec.Struct, frozen=True):
    """A worker's final report."""

    notices: tuple[Note, ...] = ()


class SentCase(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A result on its way to the driver, which knows its golden and trial by its `place` in the lease.

    `metrics` is None when every score is perfect. The trajectory travels as the store keeps it: packing and compressing
    it is the worker's share of the work.
    """

    place: int
    passed: bool
    score: float
    metrics: dict[str, Score] | None
    codes: tuple[Failure, ...]
    error: str
    latency_ms: float | None
    usage: Usage
    lag_ms: float
    trajectory: bytes | None
    odd: bytes = b""
    """Scores, codes and error, pickled, if they contain what MessagePack does not support, such as larger integers."""
    first_request: str = ""
    checked: bool = True
    calls: ScoredCalls = ScoredCalls()

    def result(self, cell: Cell) -> PackedResult:
        golden, trial = cell
        metrics = self.metrics
        codes = self.codes
        error = self.error
        if self.odd:
            metrics, codes, error = pickle.loads(self.odd)  # noqa: S301  from our own worker, plain values alone
        return PackedResult(
            golden.id,
            trial,
            self.passed,
            self.score,
            metrics=SPOTLESS if metrics is None else metrics,
            codes=codes,
            category=golden.category or "golden",
            cluster=golden.cluster,
            tags=golden.tags,
            error=error,
            latency_ms=self.latency_ms,
            usage=self.usage,
            trajectory=Trajectory(lag_ms=self.lag_ms) if self.lag_ms else None,
            first_request=self.first_request,
            checked=self.checked,
            calls=self.calls,
            packed_trajectory=self.trajectory,
        )


class Sent(msgspec.Struct, frozen=True, omit_defaults=True):
    """Results on their way to the driver. An empty one means that the worker is alive."""

    cases: tuple[SentCase, ...] = ()
    retries: int = 0
    at_once: int = 0
    lag_ms: float = 0.0
    failed: Failed | None = None
    watched: WatchedInputs | None = None
    """What the agent's code read since the last message."""


def cases_to_send(results: Iterable[tuple[int, CaseResult]]) -> tuple[SentCase, ...]:
    """Results by their places."""
    return tuple(
        SentCase(
            place,
            result.passed,
            result.score,
            None if result.metrics is SPOTLESS else result.metrics,
            codes=result.codes,
            error=result.error,
            latency_ms=result.latency_ms,
            usage=result.usage,
            lag_ms=0.0 if result.trajectory is None else result.trajectory.lag_ms,
            trajectory=None if result.trajectory is None else compress_record(result.trajectory),
            first_request=result.first_request,
            checked=result.checked,
            calls=result.calls,
        )
        for place, result in results
    )


encode = msgspec.msgpack.Encoder(enc_hook=describe_value).encode
read_sent = msgspec.msgpack.Decoder(Sent).decode
read_hello = msgspec.msgpack.Decoder(Hello).decode
read_farewell = msgspec.msgpack.Decoder(Farewell).decode
read_message: Callable[[bytes], Instruction] = msgspec.msgpack.Decoder(Instruction).decode


def encode_sent(sent: Sent) -> bytes:
    """A `Sent` as bytes. If an agent returned a type that cannot be encoded, it is sent as it is stored."""
    try:
        return encode(sent)
    except (TypeError, ValueError, OverflowError, RecursionError):
        return encode(msgspec.structs.replace(sent, cases=tuple(map(_storable, sent.cases))))


def _storable(case: SentCase) -> SentCase:
    scores = case.metrics and {
        name: msgspec.structs.replace(score, codes=_plain(score.codes))
        for name, score in case.metrics.items()
    }
    odd = pickle.dumps((scores, _plain(case.codes), case.error))
    return msgspec.structs.replace(case, metrics=None, codes=(), error="", odd=odd)


def _plain(codes: Sequence[Failure]) -> tuple[Failure, ...]:
    """The codes as they are stored: of plain values, whatever an agent returned."""
    return decode_record(encode_record(codes), tuple[Failure, ...])


def pack_lease(number: int, cells: Sequence[Cell], pack: Pack = pickle.dumps) -> bytes:
    """A lease for the wire. A golden with several trials travels once."""
    goldens = {golden.id: golden for golden, _ in cells}
    return pack((number, goldens, [(golden.id, trial) for golden, trial in cells]))


def unpack_lease(data: bytes) -> tuple[int, list[Cell]]:
    goldens: Mapping[str, AnyGolden]
    keys: list[Key]
    number, goldens, keys = pickle.loads(data)  # noqa: S301  from our own driver
    return number, [(goldens[golden_id], trial) for golden_id, trial in keys]
