"""The one hash of content: SHA-256 in hexadecimal digits. Fingerprints of stored runs depend on it."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import msgspec

RunningDigest = hashlib.sha256
"""A digest of content that arrives in pieces: `update(piece)`, then `hexdigest()`."""


def hex_digest(content: str | bytes, length: int = 64) -> str:
    """The first `length` digits; two texts that differ only in unpaired surrogates differ."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()[:length]


def json_digest(value: Any, length: int = 64, *, enc_hook: Callable[[Any], Any] | None = None) -> str:
    """A value as canonical JSON: the order of an object's keys does not matter."""
    try:
        data = msgspec.json.encode(value, enc_hook=enc_hook, order="deterministic")
    except UnicodeEncodeError:  # an unpaired surrogate, which UTF-8 does not have
        import json

        return hex_digest(json.dumps(value, sort_keys=True, default=enc_hook), length)
    return hex_digest(data, length)


def digest_of_parts(parts: Iterable[bytes], length: int = 64) -> str:
    """The parts one after the other, which are never held together."""
    digest = RunningDigest()
    for part in parts:
        digest.update(part)
    return digest.hexdigest()[:length]


def file_digest(path: str | Path, length: int = 64) -> str:
    """A file of any size; raises OSError when it cannot be read."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:length]
