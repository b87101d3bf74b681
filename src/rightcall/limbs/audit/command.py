"""`rightcall audit`: would the suite notice?"""

from __future__ import annotations

import shlex
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rightcall.cli.command_options import FILE, GroupedCommand, takes_options
from rightcall.cli.output import console, print_json, print_next, tell
from rightcall.core.text import first_names, pluralize
from rightcall.limbs.audit.result import AuditResult
from rightcall.limbs.audit.sections import AuditSection, audit_sections, notes
from rightcall.limbs.audit.suite_audit import AuditCall, AuditChoices, AuditOptions
from rightcall.show.lines import write_report
from rightcall.show.screen import Screen

if TYPE_CHECKING:
    from rightcall.limbs.audit.audit_view import WorstCases
    from rightcall.limbs.audit.suite_audit import AuditSubject


FORMATS = (".json", ".html")


@click.command(cls=GroupedCommand)
@click.argument("suite", type=FILE)
@takes_options(AuditOptions)
def audit(suite: Path, options: AuditOptions) -> None:
    """Plant bugs in correct behaviour and see which of them SUITE (a suite or a dataset) would catch.

    Correct behaviour is what passed in stored runs, otherwise what the golden expects. Asks no model and
    runs no tool for real. A bug that passes is shown with the smallest change to its golden that would catch it.

    Goldens that are probably wrong are named too, with the agents that agree on something else.

    Exit codes: 0 audited, 1 below --min or, with --strict, a golden is certainly wrong, 2 nothing could be audited.
    """
    from rightcall.core.event_loop import run_blocking
    from rightcall.improve.doubt import certain_goldens
    from rightcall.limbs.audit.audit_view import WorstCases
    from rightcall.limbs.audit.suite_audit import run_audit, subject_of
    from rightcall.show.progress import CountProgress

    choices = {field.name: getattr(options, field.name) for field in fields(AuditChoices)}
    call = AuditCall(suite, tools=options.tools or (), **choices)
    if options.output is not None and options.output.suffix not in FORMATS:
        known = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
        raise click.UsageError(f"{options.output}: an audit is written as {known}")
    subject = subject_of(call)
    cases = WorstCases()
    with CountProgress("auditing", "golden") as progress:
        result = run_blocking(run_audit(replace(call, progress=progress.advance), [cases], subject))
    if options.output is not None:
        _write(options.output, subject, result, cases)
    if options.as_json:
        print_json(result)
    else:
        _show(result, suite, options)
    unknown_floor = options.only == "floor" and (result.floor is None or bool(result.floor.skipped))
    if unknown_floor or (not result.audited and options.only in (None, "mutants")):
        raise click.exceptions.Exit(2)
    if options.least is not None and result.low < options.least:
        tell(f"the catch rate may be as low as {result.low:.2f}, below {options.least:g}", err=True)
        raise click.exceptions.Exit(1)
    wrong = certain_goldens(result.doubts)
    if options.strict and wrong:
        tell(f"{pluralize(len(wrong), 'golden')} certainly wrong: {first_names(list(wrong), 5)}", err=True)
        raise click.exceptions.Exit(1)


def _show(result: AuditResult, suite: Path, options: AuditOptions) -> None:

    if options.only is None and not result.goldens:
        tell(f"{suite} has no golden to audit")
        return
    print_audit(console(), result, every=options.every)
    if options.write is not None:
        tell(f"wrote the goldens with all proposed changes to {options.write}")
    elif any(survivor.proposal for survivor in result.survivors):
        tools = f" --tools {shlex.quote(str(options.tools))}" if options.tools else ""
        print_next(f"rightcall audit {shlex.quote(str(suite))}{tools} --write tightened.jsonl")


def _write(output: Path, subject: AuditSubject, result: AuditResult, cases: WorstCases) -> None:
    import msgspec

    from rightcall.limbs.audit.audit_view import audit_html, audit_view

    if output.suffix == ".json":
        write_report(output, msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n")
        return
    title = subject.name or (subject.dataset.stem if subject.dataset else "goldens")
    write_report(output, audit_html(audit_view(title, result, cases, subject.trial.tools)))


MOST_SHOWN = 20


def print_audit(out: Screen, result: AuditResult, *, every: bool = False) -> None:
    """Print the headline, survivors by harm with what would catch each, doubts, and what was left out."""
    for section in audit_sections(result):
        _print_section(out, section, every=every)
    for note in notes(result):
        out.print(note, style="dim", soft_wrap=True)


def _print_section(out: Screen, section: AuditSection, *, every: bool) -> None:
    for number, line in enumerate(section.lead.splitlines()):
        out.print(line, style=None if number else "bold", soft_wrap=True)
    if section.title and section.name != "survivors":  # the headline says it
        out.print(section.title, style="dim", soft_wrap=True)
    shown = section.rows if every else section.rows[:MOST_SHOWN]
    for row in shown:
        color = "red" if row.loud else "yellow"
        template = f"[bold {color}]{{}}[/bold {color}]  {{}}  {{}}[dim]{{}}[/dim]"
        mark = f"  {row.mark}" if row.mark else ""
        out.say(template, row.title, row.golden_id, row.sentence, mark, soft_wrap=True)
        for line in row.lines:
            out.print(f"    {line}", soft_wrap=True)
    if len(section.rows) > len(shown):
        out.print(f"… and {len(section.rows) - len(shown):,} more: --all", style="dim")
