"""Facts about the folder of one skill, read while its rules run and released afterwards. Nothing in it is run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import islice
from pathlib import Path

from rightcall.files.skill_folder import SkillFolder, read_skill_folder, skill_paths
from rightcall.files.skill_text import SkillText

LARGEST = 1 << 20
"""Bytes of a file that are looked at; the rest of a larger one is not."""
MOST_FILES = 500

_FENCE = re.compile(r"^[ \t]*(`{3,}|~{3,})", re.MULTILINE)
_TICKS = re.compile("`+")
MARKDOWN = (".md", ".markdown", ".mdx")


class SkillView:
    """The body and the files of a skill."""

    def __init__(self, folder: SkillFolder) -> None:
        self.folder = folder
        self.path = folder.path

    @cached_property
    def text(self) -> SkillText:
        """The `SKILL.md`, with its body."""
        return read_skill_folder(self.path, self.folder.root).text

    @property
    def body(self) -> str:
        return self.text.body

    @cached_property
    def files(self) -> list[Path]:
        """The files besides `SKILL.md`."""
        return list(islice(skill_paths(self.path), MOST_FILES))

    @cached_property
    def file_names(self) -> frozenset[str]:
        """Their paths below the folder."""
        return frozenset(map(self.name, self.files))

    def name(self, path: Path) -> str:
        return path.relative_to(self.path).as_posix()

    def read(self, path: Path) -> str:
        """The text of a file; empty when it is none."""
        try:
            with path.open("rb") as file:
                data = file.read(LARGEST)
        except OSError:
            return ""
        return "" if b"\0" in data[:4096] else data.decode("utf-8", "replace")

    @cached_property
    def prose(self) -> list[tuple[int, str]]:
        """The lines of the body outside fences, each with its number in the file."""
        return list(outside_fences(self.body, self.text.body_line))

    @cached_property
    def fence_lines(self) -> list[tuple[int, str]]:
        """The lines inside fences."""
        outside = {number for number, _ in self.prose}
        lines = enumerate(self.body.split("\n"), start=self.text.body_line)
        return [(number, line) for number, line in lines if number not in outside]


def code_spans(line: str) -> Iterator[tuple[int, int, str]]:
    """Each code span of a line with its beginning, end and text. Backticks end it that are as many as began it."""
    runs = list(_TICKS.finditer(line))
    next_equal: dict[int, int] = {}
    ends: list[int | None] = []
    for place in reversed(range(len(runs))):
        length = len(runs[place][0])
        ends.append(next_equal.get(length))
        next_equal[length] = place
    ends.reverse()
    place = 0
    while place < len(runs):
        end = ends[place]
        if end is not None:
            yield runs[place].start(), runs[end].end(), line[runs[place].end() : runs[end].start()]
        place = place + 1 if end is None else end + 1


def without_code_spans(line: str, instead: str = "") -> str:
    parts = []
    last = 0
    for start, end, _ in code_spans(line):
        parts += [line[last:start], instead]
        last = end
    return "".join([*parts, line[last:]])


def outside_fences(text: str, first_line: int = 1) -> Iterator[tuple[int, str]]:
    """The lines of a Markdown text that are in no fenced block, with their numbers."""
    fence = ""
    for number, line in enumerate(text.split("\n"), start=first_line):
        match = _FENCE.match(line)
        if match is None:
            if not fence:
                yield number, line
        elif not fence:
            fence = match[1]
        elif match[1][0] == fence[0] and len(match[1]) >= len(fence) and not line.strip().strip(fence[0]):
            fence = ""
