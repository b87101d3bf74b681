"""`rightcall audit --review`: decide about each golden that is probably wrong, in the terminal."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import click

from rightcall.cli.output import ask, console, print_next, tell
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.text import pluralize, utc_text
from rightcall.improve.doubt import Doubt
from rightcall.improve.doubt_decisions import DECISIONS, Decision, decide
from rightcall.model.golden import AnyGolden
from rightcall.show.doubts import BAND_TITLES, details
from rightcall.store.address import open_store
from rightcall.store.base import user_name
from rightcall.wings.audit.options import AuditCall
from rightcall.wings.audit.suite_audit import AuditSubject, subject_of

CHOICES = (*DECISIONS, "skip", "quit")


def review_doubts(call: AuditCall, doubts: Sequence[Doubt]) -> None:
    """Ask about each golden: keep it, edit it in a draft, drop it from the draft, skip it."""
    if not sys.stdin.isatty():
        raise ConfigError(
            "--review asks questions and needs a terminal; the dashboard has a page for it: /doubts"
        )
    subject = subject_of(call)
    alias = subject.name or (subject.dataset.stem if subject.dataset else Path("goldens").stem)
    by_golden: dict[str, list[Doubt]] = {}
    for doubt in doubts:
        by_golden.setdefault(doubt.golden_id, []).append(doubt)
    in_draft = 0
    with open_store(call.store) as store:
        for place, (golden_id, reasons) in enumerate(by_golden.items(), 1):
            _print_golden(golden_id, reasons, f"{place} of {len(by_golden)}")
            choice = ask(
                click.prompt,
                ", ".join(CHOICES),
                default="skip",
                show_choices=False,
                type=click.Choice(CHOICES),
            )
            if choice == "quit":
                break
            if choice == "skip":
                continue
            try:
                version = decide(
                    store,
                    cast("Decision", choice),
                    _golden(subject, golden_id),
                    reasons,
                    alias=alias,
                    dataset=subject.in_file(),
                    author=user_name(),
                    at=utc_text(datetime.datetime.now(datetime.UTC), "seconds"),
                )
            except InputError as error:
                tell(str(error), err=True)
                continue
            in_draft += version is not None
    if in_draft:
        tell(f"{pluralize(in_draft, 'change')} in the draft of '{alias}'; your file is as it was")
        print_next(f"rightcall dataset pull {alias} --draft -o reviewed.jsonl")


def _print_golden(golden_id: str, reasons: Sequence[Doubt], place: str) -> None:
    out = console()
    out.say(
        "[bold]{}[/bold]  {}  [dim]{}[/dim]", golden_id, BAND_TITLES[reasons[0].band], place, soft_wrap=True
    )
    for reason in reasons:
        out.print(f"  {reason.title}: {reason.sentence}", soft_wrap=True)
    for line in details(reasons):
        out.print(f"    {line}", soft_wrap=True)


def _golden(subject: AuditSubject, golden_id: str) -> AnyGolden:
    if golden := next((golden for golden in subject.in_file() if golden.id == golden_id), None):
        return golden
    raise InputError(
        f"golden '{golden_id}'", "is one of several made from a scenario", "edit the scenario in its file"
    )
