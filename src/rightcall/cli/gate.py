"""`rightcall gate`: decide about a stored run."""

from __future__ import annotations

from pathlib import Path

import click

from rightcall.cli.output import FiniteRange, as_json_option, console, print_json


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
    rule: str | None,
    about: str | None,
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
    from rightcall.gate import read_gate
    from rightcall.store import open_store
    from rightcall.suite import gate_run, load_suite

    loaded = load_suite(suite) if suite else None
    mapping = dict(loaded.gate) if loaded else {}
    given = {
        "min": least,
        "target": target,
        "alpha": alpha,
        "rule": rule,
        "about": about,
        "forbid": list(forbid) or None,
    }
    mapping |= {key: value for key, value in given.items() if value is not None}
    against = {"run": baseline, "margin": margin, "anyway": anyway or None}
    against = {key: value for key, value in against.items() if value is not None}
    if against and not baseline and "baseline" not in mapping:
        raise click.UsageError("--margin and --anyway need --baseline, or a suite whose gate has one")
    if against:
        known = mapping.get("baseline")
        mapping["baseline"] = {**(known if isinstance(known, dict) else {}), **against}
    if not mapping.keys() - {"target", "alpha", "rule", "about"}:
        raise click.UsageError(
            "say what is asked for: --min 0.9, --baseline RUN, --forbid CODE or --suite FILE"
        )
    quarantine = frozenset(loaded.quarantine) if loaded else frozenset[str]()
    with open_store(store_url, must_exist=True) as store:
        verdict = gate_run(store, run, read_gate(mapping), quarantine)
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
