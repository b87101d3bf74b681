"""Corrected definitions: fixes applied to the text of the files."""

from __future__ import annotations

import codecs
import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from rightcall.files.atomic import write_file
from rightcall.files.documents import JsonPath
from rightcall.files.places import SUFFIXES, Document
from rightcall.lint.config import LintConfig
from rightcall.lint.engine import Found, find, fix_kind, not_ignored
from rightcall.lint.features.toolset import SetFeatures
from rightcall.lint.rule import Edit
from rightcall.lint.source.edit import Splice, edit_document, splice
from rightcall.lint.source.read import read_document
from rightcall.lint.source.tools import ToolSet

MOST_PASSES = 8


@dataclass(frozen=True)
class Fixed:
    """A document before and after, and the codes of the findings that were corrected, one each."""

    before: Document
    after: Document
    codes: tuple[str, ...]

    @property
    def diff(self) -> str:
        """What changed, as a unified diff."""
        name = self.before.name
        lines = difflib.unified_diff(
            self.before.text.splitlines(keepends=True),
            self.after.text.splitlines(keepends=True),
            name,
            name,
            n=2,
        )
        return "".join(line if line.endswith("\n") else line + "\n" for line in lines)


def fix(sets: Iterable[ToolSet], *, config: LintConfig | None = None, suggested: bool = False) -> list[Fixed]:
    """Correct the documents of the sets in memory: safe corrections, or with `suggested` the others only.

    One correction may make another possible, so documents are linted again until nothing is left to do.
    Only documents that changed are returned; `write` puts them on disk.
    """
    config = config or LintConfig()
    kind = "suggested" if suggested else "safe"
    fixed = []
    for tool_set in sets:
        document = next((tool.document for tool in tool_set.tools if tool.document), None)
        if document is None:
            continue
        after, codes = _apply_fixes(document, config, kind)
        if codes:
            fixed.append(Fixed(document, after, tuple(codes)))
    return fixed


def redefine_tools(sets: Iterable[ToolSet], edits: Iterable[tuple[str, JsonPath, Any]]) -> list[Fixed] | None:
    """The documents of the sets with tools changed: (tool, canonical path, value). None when one cannot be made."""
    tools = {tool.name: tool for tool in chain.from_iterable(tool_set.tools for tool_set in sets)}
    by_document: dict[int, tuple[Document, list[Edit]]] = {}
    for name, path, value in edits:
        tool = tools.get(name)
        if tool is None or tool.document is None or not tool.fixable:
            return None
        entry = by_document.setdefault(id(tool.document), (tool.document, []))
        entry[1].append(Edit(tool.document_path(path), value))
    fixed_documents = []
    for document, changes in by_document.values():
        after = edit_document(document, changes)
        if after is None:
            return None
        fixed_documents.append(Fixed(document, after, ()))
    return fixed_documents


def rewrite_file(path: Path, edits: Iterable[tuple[JsonPath, Any]]) -> Fixed | None:
    """A JSON or YAML file with values changed, in memory; None when its text cannot take them."""
    kind = SUFFIXES.get(path.suffix)
    if kind is None or not path.is_file():
        return None
    document = Document(str(path), path.read_text("utf-8"), kind=kind)
    after = edit_document(document, [Edit(place, value) for place, value in edits])
    return None if after is None else Fixed(document, after, ())


def write(fixed: Iterable[Fixed]) -> None:
    """Write corrected documents to their files; a document of a JSONL file replaces its line."""
    for change in fixed:
        path = Path(change.before.name)
        old = path.read_bytes()
        mark = codecs.BOM_UTF8 if old.startswith(codecs.BOM_UTF8) else b""
        if change.before.kind == "json" and path.suffix == ".jsonl":
            lines = old.decode("utf-8-sig").split("\n")
            lines[change.before.first_line - 1] = change.after.text
            text = "\n".join(lines)
        else:
            text = change.after.text
        write_file(path, mark + text.encode("utf-8"))


def _apply_fixes(document: Document, config: LintConfig, kind: str) -> tuple[Document, list[str]]:
    codes: list[str] = []
    for _ in range(MOST_PASSES):
        shown, _ = not_ignored(find(SetFeatures(read_document(document), config), config), config)
        findings = [located for located, _ in shown if fix_kind(located) == kind]
        changed, done = _one_pass(document, findings)
        if not done:
            break
        document = changed
        codes = [*codes, *done]
    return document, codes


def _one_pass(document: Document, findings: list[Found]) -> tuple[Document, list[str]]:
    """Make all corrections that do not touch each other; the rest has its turn in the next pass."""
    taken: list[tuple[Found, list[Edit]]] = []
    splices: list[Splice] = []
    paths: set[JsonPath] = set()
    for located in findings:
        edits = [
            Edit(located.tool.source.document_path(edit.path), edit.value) for edit in located.finding.edits
        ]
        mine = [splice(document, edit) for edit in edits]
        if any(
            splice is None or any(splice.meets(other) and splice != other for other in splices[-50:])
            for splice in mine
        ):
            continue
        # The path or one above it is taken; paths below are caught when their text overlaps.
        if any(any(edit.path[:length] in paths for length in range(1, len(edit.path) + 1)) for edit in edits):
            continue
        taken.append((located, edits))
        splices += [splice for splice in mine if splice is not None]
        paths.update(edit.path for edit in edits)
    return _apply_edits(document, taken)


def _apply_edits(document: Document, taken: list[tuple[Found, list[Edit]]]) -> tuple[Document, list[str]]:
    """Apply all at once, or by halves when that does not give the intended value."""
    if not taken:
        return document, []
    changed = edit_document(document, list(chain.from_iterable(edits for _, edits in taken)))
    if changed is not None:
        return changed, [located.rule.code for located, _ in taken]
    if len(taken) == 1:
        return document, []
    middle = len(taken) // 2
    document, first = _apply_edits(document, taken[:middle])
    document, second = _apply_edits(document, taken[middle:])
    return document, first + second
