"""Every way to read a file of the project is seen, and nothing else is an input."""

from __future__ import annotations

import importlib.resources
import importlib.util
import json
import multiprocessing
import os
import py_compile
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import numpy
import pytest

from rightcall.files.opened_files import FileWatch
from rightcall.files.project_files import ABSENT, PACKAGE, ProjectFiles
from rightcall.files.python_sources import source_facts, variables_named_by
from rightcall.tools.idempotency.key_location import sqlite_store


@pytest.fixture
def project(tmp_path):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "a.json").write_text("[1]")
    (tmp_path / "folder").mkdir()
    return ProjectFiles.of(tmp_path / "folder")


def in_thread(action):
    thread = threading.Thread(target=action)
    thread.start()
    thread.join()


def read_json(path):
    with path.open() as file:
        json.load(file)


READS = {
    "open": lambda path: path.open().close(),
    "json.load": read_json,
    "read_text": lambda path: path.read_text(),
    "read_bytes": lambda path: path.read_bytes(),
    "os.open": lambda path: os.close(os.open(path, os.O_RDONLY)),
    "update": lambda path: path.open("r+").close(),
    "numpy": lambda path: numpy.fromfile(str(path), "u1"),
    "resources": lambda path: (importlib.resources.files("json"), path.read_text()),
    "sqlite": lambda path: sqlite3.connect(path).close(),
    "thread": lambda path: in_thread(path.read_bytes),
    "relative name": lambda path: Path(os.path.relpath(path)).read_text(encoding="utf-8"),
}


@pytest.mark.parametrize("way", READS)
def test_a_file_that_is_read_is_seen_with_its_content(way, project):
    path = project.root / "a.json"
    with FileWatch(project) as watch:
        READS[way](path)
    assert watch.hashes() == {"a.json": project.hash("a.json")}


def write(path, mode):
    with path.open(mode) as file:
        file.write("[2]")


def append_and_read(path):
    write(path, "a")
    path.read_text()


def connect_by_address(path):
    sqlite3.connect(f"file:{str(path).replace('a.json', '%61.json')}?mode=ro", uri=True).close()


def run_cached(path):
    """Python compares the source's time and size with those in `__pycache__`, and reads only what is there."""
    spec = importlib.util.spec_from_file_location("plugin", path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))


SIDEWAYS = {
    "percent-encoded address": (connect_by_address, "a.json"),
    "compiled in __pycache__": (run_cached, "plugin.py"),
    "compiled without a source": (lambda path: path.read_bytes(), "plugin.pyc"),
    "in a folder called build": (lambda path: path.read_bytes(), "build/prompt.md"),
    "in a folder called .cache": (lambda path: path.read_bytes(), ".cache/prompt.md"),
}


@pytest.mark.parametrize("way", SIDEWAYS)
def test_a_file_that_is_read_sideways_is_seen_as_it_was(way, project):
    read, name = SIDEWAYS[way]
    path = project.path(name)
    path.parent.mkdir(exist_ok=True)
    if name != "a.json":
        path.write_text("tool = 1\n")
    if name.endswith(".py"):
        py_compile.compile(str(path))
    before = project.hash(name)
    with FileWatch(project) as watch:
        read(path)
    assert watch.hashes() == {name: before}


def forked():
    if not (child := os.fork()):
        os._exit(0)
    os.waitpid(child, 0)


def spawned():
    process = multiprocessing.get_context("spawn").Process(target=print)
    process.start()
    process.join()


UNSEEN = {"forks": forked, "starts processes": spawned}


@pytest.mark.parametrize("action", UNSEEN)
def test_processes_of_its_own_are_told(action, project):
    with FileWatch(project) as watch:
        UNSEEN[action]()
    assert any(action in words for words in watch.unseen_actions())


def test_a_library_in_c_that_the_project_itself_calls_is_told(project):
    code = compile("import ctypes; ctypes.CDLL(None)", str(project.root / "agent.py"), "exec")
    with FileWatch(project) as watch:
        exec(code, {})
    assert any("library" in words for words in watch.unseen_actions())


def test_a_started_program_is_kept_with_its_folder_unless_it_only_names_the_machine(project):
    with FileWatch(project) as watch:
        subprocess.run(["true", "x"], cwd=project.root, check=True)
        subprocess.run(["uname", "-p"], capture_output=True, check=True)
    assert [*watch.programs] == [(("true", "x"), str(project.root))]


NO_INPUTS = {
    "appended": lambda root: write(root / "a.json", "a"),
    "created": lambda root: (write(root / "new.txt", "w"), (root / "new.txt").read_text()),
    "outside": lambda root: Path(json.__file__).read_text(encoding="utf-8"),
    "generated": lambda root: [
        (root / name).mkdir() or write(root / name / "x", "w")
        for name in ("__pycache__", ".rightcall", "node_modules")
    ],
}


@pytest.mark.parametrize("way", NO_INPUTS)
def test_what_a_program_makes_itself_or_finds_elsewhere_is_no_input(way, project):
    with FileWatch(project) as watch:
        NO_INPUTS[way](project.root)
    assert watch.hashes() == {}


def test_a_missing_file_is_seen_as_missing_and_a_folder_by_its_names(project):
    with FileWatch(project) as watch:
        with pytest.raises(FileNotFoundError):
            (project.root / "b.json").read_text()
        list((project.root / "folder").iterdir())
    assert watch.hashes() == {"b.json": ABSENT, "folder/": project.hash("folder/")}
    (project.root / "folder" / "x.md").write_text("")
    assert watch.hashes()["folder/"] != project.hash("folder/")


def rewrite_with_sqlite(path):
    path.unlink()
    with sqlite3.connect(path) as database:
        database.execute("create table t (x)")


CHANGES = {
    "written": lambda path: write(path, "w"),
    "appended": append_and_read,
    "database": rewrite_with_sqlite,
}


@pytest.mark.parametrize("way", CHANGES)
def test_a_file_that_the_program_reads_and_changes_is_its_product_and_no_input(way, project):
    path = project.root / "a.json"
    with FileWatch(project) as watch:
        path.read_text()
        CHANGES[way](path)
    assert (watch.hashes(), watch.products(), watch.edits()) == ({}, {"a.json"}, [])


def test_a_file_that_is_written_with_the_content_that_it_had_is_an_input(project):
    path = project.root / "a.json"
    with FileWatch(project) as watch:
        path.write_text(path.read_text())
    assert (watch.hashes(), watch.products()) == ({"a.json": project.hash("a.json")}, set())


def test_a_file_that_somebody_else_edits_meanwhile_is_told(project):
    with FileWatch(project) as watch:
        (project.root / "a.json").read_text()
    write(project.root / "a.json", "w")
    assert watch.edits() == ["a.json"]


def test_nothing_is_seen_before_and_after(project):
    watch = FileWatch(project)
    (project.root / "a.json").read_text()
    with watch:
        pass
    (project.root / "a.json").read_text()
    assert watch.hashes() == {}


def test_a_link_is_its_name_and_the_content_behind_it(project, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "real.md"
    elsewhere.write_text("one")
    (project.root / "link.md").symlink_to(elsewhere)
    with FileWatch(project) as watch:
        (project.root / "link.md").read_text()
    assert [*watch.hashes()] == ["link.md"]
    elsewhere.write_text("two")
    assert watch.hashes()["link.md"] != project.hash("link.md")


def test_a_read_that_cannot_be_noted_makes_the_agent_unknown(project, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError

    with FileWatch(project) as watch:
        monkeypatch.setattr(watch, "note_file", broken)
        (project.root / "a.json").read_text()
    assert watch.unseen_actions() == ["what the agent read could not be noted (RuntimeError)"]


def test_the_file_of_idempotency_keys_is_no_input(project):
    with FileWatch(project) as watch:
        store = sqlite_store(project.root / "results.keys.db")
        assert store.state("key") == "absent"
    store.close()
    assert watch.hashes() == {}


ROOMS = {
    "agents": True,
    "limbs/adapters": True,
    "tools": True,
    "store": False,
    "recording": False,
    "show": False,
}


@pytest.mark.parametrize(("room", "seen"), ROOMS.items())
def test_what_the_rooms_that_call_agents_and_tools_open_is_opened_for_the_agent(room, seen, project):
    assert Path(PACKAGE, room).is_dir()
    code = compile("open(path).close()", str(Path(PACKAGE, room, "module.py")), "exec")
    with FileWatch(project) as watch:
        exec(code, {"path": project.root / "a.json"})
    assert ("a.json" in watch.read) is seen


def test_importing_rightcall_adds_no_audit_hook():
    code = (
        "import sys; heard = []; real = sys.addaudithook\n"
        "sys.addaudithook = lambda hook: heard.append(hook)\n"
        "import rightcall, rightcall.cli.main\n"
        "from rightcall.run.suite_plan import plan_suite; assert heard == [], heard"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


VARIABLES = {
    "import os; os.environ['SHOP_B']": {"SHOP_B"},
    "import os; os.environ.get('SHOP_B', 'x')": {"SHOP_B"},
    "from os import getenv; getenv('SHOP_B')": {"SHOP_B"},
    "import os\nNAME = 'SHOP_B'\nos.environ[NAME]": {"SHOP_B"},
    "import os\nif 'SHOP_B' in os.environ: pass": {"SHOP_B"},
    "import os; dict(os.environ).get('SHOP_' + x)": {"SHOP_B", "SHOP_CITY"},
    "import os; os.environ[f'SHOP_{x}']": {"SHOP_B", "SHOP_CITY"},
    "from os import environ as e; e.get('SHOP_' + x)": {"SHOP_B", "SHOP_CITY"},
    "from os import getenv as g; g(x + '_CITY')": {"SHOP_CITY"},
    "import os; os.path.expandvars(x + '_CITY')": {"SHOP_CITY"},
    "from pydantic_settings import BaseSettings\nclass S(BaseSettings):\n    city: str": {"SHOP_CITY"},
    "import os; os.getenv('PATH'), os.getenv('GITHUB_SHA')": set(),
    "a == b[c]": set(),
}


@pytest.mark.parametrize("text", VARIABLES)
def test_what_a_source_says_about_its_variables(text, tmp_path):
    (tmp_path / "a.py").write_text(text)
    environment = dict.fromkeys(("SHOP_B", "SHOP_CITY", "PATH", "GITHUB_SHA", "OTHER"), "x")
    assert variables_named_by([tmp_path / "a.py"], environment) == VARIABLES[text]


def test_a_variable_that_a_data_file_names_is_seen(tmp_path):
    (tmp_path / "shop.cfg").write_text("url = ${SHOP_URL}")
    assert variables_named_by([tmp_path / "shop.cfg"], {"SHOP_URL": "x", "SHOP": "y"}) == {"SHOP_URL"}


READING = {
    "open('prompt.md')": True,
    "from pathlib import Path as P; P('a').read_text()": True,
    "from json import load as l": True,
    "import subprocess as s; s.run(words)": True,
    "this is not Python at all": True,
    "import asyncio; asyncio.run(main())": False,
}


@pytest.mark.parametrize("text", READING)
def test_a_source_that_may_read_a_file_when_it_is_imported_says_so(text, tmp_path):
    (tmp_path / "a.py").write_text(text)
    assert source_facts(tmp_path / "a.py").reads_files is READING[text]
