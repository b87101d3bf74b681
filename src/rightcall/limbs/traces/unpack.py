"""Streaming decompression with a limit: a zip bomb is rejected before it fills memory."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any

from rightcall.core.errors import InputError, MissingExtraError

PIECE = 64 * 1024
FREE = 8 * 1024 * 1024
"""Decompressed bytes allowed before the ratio is checked."""
MAX_RATIO = 250
"""Traces compress ten to fifty times; deflate's maximum is about a thousand. More than this is a zip bomb."""

GZIP = b"\x1f\x8b"
BZIP2 = b"BZh"
XZ = b"\xfd7zXZ\x00"
ZSTD = b"\x28\xb5\x2f\xfd"
ZIP = b"PK\x03\x04"
MACHINES: tuple[tuple[bytes, Callable[[], Any]], ...] = (
    (GZIP, partial(zlib.decompressobj, wbits=31)),
    (BZIP2, bz2.BZ2Decompressor),
    (XZ, lzma.LZMADecompressor),
)


class TooLarge(InputError):  # noqa: N818  it is a kind of InputError
    """More bytes than the limit."""


class Ratio:
    """Counts input and output bytes, and stops at an excessive ratio."""

    def __init__(self, where: str, limit: int | None = None) -> None:
        self.where = where
        self.limit = limit
        self.packed = 0
        self.unpacked = 0

    def add(self, packed: int, unpacked: int) -> None:
        self.packed += packed
        self.unpacked += unpacked
        if self.limit is not None and self.unpacked > self.limit:
            problem = f"decompresses to more than {self.limit // 2**20} MiB"
            raise TooLarge(self.where, problem, "send smaller batches")
        if self.unpacked > FREE and self.unpacked > MAX_RATIO * max(self.packed, 1):
            problem = f"decompresses to over {MAX_RATIO} times its size, like a zip bomb"
            raise TooLarge(self.where, problem, "decompress it yourself if you trust it")


def gunzip(data: bytes, where: str, limit: int) -> bytes:
    """A whole body in gzip or zlib ("deflate"), at most `limit` bytes of it."""
    if len(data) * MAX_RATIO > limit:  # counted first, so that too large a body is never held in memory
        for _ in _inflate(data, where, limit):
            pass
    return b"".join(_inflate(data, where, limit))


def _inflate(data: bytes, where: str, limit: int) -> Iterator[bytes]:
    return _pieces(io.BytesIO(data), partial(zlib.decompressobj, wbits=47), Ratio(where, limit))


class UnpackedFile(io.RawIOBase):
    """A compressed file, read as if it were not."""

    def __init__(self, pieces: Iterator[bytes], file: IO[bytes]) -> None:
        self._pieces = pieces
        self._file = file
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._rest = self._rest or next(self._pieces, b"")
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size

    def close(self) -> None:
        self._file.close()
        super().close()


def open_unpacked(path: Path) -> io.BufferedReader:
    """A file for reading its bytes, decompressed when it is gzip, bzip2, xz or zstd; detected by its first bytes."""
    where = str(path)
    try:
        file = path.open("rb")
    except OSError as error:
        raise InputError(where, f"cannot be opened: {(error.strerror or str(error)).lower()}") from None
    start = file.peek(6)[:6]
    ratio = Ratio(where)
    make = next((make for magic, make in MACHINES if start.startswith(magic)), None)
    if make is None and not start.startswith(ZSTD):
        return file
    pieces = _zstd(file, ratio) if make is None else _pieces(file, make, ratio)
    return io.BufferedReader(UnpackedFile(pieces, file))


def _pieces(file: IO[bytes], make: Callable[[], Any], ratio: Ratio) -> Iterator[bytes]:
    """Unpacked pieces, member after member."""
    machine = make()
    data = b""
    is_zlib = hasattr(machine, "unconsumed_tail")
    started = False
    try:
        while True:
            if not data and (is_zlib or machine.needs_input):
                data = file.read(PIECE)
                if not data:
                    break
                ratio.add(len(data), 0)
            piece = machine.decompress(data, PIECE)
            data = machine.unconsumed_tail if is_zlib else b""
            started = True
            ratio.add(0, len(piece))
            if piece:
                yield piece
            if machine.eof:
                data = machine.unused_data
                machine = make()
                started = False
                if not data.strip(b"\x00"):
                    data = b""
    except (zlib.error, OSError, EOFError, lzma.LZMAError, ValueError) as error:
        raise _damage_error(ratio, error) from None
    if started and not machine.eof:
        raise _damage_error(ratio, "unexpected end of data")


def _zstd(file: IO[bytes], ratio: Ratio) -> Iterator[bytes]:
    try:
        import zstandard
    except ModuleNotFoundError:
        raise MissingExtraError("a zstd file", "zstandard", "traces") from None
    reader = zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(file, read_across_frames=True)
    before = 0
    try:
        while piece := reader.read(PIECE):
            at = file.tell()
            ratio.add(at - before, len(piece))
            before = at
            yield piece
    except zstandard.ZstdError as error:
        raise _damage_error(ratio, error) from None


def _damage_error(ratio: Ratio, problem: object) -> InputError:
    return InputError(ratio.where, f"cannot be decompressed: {problem}", "was it written completely?")
