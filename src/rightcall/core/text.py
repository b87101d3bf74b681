"""Text for people: nothing in it can control a terminal, counts are pluralized, rates never round up to certainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime


def visible(text: str) -> str:
    """The text with every character that controls a terminal or reorders a line written as ⟨U+202E⟩.

    Joiners that scripts and emoji need, and spaces of every width, are kept.
    """
    return text if text.isprintable() else text.translate(WRITTEN_OUT)


def shorten(text: str, limit: int) -> str:
    """The beginning of a text that is longer than `limit` characters, the last of them an ellipsis."""
    return text if len(text) <= limit else f"{text[: max(1, limit - 1)]}…"


def one_line(text: str, limit: int = 300) -> str:
    """Untrusted text on one line, nothing in it unseen, cut to `limit` characters."""
    return clip_text(visible(" ".join(text[: limit * 8].split())), limit)


def clip_text(text: str, limit: int) -> str:
    """The beginning of a long text, and how many characters follow."""
    more = f" ({len(text) - limit + 1:,} more characters)" if len(text) > limit >= 1000 else ""
    return f"{shorten(text, limit)}{more}"


def first_names(names: Sequence[str], most: int) -> str:
    """The first names of a list, separated by commas, with an ellipsis when there are more."""
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


def names_and_more(names: Sequence[str], most: int) -> str:
    """The first names of a list, and how many there are besides: a, b and 3 more."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def pluralize(number: int, noun: str) -> str:
    """1 golden, 2 goldens."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def percent(share: float | None, digits: int | None = None) -> str:
    """A rate, never rounded to 0 or 100%; a dash where there is none.

    In a sentence 87.3%, with as many digits as that takes. With `digits`, as a table has it: 87.0%, and <0.1% or
    >99.9% at the ends.
    """
    if share is None:
        return "–"
    within = 0 < share < 1
    if digits is not None:
        text = f"{share * 100:.{digits}f}%"
        least = 10**-digits
        if within and text == f"{100:.{digits}f}%":
            return f">{100 - least:.{digits}f}%"
        return f"<{least:.{digits}f}%" if within and text == f"{0:.{digits}f}%" else text
    digits = 1
    while digits < 6 and within and round(share * 100, digits) in (0, 100):
        digits += 1
    return f"{hundredths(share, f'.{digits}f').removesuffix('.0')}%"


def percent_change(difference: float, digits: int = 1) -> str:
    """A difference of two rates in a table: +4.2%."""
    return f"{difference:+.{digits}%}"


def change_interval(low: float | None, high: float | None, digits: int = 1) -> str:
    """The interval of such a difference: +1.0% … +7.4%, a dash when it is not known."""
    if low is None or high is None:
        return "–"
    return f"{percent_change(low, digits)} … {percent_change(high, digits)}"


def percent_interval(low: float | None, high: float | None) -> str:
    """The interval of a rate: 85–99%, a dash when it is not known."""
    return "–" if low is None or high is None else f"{hundredths(low, '.0f')}–{hundredths(high, '.0f')}%"


def points(difference: float, digits: int = 1) -> str:
    """A difference of two rates in a sentence: +4.2 points."""
    return f"{hundredths(difference, f'+.{digits}f')} points"


def margin_text(margin: float) -> str:
    """A margin as it was given: 5 points."""
    text = hundredths(margin)
    return f"{text} point{'' if text == '1' else 's'}"


def hundredths(share: float, spec: str = ".6g") -> str:
    """A share in hundredths, as it was given: 2.5; `spec` is the format of another number of digits."""
    return f"{share * 100:{spec}}"


def utc_text(moment: datetime, precision: str = "milliseconds") -> str:
    """A time in UTC that sorts as text: 2026-01-31T12:00:00.000Z."""
    from datetime import UTC

    return moment.astimezone(UTC).isoformat(timespec=precision).replace("+00:00", "Z")


def workflow_command(level: str, message: str, properties: Mapping[str, str]) -> str:
    """A command of GitHub Actions, such as an annotation; nothing in its texts can begin another command."""
    written = ",".join(
        f"{name}={_command_text(value).replace(':', '%3A').replace(',', '%2C')}"
        for name, value in properties.items()
    )
    return f"::{level} {written}::{_command_text(message)}"


def _command_text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _control_codes() -> list[int]:
    """Controls, bidirectional marks, invisible and tag characters, lone surrogates, and characters invalid in XML."""
    controls = [*range(0x20), *range(0x7F, 0xA0)]
    bidirectional = [0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)]
    invisible = [0x00AD, 0x200B, 0x2028, 0x2029, *range(0x2060, 0x2066), 0xFEFF, *range(0xFFF9, 0xFFFC)]
    never = [*range(0xD800, 0xE000), 0xFFFE, 0xFFFF, *range(0xE0000, 0xE0080)]
    return [c for c in (*controls, *bidirectional, *invisible, *never) if chr(c) not in "\n\t"]


WRITTEN_OUT = {code: f"⟨U+{code:04X}⟩" for code in _control_codes()} | {ord("\r"): ""}
