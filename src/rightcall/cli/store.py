"""`rightcall store`: bring a store to this version, copy one into another."""

from __future__ import annotations

import sys

import click
import msgspec

from rightcall.cli.output import print_json_line, tell


@click.group()
def store() -> None:
    """Migrate a store, or copy it between SQLite and PostgreSQL."""


@store.command()
@click.option(
    "--store", "url", metavar="URL", help="A file or a PostgreSQL URL; by default .rightcall/rightcall.db."
)
@click.option("--json", "as_json", is_flag=True, help="Say it as JSON.")
def migrate(url: str | None, as_json: bool) -> None:
    """Bring a store to this version of RightCall; SQLite keeps a backup beside it.

    Every command does this by itself when it opens an older store.
    """
    from rightcall.store import open_store
    from rightcall.store.sql import HEAD

    with open_store(url, must_exist=True) as opened:
        before = opened.migrated_from
    if as_json:
        print_json_line({"store": opened.name, "from": before, "to": HEAD})
    elif before == HEAD:
        tell(f"{opened.name} has version {HEAD}, the newest this RightCall knows")
    elif before is None:
        tell(f"{opened.name} was empty and now has version {HEAD}")
    else:
        tell(f"{opened.name} was migrated from version {before} to {HEAD}")


@store.command()
@click.argument("source")
@click.argument("target")
@click.option("--json", "as_json", is_flag=True, help="Say it as JSON.")
def copy(source: str, target: str, as_json: bool) -> None:
    """Copy runs, results, notes, tags and datasets from the SOURCE store into the TARGET store.

    Both are a file or a PostgreSQL URL. What the target has stays as it is; an interrupted copy can be
    started again.
    """
    from rightcall.store import open_store
    from rightcall.store.sql import copy_store

    with open_store(source, must_exist=True) as old, open_store(target) as new:
        copied = copy_store(old, new, progress=_told if sys.stderr.isatty() else None)
        if as_json:
            print_json_line(msgspec.structs.asdict(copied))
        else:
            tell(
                f"copied {copied.runs:,} runs, {copied.results:,} results and {copied.datasets:,} dataset "
                f"versions to {new.name}\nnext: rightcall runs list --store {new.name}"
            )


def _told(run_id: str) -> None:
    tell(f"copying {run_id!r}", err=True)
