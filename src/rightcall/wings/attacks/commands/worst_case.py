"""`rightcall attacks worst-case`: a hijacked agent, replayed through the guards."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from rightcall.cli.command_options import GroupedCommand, takes_options
from rightcall.cli.output import as_object, console, print_json_line, print_next, tell
from rightcall.wings.attacks.worst_case.options import WorstCaseOptions

if TYPE_CHECKING:
    from rightcall.wings.attacks.worst_case.outcome import WorstCaseResult


@click.command("worst-case", cls=GroupedCommand)
@click.argument("source")
@takes_options(WorstCaseOptions)
def worst_case(source: str, options: WorstCaseOptions) -> None:
    """Replay the goldens of SOURCE, a suite or a dataset, as a hijacked agent would: no model is asked.

    For each golden, its expected calls run on the worlds and mocks of the suite, with the attacker's text in everything
    external that they read. After each of them the attacker's calls are tried. Shown are the attacker's calls that
    the guards stop, and the user's own that they stop too.

    Exit codes: 0 every attacker call was stopped, 1 one was not or too many calls of the user were, 2 bad input,
    3 nothing to replay.
    """
    from rightcall.core.event_loop import run_blocking
    from rightcall.wings.attacks.worst_case.run import run_worst_case

    result = run_blocking(run_worst_case(source, options))
    if options.as_json:
        for row in result.rows:
            if row.who == "attacker" or row.sink:
                print_json_line(row)
        print_json_line({"worst_case": as_object(result.summary)})
    else:
        _show(result, source, options)
    if result.summary.inconclusive:
        raise click.exceptions.Exit(3)
    if not result.passes(1.0 if options.max_false_stops is None else options.max_false_stops):
        raise click.exceptions.Exit(1)


def _show(result: WorstCaseResult, source: str, options: WorstCaseOptions) -> None:
    from rightcall.wings.attacks.worst_case.text import print_worst_case

    print_worst_case(console(), result, every=options.every)
    if options.output is not None:
        tell(f"wrote {len(result.summary.unguarded)} counterexamples to {options.output}")
    elif result.summary.unguarded:
        print_next(
            f"rightcall attacks worst-case {shlex.quote(source)} --guard auto",
            f"rightcall attacks guard {shlex.quote(source)} -o guard.yaml",
        )
