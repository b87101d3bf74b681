"""`rightcall test`: goldens as tests, run by pytest with good defaults."""

from __future__ import annotations

import click

from rightcall.cli.output import FiniteRange
from rightcall.errors import ConfigError, MissingExtraError

USAGE_ERROR, NOTHING_COLLECTED, INTERNAL_ERROR, INTERRUPTED = 4, 5, 3, 2


@click.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": True})
@click.argument("paths", nargs=-1, type=click.UNPROCESSED)
@click.option("--trials", type=click.IntRange(1), help="How often each golden is tried.")
@click.option("--min", "least", type=FiniteRange(0, 1, min_open=True),
              help="Pass when at least this share of goldens passes, instead of all.")  # fmt: skip
@click.option("--rule", type=click.Choice(["point", "interval"]),
              help="Decide --min by the rate itself, or only beyond chance.")  # fmt: skip
@click.option("--store", help="Where results are kept; .rightcall/rightcall.db unless said.")
@click.option("--concurrency", type=click.IntRange(1), help="The most cases at once.")
def test(
    paths: tuple[str, ...],
    trials: int | None,
    least: float | None,
    rule: str | None,
    store: str | None,
    concurrency: int | None,
) -> None:
    """Run test files with pytest: one test for each golden, reasons instead of tracebacks.

    Everything pytest knows may be given too: `rightcall test test_agent.py -k refund -x`. Exit codes: 0 passed, 1 did
    not pass, 2 usage or a broken file.
    """
    try:
        import pytest
    except ImportError:
        raise MissingExtraError("rightcall test", "pytest", "test") from None
    given = {
        "trials": trials, "min": least, "rule": rule, "store": store, "concurrency": concurrency,
    }  # fmt: skip
    options = [f"--rightcall-{name}={value}" for name, value in given.items() if value is not None]
    code = int(pytest.main(["--no-header", "-q", *options, *paths]))
    if code == NOTHING_COLLECTED:
        raise ConfigError("no test was found; a test is a function test_…(golden, check) in a file test_*.py")
    raise click.exceptions.Exit({USAGE_ERROR: 2, INTERRUPTED: 2, INTERNAL_ERROR: 2}.get(code, code))
