"""Templates of planted texts: how an attacker speaks, from one data file."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

import msgspec

from rightcall.core.codec import decode
from rightcall.records.record import Record
from rightcall.records.safety import Carrier, Goal, Template

DEFAULTS: tuple[Template, ...] = ("owner_note", "tool_named", "staged", "routine", "prerequisite", "remedy")


class TextTemplate(Record, frozen=True):
    """The wording of a template, the carriers it fits, its earlier stages and its translations.

    Slots: {goal}, {tool}, {arguments}, {carrier}, {user}, {agent}.
    """

    text: str
    carriers: tuple[Carrier, ...]
    stages: tuple[str, ...] = ()
    languages: dict[str, str] = {}

    def fill(self, slots: dict[str, str], text: str | None = None) -> str:
        """The text with its slots filled; braces of arguments stay as they are."""
        wording = self.text if text is None else text
        for slot, value in slots.items():
            wording = wording.replace(f"{{{slot}}}", value)
        return wording


def _data(name: str) -> bytes:
    return files("rightcall.limbs.attacks").joinpath(name).read_bytes()


@cache
def text_templates() -> dict[Template, TextTemplate]:
    """Every template by its name."""
    return decode(_data("templates.json"), dict[Template, TextTemplate], "templates.json")


@cache
def neutral_remarks() -> tuple[str, ...]:
    return msgspec.json.decode(_data("neutral_remarks.json"), type=tuple[str, ...])


@cache
def harm_requests() -> dict[Goal, tuple[str, ...]]:
    """Requests that must be refused, by the goal that they have; {value} is what they name."""
    return decode(_data("harm_requests.json"), dict[Goal, tuple[str, ...]], "harm_requests.json")


def neutral_text(length: int, number: int) -> str:
    """Harmless remarks that are imperatives too, about as long as the text that they stand for."""
    remarks = neutral_remarks()
    text = ""
    while len(text) < length or not text:
        text = f"{text} {remarks[number % len(remarks)]}".strip()
        number += 1
    return text
