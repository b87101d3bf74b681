"""`record:` of a suite."""

from __future__ import annotations

from typing import Annotated, Literal

from rightcall.core.options import described
from rightcall.records.record import Record

RecordMode = Literal["none", "auto", "refresh", "replay"]


class RecordSettings(Record, frozen=True):
    """Whether answers of models and judges and results of real tools are recorded and replayed.

    `none` records nothing. `auto` replays recordings made for the same inputs and records the rest. `refresh`
    requests everything again. `replay` sends no requests and runs no tools: a missing recording is an error.
    """

    mode: Annotated[
        RecordMode,
        described("none, auto (replay what is recorded, record the rest), refresh, or replay only"),
    ] = "none"
    folder: Annotated[str, described("folder for recordings")] = "recordings"
    hosts: Annotated[tuple[str, ...], described("record only requests to these hosts; empty means all")] = ()
    ignore: Annotated[
        tuple[str, ...],
        described("parts of a request that may differ: PATH~REGEX, such as $.messages[*].content~\\d+"),
    ] = ()
    level: Annotated[
        Literal["requests", "trajectory"],
        described("what to record of a function: its requests, or only its return value"),
    ] = "requests"
