"""`rightcall test`: run goldens as pytest tests."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import click

from rightcall.cli.command_options import DeclaredCommand
from rightcall.core.errors import ConfigError, MissingExtraError
from rightcall.core.options import ConcurrencyOption, Option, StoreOption, TrialsOption
from rightcall.core.own_output import OWN

USAGE_ERROR = 4
NOTHING_COLLECTED = 5
INTERNAL_ERROR = 3
INTERRUPTED = 2

NOT_REWRITTEN = "ignore:Module already imported so cannot be rewritten:pytest.PytestAssertRewriteWarning"
"""The command itself has imported the package whose plugin pytest loads; it has no asserts to rewrite."""

NOTHING_CHECKED = 3
"""The command's exit code when every test was skipped because its golden is unchecked."""


class _FoundTests:
    """Whether pytest had any test to report; its exit code is the same when all were skipped."""

    any = False

    def pytest_runtest_logreport(self) -> None:
        self.any = True


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": True}, cls=DeclaredCommand
)
@click.argument("paths", nargs=-1, type=click.UNPROCESSED)
def test(
    paths: tuple[str, ...],
    trials: TrialsOption = None,
    least: Annotated[
        float | None,
        Option("Required pass rate [default: every golden must pass]", flags=("--min",), gt=0, le=1),
    ] = None,
    rule: Annotated[
        Literal["interval", "point"] | None,
        Option("Decide --min by confidence bounds, or by the observed rate"),
    ] = None,
    forbid: Annotated[
        tuple[str, ...],
        Option("Fail if this failure code occurs, whatever the pass rate (repeatable)", metavar="CODE"),
    ] = (),
    store_url: StoreOption = None,
    concurrency: ConcurrencyOption = None,
) -> None:
    """Run test files with pytest: one test per golden, with reasons instead of tracebacks.

    Accepts every pytest option: `rightcall test test_agent.py -k refund -x`. Exit codes: 0 passed, 1 did not pass,
    2 usage or a broken file, 3 nothing was checked.
    """
    try:
        import pytest
    except ImportError:
        raise MissingExtraError("rightcall test", "pytest", "test") from None
    if len(paths) > 1 and paths[0] == "run" and not Path("run").exists():
        paths = paths[1:]  # `deepeval test run FILE`
    settings = {
        "trials": trials, "min": least, "rule": rule, "store": store_url, "concurrency": concurrency,
    }  # fmt: skip
    options = [f"--rightcall-{name}={value}" for name, value in settings.items() if value is not None]
    options += [f"--rightcall-forbid={code}" for code in forbid]
    tests = _FoundTests()
    with OWN.joined():
        code = int(pytest.main(["--no-header", "-q", "-W", NOT_REWRITTEN, *options, *paths], plugins=[tests]))
    if code == NOTHING_COLLECTED and tests.any:
        raise click.exceptions.Exit(NOTHING_CHECKED)
    if code == NOTHING_COLLECTED:
        raise ConfigError("no tests found; a test is a function test_…(golden, check) in a file test_*.py")
    raise click.exceptions.Exit({USAGE_ERROR: 2, INTERRUPTED: 2, INTERNAL_ERROR: 2}.get(code, code))
