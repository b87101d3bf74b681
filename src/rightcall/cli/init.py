"""`rightcall init`: the suite of an agent that exists, or a working example."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import click

from rightcall.cli.command_options import DeclaredCommand
from rightcall.cli.demo_suites import FOLDER
from rightcall.cli.output import console, print_next
from rightcall.core.errors import InputError
from rightcall.core.options import Option
from rightcall.core.text import pluralize
from rightcall.files.atomic import reason, write_file
from rightcall.files.python_object import is_object_name

FILES = ("suite.yaml", "tools.json", "goldens.jsonl")
SCHEMA_LINE = "# yaml-language-server: $schema=suite.schema.json"


@click.command(cls=DeclaredCommand)
@click.argument("words", nargs=-1, metavar="[MODULE:OBJECT] [FOLDER]")
def init(
    words: tuple[str, ...],
    model: Annotated[str, Option("Model of the example suite")] = "keyword:",
    force: Annotated[bool, Option("Overwrite existing files")] = False,
) -> None:
    """Write a suite to FOLDER: for the agent MODULE:OBJECT, with draft goldens for its tools, or a working example.

    The agent is imported, and asked nothing. A draft is run when somebody has looked at it.
    """
    agent = words[0] if words and is_object_name(words[0]) else ""
    folders = words[1:] if agent else words
    if len(folders) > 1:
        raise click.UsageError("name one FOLDER")
    folder = Path(folders[0] if folders else ".")
    if agent:
        _write_draft(agent, folder, force)
    else:
        _write_example(folder, model, force=force)


def _write_draft(name: str, folder: Path, force: bool) -> None:
    """The suite of an agent, and drafts for its tools."""
    from rightcall.datasets.goldens import save_goldens
    from rightcall.run.suite_draft import draft_suite

    draft = draft_suite(name)
    _make_folder(folder, ("suite.yaml", "goldens.jsonl"), force=force)
    agent = "".join(f"  {line}\n" for line in draft.agent_lines)
    head = f"{SCHEMA_LINE}\nname: {json.dumps(name.partition(':')[2], ensure_ascii=False)}\n"
    suite_file = folder / "suite.yaml"
    goldens = folder / "goldens.jsonl"
    write_file(suite_file, f"{head}dataset: goldens.jsonl\nagent:\n{agent}".encode())
    write_file(folder / "suite.schema.json", _schema())
    save_goldens(draft.goldens, goldens)
    out = console()
    out.print(f"{draft.summary}; wrote {suite_file} and {pluralize(len(draft.goldens), 'draft')} to {goldens}",
              soft_wrap=True)  # fmt: skip
    for key in draft.missing:
        out.print(f"write a function that returns its {key}, and name it in {suite_file}", soft_wrap=True)
    steps = [f"generate review {shlex.quote(str(goldens))}   # write the requests",
             f"run {shlex.quote(str(suite_file))}"]  # fmt: skip
    print_next(*(f"rightcall {step}" for step in steps))


def _make_folder(folder: Path, names: Iterable[str], *, force: bool) -> None:
    """A folder without these files. One that is made here is the user's own: it is trusted."""
    from rightcall.run.trust import is_trusted, trust_folder

    new = not folder.exists()
    there = [name for name in names if (folder / name).exists()]
    if there and not force:
        hint = "pass --force to overwrite, or choose another folder"
        raise InputError(str(folder), f"already has {', '.join(there)}", hint)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot create folder: {reason(error)}"
        raise InputError(str(folder), problem, "choose another folder") from None
    if new and not is_trusted(folder):
        trust_folder(folder)


def _schema() -> bytes:
    from rightcall.run.suite_schema import suite_schema

    return (json.dumps(suite_schema(), indent=2) + "\n").encode()


def _write_example(folder: Path, model: str, *, force: bool) -> None:
    from rightcall.providers.hosts import split_address

    split_address(model)
    _make_folder(folder, FILES, force=force)
    suite = (FOLDER / "suite.yaml").read_text(encoding="utf-8")
    mine = {"name: demo": folder.resolve().name, "model: local:smollm2": model}
    for line, value in mine.items():
        key = line.partition(":")[0]
        # A JSON string is a YAML string; an unquoted `keyword:` is not.
        suite = suite.replace(line, f"{key}: {json.dumps(value, ensure_ascii=False)}", 1)
    contents = {name: (FOLDER / name).read_bytes() for name in FILES}
    contents |= {"suite.yaml": suite.encode(), "suite.schema.json": _schema()}
    for name, data in contents.items():
        write_file(folder / name, data)
    out = console()
    files = ", ".join(FILES)
    out.print(f"wrote {files} and suite.schema.json (for editors) to {folder}", soft_wrap=True)
    suite_file, goldens, tools = (
        shlex.quote(str(folder / name)) for name in ("suite.yaml", "goldens.jsonl", "tools.json")
    )
    steps = [f"rightcall run {suite_file}", f"rightcall dataset check {goldens} --tools {tools}"]
    if model == "keyword:":
        what = "its model is keyword:, which only compares words and passes half of the goldens"
        out.print(f"{what}: a baseline to compare your own model with", soft_wrap=True)
        another = f"rightcall run {suite_file} --model openai:gpt-5-mini   # others: rightcall list models"
        steps.insert(1, another)
    print_next(*steps)
