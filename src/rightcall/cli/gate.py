"""`rightcall gate`: decide whether a stored run passes."""

from __future__ import annotations

import click

from rightcall.cli.command_options import DeclaredCommand, run_argument, takes_options
from rightcall.cli.output import console, print_json
from rightcall.decide.options import GateOptions


@click.command(cls=DeclaredCommand)
@run_argument
@takes_options(GateOptions)
def gate(run: str, options: GateOptions) -> None:
    """Decide whether RUN passes, with a stated error rate.

    RUN is an id or a prefix of one, `last`, `last~1`, a tag or a git branch [default: last].

    Exit codes: 0 PASS, 1 FAIL, 3 INCONCLUSIVE, 4 too many errors to decide.
    """
    from rightcall.api.decisions import gate as gate_run
    from rightcall.show.view.floor import floor_line

    is_compared = options.baseline or options.suite
    if not is_compared and (options.margin is not None or options.anyway):
        raise click.UsageError(
            "--margin and --anyway require --baseline or a suite whose gate has a baseline"
        )
    if not is_compared and not options.forbid and options.min is None and options.above_floor is None:
        raise click.UsageError(
            "nothing to decide; pass --min RATE, --above-floor POINTS, --baseline RUN, --forbid CODE or --suite FILE"
        )
    typed = dict(vars(options))
    as_json = typed.pop("as_json")
    verdict = gate_run(run, **typed)
    if as_json:
        print_json(verdict)
    else:
        out = console()
        out.print(verdict.sentence, soft_wrap=True)
        for check in verdict.checks if len(verdict.checks) > 1 else ():
            out.print(f"  {check.word:<13} {check.sentence}", soft_wrap=True)
        if verdict.floor is not None:
            out.print(floor_line(verdict.rate, verdict.floor), soft_wrap=True)
        for note in verdict.notes:
            out.print(note, style="yellow", soft_wrap=True)
        if verdict.hint:
            out.print(verdict.hint, style="dim", soft_wrap=True)
    raise click.exceptions.Exit(verdict.exit_code)
