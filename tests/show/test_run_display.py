"""`evaluate` shows a progress bar to a person, and writes nothing elsewhere."""

from __future__ import annotations

import io

import pytest

import rightcall as rc
from rightcall.records.trajectory import Usage
from rightcall.show import progress as progress_module
from rightcall.show.screen import Screen
from rightcall.show.terminal import beyond_table
from rightcall.show.view.summary import summary_view

GOLDENS = [rc.Golden(f"question {i}", id=f"g{i}", no_calls=True) for i in range(3)]


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def evaluated(tmp_path, **options):
    return rc.evaluate(lambda golden: "Hello.", GOLDENS, store=tmp_path / "store.db", **options)


@pytest.mark.parametrize("wish", [None, False])
def test_a_program_without_a_terminal_stays_silent(wish, tmp_path, capsys):
    assert evaluated(tmp_path, progress=wish).passed
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_the_bar(tmp_path, monkeypatch):
    terminal = FakeTerminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stderr", terminal)
    evaluated(tmp_path)
    assert "3/3 · 100.0% passed" in terminal.getvalue()


@pytest.mark.parametrize("width", [20, 60, 80, 120])
def test_the_bar_stays_on_one_line_of_any_terminal(width):
    screen = Screen(file=io.StringIO(), width=width)
    bar = progress_module.RunProgress(3000, console=screen)
    state = progress_module.ProgressState(1313, 900, 12, Usage(1_234_567, 89_000, cost_usd=12.5), retries=3)
    lines = screen.render_lines(bar._bar(state), pad=False)
    assert len(lines) == 1


def test_a_terminal_shows_nothing_with_progress_off(tmp_path, monkeypatch):
    terminal = FakeTerminal()
    monkeypatch.setattr("sys.stderr", terminal)
    evaluated(tmp_path, progress=False)
    assert terminal.getvalue() == ""


def test_a_log_file_gets_lines_when_asked_for(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(progress_module, "SECONDS_BETWEEN_LINES", -1.0)
    evaluated(tmp_path, progress=True)
    assert "3/3 · 100.0% passed" in capsys.readouterr().err


def test_what_a_run_holds_prints_short(varied):
    store, run_id = varied
    summary = store.runs.get(run_id).run.summary
    assert str(summary).splitlines()[-1].startswith("failed cases by code: ")
    assert f"all: {summary.overall.passed} of {summary.overall.cases} passed" in str(summary)
    assert len(repr(summary)) < 100
    result = store.runs.results_of(run_id, [("silent", 0)], trajectories=True)["silent", 0]
    assert repr(result).startswith("<CaseResult silent: failed, score 0.")


def test_numbers_for_which_a_terminal_is_too_narrow_are_below_the_table(varied):
    view = summary_view(varied[0].runs.get(varied[1]).run.summary)
    assert beyond_table(view, 200) == []
    assert beyond_table(view, 60)[-1].endswith(f"score {view.total.dimensions['score']:.2f}")
