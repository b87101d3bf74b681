"""`rightcall providers`: which models can be asked, and whether this machine can ask them."""

from __future__ import annotations

import asyncio

import click

from rightcall.errors import ConfigError, suggestion
from rightcall.model.codec import encode, to_plain
from rightcall.providers.prices import built_in_prices
from rightcall.providers.resolve import SHELVES, check, provider_names


@click.group()
def providers() -> None:
    """Models that agents can be tested with."""


@providers.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def list_command(as_json: bool) -> None:
    """Every kind of provider and how it is named."""
    for shelf in SHELVES:
        if as_json:
            click.echo(encode({**to_plain(shelf), "built_in": True}))
        else:
            click.echo(f"{shelf.usage:<34} {shelf.about}")
    for name in provider_names()[len(SHELVES) :]:
        shown = encode({"prefix": name, "usage": f"{name}:…", "built_in": False}) if as_json else f"{name}:…"
        click.echo(shown)
    if not as_json:
        click.echo("\nMore of one with: rightcall providers show openai:gpt-5-mini", err=True)


@providers.command("show")
@click.argument("name")
@click.option("--base-url", help="The server to ask, if not the vendor's own.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show_command(name: str, base_url: str | None, as_json: bool) -> None:
    """What a provider is and needs; with a model (openai:gpt-5-mini), also whether it can be asked."""
    prefix, _, model = name.partition(":")
    shelf = next((shelf for shelf in SHELVES if shelf.prefix == prefix), None)
    if shelf is None and prefix not in provider_names():
        known = provider_names()
        raise ConfigError(f"unknown provider '{prefix}'; {suggestion(prefix, known) or ', '.join(known)}")
    family = f"{prefix.removesuffix('-responses')}:"
    prices = {n: to_plain(p) for n, p in built_in_prices().models.items() if n.startswith(family)}
    problems = asyncio.run(check(name, base_url=base_url)) if model or prefix == "keyword" else None
    about = to_plain(shelf) if shelf else {"prefix": prefix}
    if as_json:
        dated = {"date": built_in_prices().date, "models": prices} if prices else None
        click.echo(encode({**about, "prices": dated, "problems": problems}))
        return
    for field in ("usage", "about", "needs"):
        if about.get(field):
            click.echo(f"{field:<7} {about[field]}")
    for priced, price in prices.items():
        click.echo(
            f"price   {priced:<34} ${price['input']:g} in, ${price['output']:g} out per million tokens"
        )
    for problem in problems or []:
        click.echo(f"problem {problem}")
    if problems == []:
        click.echo("ready   nothing found that would keep it from answering")
