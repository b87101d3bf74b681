"""Letters of another alphabet in a name."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from rightcall.lint.diagnostic import Edit, Finding, Severity
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.rule import Rule
from rightcall.lint.rules.security.hidden_unicode import invisible_characters

LOOKALIKES = dict(
    zip(
        "аеорсухіѕјһԁԛԝеνοραικѵΑΒΕΖΗΙΚΜΝΟΡΤΥΧАВЕКМНОРСТХ",
        "aeopcyxisjhdqwevopaikvABEZHIKMNOPTYXABEKMHOPCTX",
        strict=True,
    )
)
"""Cyrillic and Greek letters that look like Latin ones."""


def check(tool: ToolFeatures) -> Iterator[Finding]:
    if not tool.name.isascii() and not invisible_characters(tool.name):
        yield _finding(("name",), tool.name, "error")
    for node in tool.properties:
        if not node.name.isascii() and not invisible_characters(node.name):
            mixed = any(character in LOOKALIKES for character in node.name) and _mixes(node.name)
            yield _finding(node.path, node.name, "error" if mixed else "warning")


def _finding(path: tuple[str | int, ...], name: str, severity: Severity) -> Finding:
    strange = next(character for character in name if not character.isascii())
    called = unicodedata.name(strange, f"U+{ord(strange):04X}")
    plain = "".join(LOOKALIKES.get(character, character) for character in name)
    edits = (Edit(path, plain),) if path == ("name",) and plain.isascii() else ()
    return Finding(
        path,
        f"'{name}' contains {strange!r} ({called.title()})",
        f"write {plain}" if plain.isascii() else "use ASCII letters in names",
        severity=severity,
        edits=edits,
    )


def _mixes(name: str) -> bool:
    return any(character.isascii() and character.isalpha() for character in name)


RULE = Rule(
    code="TD810",
    name="homoglyph",
    severity="error",
    summary="A name contains letters outside ASCII, such as a Cyrillic а.",
    explanation="""`get_forecаst` with a Cyrillic letter is another tool that looks the same: it can impersonate
    the real one. Names of parameters entirely in another script give a warning, as some providers
    reject them.""",
    bad={"name": "get_forec\u0430st"},
    good={},
    sources=("UTS39", "SNYK"),
    check=check,
    fix="suggested",
)
