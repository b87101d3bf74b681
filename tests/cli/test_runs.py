"""`rightcall runs` and `rightcall store` through their commands."""

from __future__ import annotations

import json
import shutil

import pytest
from click.testing import CliRunner

from rightcall.cli.analyze import analyze
from rightcall.cli.output import store_argument
from rightcall.cli.runs import runs
from rightcall.core.errors import InputError
from rightcall.store.address import open_store
from tests.store.builders import a_result, a_run


@pytest.fixture
def url(tmp_path):
    file = tmp_path / "store.db"
    with open_store(file) as store:
        for day in (1, 2, 3):
            run = a_run(f"r-{day}", name="\x1b[31mweather[b]", started_at=f"2026-01-0{day}T00:00:00.000000Z")
            store.runs.begin(run, planned=2).add([a_result("hue"), a_result("hanoi", passed=False)])
        store.runs.finish("r-1", None, "FAIL")
        store.runs.tag("r-1", "kept")
    return str(file)


def said(command, *words):
    result = CliRunner().invoke(command, words, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_list_shows_runs_newest_first_and_cannot_steer_the_terminal(url):
    shown = said(runs, "list", "--store", url)
    assert shown.index("r-3") < shown.index("r-1")
    assert "\x1b" not in shown and "weather[b]" in shown
    assert "next: rightcall runs show r-3" in shown


def test_list_never_cuts_an_id(tmp_path):
    with open_store(tmp_path / "store.db") as store:
        store.runs.begin(a_run("an-id-of-the-length-that-ids-have-0123456789", agent="a" * 300))
    assert "an-id-of-the-length-that-ids-have-0123456789" in said(runs, "list", "--store", store.name)


def test_list_as_json_is_an_object_a_line(url):
    lines = said(runs, "list", "--store", url, "--json", "--tag", "kept").splitlines()
    assert [json.loads(line)["run"]["id"] for line in lines] == ["r-1"]


def test_list_is_narrowed_and_paged(url):
    assert "r-1" not in said(runs, "list", "--store", url, "--unfinished")
    assert "next: rightcall runs list --after r-3" in said(runs, "list", "--store", url, "--limit", "1")
    assert "no runs yet" in said(runs, "list", "--store", url, "--search", "other")


def test_show_says_why_first_and_what_to_type_next(url):
    shown = said(runs, "show", "r-1", "--store", url)
    assert shown.index("FAIL  1 of 2 cases passed") < shown.index("hanoi\n") < shown.index("suite  ")
    assert "hue  " not in shown and f"rightcall runs show r-1 hanoi --store {url}" in shown
    unfinished = said(runs, "show", "--store", url)
    assert "unfinished" in unfinished and "--resume r-3" in unfinished
    assert json.loads(said(runs, "show", "r-1", "--json", "--store", url))["verdict"] == "FAIL"


def test_show_of_a_case_has_its_trials_its_history_and_how_to_repeat_it(url):
    shown = said(runs, "show", "r-1", "hanoi", "--store", url)
    assert "✗ failed" in shown and "calls, expected and made" in shown
    assert "before  " in shown
    assert 'rc.evaluate(agent, dataset, only=["hanoi"])\n' in shown
    with pytest.raises(InputError, match="has no trial 7"):
        said(runs, "show", "r-1", "hanoi", "--trial", "7", "--store", url)


def test_export_writes_json_lines(url, tmp_path):
    said(runs, "export", "r-1", "--store", url, "-o", str(tmp_path / "out.jsonl"), "--no-timings")
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [json.loads(line)["golden_id"] for line in lines] == ["hanoi", "hue"]


def test_delete_asks_before_it_deletes(url):
    with pytest.raises(InputError, match="this would delete 1 run with 2 results; pass --yes"):
        said(runs, "delete", "r-1", "--store", url)
    assert said(runs, "delete", "r-1", "r-2", "--yes", "--store", url) == "deleted 2 runs with 4 results\n"
    assert "r-1" not in said(runs, "list", "--store", url)


def test_old_runs_are_deleted_by_their_age(url):
    with open_store(url) as store:
        store.runs.tag("r-1", "kept", remove=True)
    with pytest.raises(InputError, match="this would delete 1 run with 2 results; pass --yes"):
        said(runs, "delete", "--older", "0h", "--store", url)
    assert said(runs, "delete", "--older", "0h", "--yes", "--store", url) == "deleted 1 run with 2 results\n"
    assert said(runs, "delete", "--older", "28d", "--store", url) == "no such old runs\n"


@pytest.mark.parametrize("words", [(), ("r-1", "--older", "30d"), ("--older", "30"), ("--older", "d")])
def test_what_to_delete_is_said_in_one_way(rightcall, words):
    assert rightcall("runs", "delete", *words).code == 2


def test_a_missing_store_is_an_error_and_stays_missing(tmp_path):
    with pytest.raises(InputError, match="no store found"):
        said(runs, "list", "--store", str(tmp_path / "none.db"))
    assert list(tmp_path.iterdir()) == []


def test_move_says_what_it_brought(url, tmp_path):
    target = str(tmp_path / "copy.db")
    assert "copied 3 runs, 6 results and 0 dataset versions" in said(runs, "move", target, "--store", url)
    assert json.loads(said(runs, "move", target, "--json", "--store", url)) == {
        "runs": 0,
        "results": 0,
        "datasets": 0,
    }


def test_a_tag_names_a_run_and_can_be_removed(url):
    assert "tags: release" in said(runs, "tag", "r-2", "release", "--store", url)
    assert '"r-2"' in said(runs, "show", "release", "--store", url, "--json")
    assert "tags: none" in said(runs, "tag", "r-2", "release", "--remove", "--store", url)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (runs, ("list",)),
        (runs, ("list", "--limit", "1")),
        (runs, ("show", "r-1")),
        (analyze, ("r-1",)),
    ],
)
def test_hints_repeat_the_store_as_a_shell_reads_it(url, tmp_path, command, words):
    spaced = shutil.copy(url, tmp_path / "my runs.db")
    hints = [
        line for line in said(command, *words, "--store", str(spaced)).splitlines() if "rightcall " in line
    ]
    assert hints and all(f"--store '{spaced}'" in hint for hint in hints)


def test_a_hint_has_no_password():
    assert store_argument("postgresql://ann:secret@db/runs") == " --store 'postgresql://ann:***@db/runs'"
    assert store_argument(None) == ""


def test_options_of_the_program_are_typed_before_or_after_the_command(rightcall):
    for words in (("--store", "none.db", "runs", "list"), ("runs", "list", "--store", "none.db")):
        done = rightcall(*words)
        assert (done.code, "none.db: no store found" in done.err) == (2, True)
    refused = rightcall("--json", "init")
    assert (refused.code, refused.err.splitlines()[-1]) == (2, "error: `rightcall init` takes no --json")
