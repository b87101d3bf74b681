"""`rightcall gate`: decide whether a stored run passes, and how many goldens that takes."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from rightcall.cli.command_options import DeclaredCommand, run_argument, takes_options
from rightcall.cli.output import console, print_json, print_next, step_counter, store_argument
from rightcall.decide.options import GateCommandOptions, GateOptions


@click.command(cls=DeclaredCommand)
@run_argument
@takes_options(GateCommandOptions)
def gate(run: str, options: GateCommandOptions) -> None:
    """Decide whether RUN passes, with a stated error rate; other rules are those of --suite.

    RUN is an id or a prefix of one, `last`, `last~1`, a tag or a git branch [default: last].

    Exit codes: 0 PASS, 1 FAIL, 3 INCONCLUSIVE, 4 too many errors to decide.
    """
    if options.plan:
        _plan(options)
        return
    from rightcall.api.decisions import gate as gate_run

    is_compared = options.baseline or options.suite
    if not is_compared and (options.margin is not None or options.anyway):
        raise click.UsageError(
            "--margin and --anyway require --baseline or a suite whose gate has a baseline"
        )
    if not is_compared and not options.forbid and options.min is None:
        raise click.UsageError(
            "nothing to decide; pass --min RATE, --baseline RUN, --forbid CODE or --suite FILE"
        )
    verdict = gate_run(run, **{field.name: getattr(options, field.name) for field in fields(GateOptions)})
    if options.as_json:
        print_json(verdict)
    else:
        from rightcall.show.run_screen import print_gate

        print_gate(console(), verdict)
        if verdict.word == "FAIL":
            print_next(f"rightcall analyze {run}{store_argument(options.store)}")
    raise click.exceptions.Exit(verdict.exit_code)


def _plan(options: GateCommandOptions) -> None:
    """Print how many goldens the gate needs: that of the suite, or `--min` alone."""
    from rightcall.api.decisions import sample_size
    from rightcall.core.text import percent

    question = _suite_plan(Path(options.suite)) if options.suite is not None else {}
    question |= {name: rate for name in ("min", "target") if (rate := getattr(options, name)) is not None}
    if not {"min", "target"} <= question.keys():
        raise click.UsageError("--plan requires --min RATE and --target RATE, or a suite whose gate has both")
    with step_counter("simulating", "run", quiet=options.as_json) as watch:
        size = sample_size(**question, watch=watch)
    if options.as_json:
        print_json(size)
        return
    out = console()
    out.print(size.sentence, soft_wrap=True)
    if size.evalue_goldens is not None:
        text = "[dim]with stop: evalue, on average: {:,.0f} goldens; {} of runs pass[/dim]"
        out.say(text, size.evalue_goldens, percent(size.evalue_pass or 0.0))


def _suite_plan(file: Path) -> dict[str, Any]:
    """What a suite says about the number of its goldens."""
    from rightcall.decide.config import Gate
    from rightcall.run.suite import load_suite, suite_gate

    suite = load_suite(file)
    gate = suite_gate(suite, f"{file}: gate") or Gate()
    rates = {name: rate for name in ("min", "target") if (rate := getattr(gate, name)) is not None}
    how = {"alpha": gate.alpha, "about": gate.about, "trials": suite.trials}
    return {**rates, **how, "dataset": file.parent / suite.dataset}
