"""`rightcall gate`: decide whether a stored run passes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from rightcall.cli.options import (
    ABOUT,
    ABOUT_HELP,
    FILE,
    RATE,
    alpha_option,
    cluster_option,
    json_option,
    margin_option,
    run_argument,
    store_option,
)
from rightcall.cli.output import console, print_json

if TYPE_CHECKING:
    from rightcall.decide.config import About, ClusterMode


@click.command()
@run_argument
@click.option("--suite", type=FILE, help="Use the gate of this suite")
@click.option("--min", "least", type=RATE, help="Required pass rate")
@click.option("--target", type=RATE, help="Expected pass rate")
@alpha_option()
@click.option(
    "--rule",
    type=click.Choice(["interval", "point"]),
    help="Decide by confidence bounds, or by the observed rate alone [default: interval]",
)
@click.option(
    "--about",
    type=click.Choice(ABOUT),
    help=f"{ABOUT_HELP} [default: cases_like_these]",
)
@cluster_option()
@click.option(
    "--baseline",
    help="Earlier results to compare with: a run, `last~1`, a tag, a git branch or a file of exported results",
)
@margin_option()
@click.option("--anyway", is_flag=True, help="Compare even if metrics differ or goldens were edited")
@click.option("--forbid", multiple=True, help="Fail if this failure code occurs (repeatable)")
@click.option("--include-unreviewed", is_flag=True, help="Also decide by unreviewed goldens")
@store_option
@json_option
def gate(
    run: str,
    suite: Path | None,
    least: float | None,
    target: float | None,
    alpha: float | None,
    rule: Literal["interval", "point"] | None,
    about: About | None,
    cluster: ClusterMode | None,
    baseline: str | None,
    margin: float | None,
    anyway: bool,
    forbid: tuple[str, ...],
    include_unreviewed: bool,
    store_url: str | None,
    as_json: bool,
) -> None:
    """Decide whether RUN passes, with a stated error rate.

    RUN is an id or a prefix of one, `last`, `last~1`, a tag or a git branch [default: last].

    Exit codes: 0 PASS, 1 FAIL, 3 INCONCLUSIVE, 4 too many errors to decide.
    """
    from rightcall.api.decisions import gate as gate_run

    if not baseline and not suite and (margin is not None or anyway):
        raise click.UsageError(
            "--margin and --anyway require --baseline or a suite whose gate has a baseline"
        )
    if not suite and not baseline and not forbid and least is None:
        raise click.UsageError(
            "nothing to decide; pass --min RATE, --baseline RUN, --forbid CODE or --suite FILE"
        )
    verdict = gate_run(
        run,
        suite=suite,
        min=least,
        target=target,
        alpha=alpha,
        rule=rule,
        about=about,
        cluster=cluster,
        baseline=baseline,
        margin=margin,
        anyway=anyway,
        forbid=forbid,
        include_unreviewed=include_unreviewed,
        store=store_url,
    )
    if as_json:
        print_json(verdict)
    else:
        out = console()
        out.print(verdict.sentence, soft_wrap=True)
        for check in verdict.checks if len(verdict.checks) > 1 else ():
            out.print(f"  {check.word:<13} {check.sentence}", soft_wrap=True)
        for note in verdict.notes:
            out.print(note, style="yellow", soft_wrap=True)
        if verdict.hint:
            out.print(verdict.hint, style="dim", soft_wrap=True)
    raise click.exceptions.Exit(verdict.exit_code)
