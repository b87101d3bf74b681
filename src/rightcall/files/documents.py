"""Documents: their items, each with the line where it begins, and locations inside them as JSON pointers (RFC 6901)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from rightcall.core import codec
from rightcall.core.errors import InputError
from rightcall.core.text import shorten
from rightcall.files.checked_read import read_checked, require_file
from rightcall.files.yaml_text import yaml_items, yaml_value

T = TypeVar("T")
DOCUMENT_SUFFIXES = (".json", ".yaml", ".yml")
_GAP = re.compile(rb"[\s,]*")


class DocumentItems(msgspec.Struct, frozen=True):
    """The contents of a document: its items with their lines, and the fields next to the list.

    An item is `msgspec.Raw` (JSON not decoded yet) or a plain value; `value_of` makes a record of either.
    `single` says the document was one object without the list: that object is then the only item.
    """

    entries: Iterator[tuple[int, Any]]
    header: dict[str, Any]
    single: bool = False


def read_items(path: str | Path, key: str) -> DocumentItems:
    """The items of a document, which is a list or has one under `key`. The suffix sets the format; not streaming."""
    path = require_file(path)
    if path.suffix.lower() == ".json":
        return _json_items(read_checked(path), key, str(path))

    entries, header, single = yaml_items(read_checked(path), key, str(path))
    return DocumentItems(iter(entries), header, single)


def read_document(path: str | Path) -> Any:
    """The whole value of a JSON, YAML or TOML document: a list or an object. The suffix sets the format."""
    path = require_file(path)
    data = read_checked(path)
    if path.suffix.lower() == ".json":
        return codec.decode(data, Any, str(path))
    if path.suffix.lower() == ".toml":
        return _toml_value(data, str(path))
    return yaml_value(data, str(path))


def _toml_value(data: bytes, where: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(data.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        line = re.search(r"\(at line (\d+)", str(error))
        raise InputError(f"{where}:{line[1]}" if line else where, f"not valid TOML: {error}") from None


def value_of(item: Any, as_type: type[T], where: str) -> T:
    """An item as a record or plain value, or an error that names the place."""
    if isinstance(item, (bytes, msgspec.Raw)):
        return codec.decode(item, as_type, where)  # Raw is a buffer too
    return codec.convert(item, as_type, where)


def refuse_other_format(text: Any, kind: str, newest: int, where: str) -> None:
    """Refuse a document whose `format` is not `rightcall/<kind>/<number up to the newest>`."""
    parts = re.fullmatch(r"rightcall/([a-z_-]+)/([1-9]\d{0,5})", text) if isinstance(text, str) else None
    expected = f"'rightcall/{kind}/{newest}'"
    if parts is None:
        raise InputError(where, f"format must be {expected}, got {shorten(repr(text), 61)}")
    if parts[1] != kind:
        raise InputError(where, f"expected a {kind} file ({expected}), got a {parts[1]} file")
    if int(parts[2]) > newest:
        problem = f"the file has the format '{text}'; this version of RightCall reads up to {newest}"
        raise InputError(where, problem, "upgrade RightCall")


def _json_items(data: bytes, key: str, path: str) -> DocumentItems:
    start = len(data) - len(data.lstrip())
    if data[start : start + 1] == b"[":
        return DocumentItems(_locate_items(data, data, start, path), {})
    document = _decode_document(data, dict[str, msgspec.Raw], path)
    line = data.count(b"\n", 0, start) + 1
    if key not in document:
        return DocumentItems(iter([(line, data)]), {}, single=True)
    header = {name: codec.decode(raw, object, path) for name, raw in document.items() if name != key}
    listed = bytes(document[key])
    if not listed.startswith(b"["):
        value_of(listed, list[Any], f"{path}:{line}: {key}")
    return DocumentItems(_locate_items(listed, data, _position(data, key, listed), path), header)


def _position(data: bytes, key: str, listed: bytes) -> int:
    """Where the list under `key` begins; inside a JSON text the quotes would have a backslash."""
    for match in re.finditer(rb'(?<!\\)"' + re.escape(key.encode()) + rb'"\s*:\s*', data):
        if data.startswith(listed, match.end()):
            return match.end()
    return 0


def _locate_items(listed: bytes, data: bytes, start: int, path: str) -> Iterator[tuple[int, Any]]:
    raws = _decode_document(listed, list[msgspec.Raw], path)
    position = start + 1
    line = data.count(b"\n", 0, start + 1) + 1
    for raw in raws:
        gap = _GAP.match(data, position)
        begin = gap.end() if gap else position
        line += data.count(b"\n", position, begin)
        yield line, raw
        position = begin + len(memoryview(raw))
        line += data.count(b"\n", begin, position)


def _decode_document(data: bytes, as_type: type[T], path: str) -> T:
    try:
        return msgspec.json.decode(data, type=as_type)
    except codec.DecodeErrors as error:
        raise _document_error(error, as_type, data, path) from None


def _document_error(error: Exception, as_type: Any, data: bytes, path: str) -> InputError:
    byte = re.search(r"\(byte (\d+)\)", str(error))
    offset = int(byte[1]) if byte else None
    if offset is not None and "trailing characters" in str(error) and data[offset - 1 : offset] in b"{[":
        line = data.count(b"\n", 0, offset) + 1  # this message alone counts from the next byte
        hint = "if it has one object per line, use the suffix .jsonl"
        return InputError(f"{path}:{line}", "a second JSON value after the first", hint)
    if offset is None and "truncated" in str(error):
        offset = len(data.rstrip())
    if offset is None:
        return codec.decode_error(error, as_type, data, path)
    line = data.count(b"\n", 0, offset) + 1
    column = offset - data.rfind(b"\n", 0, offset) - 1
    if isinstance(error, msgspec.DecodeError):
        error = type(error)(re.sub(r"\(byte \d+\)", f"(byte {column})", str(error)))
    return codec.decode_error(error, as_type, data, f"{path}:{line}")


JsonPath = tuple[str | int, ...]
"""Keys and indexes from the root of a document or tool to a value."""


def pointer(path: JsonPath) -> str:
    """A path as a JSON pointer."""
    text = "/".join(["", *map(str, path)])
    if "~" not in text and text.count("/") == len(path):
        return text
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def pointer_parts(text: str) -> list[str]:
    """The keys of a JSON pointer: `/a~1b/0` gives `a/b` and `0`."""
    return [part.replace("~1", "/").replace("~0", "~") for part in text.split("/")[1:]]


def at_pointer(root: Any, text: str) -> Any:
    """The value that a JSON pointer leads to, or None."""
    here = root
    for part in pointer_parts(text):
        if isinstance(here, dict):
            here = here.get(part)
        elif isinstance(here, list) and part.isascii() and part.isdigit() and int(part) < len(here):
            here = here[int(part)]
        else:
            return None
    return here
