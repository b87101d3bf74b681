"""`rightcall metrics`: list and explain metrics."""

from __future__ import annotations

import click

from rightcall.cli.command_options import CommandGroup
from rightcall.cli.output import console, print_json
from rightcall.core.options import JsonOption


@click.group(cls=CommandGroup)
def metrics() -> None:
    """List and explain metrics."""


@metrics.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List all metrics."""
    from rich.table import Table
    from rich.text import Text

    from rightcall.metrics.resolve import metric_notes, metric_pages

    pages = metric_pages()
    if as_json:
        print_json([{"name": p.name, "summary": p.summary, "measured": p.measured} for p in pages])
        return
    out, table = console(), Table.grid(padding=(0, 2, 0, 0))
    width = max(len(page.name) for page in pages)
    for page in pages:
        mark = "" if page.measured == "always" else f"({page.measured})"
        name, summary = Text(page.name.ljust(width), "bold"), Text.assemble(f"{page.summary} ", (mark, "dim"))
        if out.is_terminal:
            table.add_row(name, summary)
        else:
            out.print(Text("  ").join((name, summary)))
    if out.is_terminal:
        out.print(table)
    for note in metric_notes():
        out.say("note: {}", note)
    out.say("\n[dim]next:[/dim]\n  rightcall metrics show parameter_accuracy")


@metrics.command()
@click.argument("name")
def show(name: str, as_json: JsonOption = False) -> None:
    """Explain a metric: what it measures, why it matters, a failing and a passing example."""
    from rightcall.metrics.resolve import metric_page

    page = metric_page(name)
    if as_json:
        print_json(page)
        return
    out = console()
    out.say("[bold]{}[/bold]  {}\n", page.name, page.summary)
    if page.explanation:
        out.print(f"{page.explanation}\n")
    for label, text in page.example.items():
        out.say("[dim]{}:[/dim] ", label, end="")
        out.print(text, soft_wrap=True)
    if page.settings:
        out.say("[dim]settings:[/dim] {}", ", ".join(f"{k}={v}" for k, v in page.settings.items()))
