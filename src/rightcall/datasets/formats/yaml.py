"""One YAML document with the same structure as the JSON one; see `files.yaml_text` for what stays text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import IO, Any

import msgspec

from rightcall.core.codec import encode
from rightcall.datasets.formats.collection import Collection
from rightcall.datasets.formats.json import read
from rightcall.files.yaml_text import yaml_dumper

SUFFIXES = (".yaml", ".yml")

__all__ = ["read", "write"]


def write(items: Iterable[Any], collection: Collection, file: IO[bytes]) -> None:
    dump = yaml_dumper()
    file.write(f"format: {collection.format}\n{collection.name}:".encode())
    empty = True
    for item in items:
        plain = msgspec.json.decode(encode(item))  # the same values as in every other format
        file.write((b"\n" if empty else b"") + dump([plain]).encode())
        empty = False
    if empty:
        file.write(b" []\n")
