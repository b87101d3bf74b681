"""Names valid for a target, still distinct."""

from __future__ import annotations

import re
from collections.abc import Sequence


def distinct_names(names: Sequence[str], pattern: str, length: int, kept: str) -> list[str]:
    """Names that match the pattern are kept, the others rewritten without collisions.

    `kept` are the characters besides letters and digits that a rewritten name may have.
    """
    allowed = re.compile(pattern.removesuffix("$"))
    fitting = [allowed.fullmatch(name) is not None for name in names]
    taken = {name for name, fits in zip(names, fitting, strict=True) if fits}
    found = []
    for name, fits in zip(names, fitting, strict=True):
        new = name if fits else _free(_rewritten(name, allowed, length, kept), taken, length)
        taken.add(new)
        found.append(new)
    return found


def _rewritten(name: str, allowed: re.Pattern[str], length: int, kept: str) -> str:
    new = re.sub(rf"[^A-Za-z0-9{re.escape(kept)}]+", "_", name)[:length] or "_"
    return new if allowed.fullmatch(new) else f"_{new}"[:length]


def _free(name: str, taken: set[str], length: int) -> str:
    number, new = 1, name
    while new in taken:
        number += 1
        ending = f"_{number}"
        new = name[: length - len(ending)] + ending
    return new
