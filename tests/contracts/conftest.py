"""What contracts share: the syntax trees of the package, for as long as contracts run."""

from __future__ import annotations

import pytest

from tests.support.source_tree import syntax_tree


@pytest.fixture(autouse=True, scope="package")
def _trees_are_forgotten():
    yield
    syntax_tree.cache_clear()
