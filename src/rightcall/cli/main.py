"""The command line: a menu of commands, each imported when it is used.

A command is a file `cli/<command>.py` with a click command or group of that name, or a command of a limb in
`core/seam.py`, and a line in `MENU`. It parses, calls one function and prints; errors meant for the user become one
line and an exit code here. Installed packages add commands as entry points of `rightcall.commands`.
"""

from __future__ import annotations

import errno
import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import chain
from typing import Any

import click

from rightcall.core.errors import (
    AgentSetupError,
    ConfigError,
    InfrastructureError,
    RightCallError,
    suggestion,
)
from rightcall.core.seam import BUILT_IN, load, missing_limb, name_clashes, plugins

MENU: dict[str, dict[str, str]] = {
    "Measure": {
        "run": "Run a suite and score every call",
        "test": "Run goldens as pytest tests",
        "score": "Score recorded trajectories, without running anything",
    },
    "Decide": {
        "check": "Check whether a change is safe to ship: for pull requests",
        "gate": "Decide whether a run passes, with a stated error rate",
        "compare": "Compare runs golden by golden: is one really better?",
        "analyze": "Explain why a run fails, and what to change",
        "improve": "Propose changes to tool definitions and test them",
        "judge": "Label cases, and measure how far a judge can be trusted",
    },
    "Observe": {
        "traces": "Import, review and export traces of agents that ran elsewhere",
        "monitor": "Watch live traces: checks, drift, alarms",
    },
    "Prepare": {
        "init": "Write a suite for your agent",
        "generate": "Generate goldens, and review them",
        "dataset": "Check, convert, split and version datasets",
        "attacks": "Show what an attacker could reach through your tools",
        "audit": "Plant bugs in correct behaviour: would your suite notice?",
        "lint": "Find tool definitions that models misuse",
        "list": "List tools, metrics, models, frameworks or rules",
        "mcp": "Call tools, serve over MCP, record and verify MCP servers",
    },
    "Inspect": {
        "view": "Open the dashboard",
        "runs": "List, show, report, export, rescore and delete runs",
    },
    "Learn": {
        "demo": "See a dangerous mistake found, fixed and measured again",
    },
}

COMPLETION = "_RIGHTCALL_COMPLETE"
"""The variable with which a shell asks for completions. click alone would end them with `sys.exit`."""

WELCOME = """\
RightCall tests LLM agents that use tools: did your agent make the right call?

start here:
  rightcall demo               a dangerous mistake found, fixed and measured again; no key, no network
  rightcall lint TOOLS         what is wrong with your tool definitions
  rightcall init my-suite      a working suite to edit

all commands: rightcall --help"""


class _ReaderLeft(Exception):  # noqa: N818  a signal, not an error
    """Nobody reads stdout any more."""


@contextmanager
def _notice_closed_stdout() -> Iterator[None]:
    """Tell a reader that left from an exit: click would call `sys.exit(1)`, as only code under test may."""
    try:
        yield
    except BrokenPipeError:
        raise _ReaderLeft from None


class Menu(click.Group):
    """A group whose commands are grouped by purpose and imported when used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(chain.from_iterable(MENU.values()))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            plugin = plugins("commands").get(cmd_name)
            return plugin.load() if plugin is not None else None
        if cmd_name in BUILT_IN["commands"]:
            command: click.Command = load("commands", cmd_name)
        else:
            command = getattr(import_module(f"rightcall.cli.{cmd_name}"), cmd_name)
        return command

    def make_context(self, *args: Any, **words: Any) -> click.Context:
        with _notice_closed_stdout():
            return super().make_context(*args, **words)

    def invoke(self, ctx: click.Context) -> object:
        with _notice_closed_stdout():
            return super().invoke(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        commands = self.list_commands(ctx)
        if args and args[0] not in commands and args[0] not in plugins("commands"):
            hint = suggestion(args[0], [*commands, *plugins("commands")]) or "see `rightcall --help`"
            raise click.UsageError(f"no such command '{args[0]}'; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, section in MENU.items():
            with formatter.section(title):
                formatter.write_dl(list(section.items()))
        built_in = self.list_commands(ctx)
        if added := plugins("commands", built_in):
            with formatter.section("Installed"):
                formatter.write_dl([(name, f"of {plugin.package}") for name, plugin in added.items()])
        for note in name_clashes("commands", built_in):
            formatter.write_text(f"note: {note}")


@click.group(
    cls=Menu,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Run `rightcall COMMAND --help` for details.",
    invoke_without_command=True,
)
@click.option(
    "--store",
    "store_url",
    metavar="URL",
    help="Result store of any command: a file or PostgreSQL URL [default: .rightcall/rightcall.db]",
)
@click.option("--json", "as_json", is_flag=True, help="Output JSON: one document, or one object per row")
@click.version_option(package_name="rightcall", prog_name="rightcall", help="Show the version and exit")
@click.pass_context
def cli(ctx: click.Context, store_url: str | None, as_json: bool) -> None:
    """Did your agent make the right call?

    RightCall tests, measures and hardens LLM agents that use tools.
    """
    if ctx.invoked_subcommand is None:
        from rightcall.show.lines import tell

        tell(WELCOME)


def command() -> None:
    """The program `rightcall`: `main` in a process that does nothing else."""
    from rightcall.cli.collector import postpone
    from rightcall.cli.driver_process import SUPERVISION
    from rightcall.core.own_output import OWN

    postpone()
    SUPERVISION.allowed = OWN.allowed = True
    main()


def main() -> None:
    """Run the command line; errors the user can fix are shown without a traceback."""
    from rightcall.cli.interrupt import INTERRUPTED, INTERRUPTS, refuse_quiet_exit

    _make_streams_safe()
    INTERRUPTS.install()
    warnings.showwarning = _show_warning
    try:
        with refuse_quiet_exit():
            code = _run()
        _flush_stdout()
    except click.ClickException as error:
        _show_usage(error)
        code = error.exit_code
    except AgentSetupError as error:
        _tell("\n".join((f"ERROR  {error.lines[0]}", *error.lines[1:])))
        code = error.exit_code
    except RightCallError as error:
        for problem in error.problems if isinstance(error, ConfigError) else (str(error),):
            _complain(problem)
        code = error.exit_code
    except ModuleNotFoundError as error:
        if not missing_limb(error):
            raise
        _complain(missing_limb(error))
        code = ConfigError.exit_code
    except (KeyboardInterrupt, click.Abort):
        _tell(INTERRUPTS.reason)
        code = INTERRUPTS.exit_code
    except (BrokenPipeError, _ReaderLeft):
        # The reader of rows is gone (`| head`): there is no verdict on the rest, so this is no success.
        _forget_stdout()
        code = INTERRUPTED
    except OSError as error:
        from rightcall.files.atomic import NO_ROOM, reason

        if error.errno in (errno.EMFILE, errno.ENFILE):
            _complain("too many open files: allow more with `ulimit -n 1024` and try again")
            sys.exit(InfrastructureError.exit_code)
        if error.errno not in NO_ROOM:
            raise
        _forget_stdout()
        _complain(
            f"{error.filename or 'output'}: cannot be written: {reason(error)}; free some space and try again"
        )
        code = 2
    sys.exit(code if isinstance(code, int) else 0)


def _run() -> object:
    """The exit code of the command. No command raises `SystemExit`: it is code under test that did."""
    asked = os.environ.get(COMPLETION)
    if asked:
        from click.shell_completion import shell_complete

        return shell_complete(cli, {}, "rightcall", COMPLETION, asked)
    try:
        return cli.main(prog_name="rightcall", standalone_mode=False)
    except SystemExit as end:
        called = f"sys.exit({'' if end.code is None else repr(end.code)})"
        raise InfrastructureError(
            f"the agent, or a library it uses, called {called}, which ended the command before it was done; "
            "finished results are stored"
        ) from None


def _make_streams_safe() -> None:
    """Replace closed streams by /dev/null, and characters an encoding lacks by question marks."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _flush_stdout() -> None:
    """Flush stdout. A closed pipe does not change the exit code."""
    from rightcall.core.own_output import OWN

    try:
        OWN.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()


def _forget_stdout() -> None:
    from rightcall.core.own_output import OWN
    from rightcall.show.lines import discard

    discard(OWN.stdout)


def _show_warning(message: Warning | str, *_where: object, **_more: object) -> None:
    _tell(f"warning: {message}")


def _show_usage(error: click.ClickException) -> None:
    """Show a usage error, spelled as other errors; it quotes what was typed, which may contain control characters."""
    shown = io.StringIO()
    error.show(shown)
    *lines, problem = shown.getvalue().removesuffix("\n").split("\nError: ", 1)
    _tell("\n".join([*lines, f"error: {problem.removeprefix('Error: ')}"]))


def _complain(problem: str) -> None:
    _tell(f"error: {problem}")


def _tell(line: str) -> None:
    """Show a line on stderr; it may quote files that contain control characters."""
    from rightcall.show.lines import tell

    tell(line, err=True)


if __name__ == "__main__":
    command()
