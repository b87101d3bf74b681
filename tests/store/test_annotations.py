"""People tag runs and cases, and write notes."""

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


def test_tags_are_taken_off_cases(shared, run_id):
    shared.runs.tag(run_id, "x", "y", golden_id="hue")
    shared.runs.tag(run_id, "x", golden_id="hue", remove=True)
    assert shared.runs.case(run_id, "hue").tags == ("y",)


def test_notes_are_listed_in_the_order_they_were_written(shared, run_id):
    first = shared.runs.add_note(run_id, "hue", "first", author="Ann")
    shared.runs.add_note(run_id, "hue", "<script>alert(1)</script>")
    assert [note.text for note in shared.runs.case(run_id, "hue").notes] == [
        "first",
        "<script>alert(1)</script>",
    ]
    shared.runs.delete_note(first.id)
    assert len(shared.runs.case(run_id, "hue").notes) == 1


def test_a_note_needs_a_case_and_a_text(shared, run_id):
    with pytest.raises(InputError, match="has no golden 'hanoi'"):
        shared.runs.add_note(run_id, "hanoi", "what?")
    with pytest.raises(InputError, match="between 1 and 20,000 characters"):
        shared.runs.add_note(run_id, "hue", "  ")
    with pytest.raises(InputError, match="between 1 and 100 characters"):
        shared.runs.tag(run_id, "x" * 101)
