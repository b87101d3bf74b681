"""`rightcall comment`: post a check on its pull request."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import click

from rightcall.cli.command_options import DeclaredCommand
from rightcall.cli.output import tell
from rightcall.core.options import Option
from rightcall.files.checked_read import require_file


@click.command(cls=DeclaredCommand)
def comment(
    file: Annotated[Path, Option("File with the comment")] = Path("check.md"),
    pull_request: Annotated[
        int | None, Option("Number of the pull request [default: the workflow run's]", ge=1)
    ] = None,
) -> None:
    """Create the comment on a pull request, or replace an earlier one (recognized by its first line).

    Reads GITHUB_TOKEN, GITHUB_REPOSITORY and GITHUB_API_URL, as a GitHub workflow sets them.
    """
    from rightcall.show.github import PullRequest

    text = require_file(file).read_text("utf-8")
    address = PullRequest.from_environment(os.environ, pull_request).put_comment(text)
    tell(f"commented: {address}" if address else "commented")
