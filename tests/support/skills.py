"""Folders of skills for tests: a skill that no rule finds fault with, and files that replace parts of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

CLEAN = """---
name: {name}
description: Forecasts of a city, one entry a day. Use when the user asks about coming days.
---
# Forecast

Ask for the city and the number of days, then call the forecast service and report one line for each day, with its source.
"""


def write_skill(root: Path, files: Mapping[str, str | None] | None = None, folder: str = "forecast") -> Path:
    """A folder below `root` with a clean `SKILL.md`, unless `files` say otherwise; None leaves a file out."""
    contents = {"SKILL.md": CLEAN.format(name=folder.rpartition("/")[2]), **(files or {})}
    home = root / folder
    for name, text in contents.items():
        if text is not None:
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(text, "utf-8")
    return home


def skill_text(name: str, description: str, body: str = "") -> str:
    """A `SKILL.md` of this name and description."""
    return f"---\nname: {name}\ndescription: {description}\n---\n{body or CLEAN.partition('---' + chr(10))[2].partition('---')[2].lstrip()}"
