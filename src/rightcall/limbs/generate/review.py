"""`rightcall generate review`: accept, edit, reject and comment drafts; finalize accepted ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from rightcall.cli.command_options import OUTPUT, DeclaredCommand
from rightcall.cli.drafts import Drafts, is_file, open_drafts
from rightcall.cli.output import ask, console, print_json, print_next, tell
from rightcall.core.errors import InputError, suggestion
from rightcall.core.options import JsonOption, Option
from rightcall.core.text import pluralize, utc_text
from rightcall.datasets.review import (
    ReviewState,
    counts,
    edit_golden,
    is_accepted,
    review_of,
    reviewed,
)
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.records.golden import AnyGolden

HELP = "a accept · r reject · e edit · c comment · s skip · q quit"


@click.command(cls=DeclaredCommand)
@click.argument("drafts")
def review(
    drafts: str,
    accept: Annotated[
        tuple[str, ...], Option("Accept the golden with this id, or `all` (repeatable)", metavar="ID")
    ] = (),
    reject: Annotated[
        tuple[str, ...], Option("Reject the golden with this id, or `all` (repeatable)", metavar="ID")
    ] = (),
    comment: Annotated[str | None, Option("Comment on the named goldens")] = None,
    listed: Annotated[
        bool, Option("List goldens and decisions, without reviewing", flags=("--list",))
    ] = False,
    everything: Annotated[bool, Option("Also show goldens that have a decision", flags=("--all",))] = False,
    author: Annotated[str | None, Option("Reviewer [default: user name]")] = None,
    finish: Annotated[
        bool, Option("Finalize the accepted goldens: in --output, or as a new version of the dataset")
    ] = False,
    output: Annotated[
        Path | None,
        Option("File for the accepted goldens, when DRAFTS is a file", flags=OUTPUT, writes="document"),
    ] = None,
    store: Annotated[str | None, Option("Store of datasets [default: .rightcall/rightcall.db]")] = None,
    as_json: JsonOption = False,
) -> None:
    """Review DRAFTS one after the other: a file, or the alias of a dataset in the store.

    Decisions are stored at once.

    With --finish, rejected goldens are removed from the draft of a dataset and pending ones stay in it.
    """
    from rightcall.store.base import user_name

    place = open_drafts(drafts, store)
    who = author or user_name()
    if accept or reject:
        accepted = _goldens_by_name(place, accept)
        rejected = _goldens_by_name(place, reject)
        if both := {golden.id for golden in accepted} & {golden.id for golden in rejected}:
            raise click.UsageError(f"'{min(both)}' cannot be both accepted and rejected")
        decisions: dict[ReviewState, list[AnyGolden]] = {"accepted": accepted, "rejected": rejected}
        for state, goldens in decisions.items():
            for golden in goldens:
                place.put(reviewed(golden, state, comment=comment, author=who, at=_now()))
    if finish:
        number, where = _finish(drafts, output, store, who)
        _say_final(number, where, as_json)
        if not (as_json or is_file(drafts)):
            print_next(f"rightcall dataset pull {drafts} -o goldens.jsonl")
        return
    if not (accept or reject or listed or as_json):
        _ask_one_by_one(place, who, everything)
    if as_json:
        print_json(_rows(place.goldens()))
        return
    if listed:
        _print_list(place.goldens())
    counts_by_state = counts(place.goldens())
    console().print(", ".join(f"{number:,} {state}" for state, number in counts_by_state.items()))
    if counts_by_state["accepted"]:
        target = " -o goldens.jsonl" if is_file(drafts) else ""
        print_next(f"rightcall generate review {drafts} --finish{target}")


def _finish(drafts: str, output: Path | None, store: str | None, author: str) -> tuple[int, str]:
    """Finalize the accepted goldens; how many they are, and where."""
    from rightcall.datasets.goldens import save_goldens

    if is_file(drafts):
        if output is None:
            raise click.UsageError("--output is required: the file for the accepted goldens")
        kept = [golden for golden in open_drafts(drafts, store).goldens() if is_accepted(golden)]
        if not kept:
            raise InputError(
                drafts,
                "none of its goldens has been accepted",
                f"review them: rightcall generate review {drafts}",
            )
        save_goldens(kept, output)
        return len(kept), str(output)
    if output is not None:
        raise click.UsageError(
            "--output is for a file of drafts; `rightcall dataset pull` writes a version to a file"
        )
    with open_store(store, must_exist=True) as opened:
        version = opened.datasets.finalize_accepted(
            drafts,
            is_accepted,
            lambda golden: review_of(golden).state == "rejected",
            author=author,
        )
    return version.goldens, f"version {version.version} of {version.alias}"


def _ask_one_by_one(place: Drafts, who: str, everything: bool) -> None:
    queue = [golden.id for golden in place.goldens() if everything or review_of(golden).state == "pending"]
    at = 0
    console().say("[dim]{}[/dim]", HELP)
    while at < len(queue):
        golden = next(candidate for candidate in place.goldens() if candidate.id == queue[at])
        _print_golden(golden, at + 1, len(queue))
        try:
            key = (
                ask(click.prompt, "", prompt_suffix="> ", default="s", show_default=False).strip()[:1].lower()
            )
        except click.Abort:
            tell("")
            return
        if key == "q":
            return
        at += _act_on_key(key, golden, place, who)


def _act_on_key(key: str, golden: AnyGolden, place: Drafts, who: str) -> int:
    """Do what a key asks for; 1 when the next golden should be shown."""
    if key in ("a", "r"):
        place.put(reviewed(golden, "accepted" if key == "a" else "rejected", author=who, at=_now()))
        return 1
    if key == "s":
        return 1
    if key == "c":
        place.put(reviewed(golden, comment=ask(click.prompt, "comment"), author=who, at=_now()))
        return 0
    if key != "e":
        console().say("[dim]{}[/dim]", HELP)
        return 0
    try:
        _edit(golden, place, who)
    except InputError as error:
        tell(f"error: {error}", err=True)
    return 0


def _edit(golden: AnyGolden, place: Drafts, who: str) -> None:
    """The golden in the user's editor, without what the machine wrote about it; saved, it is pending again."""
    import msgspec

    bare = msgspec.structs.replace(golden, metadata={})
    text = ask(
        click.edit, msgspec.json.format(msgspec.json.encode(bare), indent=2).decode(), extension=".json"
    )
    if text and text.strip():
        changed = edit_golden(golden, text, author=who, at=_now())
        place.put(msgspec.structs.replace(changed, metadata={**golden.metadata, **changed.metadata}))


def _print_golden(golden: AnyGolden, number: int, count: int) -> None:
    import msgspec

    from rightcall.records.golden import category_of, request_of

    out = console()
    golden_review = review_of(golden)
    facts = (golden.id, category_of(golden), golden_review.state)
    out.say("\n[bold]{}/{}[/bold] {} [dim]{} {}[/dim]", number, count, *facts)
    out.print(f"  {request_of(golden)}")
    for turn in golden.turns:
        out.print(f"  {turn.role}: {turn.content}")
        for call in turn.expected_calls or ():
            out.print(f"    → {call.tool} {msgspec.json.encode(call.args).decode()}", style="cyan")
    for call in golden.expected_calls:
        out.print(f"  → {call.tool} {msgspec.json.encode(call.args).decode()}", style="cyan")
    if golden.no_calls:
        out.print("  → no call", style="cyan")
    if golden.forbidden_calls:
        out.print(f"  forbidden: {', '.join(map(str, golden.forbidden_calls))}", style="dim")
    note = golden.metadata.get("audit")
    for edit in note.get("edits", ()) if isinstance(note, dict) else ():
        out.print(f"  audit: {msgspec.json.encode(edit).decode()}", style="yellow", soft_wrap=True)
    if seen := golden.metadata.get("seen"):
        out.print(f"  seen {seen} times")
    if golden_review.comment:
        out.print(f"  comment: {golden_review.comment}", style="dim")


def _print_list(goldens: Sequence[AnyGolden]) -> None:
    out = console()
    for row in _rows(goldens):
        out.print(f"{row['state']:<9} {row['id']}  {row['text']}", soft_wrap=True)


def _rows(goldens: Sequence[AnyGolden]) -> list[dict[str, Any]]:
    from rightcall.records.golden import request_of

    reviews = ((golden, review_of(golden)) for golden in goldens)
    return [
        {
            "id": golden.id,
            "state": entry.state,
            "comment": entry.comment,
            "author": entry.author,
            "text": request_of(golden),
        }
        for golden, entry in reviews
    ]


def _goldens_by_name(place: Drafts, names: Sequence[str]) -> list[AnyGolden]:
    if not names:
        return []
    goldens = {golden.id: golden for golden in place.goldens()}
    if "all" in names:
        return [golden for golden in goldens.values() if review_of(golden).state == "pending"]
    for name in names:
        if name not in goldens:
            raise InputError(place.name, f"has no golden '{name}'", suggestion(name, goldens))
    return [goldens[name] for name in names]


def _say_final(count: int, where: str, as_json: bool) -> None:
    if as_json:
        print_json({"goldens": count, "written_to": where})
    else:
        console().print(f"{pluralize(count, 'golden')} finalized: {where}")


def _now() -> str:
    import datetime

    return utc_text(datetime.datetime.now(datetime.UTC), "seconds")
