"""`monitor.yaml` can name programs and modules: from outside the project it needs trust, as a suite does."""

from __future__ import annotations

import sys

import pytest

from rightcall.core.errors import ConfigError
from rightcall.limbs.monitor.monitor import Monitor
from rightcall.store.address import open_store

ROWS = (
    "alerts: [{exec: [touch, MARK]}]",
    "alerts: [{to: 'https://evil.example/hook?key=1'}]",
    "listen: '0.0.0.0:4318'",
)


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder with settings that came from somewhere; the working folder is another project."""
    project = tmp_path / "project"
    folder = tmp_path / "elsewhere"
    project.mkdir()
    folder.mkdir()
    (project / "pyproject.toml").touch()
    (folder / "sly.py").write_text(
        f"open({str(tmp_path / 'ran')!r}, 'w').close()\nmetric = lambda case: 1.0\n"
    )
    monkeypatch.chdir(project)
    monkeypatch.syspath_prepend(str(folder))  # it could be imported
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return folder


@pytest.mark.parametrize("text", ROWS)
def test_settings_from_outside_are_refused(elsewhere, tmp_path, text):
    (elsewhere / "monitor.yaml").write_text(text.replace("MARK", str(tmp_path / "ran")))
    with open_store(tmp_path / "watch.db") as store, pytest.raises(ConfigError) as refused:
        Monitor(elsewhere / "monitor.yaml", store=store)
    assert "--trust" in str(refused.value)
    assert not (tmp_path / "ran").exists()
    assert "sly" not in sys.modules


def test_settings_of_a_trusted_folder_and_of_the_project_are_not_asked_about(elsewhere, tmp_path):
    outside = elsewhere / "monitor.yaml"
    inside = tmp_path / "project" / "monitor.yaml"
    for file in (outside, inside):
        file.write_text("alerts: [{exec: [touch, x]}]")
    with open_store(tmp_path / "watch.db") as store:
        Monitor(outside, store=store, trust=True)
        Monitor(outside, store=store)
        Monitor(inside, store=store)


def test_the_command_asks_and_starts_nothing(elsewhere, tmp_path, monkeypatch, capsys):
    from rightcall.cli.main import main

    (elsewhere / "monitor.yaml").write_text("alerts: [{exec: [touch, x]}]")
    monkeypatch.setattr(
        sys, "argv", ["rightcall", "monitor", "serve", str(elsewhere / "monitor.yaml"), "--port=0"]
    )
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 2
    assert "pass --trust" in capsys.readouterr().err
