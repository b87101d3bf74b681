"""`rightcall lint`: find what makes models choose and fill tools wrongly."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rightcall.cli.lint_sources import queries_in, read_sources, seen_in_runs
from rightcall.cli.output import as_json_option, print_commands, print_json_text, print_painted, tell

if TYPE_CHECKING:
    from rightcall.cli.lint_settings import Settings
    from rightcall.lint import LintConfig, LintReport, ToolSet

_FORMATS = ("text", "json", "sarif", "github")
_STYLES = {"error": "red", "warning": "yellow", "info": "cyan"}


@click.command()
@click.argument("sources", nargs=-1, required=True)
@click.option(
    "--select",
    multiple=True,
    help="Only these rules: TD301, TD3, a name or a family. Repeatable, commas too.",
)
@click.option("--ignore", multiple=True, help="Not these rules.")
@click.option("--target", multiple=True,
              help="Providers the tools are for: anthropic, anthropic-strict, openai, openai-strict, gemini, "
                "bedrock, mcp. "
              "Default: the one whose spelling each definition uses.")  # fmt: skip
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    help="Form of the report. [text]",
)
@as_json_option
@click.option("--output", type=click.Path(path_type=Path), help="Write the report to a file.")
@click.option("--show", type=click.Choice(["error", "warning", "info"]), default="warning", show_default=True,
              help="The mildest findings to print as text.")  # fmt: skip
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info", "never"]),
    help="Exit with 1 from here on. [error]",
)
@click.option("--fix", "do_fix", is_flag=True, help="Correct in the files what can be corrected safely.")
@click.option("--suggest", is_flag=True, help="Show patches for what needs a second look; changes nothing.")
@click.option(
    "--baseline", type=click.Path(path_type=Path), help="Only findings that are not in this file count."
)
@click.option("--write-baseline", type=click.Path(path_type=Path), help="Make every present finding known.")
@click.option(
    "--lock",
    type=click.Path(path_type=Path),
    help="Lockfile of approved definitions; changed ones are errors.",
)
@click.option("--update-lock", is_flag=True, help="Accept the present definitions into the lockfile.")
@click.option(
    "--import", "allow_import", is_flag=True, help="Run Python modules to find their @rc.tool functions."
)
@click.option(
    "--together",
    is_flag=True,
    help="All sources are one set: files and servers that one client uses at once.",
)
@click.option(
    "--goldens", type=click.Path(path_type=Path), help="Requests that sharpen which tools are confusable."
)
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="RUN",
    help="A run that shows what went wrong: findings carry it, rules are ranked by it. Repeatable.",
)
@click.option("--store", "store_url", help="Where runs are kept.")
def lint(sources: tuple[str, ...], **options: Any) -> None:
    """Find what makes models choose and fill tools wrongly, and say how to mend it.

    SOURCES are JSON or YAML files with tools in any spelling, OpenAPI documents, suites, folders of them,
    `mcp:COMMAND` for an MCP server, or with --import Python modules. Definitions may switch a rule off for themselves:
    "x-rightcall": {"ignore": {"TD301": "the reason"}}. Defaults come from [tool.rightcall.lint] in pyproject.toml.

    Tools of one file are compared with each other; files that hold a single tool each are compared as one set, and
    with --together all that is read.
    """
    import gc

    gc.disable()  # the process ends soon and makes no cycles worth finding; collecting costs a fifth of the time
    from rightcall.cli.lint_settings import find_settings

    form = _form(options)
    settings = find_settings()
    config = _config(settings, options)
    sets = read_sources(sources, options["allow_import"])
    if options["do_fix"]:
        sets = _fix(sets, config, sources, options["allow_import"])
    report = _lint(sets, config, settings, options)
    _print(report, form, options)
    if options["suggest"]:
        _show_suggestions(sets, config)
    if any(config.fails(diagnostic.severity) for diagnostic in report.diagnostics):
        raise SystemExit(1)


def _config(settings: Settings, options: dict[str, Any]) -> LintConfig:
    from rightcall.lint import LintConfig

    fields = settings.fields()
    for name, field in (("select", "select"), ("ignore", "ignore"), ("target", "targets")):
        words = tuple(word.strip() for given in options[name] for word in given.split(",") if word.strip())
        if words:
            fields[field] = (*fields.get(field, ()), *words) if name == "ignore" else words
    if options["fail_on"]:
        fields["fail_on"] = options["fail_on"]
    return LintConfig(**fields)


def _fix(
    sets: list[ToolSet], config: LintConfig, sources: tuple[str, ...], allow_import: bool
) -> list[ToolSet]:
    from rightcall.lint import fix, write

    fixed = fix(sets, config=config)
    write(fixed)
    for each in fixed:
        tell(f"fixed {len(each.codes)} in {each.before.name}: {', '.join(sorted(set(each.codes)))}", err=True)
    return read_sources(sources, allow_import) if fixed else sets


def _lint(sets: list[ToolSet], config: LintConfig, settings: Settings, options: dict[str, Any]) -> LintReport:
    import msgspec

    from rightcall.errors import ConfigError
    from rightcall.lint import (
        Evidence,
        baseline_of,
        lint as run_lint,
        lock_of,
        read_baseline,
        read_lock,
        without_known,
        write_baseline,
        write_lock,
    )
    from rightcall.lint.source import joined

    lock = options["lock"] or settings.path("lock")
    if options["update_lock"]:
        if lock is None:
            raise ConfigError("--update-lock needs to know the lockfile; name it with --lock FILE")
        write_lock(lock, lock_of(sets))
    runs = seen_in_runs(options["runs"], options["store_url"])
    report = run_lint(
        joined(sets, together=options["together"]),
        config=config,
        locked=read_lock(lock) if lock else None,
        evidence=Evidence(
            [each for seen in runs for each in seen.confusions()],
            [each for seen in runs for each in seen.misfilled()],
        ),
        queries=queries_in(options["goldens"]),
    )
    if runs:
        from rightcall.analysis import rule_effects

        report = msgspec.structs.replace(report, effects=rule_effects(report, runs))
    made: Path | None = options["write_baseline"]
    if made:
        write_baseline(made, baseline_of(report, made.parent))
        return without_known(report, baseline_of(report))
    known = options["baseline"] or settings.path("baseline")
    return without_known(report, read_baseline(known), known.parent) if known else report


def _form(options: dict[str, Any]) -> str:
    form: str = options["form"] or ("json" if options["as_json"] else "text")
    if options["as_json"] and form != "json":
        raise click.UsageError(f"--json and --format {form} exclude each other; give one of them")
    return form


def _print(report: LintReport, form: str, options: dict[str, Any]) -> None:
    to_file = options["output"] is not None
    text = _rendered(report, form, options["show"], colour=not to_file)
    if to_file:
        from rightcall.files import write_file

        write_file(options["output"], text.encode("utf-8"))
    else:
        _print_as(form, text)


def _print_as(form: str, text: str) -> None:
    if form == "github":
        print_commands(text.splitlines())
    elif form == "text":
        print_painted(text)
    else:
        print_json_text(text.encode("utf-8"))


def _rendered(report: LintReport, form: str, show: Any, *, colour: bool) -> str:
    if form == "json":
        from rightcall.lint.output import json_text

        return json_text(report)
    if form == "sarif":
        from importlib.metadata import version

        from rightcall.lint.output import sarif_text

        return sarif_text(report, version("rightcall"))
    if form == "github":
        from rightcall.lint.output import github_text

        return github_text(report)
    from rightcall.lint.output import plain_text

    return plain_text(report, least=show, paint=_paint if colour else lambda style, words: words)


def _paint(style: str, words: str) -> str:
    """Colours that click takes away again when stdout is no terminal."""
    if style in _STYLES:
        return click.style(words, fg=_STYLES[style], bold=True)
    return click.style(words, dim=style == "dim", bold=style == "bold")


def _show_suggestions(sets: list[ToolSet], config: LintConfig) -> None:
    from rightcall.lint import fix

    for each in fix(sets, config=config, suggested=True):
        tell(each.diff.removesuffix("\n"))
