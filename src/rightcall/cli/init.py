"""`rightcall init`: create a working example suite."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Annotated

import click

from rightcall.cli.command_options import DeclaredCommand
from rightcall.cli.demo_suites import FOLDER
from rightcall.cli.output import console, print_next
from rightcall.core.errors import InputError
from rightcall.core.options import BaseUrlOption, Option
from rightcall.files.atomic import reason, write_file

FILES = ("suite.yaml", "tools.json", "goldens.jsonl")


@click.command(cls=DeclaredCommand)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), default=".")
def init(
    folder: Path,
    model: Annotated[str, Option("Model of the suite")] = "keyword:",
    base_url: BaseUrlOption = None,
    force: Annotated[bool, Option("Overwrite existing files")] = False,
) -> None:
    """Create a working example suite in FOLDER: suite.yaml, tools.json and goldens.jsonl."""
    from rightcall.models.http import check_url
    from rightcall.run.suite_schema import suite_schema

    there = [name for name in FILES if (folder / name).exists()]
    if there and not force:
        hint = "pass --force to overwrite, or choose another folder"
        raise InputError(str(folder), f"already has {', '.join(there)}", hint)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        problem = f"cannot create folder: {reason(error)}"
        raise InputError(str(folder), problem, "choose another folder") from None
    suite = (FOLDER / "suite.yaml").read_text(encoding="utf-8")
    server = {"model": f"\n  base_url: {json.dumps(check_url(base_url))}"} if base_url else {}
    mine = {"name: demo": folder.resolve().name, "model: local:smollm2": model}
    for line, value in mine.items():
        key = line.partition(":")[0]
        # A JSON string is a YAML string; an unquoted `keyword:` is not.
        suite = suite.replace(line, f"{key}: {json.dumps(value, ensure_ascii=False)}{server.pop(key, '')}", 1)
    schema = json.dumps(suite_schema(), indent=2) + "\n"
    contents = {name: (FOLDER / name).read_bytes() for name in FILES}
    contents |= {"suite.yaml": suite.encode(), "suite.schema.json": schema.encode()}
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
        another = f"rightcall run {suite_file} --model openai:gpt-5-mini   # others: rightcall providers list"
        steps.insert(1, another)
    print_next(*steps)
