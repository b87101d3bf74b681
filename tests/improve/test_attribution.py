"""What changed between two runs, and which change touches the goldens that broke."""

from __future__ import annotations

import pytest
from benchmarks.attribution import ITEMS, named_first, pair, unchanged


@pytest.mark.stories
@pytest.mark.parametrize("name", ["unit", "enum", "contrast", "abstention"])
def test_a_planted_change_is_named_first_among_harmless_ones(name):
    found, truth = pair(name, ITEMS.index(name))
    assert len(found.items) >= 4
    assert named_first(found, truth), found.sentence


def test_every_broken_golden_shows_its_calls_before_and_after():
    found, truth = pair("unit", 0)
    flip = next(flip for flip in found.flips if flip.change == "broken")
    assert flip.calls_before != flip.calls_after
    assert found.items[flip.suspects[0]].parameter == truth.parameter


def test_with_nothing_changed_flips_are_called_noise():
    found = unchanged(0)
    assert found.items == ()
    assert found.sentence.startswith("no change of model, prompt, settings, tools or code is recorded")
    assert "by chance or by something that is not recorded" in found.sentence
