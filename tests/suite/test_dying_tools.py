"""A table of ways a tool can die: no pass for a case whose tool was not reached, and no effect twice."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.dying_tools import CELLS, DEATHS, IMPOSSIBLE, broken_laws, row
from tests.support.postgres import postgres_server

TABLE = {
    #              before   in       after    hang     garbage  wrong id closed
    "function":   "error 0, error 0, error 1, error 1, pass 1,  -,       error 1",
    "MCP stdio":  "pass 1,  error 0, error 1, error 1, error 1, error 1, error 0",
    "MCP HTTP":   "pass 1,  error 0, error 1, error 1, error 1, error 1, error 1",
    "exec agent": "fail 0,  fail 0,  fail 1,  fail 1,  fail 1,  -,       fail 1",
    "http agent": "pass 1,  error 0, error 1, fail 1,  fail 1,  -,       error 1",
    "observed":   "error 0, error 0, error 1, error 1, -,       -,       error 1",
}  # fmt: skip
"""The state of the case, and how often the effect happened."""

EXIT_CODES = {"pass": 0, "fail": 1, "error": 4}
KEYED = ("function", "MCP stdio")
"""Kinds whose calls have keys in the store; the others only have results there."""


@pytest.fixture(scope="module")
def postgres_url() -> Iterator[str]:
    with postgres_server() as url:
        yield url


@pytest.mark.parametrize(
    ("kind", "death", "where"),
    [*((*cell, "sqlite") for cell in CELLS), *((*cell, "postgres") for cell in CELLS if cell[0] in KEYED)],
)
def test_a_tool_that_dies(kind, death, where, tmp_path: Path, request: pytest.FixtureRequest):
    store = str(tmp_path / "r.db") if where == "sqlite" else request.getfixturevalue("postgres_url")
    seen = row(kind, death, tmp_path, store)
    state, effects = TABLE[kind].split(",")[DEATHS.index(death)].split()
    assert not broken_laws(seen), seen
    assert (seen.state, seen.effects, seen.others) == (state, int(effects), "pass"), seen
    assert seen.exit_code == EXIT_CODES[state], seen
    written = state == "error" and kind not in ("http agent", "exec agent")
    assert ("1 call: outcome unknown" in seen.sentence) == written, seen


def test_the_table_has_every_way_to_die():
    named = {
        (kind, death)
        for kind in TABLE
        for death, cell in zip(DEATHS, TABLE[kind].split(","), strict=True)
        if cell.strip() != "-"
    }
    assert named == set(CELLS) and not named & IMPOSSIBLE
