"""`rightcall tools lock` and `rightcall tools verify`: approved definitions, and what changed since."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rightcall.cli.options import FILE, json_option, source_argument
from rightcall.cli.output import console, print_json, print_next, tell

if TYPE_CHECKING:
    from rightcall.lint.source.tools import ToolSet

LOCK = Path("tools.lock")


@click.command("lock")
@source_argument
@click.option("-o", "--output", type=FILE, default=LOCK, show_default=True, help="Lockfile to write")
def lock(source: str, output: Path) -> None:
    """Write the lockfile of approved definitions: those that SOURCE offers now.

    SOURCE is a suite, a file that `rightcall lint` reads, `module:attribute` or `mcp:COMMAND`. `check` and `run`
    compare the tools of a suite with the file tools.lock next to it, and `lint --lock` with any.
    """
    from rightcall.core.text import pluralize
    from rightcall.lint.lockfile import lock_of, write_lock

    sets = _read(source)
    write_lock(output, lock_of(sets))
    tell(f"{pluralize(sum(len(tool_set.tools) for tool_set in sets), 'tool')} locked in {output}")


@click.command("verify")
@source_argument
@click.option(
    "--lock", "lockfile", type=FILE, default=LOCK, show_default=True, help="Lockfile to compare with"
)
@json_option
def verify(source: str, lockfile: Path, as_json: bool) -> None:
    """Compare the definitions of SOURCE with the lockfile: changed, new, removed and renamed tools.

    Exit codes: 0 all definitions are as they were approved, 1 one is not.
    """
    from rightcall.core.text import pluralize
    from rightcall.lint.lockfile import differences, read_lock
    from rightcall.show.terminal import clean

    locked = read_lock(lockfile)
    problems = differences(locked, [tool for tool_set in _read(source) for tool in tool_set.tools])
    if as_json:
        print_json({"locked": len(locked), "differences": [problem._asdict() for problem in problems]})
    else:
        out = console()
        for problem in problems:
            out.print(clean(f"{problem.kind}: {problem.tool}: {problem.text}"), soft_wrap=True)
        out.print(
            f"{pluralize(len(problems), 'difference')} from {lockfile}"
            if problems
            else f"as locked in {lockfile}"
        )
    if problems:
        if not as_json:
            print_next(f"rightcall tools lock {shlex.quote(source)} -o {shlex.quote(str(lockfile))}")
        click.get_current_context().exit(1)


def _read(source: str) -> list[ToolSet]:
    """The tools of a source; those of a suite as the suite offers them."""
    from rightcall.api.lint_sources import read_offer
    from rightcall.core.errors import InputError

    sets = read_offer(source)
    if not any(tool_set.tools for tool_set in sets):
        raise InputError(source, "no tools found", "add at least one")
    return sets
