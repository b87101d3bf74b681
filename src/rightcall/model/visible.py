"""Safe display of text from models, tools and datasets: it cannot control a terminal or hide content."""

from __future__ import annotations


def visible(text: str) -> str:
    """The text with every character that steers a terminal or reorders a line written as ⟨U+202E⟩.

    Joiners that scripts and emoji need, and spaces of every width, are kept.
    """
    return text if text.isprintable() else text.translate(WRITTEN_OUT)


def _hidden() -> list[int]:
    """Controls, bidirectional marks, invisible and tag characters, lone surrogates, and characters invalid in XML."""
    controls = [*range(0x20), *range(0x7F, 0xA0)]
    bidirectional = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
    invisible = [0x00AD, 0x200B, 0x2028, 0x2029, *range(0x2060, 0x2066), 0xFEFF, *range(0xFFF9, 0xFFFC)]
    never = [*range(0xD800, 0xE000), 0xFFFE, 0xFFFF, *range(0xE0000, 0xE0080)]
    return [c for c in (*controls, *bidirectional, *invisible, *never) if chr(c) not in "\n\t"]


WRITTEN_OUT = {code: f"⟨U+{code:04X}⟩" for code in _hidden()} | {ord("\r"): ""}
