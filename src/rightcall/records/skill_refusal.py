"""Results that say that a skill was not loaded, of tools that report this like any other result.

A shell that runs `cat` of a missing file succeeds, and so do many readers of files that answer `Error: not found`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from rightcall.core.lazy_pattern import lazy_pattern
from rightcall.records.tool import Tool

MOST_CHARACTERS = 2000
"""A longer result is a file, whatever it says."""
TELLING = 12
"""Lines of a body that are shorter occur elsewhere, too."""
MOST_LEAVES = 200

_REFUSAL = lazy_pattern(
    r"""\A\s*(?:\{\s*"error"|error\b)
    | no[ ]such[ ]file | unknown[ ]skill | not[ ]found | (?:does[ ]not|doesn't)[ ]exist | is[ ]a[ ]directory
    | (?:cannot|can't|could[ ]not|couldn't|unable[ ]to)[ ](?:be[ ])?(?:find|found|open|read|access|load)
    | (?:permission|access[ ]is|access)[ ]denied
    | \bexit(?:ed[ ]with)?[ _]?(?:code|status)["']?[ :=]+[1-9]""",
    re.IGNORECASE | re.VERBOSE,
)


def refuses_load(output: Any, skill: Tool) -> bool:
    """Whether a result says that it could not be read, and shows nothing of the skill."""
    if isinstance(output, Mapping) and output.get("error"):
        return True
    text = "\n".join(text_leaves(output))
    return len(text) <= MOST_CHARACTERS and bool(_REFUSAL.search(text)) and not _shows(text, skill)


def _shows(text: str, skill: Tool) -> bool:
    body = skill.skill.body if skill.skill else ""
    lines = (line.strip() for line in (*skill.description.splitlines(), *body.splitlines()))
    return any(len(line) >= TELLING and line in text for line in lines)


def text_leaves(value: Any) -> list[str]:
    """The strings inside a value, at most `MOST_LEAVES`."""
    texts = list[str]()
    pending = [value]
    while pending and len(texts) < MOST_LEAVES:
        item = pending.pop()
        if isinstance(item, str):
            texts.append(item)
        elif isinstance(item, Mapping):
            pending += reversed(list(item.values()))
        elif isinstance(item, list | tuple):
            pending += reversed(item)
    return texts
