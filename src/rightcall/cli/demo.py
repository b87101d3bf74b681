"""`rightcall demo`: how a dangerous mistake is found, shown, fixed and measured again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import click

from rightcall.cli.command_options import DeclaredCommand
from rightcall.cli.output import console, print_json, tell
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.seam import load

EMBEDDED = "local:smollm2"


@click.command(cls=DeclaredCommand)
def demo(
    model: Annotated[
        str | None,
        Option(f"Ask this model instead of replaying the recorded answers; {EMBEDDED} is the one recorded"),
    ] = None,
    folder: Annotated[Path, Option("Folder for the files of the demo", metavar="DIRECTORY")] = Path(
        "rightcall-demo"
    ),
    monitor: Annotated[
        bool, Option("Instead replay an hour of live traffic with a planted drift, and show what is detected")
    ] = False,
    store_url: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Find a dangerous mistake an agent makes, see it happen, fix it, and measure again.

    A support agent confuses two tools: one pauses accounts, the other erases them. The answers are recordings of
    SmolLM2-135M, a real but small model, so that the demo needs no API key, no download and no network. With --model
    a model is asked instead, and may answer differently. The exit code is 0 whatever the verdicts are.
    """
    from rightcall.cli.demo_story import Story

    if monitor:
        load("services", "monitor_demo")(store_url, as_json=as_json)
        return
    if model == EMBEDDED:
        _get_weights()
    story = Story(folder, model, store_url, as_json=as_json)
    story.write_files()
    if as_json:
        print_json(story.document())
    else:
        story.tell(console())


def _get_weights() -> None:
    """Download the weights of the embedded model if they are missing."""
    from rightcall.models.weights import model_path, pull_model

    if not model_path("smollm2").is_file():
        tell("downloading the weights of SmolLM2-135M (98 MB, once) …", err=True)
        pull_model("smollm2")
