"""Documents as text (txt, md, pdf and docx), and contexts: pieces of them to ask questions about.

Documents are untrusted: size-limited, never executed or fetched.
"""

from __future__ import annotations

import io
import random
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from rightcall.core.errors import InputError, MissingExtraError
from rightcall.files.checked_read import require_file
from rightcall.limbs.generate.config import ContextConstructionConfig
from rightcall.records.record import Record

MOST_BYTES = 20_000_000
"""Maximum size of a document: anything larger is probably a log file."""

MOST_UNPACKED = 100_000_000
"""Maximum uncompressed size of a docx."""

MOST_PAGES = 5_000
OLD_OFFICE = b"\xd0\xcf\x11\xe0"
"""The first bytes of a .doc and of an encrypted .docx."""


class SourceDocument(Record, frozen=True):
    """A document's text and where it came from."""

    path: str
    text: str


def load_document(path: str | Path) -> SourceDocument:
    """The text of a document, by its suffix; `InputError` says what is wrong with it."""
    path = require_file(path)
    read = READERS.get(path.suffix.lower())
    if read is None:
        raise InputError(
            str(path),
            f"unsupported document type '{path.suffix}'",
            f"use one of {', '.join(READERS)}",
        )
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise InputError(
            str(path),
            f"has {size / 1e6:,.1f} MB, the limit is {MOST_BYTES / 1e6:,.0f} MB",
            "split it, or use the relevant part",
        )
    text = read(path, path.read_bytes())
    if not text.strip():
        hint = "if it is scanned, run OCR first" if path.suffix.lower() == ".pdf" else ""
        raise InputError(str(path), "contains no text", hint)
    return SourceDocument(str(path), text)


def _plain(path: Path, data: bytes) -> str:
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return data.decode(encoding).replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        problem = f"is not {encoding[:6].upper()}: invalid byte at {error.start:,}"
        raise InputError(str(path), problem, "convert it to UTF-8") from None


def _pdf(path: Path, data: bytes) -> str:
    try:
        import pypdf
    except ImportError:
        raise MissingExtraError("reading a PDF", "pypdf", "documents") from None
    with _explain_errors(path, "PDF"):
        reader = pypdf.PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError(str(path), "is encrypted", "save it without a password")
        if len(reader.pages) > MOST_PAGES:
            raise InputError(
                str(path), f"has {len(reader.pages):,} pages, the limit is {MOST_PAGES:,}", "split it"
            )
        return "\n\n".join(page.extract_text() for page in reader.pages)


def _docx(path: Path, data: bytes) -> str:
    if data.startswith(OLD_OFFICE):
        raise InputError(
            str(path),
            "is encrypted, or a renamed .doc",
            "save it as .docx without a password",
        )
    try:
        import docx
    except ImportError:
        raise MissingExtraError("reading a Word document", "python-docx", "documents") from None
    with _explain_errors(path, "Word document"):
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            unpacked = sum(part.file_size for part in parts.infolist())
        if unpacked > MOST_UNPACKED:
            raise InputError(
                str(path), f"decompresses to {unpacked / 1e6:,.0f} MB", "remove its pictures, or split it"
            )
        opened = docx.Document(io.BytesIO(data))
        rows = [" | ".join(cell.text for cell in row.cells) for table in opened.tables for row in table.rows]
        return "\n\n".join(
            [*(paragraph.text for paragraph in opened.paragraphs if paragraph.text.strip()), *rows]
        )


READERS: dict[str, Callable[[Path, bytes], str]] = {
    ".txt": _plain,
    ".md": _plain,
    ".markdown": _plain,
    ".mdx": _plain,
    ".pdf": _pdf,
    ".docx": _docx,
}


@contextmanager
def _explain_errors(path: Path, kind: str) -> Iterator[None]:
    """A broken file can raise any exception; the first line of it explains the error."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:
        first_line = (str(error).strip().splitlines() or [type(error).__name__])[0][:200]
        raise InputError(str(path), f"is not a readable {kind} ({first_line})", "save it again") from None


class Context(Record, frozen=True):
    """Neighbouring chunks and their source files."""

    texts: tuple[str, ...]
    sources: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The whole text."""
        return "\n\n".join(self.texts)


def contexts_of(
    documents: Sequence[SourceDocument], config: ContextConstructionConfig, *, seed: int = 0
) -> list[Context]:
    """Contexts from documents: neighbouring chunks, drawn at random from each document, in its order."""
    contexts: list[Context] = []
    for number, document in enumerate(documents):
        chunks = list(split_chunks(document.text, config.chunk_size, config.chunk_overlap))
        length = config.max_context_length
        runs = [tuple(chunks[start : start + length]) for start in range(0, len(chunks), length)]
        rng = random.Random(f"{seed}/contexts/{number}")  # noqa: S311
        chosen = rng.sample(range(len(runs)), min(config.max_contexts_per_document, len(runs)))
        contexts += [Context(runs[place], (document.path,)) for place in sorted(chosen)]
    return contexts


_BREAKS = (
    re.compile(r"\n\s*\n|\n(?=#{1,6} )"),
    re.compile(r"\n|(?<=[.!?…])[\"”’)]*\s+|(?<=[。！？；])[」』”’）]*"),
    re.compile(r"\s+|(?<=[，、；：,;:])"),
)
"""Boundaries, best first: after a paragraph, after a sentence, after a word or clause."""

LEAST_SHARE = 0.25
"""A boundary that would leave less of a chunk than this is skipped for a worse kind of boundary."""


def split_chunks(text: str, size: int = 1024, overlap: int = 0) -> Iterator[str]:
    """Chunks of at most `size` characters that cover the text; each repeats up to `overlap` characters of the last."""
    start = 0
    while start < len(text):
        end = len(text) if len(text) - start <= size else _cut(text, start, start + size)
        if text[start:end].strip():
            yield text[start:end]
        start = end if end >= len(text) else max(end - overlap, start + 1)


def _cut(text: str, start: int, limit: int) -> int:
    """The best boundary before the limit; the limit itself where there is none."""
    least = start + int((limit - start) * LEAST_SHARE)
    for breaks in _BREAKS:
        if ends := [match.end() for match in breaks.finditer(text, least, limit) if match.end() > start]:
            return ends[-1]
    return limit
