"""The command line: a menu of commands, each loaded when it is asked for.

A command is a file `cli/<command>.py` with a click command or group of that name, and a line in `MENU`. It
parses, calls one function and prints; errors meant for the user become one line and an exit code here.
"""

from __future__ import annotations

import io
import os
import sys
import warnings
from importlib import import_module

import click

from rightcall.errors import ConfigError, RightCallError, suggestion

MENU: dict[str, dict[str, str]] = {
    "Measure": {
        "run": "Run a suite: ask the agent every golden and score every call",
        "test": "Run goldens as pytest tests",
        "score": "Score recorded behaviour against goldens, without running anything",
    },
    "Decide": {
        "gate": "PASS, FAIL or INCONCLUSIVE for a run, with stated error rates",
        "compare": "Is it really better? Two or more runs, golden by golden",
        "plan": "How many goldens a decision takes",
        "flaky": "Goldens that pass sometimes",
    },
    "Prepare": {
        "init": "Write a suite to edit that already runs",
        "dataset": "Check, convert and count goldens",
        "lint": "Find what makes models choose wrong tools, before they do",
        "rule": "Explain one lint rule",
        "tools": "Look at tool definitions, call one, serve them over MCP",
        "model": "Get and list models that run inside this process",
        "providers": "Which models can be asked, and what each needs",
    },
    "Look back": {
        "report": "A run as one HTML file, Markdown, JUnit or JSON",
        "view": "The dashboard: runs, cases, comparisons, over time",
        "runs": "List, show, export and delete runs",
        "store": "Migrate and copy the store",
    },
    "Learn": {
        "demo": "See it work: a bundled suite on a small model inside this process",
        "metrics": "What is measured, with examples",
    },
}


class Menu(click.Group):
    """A group whose commands are imported only when used, listed by what they are for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for section in MENU.values() for name in section]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        module = import_module(f"rightcall.cli.{cmd_name}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.list_commands(ctx):
            hint = suggestion(args[0], self.list_commands(ctx)) or "`rightcall --help` lists the commands"
            raise click.UsageError(f"there is no command '{args[0]}'; {hint}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, section in MENU.items():
            with formatter.section(title):
                formatter.write_dl(list(section.items()))


@click.group(
    cls=Menu,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="`rightcall COMMAND --help` says more about each.",
)
@click.version_option(package_name="rightcall", prog_name="rightcall")
def cli() -> None:
    """Did your agent make the right call?

    RightCall tests, measures and hardens LLM agents that use tools.
    """


def main() -> None:
    """Run the command line; never shows a traceback for something the user can mend."""
    from rightcall.cli.interrupt import INTERRUPTS

    _make_streams_safe()
    INTERRUPTS.install()
    warnings.showwarning = _show_warning
    try:
        code = _run()
        _flush_stdout()
    except click.ClickException as error:
        _show_usage(error)
        code = error.exit_code
    except ConfigError as error:
        for problem in error.problems:
            _complain(problem)
        code = error.exit_code
    except RightCallError as error:
        _complain(str(error))
        code = error.exit_code
    except (KeyboardInterrupt, click.Abort):
        _say_interrupted()
        code = 130
    except BrokenPipeError:
        # The reader went away (`| head`). Python would complain again while closing stdout.
        _forget_stdout()
        code = 0
    except OSError as error:
        from rightcall.files import NO_ROOM, reason

        if error.errno not in NO_ROOM:
            raise
        _forget_stdout()
        _complain(f"{error.filename or 'output'}: cannot be written: {reason(error)}; make room, then again")
        code = 2
    sys.exit(code if isinstance(code, int) else 0)


def _run() -> object:
    """The exit code of the command that was typed; a command may also end by `SystemExit`."""
    try:
        return cli.main(prog_name="rightcall", standalone_mode=False)
    except SystemExit as end:
        return end.code


def _make_streams_safe() -> None:
    """Streams that are closed are written to nowhere; what an encoding lacks becomes a question mark."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w", encoding="utf-8"))
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _flush_stdout() -> None:
    """Write what is left. A reader who is gone changes nothing about how the command ended."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _forget_stdout()


def _forget_stdout() -> None:
    """Python writes what is left while closing stdout, and would complain again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(message: Warning | str, *_where: object, **_more: object) -> None:
    """A warning of ours or of a package, as a line."""
    from rightcall.report import tell

    tell(f"warning: {message}", err=True)


def _show_usage(error: click.ClickException) -> None:
    """click's own complaint, which quotes what was typed: a name that was copied may hold anything."""
    from rightcall.report import tell

    shown = io.StringIO()
    error.show(shown)
    tell(shown.getvalue().removesuffix("\n"), err=True)


def _say_interrupted() -> None:
    from rightcall.report import tell

    tell("interrupted", err=True)


def _complain(problem: str) -> None:
    """What is wrong, on stderr. Messages quote files, which may hold what steers a terminal."""
    from rightcall.report import tell

    tell(f"error: {problem}", err=True)


if __name__ == "__main__":
    main()
