"""`rightcall store`: migrate and copy stores."""

from __future__ import annotations

import sys

import click
import msgspec

from rightcall.cli.command_options import CommandGroup
from rightcall.cli.output import print_json_line, tell
from rightcall.core.options import JsonOption, StoreOption
from rightcall.core.text import pluralize
from rightcall.store.address import open_store


@click.group(cls=CommandGroup)
def store() -> None:
    """Migrate a store, or copy it between SQLite and PostgreSQL."""


@store.command()
def migrate(store_url: StoreOption = None, as_json: JsonOption = False) -> None:
    """Upgrade a store to this version of RightCall; SQLite stores are backed up first.

    Every command does this automatically when it opens an older store.
    """
    from rightcall.store.sql.schema import HEAD

    with open_store(store_url, must_exist=True) as opened:
        before = opened.migrated_from
    if as_json:
        print_json_line({"store": opened.name, "from": before, "to": HEAD})
    elif before == HEAD:
        tell(f"{opened.name} is up to date (version {HEAD})")
    elif before is None:
        tell(f"created {opened.name} at version {HEAD}")
    else:
        tell(f"migrated {opened.name} from version {before} to {HEAD}")


@store.command()
@click.argument("source")
@click.argument("target")
def copy(source: str, target: str, as_json: JsonOption = False) -> None:
    """Copy runs, results, notes, tags and datasets from the SOURCE store into the TARGET store.

    Both are a file or a PostgreSQL URL. Existing data in the target is kept; an interrupted copy can be
    repeated.
    """
    from rightcall.store.sql.copy import copy_store

    def show(run_id: str) -> None:
        tell(f"copying {run_id!r}", err=True)

    with open_store(source, must_exist=True) as old, open_store(target) as new:
        copied = copy_store(old, new, progress=show if sys.stderr.isatty() else None)
        if as_json:
            print_json_line(msgspec.structs.asdict(copied))
        else:
            tell(
                f"copied {pluralize(copied.runs, 'run')}, {pluralize(copied.results, 'result')} and "
                f"{pluralize(copied.datasets, 'dataset version')} to {new.name}\n"
                f"next: rightcall runs list --store {new.name}"
            )
