"""People tag runs and cases, and write notes."""

from __future__ import annotations

import pytest

from rightcall.core.errors import InputError

from .builders import a_result, a_run


@pytest.fixture
def run_id(shared):
    writer = shared.begin_run(a_run())
    writer.add([a_result("hue")])
    return writer.run_id


def test_tags_are_put_on_runs_and_taken_off(shared, run_id):
    shared.tag_run(run_id, "b", "a\x00", "b")
    shared.tag_run(run_id, "b")
    assert shared.run(run_id).tags == ("a\x00", "b")
    shared.untag_run(run_id, "b")
    assert shared.run(run_id).tags == ("a\x00",)
    assert "a\x00" in shared.tags()


def test_tags_are_taken_off_cases(shared, run_id):
    shared.tag_case(run_id, "hue", "x", "y")
    shared.untag_case(run_id, "hue", "x")
    assert shared.case(run_id, "hue").tags == ("y",)
    assert shared.case_tags(run_id, ["hue", "hanoi"]) == {"hue": ("y",)}


def test_notes_are_listed_in_the_order_they_were_written(shared, run_id):
    first = shared.add_note(run_id, "hue", "first", author="Ann")
    shared.add_note(run_id, "hue", "<script>alert(1)</script>")
    assert [note.text for note in shared.case(run_id, "hue").notes] == ["first", "<script>alert(1)</script>"]
    shared.delete_note(first.id)
    assert len(shared.case(run_id, "hue").notes) == 1


def test_a_note_needs_a_case_and_a_text(shared, run_id):
    with pytest.raises(InputError, match="has no golden 'hanoi'"):
        shared.add_note(run_id, "hanoi", "what?")
    with pytest.raises(InputError, match="between 1 and 20,000 characters"):
        shared.add_note(run_id, "hue", "  ")
    with pytest.raises(InputError, match="between 1 and 100 characters"):
        shared.tag_run(run_id, "x" * 101)
