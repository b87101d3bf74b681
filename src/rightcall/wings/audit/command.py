"""`rightcall audit`: would the suite notice?"""

from __future__ import annotations

import shlex
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rightcall.cli.command_options import GroupedCommand, takes_options
from rightcall.cli.options import FILE
from rightcall.cli.output import console, print_json, print_next, tell
from rightcall.wings.audit.options import AuditCall, AuditChoices, AuditOptions

if TYPE_CHECKING:
    from rightcall.wings.audit.result import AuditResult


@click.command(cls=GroupedCommand)
@click.argument("suite", type=FILE)
@takes_options(AuditOptions)
def audit(suite: Path, options: AuditOptions) -> None:
    """Plant bugs in right behaviour and see which of them SUITE, a suite or a dataset, would notice.

    Right behaviour is what agents did in stored runs and passed, otherwise what the golden expects. Asks no model and
    runs no tool for real. A bug that passes is shown with the smallest change of its golden that would catch it.

    Goldens that are probably wrong are named too, with the agents that agree on something else.

    Exit codes: 0 audited, 1 below --min or, with --strict, a golden is certainly wrong, 2 nothing could be audited.
    """
    from rightcall.core.event_loop import run_blocking
    from rightcall.core.text import first_names, pluralize
    from rightcall.improve.doubt import certain_goldens
    from rightcall.show.progress import CountProgress
    from rightcall.wings.audit.suite_audit import run_audit

    choices = {field.name: getattr(options, field.name) for field in fields(AuditChoices)}
    call = AuditCall(suite, tools=options.tools or (), **choices)
    if options.show:
        _show_mutant(call, options.show)
        return
    with CountProgress("auditing", "golden") as progress:
        result = run_blocking(run_audit(replace(call, progress=progress.advance)))
    if options.output is not None:
        _write(result, options.output)
    if options.as_json:
        print_json(result)
    else:
        _show(result, suite, options)
    if options.review:
        from rightcall.wings.audit.doubt_review import review_doubts

        review_doubts(call, result.doubts)
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


def _show_mutant(call: AuditCall, mutant_id: str) -> None:
    from rightcall.core.event_loop import run_blocking
    from rightcall.wings.audit.mutant_view import print_mutant
    from rightcall.wings.audit.suite_audit import find_mutant

    shown, trial = run_blocking(find_mutant(call, mutant_id))
    print_mutant(console(), shown, trial.tools_of(shown.golden))


def _show(result: AuditResult, suite: Path, options: AuditOptions) -> None:
    from rightcall.wings.audit.audit_text import print_audit

    print_audit(console(), result, every=options.every)
    if options.write is not None:
        tell(f"wrote the goldens with all proposed changes to {options.write}")
    elif any(survivor.proposal for survivor in result.survivors):
        tools = f" --tools {shlex.quote(str(options.tools))}" if options.tools else ""
        print_next(f"rightcall audit {shlex.quote(str(suite))}{tools} --write tightened.jsonl")


def _write(result: AuditResult, output: Path) -> None:
    import msgspec

    from rightcall.files.atomic import write_file
    from rightcall.wings.audit.audit_text import audit_markdown

    if output.suffix == ".md":
        content = audit_markdown(result).encode()
    elif output.suffix == ".json":
        content = msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n"
    else:
        raise click.UsageError(f"{output}: an audit is written as .md or .json")
    write_file(output, content)
