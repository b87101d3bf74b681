"""`rightcall run --resume` of a finished run: shows its outcome again, but never that of something else."""

from pathlib import Path


def test_a_finished_run_is_shown_again_as_often_as_asked(rightcall):
    rightcall("init", "mine")
    first = rightcall("run", "mine/suite.yaml", "--json")
    again = rightcall("run", "mine/suite.yaml", "--resume", "last", "--json", "--concurrency", "3")
    assert again.rows == first.rows[-1:] and again.code == first.code
    assert len(rightcall("runs", "list", "--json").rows) == 1


def test_what_has_changed_since_a_run_was_finished_is_not_shown_as_its_outcome(rightcall):
    rightcall("init", "mine")
    rightcall("run", "mine/suite.yaml")
    goldens = Path("mine/goldens.jsonl")
    goldens.write_text(goldens.read_text("utf-8").splitlines(keepends=True)[0], "utf-8")
    changed = rightcall("run", "mine/suite.yaml", "--resume", "last", "--json")
    assert changed.code == 2 and changed.out == ""
    assert "dataset changed" in changed.err and "start a new run" in changed.err


def test_another_suite_does_not_get_the_outcome_of_a_run(rightcall):
    rightcall("init", "mine")
    rightcall("init", "other")
    suite = Path("other/suite.yaml")
    suite.write_text(suite.read_text("utf-8") + "\ntrials: 3\n", "utf-8")
    rightcall("run", "mine/suite.yaml")
    other = rightcall("run", "other/suite.yaml", "--resume", "last")
    assert other.code == 2 and "trials changed: was 1, is now 3" in other.err
