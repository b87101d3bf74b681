"""`rightcall comment`: post a check on its pull request."""

from __future__ import annotations

import os
from pathlib import Path

import click

from rightcall.cli.output import tell


@click.command()
@click.option(
    "--file",
    type=click.Path(path_type=Path),
    default=Path("check.md"),
    show_default=True,
    help="File with the comment",
)
@click.option(
    "--pull-request", type=click.IntRange(1), help="Number of the pull request [default: the workflow run's]"
)
def comment(file: Path, pull_request: int | None) -> None:
    """Create the comment on a pull request, or replace an earlier one (recognized by its first line).

    Reads GITHUB_TOKEN, GITHUB_REPOSITORY and GITHUB_API_URL, as a GitHub workflow sets them.
    """
    from rightcall.files.checked_read import require_file
    from rightcall.show.pull_request import PullRequest

    text = require_file(file).read_text("utf-8")
    address = PullRequest.from_environment(os.environ, pull_request).put_comment(text)
    tell(f"commented: {address}" if address else "commented")
