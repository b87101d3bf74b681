"""A case as a labeller sees it: exactly what the judge is shown, without secrets, ready to be displayed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rightcall.core.redaction.clean_text import scrubber
from rightcall.model.record import Record
from rightcall.show.text import display_text, json_text

TITLES = {
    "request": "Request",
    "context": "Context",
    "calls": "Calls",
    "answer": "Answer",
    "conversation": "Conversation",
    "before": "Said before",
    "tools": "Tools",
}


class LabelText(Record, frozen=True):
    """One text with what it is, such as a role or a tool."""

    text: str
    heading: str = ""


class LabelSection(Record, frozen=True):
    """A part of the material."""

    title: str
    texts: tuple[LabelText, ...]


def label_sections(materials: Sequence[dict[str, Any]]) -> list[LabelSection]:
    """The parts of everything that a judge is shown of a case, in its order."""
    clean = scrubber()
    sections = []
    for number, material in enumerate(materials, 1):
        turn = f", answer {number} of {len(materials)}" if len(materials) > 1 else ""
        for part, value in material.items():
            texts = tuple(
                LabelText(display_text(clean(text.text)), display_text(clean(text.heading), 300))
                for text in _texts(part, value)
            )
            sections.append(LabelSection(TITLES.get(part, part) + turn, texts or (LabelText("none"),)))
    return sections


def rule_text(rule: str) -> str:
    return display_text(scrubber()(rule))


def _texts(part: str, value: Any) -> list[LabelText]:
    if isinstance(value, str):
        return [LabelText(value or "(empty)")]
    if not isinstance(value, list):
        return [LabelText(json_text(value))]
    return [_text(part, item) for item in value]


def _text(part: str, item: Any) -> LabelText:
    if not isinstance(item, dict):
        return LabelText(item if isinstance(item, str) else json_text(item))
    if part == "calls":
        status = "" if item.get("status") in (None, "ok") else f" ({item['status']})"
        result = json_text(item.get("result"))
        return LabelText(f"{json_text(item.get('arguments'))}\n→ {result}", f"{item.get('tool')}{status}")
    if part == "tools":
        return LabelText(
            f"{item.get('description')}\n{json_text(item.get('parameters'))}", str(item.get("name"))
        )
    calls = f" calls {', '.join(item['calls'])}" if item.get("calls") else ""
    return LabelText(str(item.get("text") or ""), f"{item.get('role', '')}{calls}")
