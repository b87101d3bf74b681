"""Parameters documented inside a text, the way Python docstrings do."""

from __future__ import annotations

import re

_BLOCK = re.compile(
    r"(?m)^[ \t]*(?:Args|Arguments|Parameters|Params)[ \t]*:?[ \t]*\n(?:[ \t]*-{3,}[ \t]*\n)?"
)
_ENTRY = re.compile(r"^\s*(?:[-*]\s*)?`?(\w+)`?\s*(?:\([^)]*\))?\s*:\s*(.*)$")
_SPHINX = re.compile(r"(?m)^[ \t]*:param(?:[ \t]+\w+)?[ \t]+(\w+):[ \t]*(.*)$")
_HEADING = re.compile(r"^\s*(?:Returns?|Raises|Yields|Examples?|Notes?)\s*:?\s*$", re.IGNORECASE)


def documented_parameters(text: str) -> tuple[dict[str, str], str]:
    """What an `Args:` block or `:param` lines say of each parameter, and the text without them."""
    if ":param" in text:
        found = {name: said.strip() for name, said in _SPHINX.findall(text)}
        return found, _SPHINX.sub("", text).rstrip()
    block = _BLOCK.search(text) if ":" in text and "\n" in text else None
    if block is None:
        return {}, text
    lines = text[block.end() :].split("\n")
    documented: dict[str, str] = {}
    used = 0
    for line in lines:
        entry = _ENTRY.match(line)
        if _HEADING.match(line) or (not line.strip() and documented):
            break
        if entry:
            documented[entry[1]] = entry[2].strip()
        elif documented and line.strip():
            last = next(reversed(documented))
            documented[last] = f"{documented[last]} {line.strip()}".strip()
        used += 1
    rest = text[: block.start()].rstrip() + "\n" + "\n".join(lines[used:])
    return documented, rest.rstrip()
