"""The file of a recorded session: `rightcall/mcp/1`, JSON Lines with sorted keys.

    {"address": …, "format": "rightcall/mcp/1", "lines": 4, "recorded": "2026-11-16", "server": {…}}
    {"tool": {…}}                                       as listed, in listed order; "resource" and "prompt" likewise
    {"call": {"arguments": {…}, "name": …}, "ms": 12, "n": 0, "result": {…}}
    {"call": {…}, "error": {"code": …, "message": …}, "ms": 3, "n": 0}
    {"tools": [{…}], "tools_at": 2}                     the list changed after two calls

Keys inside a definition stay in the server's order, because a model sees it. Texts over 64 kB lie in `FILE.files/`,
named by their hash. `lines` counts the lines below the header, so that a file that was cut is noticed. Until a file is
whole, `FILE.unfinished` has what was answered so far, line by line.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec

from rightcall.core.codec import decode, encode
from rightcall.core.digest import hex_digest
from rightcall.core.errors import InputError
from rightcall.files.atomic import write_file
from rightcall.files.checked_read import read_checked
from rightcall.files.documents import refuse_other_format
from rightcall.recording.mcp.session import Definition, McpSession, RecordedCall, ToolListChange, tool_name

FORMAT = "rightcall/mcp/1"
LARGE = 64_000
"""Characters from which a text lies next to the file."""
BESIDE = "$beside"

_LISTS = {"tool": "tools", "resource": "resources", "prompt": "prompts"}
_FIELDS = {
    "tool": {"tool"},
    "resource": {"resource"},
    "prompt": {"prompt"},
    "call": {"call", "result", "error", "ms", "n"},
    "tools_at": {"tools_at", "tools"},
}
_HASH = re.compile(r"[0-9a-f]{64}")

_sorted = msgspec.json.Encoder(order="sorted").encode


def write_session(path: Path, session: McpSession) -> None:
    """Write a session that holds no secrets, if it can be read back: the file at once, its large texts before it."""
    folder = files_folder(path)
    lines = list(_lines(session, folder))
    header = _header(session) | {"lines": len(lines)}
    path.parent.mkdir(parents=True, exist_ok=True)
    data = _joined((header, *lines))
    try:
        _parse_session(path, data)
    except InputError as error:  # a server lists and answers what it likes
        raise InputError(str(path), f"cannot be recorded, {error.problem}", error.hint) from None
    write_file(path, data)


UNFINISHED = ".unfinished"


class SessionJournal:
    """`FILE.unfinished`: each call as soon as it is answered, so that a process that is killed loses none."""

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(f"{path.name}{UNFINISHED}")
        self._written = McpSession()

    def read(self) -> McpSession | None:
        """What a process that was killed had recorded, up to the first line that is not whole; None without one."""
        if not self.path.is_file():
            return None
        reader = _Reader(self.path)
        with contextlib.suppress(InputError):
            for number, line in enumerate(self.path.read_bytes().split(b"\n")[:-1], 1):
                reader.add(decode(line, dict[str, Any], f"{self.path}:{number}"), number)
        return reader.session(reader.count + 1) if reader.header else None

    def add(self, session: McpSession) -> None:
        """Append what the session has more than before. A list that changed since the last call may change again."""
        folder = files_folder(self.path)
        before = self._written
        settled = tuple(change for change in session.changes if change.calls < len(session.calls))
        session = replace(session, changes=settled)
        if replace(session, calls=(), changes=()) == replace(before, calls=(), changes=()):
            calls = [_call_line(call, folder) for call in session.calls[len(before.calls) :]]
            lines = [*map(_change_line, session.changes[len(before.changes) :]), *calls]
            with self.path.open("ab") as file:
                file.write(_joined(lines))
        else:
            write_file(self.path, _joined((_header(session), *_lines(session, folder))))
        self._written = session

    def remove(self) -> None:
        """The whole file is written: nothing is unfinished."""
        self.path.unlink(missing_ok=True)


def read_session(path: str | Path) -> McpSession:
    """The session of a whole file; `InputError` names the line where it is cut, doubled or otherwise wrong."""
    path = Path(path)
    return _parse_session(path, read_checked(path))


def _parse_session(path: Path, data: bytes) -> McpSession:
    reader = _Reader(path)
    lines = data.split(b"\n")
    for number, line in enumerate(lines, 1):
        if line.strip():
            reader.add(decode(line, dict[str, Any], f"{path}:{number}"), number)
    return reader.session(len(lines))


def files_folder(path: Path) -> Path:
    """The folder with the large texts of a file."""
    return path.with_name(f"{path.name.removesuffix(UNFINISHED)}.files")


def _joined(lines: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(_sorted(line) + b"\n" for line in lines)


def _header(session: McpSession) -> dict[str, Any]:
    fields = {name: getattr(session, name) for name in ("server", "recorded", "address")}
    return {"format": FORMAT, **fields}


def _lines(session: McpSession, folder: Path) -> Iterator[dict[str, Any]]:
    for word, attribute in _LISTS.items():
        for definition in getattr(session, attribute):
            yield {word: msgspec.Raw(encode(definition))}
    changes = list(session.changes)
    for number, call in enumerate(session.calls):
        while changes and changes[0].calls <= number:
            yield _change_line(changes.pop(0))
        yield _call_line(call, folder)
    yield from map(_change_line, changes)


def _call_line(call: RecordedCall, folder: Path) -> dict[str, Any]:
    called = {"name": call.name, "arguments": _put_beside(call.arguments, folder)}
    line: dict[str, Any] = {"call": called, "ms": call.ms, "n": call.n}
    return line | (
        {"error": call.error} if call.result is None else {"result": _put_beside(call.result, folder)}
    )


def _change_line(change: ToolListChange) -> dict[str, Any]:
    return {"tools_at": change.calls, "tools": [msgspec.Raw(encode(tool)) for tool in change.tools]}


def _put_beside(value: Any, folder: Path) -> Any:
    """The value with each large text replaced by the hash of a file."""
    if isinstance(value, str) and len(value) > LARGE:
        text = value.encode("utf-8", "surrogatepass")
        name = hex_digest(text)
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / name).is_file():
            write_file(folder / name, text)
        return {BESIDE: name}
    if isinstance(value, dict):
        inner = {name: _put_beside(part, folder) for name, part in value.items()}
        return {BESIDE: [inner]} if inner.keys() == {BESIDE} else inner  # a server may use our word
    return [_put_beside(part, folder) for part in value] if isinstance(value, list) else value


def _take_back(value: Any, folder: Path, where: str) -> Any:
    if isinstance(value, dict):
        if value.keys() == {BESIDE}:
            held = value[BESIDE]
            if isinstance(held, list) and len(held) == 1 and isinstance(held[0], dict):
                return {name: _take_back(part, folder, where) for name, part in held[0].items()}
            return _text_beside(held, folder, where)
        return {name: _take_back(part, folder, where) for name, part in value.items()}
    return [_take_back(part, folder, where) for part in value] if isinstance(value, list) else value


def _text_beside(name: Any, folder: Path, where: str) -> str:
    if not isinstance(name, str) or not _HASH.fullmatch(name):
        raise InputError(where, f"{BESIDE} must be a SHA-256 in hexadecimal digits")
    path = folder / name
    try:
        text = path.read_bytes()
    except OSError:
        raise InputError(where, f"a large text is missing: {path}", "copy the folder with the file") from None
    if hex_digest(text) != name:
        raise InputError(where, f"a large text has changed: {path}", "record the session again")
    return text.decode("utf-8", "surrogatepass")


@dataclass
class _Reader:
    """The lines of a file, checked one after the other."""

    path: Path
    header: dict[str, Any] = field(default_factory=dict)
    lists: dict[str, list[Definition]] = field(default_factory=lambda: {word: [] for word in _LISTS})
    calls: list[RecordedCall] = field(default_factory=list)
    changes: list[ToolListChange] = field(default_factory=list)
    count: int = 0
    _turns: Counter[bytes] = field(default_factory=Counter)
    _names: set[str] = field(default_factory=set)

    def add(self, line: dict[str, Any], number: int) -> None:
        where = f"{self.path}:{number}"
        if not self.header:
            self._read_header(line, where)
            return
        self.count += 1
        if "format" in line:
            raise InputError(where, "a second header", "keep one session per file")
        kind = next((kind for kind in _FIELDS if kind in line), None)
        if kind is None:
            raise InputError(
                where, "neither a definition nor a call", f"expected one of {', '.join(_FIELDS)}"
            )
        if unknown := sorted(line.keys() - _FIELDS[kind]):
            raise InputError(where, f"unknown field '{unknown[0]}' next to '{kind}'")
        if kind == "call":
            self._read_call(line, where)
        elif kind == "tools_at":
            self._read_change(line, where)
        else:
            self._read_definition(kind, line[kind], where)

    def session(self, last_line: int) -> McpSession:
        expected = self.header.get("lines", self.count)
        if expected != self.count:
            problem = f"{self.count} lines follow the header, which says {expected}"
            added = "was a line added? correct `lines` in the header"
            hint = "was the file cut?" if self.count < expected else added
            raise InputError(f"{self.path}:{last_line}", problem, hint)
        lists = {attribute: tuple(self.lists[word]) for word, attribute in _LISTS.items()}
        return McpSession(
            server=self.header["server"],
            calls=tuple(self.calls),
            changes=tuple(self.changes),
            recorded=str(self.header.get("recorded", "")),
            address=str(self.header.get("address", "")),
            **lists,
        )

    def _read_header(self, line: dict[str, Any], where: str) -> None:
        if "format" not in line:
            raise InputError(where, "the first line is not a header", f"it must have the format '{FORMAT}'")
        refuse_other_format(line["format"], "mcp", 1, where)
        if unknown := sorted(line.keys() - {"format", "server", "recorded", "address", "lines"}):
            raise InputError(where, f"unknown field '{unknown[0]}' in the header")
        if not isinstance(line.get("server"), dict):
            raise InputError(where, "server must be an object")
        if type(line.get("lines", 0)) is not int:
            raise InputError(where, "lines must be a whole number")
        self.header = line

    def _read_definition(self, kind: str, definition: Any, where: str) -> None:
        if not isinstance(definition, dict) or not isinstance(definition.get("name"), str):
            raise InputError(where, f"{kind} must be an object with a name")
        if self.calls:
            raise InputError(where, f"a {kind} after a call", "definitions come first")
        if kind == "tool":
            self._refuse_twin(definition, self._names, where)
        self.lists[kind].append(definition)

    def _read_change(self, line: dict[str, Any], where: str) -> None:
        calls = line["tools_at"]
        tools = line.get("tools")
        is_list = isinstance(tools, list) and all(isinstance(tool, dict) for tool in tools)
        if not isinstance(calls, int) or tools is None or not is_list or calls != len(self.calls):
            above = f"the number of calls above it ({len(self.calls)})"
            raise InputError(where, f"tools_at must be {above}, with a list of tools")
        names: set[str] = set()
        for tool in tools:
            self._refuse_twin(tool, names, where)
        self.changes.append(ToolListChange(calls, tuple(tools)))

    def _refuse_twin(self, tool: Definition, names: set[str], where: str) -> None:
        if tool_name(tool) in names:
            raise InputError(where, f"duplicate tool '{tool_name(tool)}'", "was the file doubled?")
        names.add(tool_name(tool))

    def _read_call(self, line: dict[str, Any], where: str) -> None:
        call = line["call"]
        folder = files_folder(self.path)
        is_call = isinstance(call, dict) and call.keys() == {"name", "arguments"}
        if not is_call or not isinstance(call["name"], str) or not isinstance(call["arguments"], dict):
            raise InputError(where, "call must be an object with a name and arguments")
        result = line.get("result")
        error = line.get("error")
        if isinstance(result, dict) is isinstance(error, dict):
            raise InputError(where, "a call has either a result or an error, as an object")
        if isinstance(error, dict) and not isinstance(error.get("code"), int):
            raise InputError(where, "error.code must be a whole number")
        arguments = _take_back(call["arguments"], folder, where)
        result = None if result is None else _take_back(result, folder, where)
        numbers = line.get("ms", 0), line.get("n", 0)
        if not all(isinstance(number, int) and number >= 0 for number in numbers):
            raise InputError(where, "ms and n must be whole numbers from 0")
        recorded = RecordedCall(call["name"], arguments, result, error, *numbers)
        turn = self._turns[recorded.key]
        if recorded.n != turn:
            hint = "was the file doubled?" if recorded.n < turn else "was the file cut?"
            problem = f"call {recorded.n + 1} of {recorded.name} with these arguments, after {turn} of them"
            raise InputError(where, problem, f"n counts equal calls from 0; {hint}")
        self._turns[recorded.key] += 1
        self.calls.append(recorded)
