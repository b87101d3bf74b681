"""One case has one verdict, whichever door it comes through, and nothing that broke is ever green."""

from __future__ import annotations

import pytest

from tests.support.doors import DOORS
from tests.support.scored_cases import ALL


@pytest.mark.parametrize("door", DOORS)
def test_every_door_says_the_same(door, tmp_path):
    expected = {row.golden.id: (row.outcome, row.score, tuple(sorted(row.codes))) for row in ALL}
    assert DOORS[door](tmp_path, ALL) == expected


def test_the_table_has_every_way_to_end():
    assert len(ALL) == 30 and {row.outcome for row in ALL} == {"passed", "failed", "error"}
