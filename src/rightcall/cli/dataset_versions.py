"""`rightcall dataset push|pull|list|diff|split`: versions and splits of datasets."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from rightcall.cli.command_options import (
    FILE,
    OUTPUT,
    OUTPUT_BY_SUFFIX,
    DeclaredCommand,
    GroupedOption,
    file_argument,
)
from rightcall.cli.output import console, print_json
from rightcall.core.errors import InputError
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.text import pluralize
from rightcall.store.address import open_store


@click.command(cls=DeclaredCommand)
@file_argument
@click.argument("alias")
def push(
    file: Path,
    alias: str,
    draft: Annotated[bool, Option("Store as a draft, which the next push replaces")] = False,
    author: Annotated[str | None, Option("Author of the version [default: user name]")] = None,
    store_url: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Store the goldens of FILE as the next version of dataset ALIAS. Versions never change, except drafts."""
    from rightcall.datasets.goldens import load_goldens
    from rightcall.store.base import user_name

    goldens = load_goldens(file)
    with open_store(store_url) as opened:
        version = opened.datasets.push(alias, goldens, finalized=not draft, author=author or user_name())
    if as_json:
        print_json(version)
        return
    kind = "version" if version.finalized else "draft"
    out = console()
    out.print(f"{pluralize(version.goldens, 'golden')} stored as {kind} {version.version} of {alias}")
    again = "" if version.finalized else " --draft"
    out.print(f"next:\n  rightcall dataset pull {alias} -o goldens.jsonl{again}")


@click.command(cls=DeclaredCommand)
@click.argument("alias")
def pull(
    alias: str,
    output: Annotated[Path, Option(OUTPUT_BY_SUFFIX, flags=OUTPUT, writes="document")],
    number: Annotated[
        int | None, Option("Version to write [default: newest final version]", flags=("--version",), ge=1)
    ] = None,
    draft: Annotated[bool, Option("Write the draft, if there is one")] = False,
    store_url: StoreOption = None,
) -> None:
    """Write a version of dataset ALIAS to a file. Drafts require --draft."""
    from rightcall.datasets.goldens import save_goldens

    with open_store(store_url, must_exist=True) as opened:
        version = opened.datasets.get(alias, number, finalized=not draft)
        if not version.finalized and not draft:
            problem = f"version {version.version} is a draft"
            raise InputError(f"dataset {alias}", problem, "pass --draft to use it")
        save_goldens(opened.datasets.pull(alias, version.version, finalized=not draft), output)
    console().print(
        f"{pluralize(version.goldens, 'golden')} of {alias} version {version.version} written to {output}"
    )


@click.command("list", cls=DeclaredCommand)
@click.argument("alias", default="")
def list_versions(alias: str, store_url: StoreOption = None, as_json: JsonOption = False) -> None:
    """List the versions of dataset ALIAS, or of all datasets."""
    from rightcall.show.screen import print_columns

    with open_store(store_url, must_exist=True) as opened:
        versions = opened.datasets.versions(alias)
    if as_json:
        print_json(versions)
        return
    if not versions:
        console().print("no datasets yet; store one with `rightcall dataset push FILE ALIAS`")
        return
    rows = []
    for version in versions:
        number = f"{version.version}{'' if version.finalized else ' (draft)'}"
        when = version.created_at[:19]
        prints = version.fingerprint[:12]
        rows.append((version.alias, number, f"{version.goldens:,}", version.author, when, prints))
    titles = ("dataset", "version", "goldens", "by", "when", "fingerprint")
    print_columns(console(), titles, rows, texts=("dataset", "by"))


@click.command(cls=DeclaredCommand)
@click.argument("alias")
@click.argument("old", type=click.IntRange(1))
@click.argument("new", type=click.IntRange(1))
def diff(alias: str, old: int, new: int, store_url: StoreOption = None, as_json: JsonOption = False) -> None:
    """Show what changed in dataset ALIAS between two versions: + added, - removed, ~ changed."""
    with open_store(store_url, must_exist=True) as opened:
        difference = opened.datasets.diff(alias, old, new)
    if as_json:
        print_json(difference)
        return
    out = console()
    for mark, ids in (("+", difference.added), ("-", difference.removed), ("~", difference.changed)):
        for golden_id in ids:
            out.print(f"{mark} {golden_id}", soft_wrap=True)
    out.print(
        f"{len(difference.added):,} added, {len(difference.removed):,} removed, {len(difference.changed):,} changed"
    )


@click.command(cls=DeclaredCommand)
@file_argument
@click.option(
    *OUTPUT,
    nargs=2,
    type=FILE,
    required=True,
    help="The two output files",
    cls=GroupedOption,
    writes="document",
)
def split(
    file: Path,
    output: tuple[Path, Path],
    share: Annotated[float, Option("Share of goldens in the first file", gt=0, lt=1)] = 0.8,
    seed: Annotated[int, Option("Random seed")] = 0,
) -> None:
    """Split FILE randomly in two, keeping goldens of one cluster together."""
    from rightcall.datasets.dataset import split_goldens
    from rightcall.datasets.goldens import load_goldens, save_goldens

    parts = split_goldens(list(load_goldens(file)), share, seed=seed)
    for part, path in zip(parts, output, strict=True):
        save_goldens(part, path)
        console().print(f"{pluralize(len(part), 'golden')} written to {path}")


COMMANDS = (push, pull, list_versions, diff, split)
