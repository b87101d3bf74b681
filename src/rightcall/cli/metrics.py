"""`rightcall metrics`: what is measured."""

from __future__ import annotations

import click

from rightcall.cli.output import as_json_option, console, print_json


@click.group()
def metrics() -> None:
    """What is measured, with examples."""


@metrics.command("list")
@as_json_option
def list_(as_json: bool) -> None:
    """All metrics and what each measures."""
    from rightcall.metrics.catalog import metric_pages

    pages = metric_pages()
    if as_json:
        print_json([{"name": p.name, "summary": p.summary, "measured": p.measured} for p in pages])
        return
    width = max(len(page.name) for page in pages)
    for page in pages:
        mark = "" if page.measured == "always" else "  [dim](on request)[/dim]"
        console().print(f"[bold]{page.name:<{width}}[/bold]  {page.summary}{mark}")
    console().print("\n[dim]next:[/dim]\n  rightcall metrics show parameter_accuracy")


@metrics.command()
@click.argument("name")
@as_json_option
def show(name: str, as_json: bool) -> None:
    """One metric: what it measures, why it matters, an example that fails and the same example mended."""
    from rightcall.metrics.catalog import metric_page

    page = metric_page(name)
    if as_json:
        print_json(page)
        return
    out = console()
    out.print(f"[bold]{page.name}[/bold]  {page.summary}\n\n{page.explanation}\n")
    for label, text in page.example.items():
        out.print(f"[dim]{label}:[/dim] ", end="")
        out.print(text, markup=False, highlight=False, soft_wrap=True)
    if page.settings:
        out.print("\n[dim]settings:[/dim] " + ", ".join(f"{k}={v}" for k, v in page.settings.items()))
