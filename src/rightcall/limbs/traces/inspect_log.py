"""Logs of Inspect AI (`.eval`, a zip, or `.json`): each sample as a trace with its transcript."""

from __future__ import annotations

import io
import os
import re
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from rightcall.core.digest import hex_digest
from rightcall.core.errors import InputError, MissingExtraError
from rightcall.limbs.traces.calls import tools_from
from rightcall.limbs.traces.content import as_dict, as_dicts, as_list, as_text, whole_number
from rightcall.limbs.traces.messages import Called, SpokenMessage, as_message, read_message, tool_calls
from rightcall.limbs.traces.span import nanoseconds
from rightcall.limbs.traces.trace import Trace
from rightcall.limbs.traces.unpack import FREE, MAX_RATIO, ZIP, TooLarge
from rightcall.records.call import ToolCall, ToolResult
from rightcall.records.dialects.endings import stop_of
from rightcall.records.message import Message
from rightcall.records.trajectory import StopReason, Trajectory, Usage, limit_trajectory_depth

MAX_MEMBER = 64 * 1024 * 1024
ZSTANDARD = 93
"""The number of this compression in zip files."""
UNPARSED = re.compile(r"arguments:\n\n(.*)\n\nError details:", re.DOTALL)
"""Inspect's error for arguments that are not JSON, which contains them."""


def claims(record: Any) -> bool:
    return isinstance(record, dict) and isinstance(record.get("eval"), dict) and "version" in record


def traces_of(record: dict[str, Any], source: str) -> Iterator[Trace]:
    """A trace for each sample of a log."""
    for sample in as_dicts(record.get("samples")):
        yield _trace(sample, record, source)


def traces_of_zip(path: Path) -> Iterator[Trace]:
    """The same for a `.eval` file, one sample in memory at a time."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = sorted(name for name in archive.namelist() if name.endswith(".json"))
            head = next((name for name in ("header.json", "_journal/start.json") if name in names), None)
            if head is None:
                problem = "is a zip file without header.json; only Inspect AI's .eval is read"
                raise InputError(str(path), problem, "extract it and pass the files inside")
            record = as_dict(_member(archive, head, path))
            for name in names:
                if name.startswith("samples/") and isinstance(sample := _member(archive, name, path), dict):
                    yield _trace(sample, record, str(path))
    except (zipfile.BadZipFile, NotImplementedError, zlib.error, EOFError) as error:
        hint = "convert the log to .json: `inspect log convert --to json`"
        raise InputError(str(path), f"cannot be extracted: {error}", hint) from None


def _member(archive: zipfile.ZipFile, name: str, path: Path) -> Any:
    """One file of the archive; its stated size is not trusted."""
    info = archive.getinfo(name)
    if info.file_size > MAX_MEMBER or info.file_size > max(FREE, MAX_RATIO * info.compress_size):
        problem = f"'{name}' in it decompresses to {info.file_size // 2**20:,} MiB"
        raise TooLarge(str(path), problem, "remove that sample, or convert the log to .json")
    if info.compress_type == ZSTANDARD:
        data = _unpack_member(archive, info, path)
    else:
        with archive.open(info) as file:
            data = file.read()  # zipfile stops at the stated size
    try:
        return msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        raise InputError(str(path), f"'{name}' in it is not valid JSON") from None


def _unpack_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> bytes:
    """A member in Zstandard, which Inspect writes since 2026 and Python's zipfile reads from 3.14 on."""
    try:
        import zstandard
    except ModuleNotFoundError:
        raise MissingExtraError(f"{path}, whose samples are in zstd", "zstandard", "traces") from None
    with path.open("rb") as file:
        file.seek(info.header_offset)
        head = file.read(30)
        file.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), os.SEEK_CUR)
        packed = io.BytesIO(file.read(info.compress_size))
    machine = zstandard.ZstdDecompressor(max_window_size=2**27)
    try:
        with machine.stream_reader(packed) as reader:
            data: bytes = reader.read(info.file_size + 1)
    except zstandard.ZstdError as error:
        raise zipfile.BadZipFile(str(error)) from None
    if head[:4] != ZIP or len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        raise zipfile.BadZipFile(f"'{info.filename}' is damaged")
    return data


def _trace(sample: dict[str, Any], record: dict[str, Any], source: str) -> Trace:
    about = as_dict(record.get("eval"))
    golden_id = as_text(sample.get("id"))
    epoch = whole_number(sample.get("epoch")) or 1
    messages = [m for item in as_list(sample.get("messages")) if (m := _spoken_message(item)) is not None]
    trajectory = limit_trajectory_depth(_trajectory(sample, messages))
    identity = f"{about.get('run_id') or about.get('created')}/{about.get('task')}/{golden_id}/{epoch}"
    return Trace(
        hex_digest(identity, 32),
        trajectory,
        tools_from(_tools(sample)),
        next((m.text for m in messages if m.role == "user"), as_text(sample.get("input"))),
        system=next((m.text for m in messages if m.role == "system"), ""),
        agent=as_text(about.get("task")),
        model=as_text(about.get("model")),
        agent_version=as_text(about.get("task_version") or ""),
        time=nanoseconds(sample.get("started_at") or about.get("created")),
        source=source,
        golden_id=golden_id,
        trial=epoch - 1,
    )


def _trajectory(sample: dict[str, Any], messages: list[SpokenMessage]) -> Trajectory:
    calls: list[ToolCall] = []
    transcript: list[Message] = []
    step = 0
    for at, spoken in enumerate(messages):
        step_calls = tuple(_call(called, step, messages[at + 1 :]) for called in spoken.calls)
        calls += step_calls
        step += spoken.role == "assistant"
        transcript.append(as_message(spoken, step_calls))
    last = messages[-1] if messages else None
    error = sample.get("error")
    stop: StopReason = "limit" if isinstance(sample.get("limit"), dict) else stop_of(_stop(sample))
    usage = as_dicts(list(as_dict(sample.get("model_usage")).values()))
    seconds = sample.get("working_time", sample.get("total_time"))
    return Trajectory(
        tuple(transcript),
        tuple(calls),
        last.text if last is not None and last.role == "assistant" and not last.calls else "",
        Usage(
            sum(whole_number(u.get("input_tokens")) or 0 for u in usage),
            sum(whole_number(u.get("output_tokens")) or 0 for u in usage),
            cached_tokens=sum(whole_number(u.get("input_tokens_cache_read")) or 0 for u in usage),
        ),
        latency_ms=seconds * 1000
        if isinstance(seconds, int | float) and not isinstance(seconds, bool)
        else None,
        stop_reason="agent_error" if error else stop,
        error=as_text(error.get("message") if isinstance(error, dict) else error)[:2000],
    )


def _spoken_message(raw: Any) -> SpokenMessage | None:
    """A message with the fields that only Inspect has: the error of a tool, and arguments that could not be parsed."""
    spoken = read_message(raw)
    if spoken is None or not isinstance(raw, dict):
        return spoken
    if spoken.role == "tool":
        error = raw.get("error")
        told = as_text(error.get("message") if isinstance(error, dict) else error)
        spoken.results = [
            ToolResult(r.call_id, r.output or told, error is not None, as_text(raw.get("function")) or r.name)
            for r in spoken.results
        ]
    broken = {
        as_text(call.get("id")): call["parse_error"]
        for call in as_dicts(raw.get("tool_calls"))
        if isinstance(call.get("parse_error"), str)
    }
    for called in spoken.calls:
        if called.id in broken:  # its `arguments` are an empty object, which the model did not write
            written = UNPARSED.search(broken[called.id])
            called.arguments = written[1] if written else broken[called.id]
    return spoken


def _call(called: Called, step: int, later: list[SpokenMessage]) -> ToolCall:
    """The call with the first later result that has its id."""
    (call,) = tool_calls([called])
    told = (r for spoken in later for r in spoken.results if called.id and r.call_id == called.id)
    result = next(told, None)
    if result is None:
        return msgspec.structs.replace(call, step=step)
    status = "error" if result.is_error else "ok"
    return msgspec.structs.replace(call, step=step, status=status, output=result.output)


def _tools(sample: dict[str, Any]) -> list[dict[str, Any]]:
    """The definitions of the first request to a model in the sample's events."""
    for event in as_dicts(sample.get("events")):
        if event.get("event") == "model" and isinstance(event.get("tools"), list):
            return as_dicts(event["tools"])
    return []


def _stop(sample: dict[str, Any]) -> str:
    choices = as_list(as_dict(sample.get("output")).get("choices"))
    return as_text(as_dict(choices[0]).get("stop_reason")) if choices else ""
