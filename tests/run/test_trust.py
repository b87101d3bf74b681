"""A suite is code: nothing of it runs that was not asked to."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rightcall.cli.main import main

GOLDEN = '{"id": "a", "input": "hello", "no_calls": true}\n'


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A project to work in, and a folder that came from elsewhere with a suite that starts a command."""
    project = tmp_path / "project"
    elsewhere = tmp_path / "elsewhere"
    for folder in (project, elsewhere):
        folder.mkdir()
        (folder / "goldens.jsonl").write_text(GOLDEN)
        touch = f"open({str(tmp_path / 'ran')!r}, 'w')"
        (folder / "server.py").write_text(f"{touch}\n")
        command = [sys.executable, str(folder / "server.py")]
        (folder / "suite.yaml").write_text(
            f"dataset: goldens.jsonl\nagent: {{model: 'keyword:'}}\ntools: {{mcp: {{command: {command}}}}}\n"
        )
        (folder / "code.yaml").write_text(
            "dataset: goldens.jsonl\nagent: {model: 'mine:agent'}\nmetrics: ['mine:Metric']\ntools: mine:tools\n"
        )
    (project / "mine.py").write_text(f"{touch}\nagent = lambda golden: 'hi'\ntools = []\n")
    (project / "pyproject.toml").touch()
    monkeypatch.chdir(project)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.syspath_prepend(str(project))
    return project, elsewhere


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str | Path) -> int:
    monkeypatch.setattr(sys, "argv", ["rightcall", "run", *map(str, arguments)])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


@pytest.mark.parametrize("name", ["suite.yaml", "code.yaml"])
def test_a_dry_run_starts_nothing(places, name, tmp_path, monkeypatch, capfd):
    assert run(monkeypatch, places[0] / name, "--dry-run") == 0
    assert not (tmp_path / "ran").exists()
    assert "nothing was sent or started" in capfd.readouterr().out


def test_a_suite_of_the_project_starts_what_it_names(places, tmp_path, monkeypatch, capfd):
    run(monkeypatch, places[0] / "suite.yaml")
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["suite.yaml", "code.yaml"])
def test_a_suite_from_outside_is_refused(places, name, tmp_path, monkeypatch, capfd):
    assert run(monkeypatch, places[1] / name) == 2
    assert not (tmp_path / "ran").exists()
    assert "pass --trust" in capfd.readouterr().err


def test_trust_is_in_a_folder_with_all_below_it_and_in_no_other(places, tmp_path, monkeypatch, capfd):
    elsewhere = places[1]
    ran = tmp_path / "ran"
    run(monkeypatch, elsewhere / "suite.yaml", "--trust")
    below = elsewhere / "below"
    beside = tmp_path / "elsewhere-2"
    for folder in (below, beside):
        folder.mkdir()
        for name in ("goldens.jsonl", "suite.yaml"):
            (folder / name).write_text((elsewhere / name).read_text())
    for folder in (elsewhere, below):
        ran.unlink()
        run(monkeypatch, folder / "suite.yaml")
        assert ran.exists()
    ran.unlink()
    assert run(monkeypatch, beside / "suite.yaml") == 2
    assert not ran.exists()
    assert (tmp_path / "config/rightcall/trusted-folders.json").stat().st_mode & 0o077 == 0


def test_a_home_folder_in_git_is_not_a_project(tmp_path, monkeypatch):
    from rightcall.run.trust import project_of

    (tmp_path / ".git").mkdir()
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    assert project_of(tmp_path / "work" / "mine") == tmp_path / "work" / "mine"


def test_in_a_home_folder_only_what_is_directly_in_it_is_ones_own(tmp_path, monkeypatch):
    from rightcall.run.trust import in_project

    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    monkeypatch.chdir(tmp_path)
    assert in_project(tmp_path / "suite.yaml")
    assert not in_project(tmp_path / "Downloads" / "suite.yaml")


TOOL = "tools: [{name: t, description: A tool., input_schema: {type: object}}]\n"
PLAIN = "agent: {model: 'keyword:', mode: loop}\n" + TOOL
SLY = {
    "nothing": PLAIN,
    "a mock's function": PLAIN + "mocks: {t: {function: 'evil:go'}}\n",
    "a mock's function for one golden": PLAIN + "mocks: {t: {goldens: {a: {function: 'evil:go'}}}}\n",
    "a provider plugin next to it": PLAIN.replace("keyword:", "innocent:x"),
    "a metric plugin next to it": PLAIN + "metrics: [calm]\n",
    "a judge from a plugin": PLAIN + """metrics: ["rubric(model='innocent:x', rubric='good')"]\n""",
    "a server": "agent: {model: 'keyword:'}\ntools: 'mcp:touch RAN'\n",
    "a module with the name that is typed": PLAIN,
}
DOORS = {"run": ("run",), "dry run": ("run", "--dry-run"), "check": ("check",), "lint": ("lint",)}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("way", SLY)
def test_no_code_of_a_suite_from_outside_runs_through_any_door(
    way, door, places, tmp_path, monkeypatch, capfd
):
    elsewhere = places[1]
    ran = tmp_path / "ran"
    for name in ("evil", "typed"):
        code = f"open({str(ran)!r}, 'w')\nagent = go = make = lambda *a, **k: 'hi'\n"
        (elsewhere / f"{name}.py").write_text(code)
    plugin = elsewhere / "evil-1.0.dist-info"
    plugin.mkdir()
    (plugin / "METADATA").write_text("Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n")
    (plugin / "entry_points.txt").write_text(
        "[rightcall.providers]\ninnocent = evil:make\n[rightcall.metrics]\ncalm = evil:go\n"
    )
    (elsewhere / "sly.yaml").write_text("dataset: goldens.jsonl\n" + SLY[way].replace("RAN", str(ran)))
    typed = ("--model", "typed:agent") if "typed" in way and door != "lint" else ()
    command, *options = DOORS[door]
    monkeypatch.setattr(sys, "argv", ["rightcall", command, str(elsewhere / "sly.yaml"), *options, *typed])
    with pytest.raises(SystemExit):
        main()
    assert not ran.exists(), capfd.readouterr().err
    # Any file there could pass for an optional package that is not installed.
    assert str(elsewhere) not in sys.path
