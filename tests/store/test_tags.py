"""People tag runs."""

from __future__ import annotations

import pytest

from rightcall.core.errors import InputError

from .builders import a_result, a_run


@pytest.fixture
def run_id(shared):
    writer = shared.runs.begin(a_run())
    writer.add([a_result("hue")])
    return writer.run_id


def test_tags_are_put_on_runs_and_taken_off(shared, run_id):
    shared.runs.tag(run_id, "b", "a\x00", "b")
    shared.runs.tag(run_id, "b")
    assert shared.runs.get(run_id).tags == ("a\x00", "b")
    shared.runs.tag(run_id, "b", remove=True)
    assert shared.runs.get(run_id).tags == ("a\x00",)
    assert "a\x00" in shared.runs.overview().tags


def test_a_tag_has_between_1_and_100_characters(shared, run_id):
    for tag in ("  ", "x" * 101):
        with pytest.raises(InputError, match="between 1 and 100 characters"):
            shared.runs.tag(run_id, tag)
