"""Parses docstrings in any common style: the description and each parameter."""

from __future__ import annotations

import inspect
import re

SECTIONS = (
    "args|arguments|parameters|params|other parameters|keyword args|keyword arguments|returns?|yields?|"
    "raises|examples?|notes?|warnings?|warns|references|see also|attributes|todo"
)
PARAMETER_SECTIONS = SECTIONS.split("|")[:7]
GOOGLE_SECTION = re.compile(rf"^({SECTIONS}):\s*$", re.IGNORECASE)
NUMPY_SECTION = re.compile(rf"^({SECTIONS})\s*$", re.IGNORECASE)
FIELD = re.compile(r"^[:@](\w+)(?:\s+(?:[^:]*\s)?\*{0,2}(\w+))?\s*:\s*(.*)$")
GOOGLE_PARAMETER = re.compile(r"^\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)$")
NUMPY_PARAMETER = re.compile(r"^(\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*)\s*(?::.*)?$")


def parse_docstring(text: str | None) -> tuple[str, dict[str, str]]:
    """The description and the text of each parameter, from the styles of Google, NumPy, Sphinx and Epytext.

    Sections about results, errors and examples are left out: they are for readers of code.
    """
    lines = inspect.cleandoc(text or "").splitlines()
    description: list[str] = []
    parameters: dict[str, str] = {}
    at = 0
    while at < len(lines):
        section = _section(lines, at)
        if section:
            name, start = section
            end = _section_end(lines, start)
            if name in PARAMETER_SECTIONS:
                numpy = start == at + 2
                parameters |= _numpy(lines[start:end]) if numpy else _google(lines[start:end])
            at = end
        elif field := FIELD.match(lines[at]):
            end = _field_end(lines, at + 1)
            if field[1] in ("param", "parameter", "arg", "argument", "key", "keyword") and field[2]:
                parameters[field[2]] = _one_line([field[3], *lines[at + 1 : end]])
            at = end
        else:
            description.append(lines[at])
            at += 1
    return _paragraphs(description), parameters


def _section(lines: list[str], at: int) -> tuple[str, int] | None:
    """The section that begins at a line: its name and where its text starts."""
    if match := GOOGLE_SECTION.match(lines[at]):
        return match[1].lower(), at + 1
    underlined = at + 1 < len(lines) and re.fullmatch(r"-{3,}\s*", lines[at + 1])
    if underlined and (match := NUMPY_SECTION.match(lines[at])):
        return match[1].lower(), at + 2
    return None


def _section_end(lines: list[str], start: int) -> int:
    at = start
    google = start > 0 and GOOGLE_SECTION.match(lines[start - 1])
    while at < len(lines):
        unindented = lines[at].strip() and not lines[at][0].isspace()
        if _section(lines, at) or FIELD.match(lines[at]) or (google and unindented):
            break
        at += 1
    return at


def _field_end(lines: list[str], at: int) -> int:
    while at < len(lines) and lines[at].strip() and lines[at][0].isspace():
        at += 1
    return at


def _google(lines: list[str]) -> dict[str, str]:
    indents = [len(line) - len(line.lstrip()) for line in lines if line.strip()]
    outer = min(indents, default=0)
    return _collect(lines, outer, GOOGLE_PARAMETER)


def _numpy(lines: list[str]) -> dict[str, str]:
    parameters: dict[str, str] = {}
    for names, text in _collect(lines, 0, NUMPY_PARAMETER).items():
        for name in names.split(","):
            parameters[name.strip().lstrip("*")] = text
    return parameters


def _collect(lines: list[str], indent: int, parameter: re.Pattern[str]) -> dict[str, str]:
    """Parameters at one indentation level, with the deeper lines below each."""
    sections: dict[str, list[str]] = {}
    current: list[str] | None = None
    for line in lines:
        at_margin = line.strip() and len(line) - len(line.lstrip()) == indent
        if at_margin and (match := parameter.match(line.strip())):
            current = sections[match[1]] = [match[2]] if match.lastindex == 2 else []
        elif current is not None:
            current.append(line)
    return {name: _one_line(text) for name, text in sections.items()}


def _one_line(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


def _paragraphs(lines: list[str]) -> str:
    """Lines joined within paragraphs; lists and blank lines are kept as they are."""
    text = "\n".join(lines).strip()
    text = re.sub(r"\n{3,}", "\n\n", text)
    return re.sub(r"(?<=\S)\n(?=[^\s\-*•\d])", " ", text)
