"""What a linter must not pass over: entries that are no tools, and keys that stand twice."""

from __future__ import annotations

from collections.abc import Sequence

from rightcall.errors import InputError
from rightcall.files import JsonPath
from rightcall.lint.source.document import Document
from rightcall.lint.source.openapi import is_openapi
from rightcall.lint.source.spellings import stray_in
from rightcall.lint.source.tools import SourceTool


def refuse_what_is_unclear(document: Document, tools: Sequence[SourceTool]) -> None:
    """Raise an `InputError` at the first entry of a list of tools that is none, or key that a tool has twice.

    Of two like keys some parsers take the first and some the last: what was checked might not be what is used.
    """
    if is_openapi(document.value):  # its tools refer to schemas anywhere in the document
        _refuse_repeated_key(document, (), "the document")
        return
    for tool in tools:
        _refuse_repeated_key(document, tool.base, f"the tool '{tool.name}'")
    stray = stray_in(document)
    if stray is not None:
        path, problem, hint = stray
        entry = f"entry {path[-1] + 1}: " if path and isinstance(path[-1], int) else ""
        raise InputError(f"{document.name}:{document.position(path)[0]}", f"{entry}{problem}", hint)


def _refuse_repeated_key(document: Document, path: JsonPath, holder: str) -> None:
    repeated = document.repeated_key(path)
    if repeated is not None:
        line, key = repeated
        raise InputError(
            f"{document.name}:{line}",
            f"the key '{key}' stands twice in one object of {holder}",
            "keep one: parsers differ in which they take",
        )
