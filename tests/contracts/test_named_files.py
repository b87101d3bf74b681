"""A file that a user named is not lost: every option that names one to write says whether it may be replaced."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rightcall.cli.command_options import GroupedOption
from rightcall.cli.main import cli
from tests.contracts.test_size import leaves

PRECIOUS = '{"id": "a", "input": "by hand"}\n'
READ = frozenset(
    (
        "add",
        "anchor",
        "calls",
        "config",
        "goldens",
        "into",
        "other",
        "recordings",
        "suite",
        "tools",
        "trajectories",
    )
)
ADDED_TO = {"save_baseline", "folder", "target"}
"""Baselines, goldens and folders to which a command adds; what is there and of another kind is an error."""


def path_options() -> Iterator[tuple[str, GroupedOption]]:
    for words, command in leaves(cli):
        for option in command.params:
            is_file = isinstance(option.type, click.Path) or "-o" in option.opts
            if isinstance(option, GroupedOption) and (is_file or option.writes or writes_a_file(option)):
                yield " ".join(words), option


def writes_a_file(option: click.Option) -> bool:
    return (
        not option.is_flag
        and re.match("Write |.*[Oo]utput file|File (for|of)", option.help or "") is not None
    )


def options_that_write(kind: str) -> list[tuple[str, str]]:
    return [(words, option.opts[0]) for words, option in path_options() if option.writes == kind]


def typed(words: str, option: str, *files: Path) -> list[str]:
    """The command with this option, and something for all that it requires."""
    command = next(command for name, command in leaves(cli) if " ".join(name) == words)
    needed = ["x" for parameter in command.params if isinstance(parameter, click.Argument)]
    more = [
        word
        for other in command.params
        if isinstance(other, click.Option) and other.required and option not in other.opts
        for word in (other.opts[0], "x")
    ]
    return [*words.split(), *needed, *more, option, *map(str, files)]


def test_every_option_of_a_path_says_what_becomes_of_the_file():
    unknown = [
        (words, option.opts)
        for words, option in path_options()
        if not option.writes and option.name not in READ | ADDED_TO
    ]
    assert unknown == [], "declare it with writes=, or add it to READ"


@pytest.mark.parametrize(("words", "option"), options_that_write("document"))
def test_a_document_is_never_replaced(words, option, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = [tmp_path / "goldens.jsonl", tmp_path / "others.jsonl"][: 2 if words == "dataset split" else 1]
    for file in files:
        file.write_text(PRECIOUS)
    done = CliRunner().invoke(cli, typed(words, option, *files))
    assert "already exists" in str(done.exception), (done.output, done.exception)
    assert [file.read_text() for file in files] == [PRECIOUS] * len(files)


@pytest.mark.parametrize(("words", "option"), options_that_write("report"))
@pytest.mark.parametrize(
    "name", ["goldens.jsonl", "tools.json", "suite.yaml", "README.md", "index.html", "notes.txt"]
)
def test_a_report_replaces_only_reports(words, option, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(PRECIOUS)
    done = CliRunner().invoke(cli, typed(words, option, tmp_path / name))
    assert "already exists" in str(done.exception), (done.output, done.exception)
    assert (tmp_path / name).read_text() == PRECIOUS


def test_a_report_never_replaces_what_the_command_reads(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.json").write_text('[{"name": "rightcall", "input_schema": {}}]')
    done = CliRunner().invoke(cli, ["lint", "tools.json", "-o", "./tools.json"])
    assert "is read by the same command" in str(done.exception)


def test_a_report_is_made_again(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.json").write_text('[{"name": "find", "input_schema": {"type": "object"}}]')
    for name in ("lint.json", "lint.sarif", "baseline.json"):
        form = name.partition(".")[2]
        words = ["--write-baseline", name] if name == "baseline.json" else ["-o", name]
        for _ in range(2):
            done = CliRunner().invoke(cli, ["lint", "tools.json", "--format", form, *words])
            assert done.exit_code in (0, 1) and (tmp_path / name).is_file(), done.output


@pytest.mark.parametrize("words", sorted({words for words, option in path_options() if option.writes}))
def test_a_dash_is_stdout_and_never_a_file(words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = [option for name, option in path_options() if name == words and option.writes]
    for option in options:
        CliRunner().invoke(cli, typed(words, option.opts[0], Path("-")))
        assert not (tmp_path / "-").exists()
