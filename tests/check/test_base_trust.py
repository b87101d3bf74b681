"""`check --base-ref`: nothing of the other commit runs that the user did not allow."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rightcall.cli.main import main
from tests.support.selection import nightly_but

pytestmark = pytest.mark.stories

SUITE = (
    "name: shop\ndataset: goldens.jsonl\ntools: tools.json\nagent: {model: '%s', system: '%s'}\ngate: {}\n"
)
CONTROL = "check: {control: 12}\n"
TOOLS = [{"name": "find_order", "description": "Find an order.", "input_schema": {"type": "object"}}]


def git(*words: str) -> None:
    who = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run(["git", *who, *words], check=True, capture_output=True)


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a suite that runs no code, and a run of it on main."""
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    lines = [
        {"id": f"g{i}", "input": f"find order {i}", "expected_calls": [{"tool": "find_order"}]}
        for i in range(12)
    ]
    (folder / "goldens.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    (folder / "tools.json").write_text(json.dumps(TOOLS))
    (folder / "suite.yaml").write_text(SUITE % ("keyword:", "Be good."))
    (folder / ".gitignore").write_text(".rightcall/\n")
    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "shop")
    rightcall("run", "suite.yaml", "--trials", "3")
    return folder


def rightcall(*words: str) -> int:
    with pytest.raises(SystemExit) as ended, pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["rightcall", *words])
        main()
    return int(ended.value.code or 0)


def evil_branch(shop: Path, **files: str) -> Path:
    """A branch with these files, which are gone from the working copy; what they leave when they run."""
    mark = shop.parent / "ran"
    git("switch", "-qc", "other")
    for name, text in files.items():
        (shop / name.replace("__", ".")).write_text(text.replace("MARK", str(mark)))
    git("add", "-A")
    git("commit", "-qm", "other")
    git("switch", "-q", "main")
    (shop / "suite.yaml").write_text(SUITE % ("keyword:", "Be very good.") + CONTROL)
    return mark


PROGRAM = SUITE % ("exec:touch MARK", "x")
CODE = {
    "suite__yaml": SUITE % ("agent:run", "x"),
    "agent__py": "open('MARK', 'w')\nrun = lambda golden: 'hi'\n",
}


@pytest.mark.parametrize("files", [{"suite__yaml": PROGRAM}, CODE], ids=["exec", "import"])
def test_the_suite_of_another_commit_asks_for_trust(shop, capsys, files):
    mark = evil_branch(shop, **files)
    assert rightcall("check", "suite.yaml", "--base-ref", "other") == 2
    problem = capsys.readouterr().err
    assert "is not one that this work descends from" in problem and "pass --trust" in problem
    assert not mark.exists()
    assert rightcall("check", "suite.yaml", "--base-ref", "other", "--plan") == 0
    assert not mark.exists()
    rightcall("check", "suite.yaml", "--base-ref", "other", "--trust")
    assert mark.exists()
    mark.unlink()
    assert (
        rightcall("check", "suite.yaml", "--base-ref", "other", "--again") != 2
    )  # the commit is trusted now
    assert mark.exists()


def test_code_elsewhere_in_the_commit_asks_for_trust(shop, capsys):
    """The suite is in a folder of its own and the module at the top, where only the commit's own process finds it."""
    (shop / "sub").mkdir()
    for name in ("goldens.jsonl", "tools.json", "suite.yaml"):
        (shop / name).rename(shop / "sub" / name)
    git("add", "-A")
    git("commit", "-qm", "sub")
    mark = evil_branch(shop, **{"sub/suite__yaml": CODE["suite__yaml"], "hidden__py": CODE["agent__py"]})
    git("switch", "-q", "-f", "other")
    (shop / "sub" / "suite.yaml").write_text(SUITE % ("hidden:run", "x"))
    git("commit", "-qam", "hidden")
    git("switch", "-q", "main")
    assert rightcall("check", "sub/suite.yaml", "--base-ref", "other") == 2
    assert "pass --trust" in capsys.readouterr().err
    assert not mark.exists()


@pytest.mark.parametrize(
    "path", nightly_but(("", "{shop}"), ["", ".", ":", "{shop}"]), ids=["none", "here", "empty", "whole"]
)
def test_no_file_of_another_commit_replaces_an_installed_module(shop, monkeypatch, path, capsys):
    monkeypatch.setenv("PYTHONPATH", path.format(shop=shop))
    evil = "open('MARK', 'w')\n"
    names = ("msgspec", "sitecustomize", "rightcall", "click", "uvloop", "tiktoken", "numpy", "json")
    mark = evil_branch(shop, **{f"{name}__py": evil for name in names})
    assert rightcall("check", "suite.yaml", "--base-ref", "other", "--trust", "--json") == 0
    assert not any("could not be run" in note for note in json.loads(capsys.readouterr().out)["notes"])
    assert not mark.exists()


def test_a_plugin_of_another_commit_is_not_loaded(shop, capsys):
    """A folder `x.dist-info` in a commit looks like an installed package with a metric."""
    (shop / "x-1.dist-info").mkdir()
    (shop / "x-1.dist-info" / "keep").touch()
    plugin = {
        "x-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: x\nVersion: 1\n",
        "x-1.dist-info/entry_points__txt": "[rightcall.metrics]\nsly = plugin:metric\n",
        "plugin__py": "open('MARK', 'w')\nmetric = None\n",
        "suite__yaml": SUITE % ("keyword:", "x") + "metrics: [sly]\n",
    }
    mark = evil_branch(shop, **plugin)
    rightcall("check", "suite.yaml", "--base-ref", "other", "--trust", "--json")
    assert any("unknown metric 'sly'" in note for note in json.loads(capsys.readouterr().out)["notes"])
    assert not mark.exists()


def test_modules_of_the_project_are_those_of_the_commit(shop, monkeypatch, capsys):
    monkeypatch.setenv("PYTHONPATH", "lib")
    monkeypatch.syspath_prepend("lib")
    (shop / "lib").mkdir()
    (shop / "lib" / "agent.py").write_text(
        f"open({str(shop.parent / 'ran')!r}, 'w')\nrun = lambda golden: 'hi'\n"
    )
    (shop / "suite.yaml").write_text(SUITE % ("agent:run", "x"))
    git("add", "-A")
    git("commit", "-qm", "code")
    (shop / "lib" / "agent.py").unlink()
    (shop / "suite.yaml").write_text(SUITE % ("keyword:", "x") + CONTROL)
    rightcall("check", "suite.yaml", "--base-ref", "main", "--trust")
    assert (shop.parent / "ran").exists()


def test_the_base_version_runs_with_the_packages_that_are_installed_in_the_working_tree(tmp_path):
    from rightcall.check.base_version import BaseVersion

    (tmp_path / "web" / "node_modules" / "left-pad").mkdir(parents=True)
    (tmp_path / "web" / "package.json").write_text("{}")
    (tmp_path / "suite.yaml").write_text("dataset: g.jsonl\n")
    (tmp_path / ".gitignore").write_text("node_modules/\n")
    for words in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "s"],
    ):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    place = tmp_path / "base"
    place.mkdir()
    folder, _ = BaseVersion.of(tmp_path / "suite.yaml", "HEAD").unpack(place)
    assert (folder / "web" / "node_modules" / "left-pad").is_dir()
