"""One JSON document: a bare list, or `{"format": …, "goldens": […]}`, which is the form that is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any

import msgspec

from rightcall.core.codec import encode
from rightcall.core.errors import InputError
from rightcall.datasets.formats.collection import Collection
from rightcall.files.documents import read_items

SUFFIXES = (".json",)


def read(path: Path, collection: Collection) -> Iterator[tuple[int, Any]]:
    """The items of the list with their first lines."""
    items = read_items(path, collection.name)
    if items.single:
        line, _ = next(items.entries)
        hint = f'write a list [ … ], or {{"format": "{collection.format}", "{collection.name}": [ … ]}}'
        raise InputError(f"{path}:{line}", f"expected a list of {collection.name}, got an object", hint)
    collection.check_header(items.header, str(path))
    for name in items.header.keys() - {"format"}:
        raise InputError(str(path), f"unknown field '{name}' next to '{collection.name}'")
    yield from items.entries


def write(items: Iterable[Any], collection: Collection, file: IO[bytes]) -> None:
    file.write(b'{\n  "format": %b,\n  "%b": [' % (encode(collection.format), collection.name.encode()))
    between = b"\n"
    for item in items:
        text = msgspec.json.format(encode(item), indent=2)
        file.write(between + b"    " + text.replace(b"\n", b"\n    "))
        between = b",\n"
    file.write(b"\n  ]\n}\n" if between == b",\n" else b"]\n}\n")
