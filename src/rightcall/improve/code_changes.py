"""What changed in the files of an agent that is code: line by line, function by function."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher
from typing import NamedTuple

from rightcall.files.file_digests import same_content
from rightcall.improve.run_setup import RunRecord

_FUNCTION = re.compile(r"(\s*)(?:async\s+)?def\s+(\w+)")
LONGEST = 2_000


class CodeChange(NamedTuple):
    """The lines of one function that only the first version has, and those that only the second has.

    `function` is empty for lines outside of any. Without texts only `how` says what happened to the file.
    """

    file: str
    how: str
    function: str = ""
    before: str = ""
    after: str = ""


def code_changes(before: RunRecord, after: RunRecord) -> Iterator[CodeChange]:
    """Files of the agent, and other files that both runs read."""
    read = before.files_read.keys() & after.files_read.keys()
    for name in sorted({*before.code, *after.code, *(name for name in read if not name.endswith("/"))}):
        old, new = ((r.files_read if name in read else r.code).get(name) for r in (before, after))
        if old is None or new is None:
            yield CodeChange(name, "added" if old is None else "removed")
        elif not same_content(old, new):
            changes = list(lines_by_function(before.texts.get(name, ""), after.texts.get(name, "")).items())
            for function, (lost, added) in changes or [("", ("", ""))]:
                yield CodeChange(name, "changed", function, lost, added)


def lines_by_function(before: str, after: str) -> Mapping[str, tuple[str, str]]:
    """The lines that differ, by the function that they are in."""
    old, new = before.splitlines(), after.splitlines()
    lines: dict[str, tuple[list[str], list[str]]] = {}
    for kind, start, end, begin, stop in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        for side, text, span in ((0, old, range(start, end)), (1, new, range(begin, stop))):
            for at in span:
                if text[at].strip():
                    lines.setdefault(_function_of(text, at), ([], []))[side].append(text[at])
    return {
        name: ("\n".join(lost)[:LONGEST], "\n".join(added)[:LONGEST]) for name, (lost, added) in lines.items()
    }


def _function_of(lines: list[str], at: int) -> str:
    """The name of the outermost function around a line; a decorator belongs to the function below it."""
    name, indent = "", len(lines[at]) - len(lines[at].lstrip())
    below = next((match for line in lines[at : at + 12] if (match := _FUNCTION.match(line))), None)
    if below and (lines[at].lstrip().startswith("@") or below.string is lines[at]):
        return below[2]
    for line in reversed(lines[:at]):
        depth = len(line) - len(line.lstrip())
        if line.strip() and depth < indent:
            match = _FUNCTION.match(line)
            name, indent = (match[2] if match else name), depth
    return name
