"""`rightcall runs report`: a run as an HTML page, Markdown, JUnit XML or JSON."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, cast

import click
from click.core import ParameterSource

from rightcall.cli.command_options import (
    OUTPUT,
    OUTPUT_BY_SUFFIX,
    DeclaredCommand,
    PluginChoice,
    run_argument,
)
from rightcall.cli.output import in_actions, print_commands, tell
from rightcall.core.options import Option, StoreOption
from rightcall.core.own_output import OWN
from rightcall.core.text import percent
from rightcall.files.atomic import MARKDOWN_MARK, atomic_write
from rightcall.show.formats import FORMATS, format_of, writer_of
from rightcall.show.lines import InertOutput
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.show.view.run import RunView
    from rightcall.store.sql.store import Store


@click.command(cls=DeclaredCommand)
@run_argument
@click.option(
    "--format",
    "kind",
    type=PluginChoice("report_formats", FORMATS),
    help="Output format; overrides the suffix",
)
def report(
    run: str,
    kind: str | None,
    output: Annotated[
        Path | None,
        Option(OUTPUT_BY_SUFFIX, flags=OUTPUT, default="report.html for HTML, else stdout", writes="report"),
    ] = None,
    store_url: StoreOption = None,
) -> None:
    """Write a report of RUN (an id, a prefix of one, or `last`).

    Without -o, HTML is written to report.html and other formats to stdout. In GitHub Actions, a step summary and
    annotations are written too.
    """
    form = kind or (format_of(output) if output else "html")
    source = click.get_current_context().get_parameter_source("output")
    prints = form != "html" or source == ParameterSource.COMMANDLINE  # `-o -`
    path = output or (None if prints else Path("report.html"))
    with open_store(store_url, must_exist=True) as store:
        run_id = store.runs.get(run).id
        view = _write(store, run_id, form, path)
        if in_actions(os.environ):
            from rightcall.show.github import publish

            print_commands(publish(store, run_id, os.environ), err=path is None)
    if path is not None:
        _say(view, path, form)


def _write(store: Store, run: str, kind: str, path: Path | None) -> RunView | None:
    write = writer_of(kind)
    if path is None:
        return write(store, run, cast(BinaryIO, InertOutput(OWN.stdout.buffer, as_json=kind == "json")))
    with atomic_write(path) as out:
        if kind == "markdown":
            out.write(MARKDOWN_MARK + b":report -->\n")
        return write(store, run, out)


def _say(view: RunView | None, path: Path, kind: str) -> None:
    from rightcall.show.text import count

    if view is None:  # a format of an installed package
        tell(f"wrote {path}")
        return
    total = view.summary.total
    size = path.stat().st_size
    rate = "nothing"
    if total.pass_rate is not None:
        rate = percent(total.pass_rate, 1) + (f" (range {total.range})" if total.range else "")
    tell(f"wrote {path} ({size / 1e6:,.2f} MB): {rate} of {count(total.cases)} cases passed")
    if kind == "html":
        tell(path.resolve().as_uri())
    else:
        tell(f"next: rightcall runs report {view.run.id} -o report.html")
