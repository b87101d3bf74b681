"""`rightcall lint`: find tool definitions that models misuse."""

from __future__ import annotations

import shutil
from dataclasses import replace
from importlib import import_module, metadata
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rightcall.api.lint_sources import read_offer, read_sources
from rightcall.api.tool_lint import lint_sets
from rightcall.cli.command_options import GroupedCommand, takes_options
from rightcall.cli.output import print_commands, print_json_text, print_painted, tell
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.own_output import OWN
from rightcall.lint.options import LintOptions
from rightcall.show.lines import write_report

if TYPE_CHECKING:
    from rightcall.lint.config import LintConfig, LintSettings
    from rightcall.lint.report import LintReport
    from rightcall.lint.source.tools import ToolSet

_STYLES = {"error": "red", "warning": "yellow", "info": "cyan"}


@click.command(cls=GroupedCommand)
@click.argument("sources", nargs=-1)
@takes_options(LintOptions)
def lint(sources: tuple[str, ...], options: LintOptions) -> None:
    """Find tool definitions that models misuse, and how to fix them.

    SOURCES are JSON or YAML files with tools in any provider's format, suites, folders of these,
    `mcp:COMMAND` for an MCP server, `module:attribute` for tools or agents in Python, `skills:DIR` for skills,
    or (with --import) Python modules. A definition can disable a rule for itself:
    "x-rightcall": {"ignore": {"TD301": "the reason"}}. Defaults are read from [tool.rightcall.lint] in pyproject.toml.

    Tools in one file are compared with each other. Files with a single tool each are compared as one set;
    --together compares everything.
    """
    from rightcall.cli.collector import stop
    from rightcall.lint.config import find_settings

    stop()  # collecting takes a fifth of the time

    form = _form(options)
    sources = _with_discovered(sources) if options.discover else sources
    if not sources:
        raise click.UsageError("Missing argument 'SOURCES...'.")
    settings = find_settings()
    config = _config(settings, options)
    sets = _read(sources, options.allow_import)
    if options.do_fix:
        sets = _fix(sets, config, sources, options.allow_import)
    report = _lint(sets, sources, config, settings, options=options)
    _print(report, form, options)
    if options.suggest:
        _show_suggestions(sets, config)
    if any(config.fails(diagnostic.severity) for diagnostic in report.diagnostics):
        raise click.exceptions.Exit(1)


def _with_discovered(sources: tuple[str, ...]) -> tuple[str, ...]:
    """The sources, and the folders of skills in the usual places of this project."""
    from rightcall.files.agent_instructions import SKILL_PLACES, find_instructions

    folders = find_instructions(Path()).skills
    if not folders and not sources:
        raise InputError(".", "no skills in the usual places", f"looked in {', '.join(SKILL_PLACES)}")
    return (*sources, *(f"skills:{folder}" for folder in folders))


def _config(settings: LintSettings, options: LintOptions) -> LintConfig:
    from rightcall.lint.config import LintConfig

    fields = settings.fields()
    for name, field in (("select", "select"), ("ignore", "ignore"), ("target", "targets")):
        words = tuple(
            word.strip() for listed in getattr(options, name) for word in listed.split(",") if word.strip()
        )
        if words:
            fields[field] = (*fields.get(field, ()), *words) if name == "ignore" else words
    if options.fail_on:
        fields["fail_on"] = options.fail_on
    return LintConfig(**fields)


def _fix(
    sets: list[ToolSet], config: LintConfig, sources: tuple[str, ...], allow_import: bool
) -> list[ToolSet]:
    from rightcall.lint.fixer import fix, write

    fixed = fix(sets, config=config)
    write(fixed)
    for file in fixed:
        codes = ", ".join(sorted(set(file.codes)))
        tell(f"fixed {len(file.codes)} in {file.before.name}: {codes}", err=True)
    return _read(sources, allow_import) if fixed else sets


def _read(sources: tuple[str, ...], allow_import: bool) -> list[ToolSet]:
    unreadable: list[InputError] = []
    try:
        return read_sources(sources, allow_import, unreadable.append)
    finally:
        for error in unreadable:
            tell(f"warning: {error!s}", err=True)
        if unreadable:
            files = "1 file" if len(unreadable) == 1 else f"{len(unreadable)} files"
            tell(f"warning: {files} could not be read and may contain tools that were not checked", err=True)


def _lint(
    sets: list[ToolSet],
    sources: tuple[str, ...],
    config: LintConfig,
    settings: LintSettings,
    options: LintOptions,
) -> LintReport:
    from rightcall.lint.known_findings import baseline_of, without_known, write_baseline
    from rightcall.lint.lockfile import lock_of, read_lock, write_lock

    lock = options.lock or settings.path("lock")
    target = options.write_baseline
    if options.update_lock:
        if lock is None:
            raise ConfigError("--update-lock requires --lock FILE")
        offered = list(chain.from_iterable(read_offer(source) for source in sources))
        if Path(lock).is_file():
            read_lock(Path(lock))  # another file is not replaced
        write_lock(Path(lock), lock_of(offered))
    baseline = None if target else options.baseline or settings.path("baseline")
    report = lint_sets(sets, config, replace(options, lock=lock, baseline=baseline))
    if target:
        write_baseline(target, baseline_of(report, target.parent))
        return without_known(report, baseline_of(report))
    return report


def _form(options: LintOptions) -> str:
    form: str = options.form or ("json" if options.as_json else "text")
    if options.as_json and form != "json":
        raise click.UsageError(f"--json and --format {form} cannot be combined")
    return form


def _print(report: LintReport, form: str, options: LintOptions) -> None:
    text = _render(report, form, options.show, colour=options.output is None)
    if options.output is not None:
        write_report(options.output, text.encode("utf-8"))
    elif form == "github":
        print_commands(text.splitlines())
    elif form == "text":
        print_painted(text)
    else:
        print_json_text(text.encode("utf-8"))


def _render(report: LintReport, form: str, show: Any, *, colour: bool) -> str:
    if form != "text":
        version = [metadata.version("rightcall")] if form == "sarif" else []
        writer = getattr(import_module("rightcall.lint.report_formats"), f"{form}_text")
        return str(writer(report, *version))
    from rightcall.lint.report_formats import plain_text

    is_terminal = colour and OWN.stdout.isatty()
    width = shutil.get_terminal_size().columns if is_terminal else None
    return plain_text(report, least=show, paint=_paint if colour else lambda style, words: words, width=width)


def _paint(style: str, words: str) -> str:
    """Colour a text; click strips colours when stdout is not a terminal."""
    if style in _STYLES:
        return click.style(words, fg=_STYLES[style], bold=True)
    return click.style(words, dim=style == "dim", bold=style == "bold")


def _show_suggestions(sets: list[ToolSet], config: LintConfig) -> None:
    from rightcall.lint.fixer import fix

    for suggestion in fix(sets, config=config, suggested=True):
        tell(suggestion.diff.removesuffix("\n"))
