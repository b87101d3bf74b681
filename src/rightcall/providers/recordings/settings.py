"""`record:` of a suite."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from rightcall.model.record import Record

RecordMode = Literal["none", "auto", "refresh", "replay"]
RECORD_MODES: tuple[RecordMode, ...] = ("none", "auto", "refresh", "replay")


class RecordSettings(Record, frozen=True):
    """Whether model answers are recorded and replayed.

    `none` asks and writes nothing. `auto` replays what was recorded for the same inputs and records the rest.
    `refresh` asks everything again. `replay` asks nothing: what was not recorded is an error.
    """

    mode: RecordMode = "none"
    folder: Annotated[str, msgspec.Meta(description="where recordings are kept")] = "recordings"
    hosts: Annotated[
        tuple[str, ...], msgspec.Meta(description="record only requests to these hosts; empty means all")
    ] = ()
    ignore: Annotated[
        tuple[str, ...],
        msgspec.Meta(
            description="parts of a request that may differ: PATH~REGEX, such as $.messages[*].content~\\d+"
        ),
    ] = ()
    level: Annotated[
        Literal["requests", "trajectory"],
        msgspec.Meta(description="what is recorded of a function: its requests, or only what it returned"),
    ] = "requests"
