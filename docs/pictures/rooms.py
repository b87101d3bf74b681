"""Draws rooms.svg: the rooms of the package on the lines of the layer contract, with the limbs to their right.

    python docs/pictures/rooms.py

The lines are read from `[tool.importlinter]` in pyproject.toml, so the picture shows what is enforced.
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]
OUT = Path(__file__).with_name("rooms.svg")

QUESTIONS = {
    "cli": "what can I type?",
    "api": "what can a program call?",
    "show": "how is it shown?",
    "improve": "what would help?",
    "check": "safe to ship?",
    "run": "run, store, resume",
    "agents": "what does it do?",
    "metrics": "was it right?",
    "decide": "does it pass?",
    "core": "errors, text, codec, event loop, secrets",
}
ROW = 44
GAP = 8
CORE = 660
WING = 190
STYLE = """
  rect.room { fill: #eef4fb; stroke: #5a7fa8; } rect.limb { fill: #f6f0fa; stroke: #8a6aa8; stroke-dasharray: 4 3; }
  text { font: 14px system-ui, sans-serif; fill: #1b2733; text-anchor: middle; }
  text.question { font-size: 11px; fill: #5b6b7b; }
  @media (prefers-color-scheme: dark) {
    rect.room { fill: #1d2b3a; stroke: #6f9acb; } rect.limb { fill: #2a2233; stroke: #ab8bcb; }
    text { fill: #e7edf3; } text.question { fill: #9fb0c0; }
  }
"""


def layers() -> list[list[str]]:
    """The lines of the contract, highest first, each with its rooms."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    lines = settings["contracts"][0]["layers"]
    return [[name.strip().removeprefix("rightcall.") for name in line.split("|")] for line in lines]


def limbs() -> list[str]:
    folder = ROOT / "src" / "rightcall" / "limbs"
    folders = sorted(path.name for path in folder.iterdir() if (path / "__init__.py").exists())
    return [*folders, "deepeval", "laminar"]


def box(kind: str, x: float, y: float, width: float, height: float, name: str) -> str:
    middle = x + width / 2
    question = QUESTIONS.get(name)
    text_y = y + height / 2 + (-2 if question else 5)
    parts = [
        f'<rect class="{kind}" x="{x:.0f}" y="{y:.0f}" width="{width:.0f}" height="{height:.0f}" rx="6"/>',
        f'<text x="{middle:.0f}" y="{text_y:.0f}">{name}</text>',
    ]
    if question:
        parts.append(f'<text class="question" x="{middle:.0f}" y="{text_y + 15:.0f}">{question}</text>')
    return "\n".join(parts)


def picture() -> str:
    lines = layers()
    shapes = []
    for row, rooms in enumerate(lines):
        width = (CORE - GAP * (len(rooms) - 1)) / len(rooms)
        for column, room in enumerate(rooms):
            shapes.append(box("room", column * (width + GAP) + 1, row * (ROW + GAP) + 1, width, ROW, room))
    height = len(lines) * (ROW + GAP) - GAP
    names = limbs()
    limb_height = (height - GAP * (len(names) - 1)) / len(names)
    for row, name in enumerate(names):
        shapes.append(box("limb", CORE + 4 * GAP, row * (limb_height + GAP) + 1, WING, limb_height, name))
    total = CORE + 4 * GAP + WING + 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total} {height + 2}" role="img" '
        f'aria-label="Rooms of the core on ten lines, and the limbs to their right">\n'
        f"<style>{STYLE}</style>\n" + "\n".join(shapes) + "\n</svg>\n"
    )


if __name__ == "__main__":
    (Path(sys.argv[1]) if len(sys.argv) > 1 else OUT).write_text(picture(), "utf-8")
