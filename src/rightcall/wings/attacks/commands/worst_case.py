"""`rightcall attacks worst-case`: a hijacked agent, replayed through the guards."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import click

from rightcall.cli.command_options import GroupedCommand, takes_options
from rightcall.cli.output import as_object, console, print_json_line, print_next, tell
from rightcall.core.options import CI, JsonOption, Option, TrustOption

if TYPE_CHECKING:
    from rightcall.wings.attacks.worst_case.outcome import WorstCaseResult


@dataclass(frozen=True, kw_only=True)
class WorstCaseOptions:
    """The options of `rightcall attacks worst-case`."""

    guard: Annotated[
        str | None,
        Option("Policy: auto, strict, none or a file", metavar="POLICY", default="the suite's, or auto"),
    ] = None
    threat: Annotated[
        Literal["text", "record"] | None,
        Option(
            "What the attacker writes: text in a record, or the fields of a record",
            default="the gate's, or text",
        ),
    ] = None
    tools: Annotated[Path | None, Option("Tool definitions of a dataset", values="file")] = None
    trajectories: Annotated[
        Path | None, Option("The user's calls and their results from recordings", values="file")
    ] = None
    certificate: Annotated[
        bool, Option("Search every chain of calls for one that does harm, on labels instead of values")
    ] = False
    depth: Annotated[int, Option("Longest chain of the certificate", ge=1, le=6)] = 4
    output: Annotated[
        Path | None,
        Option("Output file for counterexamples, as goldens", flags=("-o", "--output"), values="file"),
    ] = None
    max_false_stops: Annotated[
        float | None,
        Option(
            "Fail if a larger share of the user's calls is stopped",
            group=CI,
            ge=0,
            le=1,
            default="the gate's, or 1",
        ),
    ] = None
    every: Annotated[bool, Option("Show every stop and every goal", flags=("--all",))] = False
    as_json: JsonOption = False
    trust: TrustOption = False


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
