"""Which cases of a table this session runs, for fixtures that prepare all of them at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def nightly_but(quick: Collection[Any], rows: Iterable[Any]) -> list[Any]:
    """Rows for `parametrize`: `make test` runs the quick ones, `make nightly` the others."""
    return [row if row in quick else pytest.param(row, marks=pytest.mark.nightly) for row in rows]


def selected(request: pytest.FixtureRequest, *parameters: str) -> set[Any]:
    """The values that the tests of this module which will run have for a parameter; tuples of several."""
    rows = (
        item.callspec.params
        for item in request.session.items
        if isinstance(item, pytest.Function) and item.module is request.module and hasattr(item, "callspec")
    )
    found = {
        tuple(row[name] for name in parameters) for row in rows if all(name in row for name in parameters)
    }
    return {values[0] for values in found} if len(parameters) == 1 else found
