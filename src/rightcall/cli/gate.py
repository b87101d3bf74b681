"""`rightcall gate`: decide about a stored run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from rightcall.cli.output import FiniteRange, as_json_option, console, print_json

if TYPE_CHECKING:
    from rightcall.gate import About


@click.command()
@click.argument("run", default="last")
@click.option("--suite", type=click.Path(path_type=Path), help="Take the gate of this suite.")
@click.option("--min", "least", type=FiniteRange(0, 1, min_open=True), help="The pass rate to reach.")
@click.option("--target", type=FiniteRange(0, 1, min_open=True), help="The pass rate one hopes for.")
@click.option("--alpha", type=FiniteRange(0, 0.5, min_open=True), help="The risk of a wrong verdict.")
@click.option(
    "--rule",
    type=click.Choice(["interval", "point"]),
    help="Decide by confidence bounds, or compare the bare rate and claim nothing. [default: interval]",
)
@click.option(
    "--about",
    type=click.Choice(["cases_like_these", "these_goldens"]),
    help="What the rate is claimed of: cases of which the goldens are a sample, or the goldens alone. "
    "[default: cases_like_these]",
)
@click.option(
    "--baseline",
    help="Earlier results that this run must not fall behind: a run, last~1, a tag, a git "
    "branch, or a file of exported results.",
)
@click.option("--margin", type=FiniteRange(0, 1, max_open=True), help="By how much it may fall behind.")
@click.option(
    "--anyway", is_flag=True, help="Compare with the baseline even if metrics differ or goldens were edited."
)
@click.option("--forbid", multiple=True, help="A failure code of which one is too many; may be repeated.")
@click.option("--store", "store_url", help="Where results are kept.")
@as_json_option
def gate(
    run: str,
    suite: Path | None,
    least: float | None,
    target: float | None,
    alpha: float | None,
    rule: Literal["interval", "point"] | None,
    about: About | None,
    baseline: str | None,
    margin: float | None,
    anyway: bool,
    forbid: tuple[str, ...],
    store_url: str | None,
    as_json: bool,
) -> None:
    """PASS, FAIL or INCONCLUSIVE for RUN (an id, a prefix, last, a tag or a branch), with stated error rates.

    Exit codes: 0 PASS, 1 FAIL, 3 INCONCLUSIVE, 4 too many errors to say.
    """
    from rightcall import api

    if not baseline and not suite and (margin is not None or anyway):
        raise click.UsageError("--margin and --anyway need --baseline, or a suite whose gate has one")
    if not suite and not baseline and not forbid and least is None:
        raise click.UsageError(
            "say what is asked for: --min 0.9, --baseline RUN, --forbid CODE or --suite FILE"
        )
    verdict = api.gate(
        run,
        suite=suite,
        min=least,
        target=target,
        alpha=alpha,
        rule=rule,
        about=about,
        baseline=baseline,
        margin=margin,
        anyway=anyway,
        forbid=forbid,
        store=store_url,
    )
    if as_json:
        print_json(verdict)
    else:
        out = console()
        out.print(verdict.sentence, soft_wrap=True)
        for check in verdict.checks if len(verdict.checks) > 1 else ():
            out.print(f"  {check.word:<13} {check.sentence}", soft_wrap=True)
        if verdict.hint:
            out.print(verdict.hint, style="dim", soft_wrap=True)
    raise click.exceptions.Exit(verdict.exit_code)
