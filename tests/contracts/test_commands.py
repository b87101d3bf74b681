"""Every command is in the menu, every option has a help text, and the reference pages list all of them."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

import click
import pytest

import rightcall
import rightcall.cli
from rightcall.cli.main import MENU, cli
from rightcall.core.seam import BUILT_IN
from rightcall.tools.definitions.behaviour import Behaviour, BehaviourOptions

ROOT = Path(__file__).parents[2]
NAMES = [name for section in MENU.values() for name in section]


def commands(command: click.Command, context: click.Context) -> Iterator[tuple[str, click.Command]]:
    """A command and those below it, each with what a user types."""
    yield context.command_path, command
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands(inner, click.Context(inner, context, info_name=name))


EVERY = dict(commands(cli, click.Context(cli, info_name="rightcall")))


def test_the_menu_lists_the_files_that_hold_a_command():
    found = []
    for module in iter_modules(rightcall.cli.__path__):
        value = getattr(import_module(f"rightcall.cli.{module.name}"), module.name, None)
        if isinstance(value, click.Command):
            found.append(module.name)
    assert sorted([*found, *BUILT_IN["commands"]]) == sorted(NAMES), "add its summary to MENU in cli/main.py"


@pytest.mark.parametrize("path", EVERY)
def test_every_option_has_a_help_text(path):
    options = [one for one in EVERY[path].params if isinstance(one, click.Option) and not one.hidden]
    assert [one.name for one in options if not one.help] == []


@pytest.mark.parametrize("path", EVERY)
def test_help_texts_are_phrases_without_a_full_stop(path):
    helps = [one.help or "" for one in EVERY[path].params if isinstance(one, click.Option)]
    assert [text for text in helps if text.endswith(".") or ". [" in text or "repeated" in text] == []


@pytest.mark.parametrize("path", EVERY)
def test_every_command_says_what_it_does(path):
    assert (EVERY[path].help or "").strip()


def test_the_reference_pages_are_up_to_date(tmp_path):
    """They list every option, suite key and code, and every public function with its signature."""
    subprocess.run([sys.executable, ROOT / "docs" / "make_reference.py", tmp_path], check=True)
    for name in ("commands.md", "suite.md", "codes.md", "library.md"):
        made = (tmp_path / name).read_text("utf-8")
        kept = (ROOT / "docs" / name).read_text("utf-8")
        assert made == kept, "run: python docs/make_reference.py"


def function_of(name: str) -> Any:
    return getattr(rightcall, name)


@pytest.mark.parametrize("name", [name for name in rightcall.__all__ if inspect.isroutine(function_of(name))])
def test_every_public_function_is_explained_and_has_named_parameters(name):
    function = function_of(name)
    assert function.__doc__
    for parameter in inspect.signature(function).parameters.values():
        assert parameter.annotation is not parameter.empty, parameter
        assert parameter.kind is not parameter.VAR_KEYWORD or parameter.annotation != "Any", parameter


def test_the_keywords_of_a_tool_are_the_fields_of_its_behaviour():
    assert BehaviourOptions.__annotations__.keys() == set(Behaviour.__struct_fields__)
