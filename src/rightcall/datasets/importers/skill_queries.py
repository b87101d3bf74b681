"""Queries that should or should not load a skill, in the two forms of files beside public skills.

`[{"query": …, "should_trigger": true}]` beside a skill or in its `evals/`, and `evals/evals.json` with `skill_name` and
`evals` of `{id, prompt, expected_output, files}`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from rightcall.core.errors import InputError
from rightcall.files.checked_read import require_file
from rightcall.files.documents import read_document
from rightcall.files.skill_folder import FILE_NAME, read_skill_folder
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import Golden

SHAPE = 'expected [{"query": …, "should_trigger": true}] or {"skill_name": …, "evals": [{"prompt": …}]}'


def import_skill_queries(path: Path) -> Iterator[Golden]:
    """Trigger goldens from a file about one skill: that which the file names, or that of the folder around it."""
    value = read_document(require_file(path))
    if isinstance(value, dict):
        yield from _from_evals(value, path)
    elif isinstance(value, list):
        name = _skill_around(path)
        for number, entry in enumerate(value, start=1):
            where = f"{path}: entry {number}"
            query = _text(entry, "query", where)
            should_trigger = entry.get("should_trigger")
            if not isinstance(should_trigger, bool):
                raise InputError(where, "should_trigger must be true or false", SHAPE)
            yield _golden(query, should_trigger, name, f"{name}-q{number}")
    else:
        raise InputError(str(path), "not a file of queries", SHAPE)


def _from_evals(value: dict[str, Any], path: Path) -> Iterator[Golden]:
    entries = value.get("evals")
    if not isinstance(entries, list):
        raise InputError(str(path), "has no list of evals", SHAPE)
    name = str(value.get("skill_name") or "") or _skill_around(path)
    for number, entry in enumerate(entries, start=1):
        where = f"{path}: evals[{number - 1}]"
        prompt = _text(entry, "prompt", where)
        number_text = str(entry.get("id", number))
        golden = _golden(prompt, True, name, f"{name}-{number_text}")
        files = entry.get("files")
        expected = entry.get("expected_output")
        yield replace(
            golden,
            expected_output=expected if isinstance(expected, str) else None,
            metadata={"files": files} if isinstance(files, list) and files else {},
        )


def _golden(query: str, should_trigger: bool, skill: str, golden_id: str) -> Golden:
    golden = Golden(query, golden_id, judge="skills", tags=("trigger",))
    if should_trigger:
        return replace(golden, category="golden", expected_calls=(ExpectedCall(skill),))
    return replace(golden, category="negative", metadata={"skill": skill})


def _text(entry: Any, key: str, where: str) -> str:
    text = entry.get(key) if isinstance(entry, dict) else None
    if not isinstance(text, str) or not text.strip():
        raise InputError(where, f"has no text under '{key}'", SHAPE)
    return text


def _skill_around(path: Path) -> str:
    """The skill in whose folder a file is, or one of the two folders above."""
    for folder in list(path.absolute().parents)[:3]:
        if (folder / FILE_NAME).is_file():
            return read_skill_folder(folder).name
    hint = "put it into the folder of its skill, or into evals/ there"
    raise InputError(str(path), "does not say which skill it is about", hint)
