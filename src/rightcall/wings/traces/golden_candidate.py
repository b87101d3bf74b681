"""From a trace to a golden for a person to review."""

from __future__ import annotations

import datetime
import re
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from rightcall.core import codec
from rightcall.core.codec import to_plain
from rightcall.core.digest import hex_digest
from rightcall.core.errors import InputError
from rightcall.core.text import utc_text
from rightcall.datasets.goldens import load_goldens, save_goldens
from rightcall.model.expected_call import ExpectedCall
from rightcall.model.golden import AnyGolden, Golden
from rightcall.wings.traces.calls import NO_NAME, canonical
from rightcall.wings.traces.trace_facts import REVIEWED, UNREVIEWED, TraceFacts

PADDING = "0" * 16
_RANDOM = re.compile("[0-9a-f]{32}")


def candidate(trace: TraceFacts) -> Golden:
    """The user's input with exactly the observed calls as expected calls. `metadata.review` is `unreviewed`.

    A call whose arguments were not recorded, or could not be read, is expected by its name only.
    """
    calls = [call for call in trace.trajectory.calls if call.name != NO_NAME]
    expected = tuple(ExpectedCall(call.name, _exactly(call.arguments)) for call in calls)
    return Golden(
        trace.input,
        id=candidate_id(trace),
        tools=tuple(to_plain(tool) for tool in trace.tools) or None,
        system=trace.system or None,
        expected_calls=expected,
        no_calls=not expected,
        metadata={"trace": _origin(trace), "review": UNREVIEWED},
    )


def candidate_id(trace: TraceFacts) -> str:
    """The id of the golden made from a trace; other traces have others, if half of 128 random bits differ."""
    return f"t-{shown_trace_id(trace.trace_id).removeprefix(PADDING)}"


def shown_trace_id(trace_id: str) -> str:
    """The beginning of an id that finds its trace: half of a random one of 128 bits, any other as it is.

    Ids of 64 bits are padded with zeros, and exports have their own, such as `support-2026-11-15-1`.
    """
    random = _RANDOM.fullmatch(trace_id) and not trace_id.startswith(PADDING)
    return trace_id[:16] if random else trace_id


def _exactly(arguments: dict[str, Any] | None) -> dict[str, Any] | None:
    """Matchers for exactly these values: a bare object could be read as a matcher."""
    if arguments is None:
        return None
    return {name: {"exact": value} if isinstance(value, dict) else value for name, value in arguments.items()}


def _origin(trace: TraceFacts) -> dict[str, Any]:
    moment = datetime.datetime.fromtimestamp(trace.time / 1e9, datetime.UTC)
    origin = {
        "source": trace.source,
        "trace_id": trace.trace_id,
        "root_span": trace.root_span,
        "time": utc_text(moment),
        "model": trace.model,
        "prompt_hash": trace.prompt_hash,
        "tools_hash": trace.tools_hash,
        "agent_version": trace.agent_version,
        "earlier_turns": trace.earlier_turns,
    }
    return {name: value for name, value in origin.items() if value not in ("", 0)}


def signature(trace: TraceFacts) -> str:
    """Equal for traces with the same input and calls: reviewing one is enough."""
    words = " ".join(trace.input.casefold().split())
    return "\n".join((words, *(canonical(call) for call in trace.trajectory.calls)))


class CandidateSpool:
    """A golden for each different behaviour, with how often it was seen in `metadata.seen`, in a temporary file.

    A trace without an input gives none.
    """

    def __init__(self) -> None:
        self._file = sqlite3.connect("", isolation_level=None)  # an unnamed temporary file of SQLite
        self._file.execute("PRAGMA journal_mode = OFF")
        self._file.execute("CREATE TABLE candidate (key TEXT UNIQUE, seen INTEGER, golden BLOB)")
        self.count = 0

    def add(self, trace: TraceFacts) -> None:
        if not trace.input:
            return
        key = hex_digest(signature(trace).encode("utf-8", "replace"))
        again = self._file.execute("UPDATE candidate SET seen = seen + 1 WHERE key = ?", (key,))
        if again.rowcount == 0:
            written = codec.encode(candidate(trace))
            self._file.execute("INSERT INTO candidate VALUES (?, 1, ?)", (key, written))
            self.count += 1

    def __iter__(self) -> Iterator[Golden]:
        for seen, written in self._file.execute("SELECT seen, golden FROM candidate ORDER BY rowid"):
            golden = codec.decode(written, Golden, "a candidate")
            yield msgspec.structs.replace(golden, metadata=golden.metadata | {"seen": seen})


def is_unreviewed(golden: AnyGolden) -> bool:
    """Whether this golden's expectations are unreviewed."""
    return golden.metadata.get("review") == UNREVIEWED


def accept_golden(golden: Golden, *, by: str = "") -> Golden:
    """The golden as one that a person has accepted."""
    mark: dict[str, Any] = {"review": REVIEWED} | ({"reviewed_by": by} if by else {})
    return msgspec.structs.replace(golden, metadata=golden.metadata | mark)


def as_negative(golden: Golden, forbidden: Sequence[str]) -> Golden:
    """The same input, with these calls forbidden and no other expectations: the observed call must not recur."""
    return msgspec.structs.replace(
        golden,
        category="negative",
        expected_calls=(),
        forbidden_calls=tuple(dict.fromkeys(forbidden)),
        no_calls=not forbidden,
        extra_calls="allow" if forbidden else "forbid",
    )


def add_goldens(path: Path, goldens: Sequence[Golden]) -> int:
    """Add goldens to a file; existing ids are replaced. Returns the new number of goldens."""
    old_goldens: list[AnyGolden] = list(load_goldens(path)) if path.exists() else []
    fresh = {golden.id: golden for golden in goldens}
    kept: list[AnyGolden] = [
        fresh.pop(golden.id, golden) if golden.id in fresh else golden for golden in old_goldens
    ]
    kept += fresh.values()
    if any(not isinstance(golden, Golden) for golden in kept):
        raise InputError(str(path), "contains conversations", "add single-turn goldens to a separate file")
    save_goldens(kept, path)
    return len(kept)
