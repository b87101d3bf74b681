"""Phrases that puzzle a reader do not come back: in strings and docstrings of the package, and in the docs."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import rightcall
from tests.support.source_tree import syntax_tree

PACKAGE = Path(rightcall.__file__).parent
ROOT = Path(__file__).parents[2]
BANNED = re.compile(
    r"\b(?:unless said|in this manner|holds to|told of|so many|mend(?:s|ed|ing)?|the commonest|of one's own"
    r"|passed over|(?:is|are) no (?:json|list|text|number|object|span|string)\b"
    r"|beside (?:it|them|the|what|its)|the most is|which is missing|anew|nought|unawares|thereof"
    r"|(?:came|comes?|became|becomes?) of (?:it|them|each|the|a|its|those|running)|(?:cannot|can) be told"
    r"|(?:is|are) told (?:at once|before|by|in|with)|goes? on (?:from|where|with)|of (?:its|their) own"
    r"|processor (?:time|seconds)|under way|put right|set-up|much alike|nothing asks back)\b",
    re.IGNORECASE,
)
ALLOWED = {
    "lint/data",  # tool definitions written by others
    "limbs/traces/problems.py",  # the words of the reference samples, compared as they are
    "limbs/generate/prompts",  # prompts, tuned as they are
}


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Lines of a page, or strings of a module (docstrings and parts of f-strings included)."""
    if path.suffix == ".py":
        for node in ast.walk(syntax_tree(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.lineno, " ".join(node.value.split())
    else:
        yield from enumerate(path.read_text("utf-8").splitlines(), 1)


def pages() -> Iterator[Path]:
    for root, suffixes in (
        (PACKAGE, ("py", "html", "j2", "js")),
        (ROOT / "docs", ("md",)),
        (ROOT / "examples", ("md",)),
    ):
        for suffix in suffixes:
            yield from sorted(root.rglob(f"*.{suffix}"))
    yield from sorted(ROOT.glob("*.md"))


def test_no_text_uses_a_banned_phrase():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {match.group()!r}"
        for path in pages()
        if not any(part in path.as_posix() for part in ALLOWED)
        for line, text in texts(path)
        for match in [BANNED.search(text)]
        if match
    ]
    assert not found, "rewrite in plain technical English:\n" + "\n".join(found)
