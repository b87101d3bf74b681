"""Transcripts of coding agents, as their programs write them: one JSON object a line, or one document.

    reader    what the readers of all formats share
    claude    Claude Code: -p --output-format stream-json, and session files
    codex     exec --json, and rollout files
    gemini    --output-format stream-json, and chat files

A file is recognized by its content. A line or item of an unknown type is an error with its place: it might hold a call.
The products' own tools have only names, so here the format says which of them are plumbing.

To add a product: a file with a subclass of `TranscriptReader` for each of its formats, and their lines in `FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec

from rightcall.core.codec import DecodeErrors
from rightcall.core.depth import too_deep
from rightcall.core.errors import InputError
from rightcall.records.dialects.coding_agents.claude import ClaudeSession, ClaudeStream
from rightcall.records.dialects.coding_agents.codex import CodexExec, CodexRollout
from rightcall.records.dialects.coding_agents.gemini import GeminiChat, GeminiStream
from rightcall.records.dialects.coding_agents.reader import HINT, CodingTranscript, Line, TranscriptReader

NAMED_LINES = 3
"""A format shows in one of the first lines."""


FORMATS: Mapping[str, tuple[Callable[[Line], bool], type[TranscriptReader]]] = {
    "claude-stream": (
        lambda line: line.get("type") == "system" and line.get("subtype") == "init" and "session_id" in line,
        ClaudeStream,
    ),
    "claude-session": (lambda line: "sessionId" in line and isinstance(line.get("type"), str), ClaudeSession),
    "codex-exec": (lambda line: line.get("type") == "thread.started", CodexExec),
    "codex-rollout": (
        lambda line: line.get("type") == "session_meta" and isinstance(line.get("payload"), dict),
        CodexRollout,
    ),
    "gemini-stream": (lambda line: line.get("type") == "init" and "session_id" in line, GeminiStream),
    "gemini-chat": (lambda line: "sessionId" in line and "projectHash" in line, GeminiChat),
}
"""How the first lines of each format show it, and its reader."""


def claims(lines: Sequence[Any]) -> str:
    """The format of a transcript, by its first lines; empty for anything else."""
    first_lines = [line for line in lines[:NAMED_LINES] if isinstance(line, dict)]
    return next((form for line in first_lines for form, (shows, _) in FORMATS.items() if shows(line)), "")


def claims_bytes(data: bytes) -> str:
    """The same, by the beginning of a file."""
    first = islice(filter(None, map(bytes.strip, data.split(b"\n", NAMED_LINES * 2))), NAMED_LINES)
    is_document = data[:1] == b"{" and b'"messages"' in data
    return claims([_json_of(raw) for raw in first]) or (claims([_json_of(data)]) if is_document else "")


def read_transcript(data: bytes, where: str) -> CodingTranscript | None:
    """The transcript in a file or in what a program printed; None when it is none."""
    form = claims_bytes(data)
    if not form:
        return None
    document = _json_of(data) if form == "gemini-chat" else None
    lines, cut = _lines_of(data, where) if document is None else ([(1, document)], False)
    reader = FORMATS[form][1](form, where)
    for number, line in lines:
        if not isinstance(line, dict):
            raise InputError(where, f"line {number} is not an object", HINT)
        reader.add(line, f"line {number}")
    return reader.transcript(cut)


def _lines_of(data: bytes, where: str) -> tuple[list[tuple[int, Any]], bool]:
    """The numbered lines; the last one may have been cut off."""
    raw_lines = [(n, raw) for n, raw in enumerate(data.split(b"\n"), 1) if raw.strip()]
    lines = []
    for at, (number, raw) in enumerate(raw_lines, 1):
        try:
            if too_deep(raw):
                raise InputError(where, f"line {number} is nested too deeply", HINT)
            lines.append((number, msgspec.json.decode(raw)))
        except DecodeErrors as error:
            if at == len(raw_lines):
                return lines, True
            raise InputError(
                where, f"line {number} is not complete JSON: {error}", "was it cut off?"
            ) from None
    return lines, False


def _json_of(data: bytes) -> Any:
    try:
        return None if too_deep(data) else msgspec.json.decode(data)
    except DecodeErrors:
        return None
