"""Folders of skills: each folder with a file `SKILL.md`. Nothing in them is run, and no link is followed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import msgspec

from rightcall.core.digest import hex_digest
from rightcall.core.errors import InputError
from rightcall.files.atomic import reason
from rightcall.files.skill_text import SkillText, parse_skill

FILE_NAME = "SKILL.md"
MOST_DEPTH = 6
MOST_FOLDERS = 2000
"""Folders without a skill that are searched before it is clear that the wrong folder was named."""
MOST_FILES = 2000
"""Files listed of one skill."""
LARGEST = 1 << 20
"""Bytes of a `SKILL.md`: more is refused, because no client loads it."""
LARGEST_HASHED = 16 << 20
"""Bytes of another file that are read for its digest; of a larger one the size and the beginning count."""
SKIPPED = frozenset((".git", "node_modules"))
NO_SKILL = "a skill is a folder with a file named SKILL.md"


class SkillFolder(msgspec.Struct, frozen=True):
    """One folder with a `SKILL.md`, found below `root`. `problem` says why it cannot be read; `text` is empty then."""

    path: Path
    text: SkillText = msgspec.field(default_factory=SkillText)
    problem: str = ""
    root: Path = Path()

    @property
    def name(self) -> str:
        """The name of the skill: as written, or that of its folder."""
        return self.text.name or self.path.absolute().name

    @property
    def file(self) -> Path:
        return self.path / FILE_NAME


def find_skill_folders(root: Path, ignore: Iterable[str] = ()) -> Iterator[Path]:
    """The folders at or below `root` with an entry named `SKILL.md`, sorted; links are not followed.

    `ignore` are names of folders, or paths below `root`, that are left out.
    """
    if not root.is_dir():
        problem = "is not a folder" if root.exists() else "no such folder"
        raise InputError(str(root), problem, NO_SKILL)
    skipped = SKIPPED | {name.strip("/") for name in ignore}
    pending = [(root, 0, False)]
    searched = 0
    while pending:
        folder, depth, inside = pending.pop()
        names, folders = _entries(folder)
        has_skill = FILE_NAME in names
        if has_skill:
            yield folder
        elif not inside:
            searched += 1
            if searched > MOST_FOLDERS:
                hint = "name the folder of the skills themselves"
                raise InputError(str(root), f"more than {MOST_FOLDERS:,} folders without a skill", hint)
        if depth < MOST_DEPTH:
            pending += [
                (folder / name, depth + 1, inside or has_skill)
                for name in reversed(folders)
                if name not in skipped and (folder / name).relative_to(root).as_posix() not in skipped
            ]


def read_skill_folder(folder: Path, root: Path | None = None) -> SkillFolder:
    """The skill of a folder; a file that cannot be read is a `problem`."""
    text, problem = _read_text(folder / FILE_NAME)
    return SkillFolder(folder, parse_skill(text) if not problem else SkillText(), problem, root or folder)


def _read_text(path: Path) -> tuple[str, str]:
    """The text of a `SKILL.md`, and why it cannot be read."""
    try:
        if path.is_symlink():
            return "", f"{FILE_NAME} is a link, and links are not followed"
        if not path.is_file():
            return "", f"{FILE_NAME} is not a regular file"
        size = path.stat().st_size
        if size > LARGEST:
            return "", f"{FILE_NAME} has {size:,} bytes; the limit is {LARGEST:,}"
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        return "", f"{FILE_NAME} is not valid UTF-8"
    except OSError as error:
        return "", f"{FILE_NAME} cannot be read: {reason(error)}"
    return text, "" if text.strip() else f"{FILE_NAME} is empty"


def read_skills(folders: Iterable[str | Path], ignore: Iterable[str] = ()) -> list[SkillFolder]:
    """The skills of several folders, each folder of a skill once. A folder without any is an `InputError`."""
    left_out = tuple(ignore)
    skills = dict[Path, SkillFolder]()
    for root in map(Path, folders):
        below = [read_skill_folder(folder, root) for folder in find_skill_folders(root, left_out)]
        if not below:
            raise InputError(str(root), "no skill here", NO_SKILL)
        skills |= {skill.path.absolute(): skill for skill in below}
    return list(skills.values())


def skill_files(folder: Path) -> Iterator[tuple[str, str]]:
    """Path and digest of each file below a skill besides its `SKILL.md`; nested skills are left out."""
    for path in islice(skill_paths(folder), MOST_FILES):
        yield path.relative_to(folder).as_posix(), _file_hash(path)


def skill_paths(folder: Path) -> Iterator[Path]:
    """The regular files below a skill, sorted by folder, without `SKILL.md`; links are not followed."""
    pending = [(folder, 0)]
    while pending:
        here, depth = pending.pop()
        names, folders = _entries(here)
        if depth and FILE_NAME in names:
            continue
        yield from (here / name for name in names if name != FILE_NAME and (here / name).is_file())
        if depth < MOST_DEPTH:
            pending += [(here / name, depth + 1) for name in reversed(folders) if name not in SKIPPED]


def _entries(folder: Path) -> tuple[list[str], list[str]]:
    """Names of what is in a folder, and of the folders among it; links are no folders. Neither when it is closed."""
    names = []
    folders = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.name)
                    if entry.name == FILE_NAME:
                        names.append(entry.name)
                elif not entry.is_symlink() or entry.name == FILE_NAME:
                    names.append(entry.name)
    except OSError:
        return [], []
    return sorted(names), sorted(folders)


def _file_hash(path: Path) -> str:
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            content = file.read(LARGEST if size > LARGEST_HASHED else LARGEST_HASHED)
    except OSError:
        return ""
    return hex_digest(content + (str(size).encode() if size > LARGEST_HASHED else b""), 16)
