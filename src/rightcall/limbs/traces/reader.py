"""From files to traces: formats detected by content, spans of one trace collected from all files."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import msgspec

from rightcall.agents.observed.recorder import CallsScored
from rightcall.core.codec import decode_error
from rightcall.core.depth import too_deep
from rightcall.core.errors import InputError
from rightcall.files.checked_read import require_file
from rightcall.limbs.traces import inspect_log
from rightcall.limbs.traces.assembly import assemble
from rightcall.limbs.traces.dialects import KNOWN, items_of, kind_of, records_in
from rightcall.limbs.traces.otlp import WireError, protobuf_items
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.span_spool import SpanSpool
from rightcall.limbs.traces.trace import Trace
from rightcall.limbs.traces.unpack import ZIP, TooLarge, open_unpacked
from rightcall.records.dialects import coding_agents

MAX_DOCUMENT = 512 * 1024 * 1024
MAX_LINE = 64 * 1024 * 1024
DEEPEST = 200
FILE = "file"
"""What the resource of a transcript's trace names: the file, which may be called after its golden."""
BLANK = b" \t\r\n"
BOM = b"\xef\xbb\xbf"


@dataclass
class Collected:
    """What was read so far: spans by trace, logs that contain whole traces, problems of the files."""

    calls: CallsScored = "auto"
    skip_bad: bool = False
    problems: Problems = field(default_factory=Problems)
    spool: SpanSpool = field(default_factory=SpanSpool)
    ready: list[Iterator[Trace]] = field(default_factory=list)

    def traces(self) -> Iterator[Trace]:
        """Every trace, oldest first, for any order of files and spans."""
        problems = Problems()
        problems.merge(self.problems)  # reported once, with the first trace
        for source, spans in self.spool.traces():
            yield assemble(spans, source=source, calls=self.calls, problems=problems)
            problems = Problems()
        for traces in self.ready:
            yield from traces


def load_traces(
    *paths: str | Path,
    calls: CallsScored = "auto",
    skip_bad: bool = False,
    problems: Callable[[Problems], None] | None = None,
) -> Iterator[Trace]:
    """Traces of files: OTLP (JSON, protobuf), MLflow, LangSmith, Langfuse, Phoenix, Inspect AI, compressed or not.

    Formats are detected by content. Spans of one trace may be spread over files, duplicated and in any order: the
    traces are the same. Memory does not grow with the number of spans: those of many traces are kept in a temporary
    file. `calls` selects which calls count, see `assemble`. With `skip_bad`, lines that cannot be read are counted
    instead of rejected. `problems` collects what was wrong with the files themselves.
    """
    collected = Collected(calls, skip_bad)
    for path in sorted(require_file(path) for path in paths):
        _read(path, collected)
    if problems is not None:
        problems(collected.problems)
    yield from collected.traces()


def is_trace_export(path: str | Path) -> bool:
    """Whether a file contains traces, by its first record; False for an unreadable file."""
    path = Path(path)
    try:
        with path.open("rb") as raw:
            if raw.read(4) == ZIP:
                return True
        with open_unpacked(path) as file:
            start = file.peek(4096)[:4096].removeprefix(BOM).lstrip(BLANK)
            if start[:1] not in (b"{", b"["):
                return next(iter(protobuf_items(_whole(path, file), Problems())), None) is not None
            first = file.readline(MAX_LINE)
            head = _decode_json(first.removeprefix(BOM))
            following = [] if head is None else [_decode_json(file.readline(MAX_LINE)) for _ in range(2)]
            head = _decode_json(first + _whole(path, file)) if head is None else head
    except (OSError, InputError, WireError, IndexError):
        return False
    if inspect_log.claims(head) or coding_agents.claims([head, *following]):
        return True
    return bool(kind_of(next(iter(records_in(head)), None)))


def _read(path: Path, collected: Collected) -> None:
    with path.open("rb") as raw:
        if raw.read(4) == ZIP:
            collected.ready.append(inspect_log.traces_of_zip(path))
            return
    with open_unpacked(path) as file:
        start = file.peek(4096)[:4096].removeprefix(BOM).lstrip(BLANK)
        if not start:
            raise InputError(str(path), "the file is empty", "was it written completely?")
        if start[:1] in (b"{", b"["):
            _read_json(path, file, collected)
        else:
            _read_protobuf(path, file, collected)


def _read_protobuf(path: Path, file: io.BufferedReader, collected: Collected) -> None:
    data = _whole(path, file)
    problems = Problems()
    try:
        for logs in (False, True):
            items = protobuf_items(data, problems, str(path), logs=logs)
            first = next(items, None)
            if first is not None:
                collected.spool.take(chain((first,), items), path.name)
                break
            if problems.counts:
                break
        else:
            raise _unknown(path, "it contains no spans")
    except (WireError, IndexError):
        raise _unknown(path, "bytes that are neither JSON nor OTLP protobuf") from None
    collected.problems.merge(problems)


def _read_json(path: Path, file: io.BufferedReader, collected: Collected) -> None:
    """One record per line when the first line is a complete record; otherwise one document."""
    read_line = partial(file.readline, MAX_LINE + 1)
    lines = list(islice(iter(read_line, b""), coding_agents.NAMED_LINES))
    first = lines[0]
    start = b"".join(lines).removeprefix(BOM)
    if coding_agents.claims_bytes(start):
        collected.ready.append(iter((_transcript_trace(path, start + _whole(path, file)),)))
        return
    head = None if len(first) > MAX_LINE or len(lines) == 1 else _decode_json(first.removeprefix(BOM))
    if head is None:
        _take_whole(path, start + _whole(path, file), collected)
        return
    is_known = _take_record(path, head, collected, f"{path}:1", size=len(first))
    for number, line in enumerate(chain(lines[1:], iter(read_line, b"")), 2):
        where = f"{path}:{number}"
        if not line.strip():
            continue
        record = _decode_json(line) if len(line) <= MAX_LINE else None
        if record is None:
            if not collected.skip_bad:
                hint = "is the file truncated? use --skip-bad to skip such lines"
                raise InputError(where, _why_bad(line), hint)
            collected.problems.add("bad_line", where)
            continue
        is_known |= _take_record(path, record, collected, where, size=len(line))
    if not is_known:
        raise _unknown(path, _keys(head))


def _transcript_trace(path: Path, data: bytes) -> Trace:
    """The trace that a coding agent's transcript is."""
    transcript = coding_agents.read_transcript(data, str(path))
    assert transcript is not None  # claimed by its first lines
    product = transcript.format.partition("-")[0]
    return Trace(
        transcript.session or path.stem,
        transcript.trajectory,
        input=transcript.input,
        session=transcript.session,
        agent=product,
        model=transcript.trajectory.served_model,
        source=transcript.format,
        incomplete=transcript.cut,
        resource={FILE: path.stem},
        problems=("the transcript has no end",) if transcript.cut else (),
    )


def _take_whole(path: Path, data: bytes, collected: Collected) -> None:
    """A file that is one document."""
    data = data.removeprefix(BOM)
    parts = None if too_deep(data, DEEPEST) else portions(data)
    is_known = False
    first = None
    for document, size in parts if parts is not None else ((_document(path, data), len(data)),):
        records = [document] if inspect_log.claims(document) else list(records_in(document))
        first = first or next(iter(records), document)
        for record in records:
            is_known |= _take_record(path, record, collected, str(path), size=size // len(records))
    if not is_known:
        raise _unknown(path, _keys(first))


def _take_record(path: Path, record: Any, collected: Collected, where: str, size: int) -> bool:
    if inspect_log.claims(record):
        collected.ready.append(inspect_log.traces_of(record, path.name))
        return True
    kind = kind_of(record)
    if kind:
        collected.spool.take(items_of(record, kind, collected.problems, where), path.name, size)
    elif isinstance(record, dict):
        collected.problems.add("other_span", where)
    return bool(kind)


def _decode_json(data: bytes) -> Any:
    """The value of a whole JSON text; None when it is not JSON."""
    try:
        return None if too_deep(data, DEEPEST) else msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def _document(path: Path, data: bytes) -> Any:
    try:
        if too_deep(data, DEEPEST):
            raise RecursionError
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise decode_error(error, Any, data[:10_000_000], str(path)) from None


def _whole(path: Path, file: io.BufferedReader) -> bytes:
    data = file.read(MAX_DOCUMENT + 1)
    if len(data) > MAX_DOCUMENT:
        problem = f"is one document of more than {MAX_DOCUMENT // 2**20} MiB"
        raise TooLarge(str(path), problem, "write one record per line")
    return data


def _why_bad(line: bytes) -> str:
    if len(line) > MAX_LINE:
        return f"the line is longer than {MAX_LINE // 2**20} MiB"
    try:
        line.decode()
    except UnicodeDecodeError:
        return "not valid UTF-8"
    return "not valid JSON"


def _keys(record: Any) -> str:
    if not isinstance(record, dict):
        return "not an object"
    shown = ", ".join(str(key)[:40] for key in list(record)[:5])
    return f"keys: {shown}" if shown else "an empty object"


def _unknown(path: Path, description: str) -> InputError:
    return InputError(str(path), f"unknown trace format ({description})", f"known: {KNOWN}")


LARGE = 4 * 1024 * 1024
AT_ONCE = 500


class _Scope(msgspec.Struct):
    spans: list[msgspec.Raw]
    scope: msgspec.Raw = msgspec.Raw(b"null")


class _Resource(msgspec.Struct):
    scope_spans: list[_Scope] = msgspec.field(name="scopeSpans")
    resource: msgspec.Raw = msgspec.Raw(b"null")


class _Otlp(msgspec.Struct, forbid_unknown_fields=True):
    resource_spans: list[_Resource] = msgspec.field(name="resourceSpans")


def portions(data: bytes) -> Iterator[tuple[Any, int]] | None:
    """Smaller documents that together are equivalent, with their size in bytes; None when it must be read whole."""
    if len(data) < LARGE:
        return None
    with suppress(msgspec.DecodeError, UnicodeError, RecursionError):
        return _of_otlp(msgspec.json.decode(data, type=_Otlp))
    with suppress(msgspec.DecodeError, UnicodeError, RecursionError):
        return _batches(msgspec.json.decode(data, type=list[msgspec.Raw]))
    return None


def _of_otlp(document: _Otlp) -> Iterator[tuple[Any, int]]:
    for group in document.resource_spans:
        resource = msgspec.json.decode(group.resource)
        for scoped in group.scope_spans:
            scope = msgspec.json.decode(scoped.scope)
            for spans, size in _batches(scoped.spans):
                scope_spans = [{"scope": scope, "spans": spans}]
                yield {"resourceSpans": [{"resource": resource, "scopeSpans": scope_spans}]}, size


def _batches(items: list[msgspec.Raw]) -> Iterator[tuple[list[Any], int]]:
    """The values of a list, some at a time, with their size in bytes."""
    for start in range(0, len(items), AT_ONCE):
        some = items[start : start + AT_ONCE]
        yield [msgspec.json.decode(raw) for raw in some], sum(memoryview(raw).nbytes for raw in some)
