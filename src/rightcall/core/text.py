"""Text for people: nothing in it can control a terminal, counts are pluralized, rates never round up to certainty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


def visible(text: str) -> str:
    """The text with every character that controls a terminal or reorders a line written as ⟨U+202E⟩.

    Joiners that scripts and emoji need, and spaces of every width, are kept.
    """
    return text if text.isprintable() else text.translate(WRITTEN_OUT)


def counted(number: int, noun: str) -> str:
    """1 golden, 2 goldens."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(share: float) -> str:
    """A rate in a sentence: 87.3 %, with enough digits to differ from 0 and 100 %. Tables: `report.percent`."""
    digits = 1
    while digits < 6 and share not in (0, 1) and round(share * 100, digits) in (0, 100):
        digits += 1
    text = f"{share * 100:.{digits}f}"
    return f"{text.removesuffix('.0')} %"


def utc_text(moment: datetime, precision: str = "milliseconds") -> str:
    """A time in UTC that sorts as text: 2026-01-31T12:00:00.000Z."""
    from datetime import UTC

    return moment.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")


def workflow_command(level: str, message: str, properties: Mapping[str, str]) -> str:
    """A command of GitHub Actions, such as an annotation; nothing in its texts can begin another command."""
    said = ",".join(
        f"{name}={_command_text(value).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in properties.items()
    )
    return f"::{level} {said}::{_command_text(message)}"


def _command_text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _hidden() -> list[int]:
    """Controls, bidirectional marks, invisible and tag characters, lone surrogates, and characters invalid in XML."""
    controls = [*range(0x20), *range(0x7F, 0xA0)]
    bidirectional = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
    invisible = [0x00AD, 0x200B, 0x2028, 0x2029, *range(0x2060, 0x2066), 0xFEFF, *range(0xFFF9, 0xFFFC)]
    never = [*range(0xD800, 0xE000), 0xFFFE, 0xFFFF, *range(0xE0000, 0xE0080)]
    return [c for c in (*controls, *bidirectional, *invisible, *never) if chr(c) not in "\n\t"]


WRITTEN_OUT = {code: f"⟨U+{code:04X}⟩" for code in _hidden()} | {ord("\r"): ""}
