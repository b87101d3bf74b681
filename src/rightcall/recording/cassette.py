"""The file of one golden: its trials, each with its requests and replies.

Indented, with sorted keys, so that a changed answer is a diff of a few lines. System prompts and tool
definitions are stored once for all goldens in `prompts/`, so that a changed tool is one diff.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from rightcall.core.codec import decode
from rightcall.core.digest import hex_digest, json_digest
from rightcall.core.errors import InputError
from rightcall.files.atomic import write_file
from rightcall.records.record import Record

FORMAT = "rightcall/cassette/2"
SHARED = ("system", "tools", "instructions")
"""Fields of a request that many goldens share."""


class TapedExchange(Record, frozen=True):
    """One request, in canonical form, and the reply to it."""

    ask: dict[str, Any]
    reply: dict[str, Any]


class Timings(Record, frozen=True):
    """Recorded durations, so that a replayed report equals the recorded one."""

    latency_ms: float | None = None
    lag_ms: float = 0.0
    calls: tuple[float | None, ...] = ()
    messages: tuple[float | None, ...] = ()


class RecordedTrial(Record, frozen=True):
    """What happened in one trial. `trajectory` is set when only the result was recorded, not the requests."""

    exchanges: tuple[TapedExchange, ...] = ()
    timings: Timings = Timings()
    trajectory: dict[str, Any] | None = None


class CassetteFile(Record, frozen=True, omit_defaults=False):
    """All recorded trials of a golden, made with the same `inputs`.

    `read` are the files that an agent had read whose results, and not requests, are recorded.
    """

    golden: str
    trials: dict[str, RecordedTrial] = {}
    inputs: str = ""
    read: dict[str, str] = {}
    format: str = FORMAT


def file_name(golden: str, digits: int = 6) -> str:
    """A name that is valid on any file system, and with 16 `digits` of its hash unique to the golden."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", golden).strip("-.")[:60] or "golden"
    return f"{plain}-{hex_digest(golden, digits)}.json"


def read_cassette(path: Path) -> CassetteFile:
    """The file's contents; `InputError` when it is invalid."""
    cassette = decode(_read_file(path), CassetteFile, str(path))
    if cassette.format != FORMAT:
        raise InputError(str(path), f"format must be '{FORMAT}', got '{cassette.format}'", "record it again")
    return cassette


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from None


def write_document(path: Path, value: Any) -> None:
    """A JSON file for reviewers: indented, keys sorted, written atomically; unchanged content is not rewritten."""
    text = msgspec.json.format(msgspec.json.encode(value, order="deterministic"), indent=2) + b"\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file() and path.read_bytes() == text:
            return
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {error.strerror}") from None
    write_file(path, text)


class PromptShelf:
    """`prompts/HASH.json`: the parts that many requests share."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._known: dict[str, dict[str, Any]] = {}

    def take_out(self, ask: dict[str, Any]) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """The request with its shared parts replaced by hashes, and those parts."""
        body = ask.get("body", ask)
        if not isinstance(body, dict):
            return ask, {}
        shared = {name: body[name] for name in SHARED if body.get(name)}
        if not shared:
            return ask, {}
        name = json_digest(shared, 16)
        slim = {key: value for key, value in body.items() if key not in shared} | {"prompt": name}
        return ({**ask, "body": slim} if "body" in ask else slim), {name: shared}

    def put_back(self, ask: dict[str, Any]) -> dict[str, Any]:
        """The whole request; parts no longer stored stay as hashes."""
        body = ask.get("body", ask)
        if not isinstance(body, dict) or not isinstance(body.get("prompt"), str):
            return ask
        shared = self._read(body["prompt"])
        whole = {key: value for key, value in body.items() if key != "prompt"} | shared
        return {**ask, "body": whole} if "body" in ask else whole

    def whole(self, exchanges: Iterable[TapedExchange]) -> tuple[TapedExchange, ...]:
        """The exchanges with whole requests."""
        return tuple(TapedExchange(self.put_back(e.ask), e.reply) for e in exchanges)

    def write(self, prompts: dict[str, dict[str, Any]]) -> None:
        for name, shared in prompts.items():
            if name not in self._known:
                write_document(self._folder / f"{name}.json", shared)
                self._known[name] = shared

    def _read(self, name: str) -> dict[str, Any]:
        if name not in self._known:
            path = self._folder / f"{re.sub(r'[^0-9a-f]', '', name)}.json"
            if not path.is_file():
                return {"prompt": name}
            self._known[name] = decode(path.read_bytes(), dict[str, Any], str(path))
        return self._known[name]
