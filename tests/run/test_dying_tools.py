"""A table of ways a tool can die: no pass for a case whose tool was not reached, and no effect twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.support.dying_tools import CELLS, DEATHS, IMPOSSIBLE, Row, broken_laws, patience, row
from tests.support.postgres import postgres_server

pytestmark = pytest.mark.stories

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
UNSEEN_DEATH = ("MCP stdio", "before the call")
"""If the call is on its way before the end of the server is seen, the call is lost: an error without an effect."""
ON_POSTGRESQL = [
    ("function", "after the effect"),
    ("function", "hang"),
    ("MCP stdio", "in the call"),
    ("MCP stdio", "after the effect"),
]
"""Cells in which keys of calls are in the store; elsewhere it only has results."""

Cell = tuple[str, str, str]
Rows = Callable[[Cell], Row]
ALL: list[Cell] = [
    *((*cell, "sqlite") for cell in CELLS),
    *((*cell, "postgres") for cell in ON_POSTGRESQL),
]


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rows]:
    """Every cell, run when it is needed first; those that wait for a tool that is silent wait at the same time."""
    with ThreadPoolExecutor(len(CELLS)) as pool, postgres_server() as url:

        def start(cell: Cell) -> Future[Row]:
            kind, death, where = cell
            folder = tmp_path_factory.mktemp("cell")
            store = str(folder / "r.db") if where == "sqlite" else url
            return pool.submit(row, kind, death, folder, store)

        waiting = {cell: start(cell) for cell in ALL if patience(cell[1]) < 60}
        yield lambda cell: (waiting.get(cell) or start(cell)).result()


@pytest.mark.parametrize("cell", ALL, ids=", ".join)
def test_a_tool_that_dies(cell: Cell, rows: Rows):
    kind, death, _ = cell
    seen = rows(cell)
    state, effects = TABLE[kind].split(",")[DEATHS.index(death)].split()
    if (kind, death) == UNSEEN_DEATH and seen.state == "error":
        state = "error"
        effects = "0"
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
