"""`rightcall record`: look after recordings."""

from __future__ import annotations

from pathlib import Path

import click

from rightcall.cli.output import tell


@click.group()
def record() -> None:
    """Manage recorded model answers."""


@record.command()
@click.argument("suite", type=click.Path(path_type=Path))
@click.option("--dry-run", is_flag=True, help="Show what would be removed.")
def prune(suite: Path, dry_run: bool) -> None:
    """Remove recordings that no golden of SUITE uses."""
    from rightcall.datasets import load_goldens
    from rightcall.providers import Recordings, RecordSettings
    from rightcall.suite import load_suite, recordings_folder

    loaded = load_suite(suite)
    kept = Recordings(RecordSettings("replay"), recordings_folder(loaded, suite.parent))
    unused = kept.unused(golden.id for golden in load_goldens(suite.parent / loaded.dataset))
    for path in unused:
        tell(f"{'would remove' if dry_run else 'removed'} {path}")
        if not dry_run:
            path.unlink()
    if not unused:
        tell("nothing to remove")
