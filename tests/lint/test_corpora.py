"""What the rules find in public tool sets, pinned: a change of a rule shows here how far it reaches.

After a change that was meant, run `python -m tests.lint.test_corpora` and read the difference.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from rightcall.lint.engine import lint
from rightcall.lint.source.tools import ToolSet
from tests.lint.corpora import bfcl_sets, mcp_sets, unseen_sets

PINNED = Path(__file__).parent / "data" / "counts.json"
CORPORA: dict[str, Callable[[], list[ToolSet]]] = {"bfcl": bfcl_sets, "mcp": mcp_sets, "unseen": unseen_sets}


def counts(sets: Iterable[ToolSet]) -> dict[str, int]:
    """How many tools there are, and how many findings of each rule and severity."""
    report = lint(sets)
    found = Counter(f"{d.code} {d.severity}" for d in report.diagnostics)
    return {"tools": len(report.tools), **dict(sorted(found.items()))}


@pytest.mark.parametrize("corpus", [pytest.param("bfcl", marks=pytest.mark.stories), "mcp", "unseen"])
def test_the_findings_in_public_tools_are_those_that_were_read(corpus: str) -> None:
    assert counts(CORPORA[corpus]()) == json.loads(PINNED.read_text())[corpus]


def test_every_finding_in_public_tools_has_a_place() -> None:
    report = lint(mcp_sets())
    assert all(d.line > 0 and d.column > 0 and d.pointer.startswith("/tools/") for d in report.diagnostics)


if __name__ == "__main__":
    PINNED.write_text(json.dumps({name: counts(sets()) for name, sets in CORPORA.items()}, indent=1) + "\n")
