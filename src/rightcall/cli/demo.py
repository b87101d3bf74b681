"""`rightcall demo`: the bundled suite on a small local model."""

from __future__ import annotations

import click

from rightcall.cli.options import store_option
from rightcall.cli.output import console, tell
from rightcall.errors import RightCallError


@click.command()
@click.option("--model", default="local:smollm2", show_default=True, help="Model to run the suite on")
@store_option
def demo(model: str, store_url: str | None) -> None:
    """Run 24 goldens about weather, files and accounts on a small local model, and explain the results.

    Needs no API key, and a network only to download the model once. The model is small and makes mistakes;
    finding them is the point. The exit code is 0 regardless of the result.
    """
    from rightcall.cli.run import command_line, execute
    from rightcall.demo import FOLDER
    from rightcall.suite import load_suite, plan_suite

    out = console()
    if model == "local:smollm2" and not _weights_ready():
        out.say("[dim]to run the suite without a model:[/dim]\n  rightcall demo --model keyword:")
        raise click.exceptions.Exit(4)
    plan = plan_suite(load_suite(FOLDER / "suite.yaml"), FOLDER, model=model)
    out.say("[dim]asking {} 24 questions; some need no tool …[/dim]", model)
    again = command_line(FOLDER / "suite.yaml", {"--model": model, "--store": store_url})
    outcome = execute(plan, store_url, resume=None, as_json=False, failures=24, again=again)
    _write_report(outcome.run.id, store_url)
    out.say("  rightcall init my-suite        [dim]# the same suite as files to edit[/dim]")
    if model != "keyword:":
        out.say("  rightcall demo --model keyword:   [dim]# what keyword matching alone would pass[/dim]")


def _write_report(run: str, store_url: str | None) -> None:
    """Write report.html if the packages for it are installed."""
    from pathlib import Path

    from rightcall.errors import MissingExtraError
    from rightcall.files import atomic_write
    from rightcall.report import writer_of
    from rightcall.store import open_store

    try:
        with open_store(store_url) as store, atomic_write(Path("report.html")) as page:
            writer_of("html")(store, run, page)
    except MissingExtraError:
        tell('  pip install "rightcall[web]"      # for report.html and the dashboard')
    else:
        tell("  open report.html               # every case with its transcript")
        tell("  rightcall view                 # the dashboard")


def _weights_ready() -> bool:
    """Whether the weights are present; downloads them if needed and reports a failure."""
    from rightcall.providers import model_path, pull_model

    if model_path("smollm2").is_file():
        return True
    tell("downloading the weights of SmolLM2-135M (98 MB, once) …", err=True)
    try:
        pull_model("smollm2")
    except RightCallError as error:
        tell(f"error: cannot download the weights of smollm2: {error}", err=True)
        return False
    return True
