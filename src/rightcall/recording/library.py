"""A suite's folder of recordings: what is replayed, requested and written."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import msgspec

from rightcall.core.codec import decode
from rightcall.core.errors import InputError
from rightcall.core.options import described
from rightcall.core.redaction.clean_text import scrubber
from rightcall.recording.canonical import Ignored, scrub_value
from rightcall.recording.case import TapedCase
from rightcall.recording.cassette import (
    CassetteFile,
    PromptShelf,
    RecordedTrial,
    TapedExchange,
    Timings,
    file_name,
    read_cassette,
    write_document,
)
from rightcall.records.call import CallStatus, ToolCall, ToolResult
from rightcall.records.golden import AnyGolden
from rightcall.records.message import Message
from rightcall.records.record import Record
from rightcall.records.trajectory import StopReason, Trajectory, Usage

SERVED = "served"
"""The folder inside a suite's recordings of what a proxy recorded: `rightcall mcp serve`."""

JUDGED = "judges"
"""The folder inside a suite's recordings of what judges answered."""
TOOL_LIST = "tools.json"
"""The file inside a suite's recordings with the tools of its MCP server."""

_OUR_WORDS = frozenset({"assistant", *get_args(StopReason), *get_args(CallStatus)}).union(
    *(record.__struct_fields__ for record in (Trajectory, Message, ToolCall, ToolResult, Usage))
)
"""Words of the file format: not secrets, even if the environment has an equal one."""

SHORT = 6
LONG = 16
"""Digits of the hash in the name of a file. Of 5,000 ids without ASCII letters, two probably share the short one."""


class Recordings:
    """`folder/SUITE/GOLDEN-hash.json`, one file per golden.

    `inputs_of` returns everything that a golden's conversation depends on; a file made with other inputs is
    stale, and replaced as a whole. Without it a recording is stale when a request does not match. `files_read` are the
    files that the agent has read so far, by hash, and `file_hash` says what one of them is now: the recorded result of
    an agent is stale when one of them changed.
    """

    def __init__(self, settings: RecordSettings, folder: Path) -> None:
        self.settings = settings
        self.folder = folder
        self.clean = scrubber()
        self.ignored = [Ignored(text) for text in settings.ignore]
        self.inputs_of: Callable[[AnyGolden], str] = lambda golden: ""
        self.files_read: Callable[[], dict[str, str]] = dict
        self.file_hash: Callable[[str], str] = lambda name: ""
        self.replayed = self.asked = 0
        self._shelf = PromptShelf(folder / "prompts")
        self._lock = threading.Lock()
        self._in_flight: set[TapedCase] = set()
        self._judges: Recordings | None = None
        self.tool_list: dict[str, Any] | None = None
        """The tools that a server lists, kept with the recordings so that a replay does not start it."""

    @property
    def replays_only(self) -> bool:
        """Whether no request may be sent."""
        return self.settings.mode == "replay"

    def trial(self, golden: AnyGolden, trial: int) -> RecordedTrial | None:
        """A trial's recording for the same inputs; None when it must be requested.

        In mode `replay` a stale recording is returned too: its requests then show what changed.
        """
        if self.settings.mode == "refresh":
            return None
        file = self._file(golden.id)
        if file is None:
            return None
        stale = file.inputs and (inputs := self.inputs_of(golden)) and file.inputs != inputs
        recorded = file.trials.get(str(trial))
        if recorded is not None and recorded.trajectory is not None and not stale:
            stale = any(self.file_hash(name) != content_hash for name, content_hash in file.read.items())
        if recorded is None or (stale and (not self.replays_only or recorded.trajectory is not None)):
            return None
        return msgspec.structs.replace(recorded, exchanges=self._shelf.whole(recorded.exchanges))

    def begin(self, golden: AnyGolden, trial: int, recorded: RecordedTrial | None) -> TapedCase:
        """A trial that is replayed, or recorded when there is nothing to replay."""
        exchanges = recorded.exchanges if recorded else () if self.replays_only else None
        case = TapedCase(golden.id, trial, self.clean, exchanges, ignored=self.ignored)
        with self._lock:
            self._in_flight.add(case)
        return case

    def end(self, case: TapedCase) -> None:
        with self._lock:
            self._in_flight.discard(case)

    def only_case(self) -> TapedCase | None:
        """The trial of a request without a context, if exactly one is in flight."""
        with self._lock:
            return next(iter(self._in_flight)) if len(self._in_flight) == 1 else None

    def note_miss(self, why: str) -> str:
        """A request was refused that belongs to one of several trials in flight, and it is unknown which."""
        with self._lock:
            for case in self._in_flight:
                case.missed = case.missed or why
        return why

    def write(self, golden: AnyGolden, case: TapedCase, trajectory: Trajectory, *, whole: bool) -> None:
        """Store a trial's recording; trials made with other inputs are removed."""
        exchanges = () if whole else case.exchanges()
        plain = None
        if not exchanges:
            plain = scrub_value(msgspec.to_builtins(trajectory), self.clean, _OUR_WORDS)
        timings = Timings(
            trajectory.latency_ms,
            trajectory.lag_ms,
            tuple(call.latency_ms for call in trajectory.calls),
            tuple(message.latency_ms for message in trajectory.messages),
        )
        recorded = RecordedTrial(exchanges, timings, plain)
        files_read = self.files_read() if plain is not None else {}
        with self._lock:
            self._write(golden.id, case.trial, recorded, self.inputs_of(golden), files_read=files_read)

    def _write(
        self, golden: str, trial: int, recorded: RecordedTrial, inputs: str, files_read: dict[str, str]
    ) -> None:
        slim: list[TapedExchange] = []
        prompts: dict[str, dict[str, Any]] = {}
        for exchange in recorded.exchanges:
            ask, shared = self._shelf.take_out(exchange.ask)
            slim.append(TapedExchange(ask, exchange.reply))
            prompts |= shared
        self._shelf.write(prompts)
        if self.tool_list is not None:
            write_document(self.folder / TOOL_LIST, self.tool_list)
        before = None
        with suppress(InputError):  # a broken file is replaced
            before = self._file(golden)
        kept = before.trials if before and before.inputs == inputs else {}
        if before and any(
            files_read.get(name, content_hash) != content_hash for name, content_hash in before.read.items()
        ):
            kept = {}
        read = {**(before.read if before and kept else {}), **files_read}
        slim_trial = msgspec.structs.replace(recorded, exchanges=tuple(slim))
        file = CassetteFile(golden, {**kept, str(trial): slim_trial}, inputs, read)
        write_document(self._own_path(golden), file)

    def server_tools(self) -> dict[str, Any]:
        """The tools that a server listed when its calls were recorded, and its name; `InputError` when none were."""
        path = self.folder / TOOL_LIST
        if not path.is_file():
            raise InputError(
                str(path), "the tools of the MCP server were not recorded", "run with --record auto"
            )
        return decode(path.read_bytes(), dict[str, Any], str(path))

    @property
    def judges(self) -> Recordings:
        """What judges answered about the trials; apart, because a verdict does not depend on how a trial was made."""
        if self._judges is None:
            self._judges = Recordings(self.settings, self.folder / JUDGED)
        return self._judges

    def orphan_files(self, goldens: Iterable[str]) -> list[Path]:
        """Files of goldens that no longer exist, and prompts that no file uses: agents, judges and the proxy."""
        names = {file_name(golden, digits) for golden in goldens for digits in (SHORT, LONG)}
        return list(
            chain.from_iterable(_orphan_files(self.folder / part, names) for part in ("", SERVED, JUDGED))
        )

    def _file(self, golden: str) -> CassetteFile | None:
        for digits in (LONG, SHORT):
            path = self.folder / file_name(golden, digits)
            cassette = read_cassette(path) if path.is_file() else None
            if cassette is not None and cassette.golden == golden:
                return cassette
        return None

    def _own_path(self, golden: str) -> Path:
        """The file of a golden: under a longer name if another golden has the short one."""
        path, longer = (self.folder / file_name(golden, digits) for digits in (SHORT, LONG))
        with suppress(InputError):  # a broken file is replaced
            if longer.is_file() or (path.is_file() and read_cassette(path).golden != golden):
                return longer
        return path


def _orphan_files(folder: Path, names: set[str]) -> list[Path]:
    files = [path for path in sorted(folder.glob("*.json")) if path.name != TOOL_LIST]
    gone = [path for path in files if path.name not in names]
    named = b"".join(path.read_bytes() for path in files if path.name in names)
    shelf = sorted((folder / "prompts").glob("*.json"))
    return gone + [path for path in shelf if path.stem.encode() not in named]


def with_timings(trajectory: Trajectory, timings: Timings) -> Trajectory:
    replace = msgspec.structs.replace
    calls = trajectory.calls
    messages = trajectory.messages
    if len(calls) == len(timings.calls):
        calls = tuple(replace(c, latency_ms=t) for c, t in zip(calls, timings.calls, strict=True))
    if len(messages) == len(timings.messages):
        messages = tuple(replace(m, latency_ms=t) for m, t in zip(messages, timings.messages, strict=True))
    return replace(
        trajectory, calls=calls, messages=messages, latency_ms=timings.latency_ms, lag_ms=timings.lag_ms
    )


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
