"""`rightcall audit`: would the suite notice?"""

from __future__ import annotations

import shlex
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rightcall.cli.command_options import FILE, GroupedCommand, takes_options
from rightcall.cli.drafts import is_file
from rightcall.cli.output import console, print_json, print_next, tell
from rightcall.core.errors import RightCallError
from rightcall.core.text import first_names, pluralize
from rightcall.files.atomic import write_file
from rightcall.store.address import open_store
from rightcall.wings.audit.options import AuditCall, AuditChoices, AuditOptions

if TYPE_CHECKING:
    from rightcall.wings.audit.audit_document import AuditDocument
    from rightcall.wings.audit.result import AuditResult


FORMATS = (".md", ".json", ".html", ".sarif")


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
    from rightcall.show.progress import CountProgress
    from rightcall.wings.audit.audit_document import AuditCases
    from rightcall.wings.audit.suite_audit import run_audit, subject_of

    choices = {field.name: getattr(options, field.name) for field in fields(AuditChoices)}
    call = AuditCall(suite, tools=options.tools or (), **choices)
    if options.show:
        _show_mutant(call, options.show)
        return
    if options.output is not None and options.output.suffix not in FORMATS:
        known = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
        raise click.UsageError(f"{options.output}: an audit is written as {known}")
    subject, cases = subject_of(call), AuditCases()
    with CountProgress("auditing", "golden") as progress:
        result = run_blocking(run_audit(replace(call, progress=progress.advance), [cases], subject))
    document = cases.document(result, subject.dataset, subject.name, subject.trial.tools)
    _keep(document, options)
    if options.output is not None:
        _write(document, result, options.output)
    if options.as_json:
        print_json(result)
    else:
        _show(result, suite, options)
    if options.apply:
        _draft(document, options)
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

    if options.only is None and not result.goldens:
        tell(f"{suite} has no golden to audit")
        return
    print_audit(console(), result, every=options.every)
    if options.write is not None:
        tell(f"wrote the goldens with all proposed changes to {options.write}")
    elif not options.apply and any(survivor.proposal for survivor in result.survivors):
        tools = f" --tools {shlex.quote(str(options.tools))}" if options.tools else ""
        print_next(f"rightcall audit {shlex.quote(str(suite))}{tools} --write tightened.jsonl")


def _keep(document: AuditDocument, options: AuditOptions) -> None:
    """Store the audit of a whole dataset, for the dashboard and `dataset check`; a store that fails spoils nothing."""
    from rightcall.wings.audit.audit_document import encode_document

    partial = document.result.in_dataset or options.operators or options.only
    if not document.entry.fingerprint or not document.result.goldens or partial:
        return
    try:
        with open_store(options.store) as store:
            store.audits.put(document.entry, encode_document(document))
    except RightCallError as problem:
        tell(f"the audit was not stored: {problem}", err=True)


def _draft(document: AuditDocument, options: AuditOptions) -> None:
    """Write the changed goldens as drafts, and say how they are reviewed."""
    from rightcall.datasets.goldens import save_goldens
    from rightcall.wings.audit.audit_document import as_draft, draft_changes

    assert options.apply is not None
    goldens = document.changed_goldens
    if not goldens:
        tell("no change is proposed: no drafts were written", err=True)
        return
    if is_file(options.apply):
        if Path(options.apply).exists():
            raise click.UsageError(f"{options.apply} exists; name a new file for the drafts")
        save_goldens(map(as_draft, goldens), options.apply)
    else:
        with open_store(options.store) as store:
            draft_changes(store, options.apply, goldens)
    if not options.as_json:
        tell(f"{pluralize(len(goldens), 'changed golden')} drafted for review: {options.apply}")
        drafts = shlex.quote(options.apply)
        into = shlex.quote(document.entry.dataset)
        print_next(
            f"rightcall generate review {drafts}",
            f"rightcall generate finalize {drafts} --into {into} -o tightened.jsonl",
        )


def _write(document: AuditDocument, result: AuditResult, output: Path) -> None:
    import msgspec

    match output.suffix:
        case ".md":
            from rightcall.wings.audit.audit_text import audit_markdown

            content = audit_markdown(result).encode()
        case ".html":
            from rightcall.wings.audit.audit_view import audit_html

            content = audit_html(document)
        case ".sarif":
            from importlib.metadata import version

            from rightcall.wings.audit.audit_text import audit_sarif

            content = audit_sarif(result, version("rightcall"))
        case _:
            content = msgspec.json.format(msgspec.json.encode(result), indent=2) + b"\n"
    write_file(output, content)
