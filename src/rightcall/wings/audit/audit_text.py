"""An audit, in the terminal and as Markdown: what the suite would not notice, the most harmful first."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.core.text import first_names, percent, percent_interval, pluralize
from rightcall.improve.golden_edit import value_text
from rightcall.show.doubts import doubts_markdown, print_doubts
from rightcall.show.markdown import code
from rightcall.show.screen import Screen
from rightcall.show.view.floor import floor_rows, floor_sentence
from rightcall.wings.audit.mutant import Harm
from rightcall.wings.audit.result import AuditResult, Catch, NotAudited, Survivor

HARM_TITLES: dict[Harm, str] = {
    "double_effect": "double effect",
    "extra_effect": "unwanted effect",
    "wrong_object": "wrong object",
    "wrong_effect": "wrong effect",
    "wrong_tool": "wrong tool",
    "missed": "missed call",
    "wrong_value": "wrong value",
    "order": "wrong order",
    "answer": "wrong answer",
    "waste": "waste",
}
LOUD = ("double_effect", "extra_effect", "wrong_object", "wrong_effect")
MOST_SHOWN = 20
MOST_LISTED = 5


def headline(result: AuditResult) -> str:
    """The sentence that says it all; never a rate of nothing."""
    sure = result.sure
    total = sure.caught + sure.survived
    if not total:
        return "Nothing could be judged: no bug was planted whose score is known."
    where = f"on {result.audited:,} of {pluralize(result.goldens, 'golden')}"
    rate = f"{percent(result.rate)}, 95% interval {percent_interval(result.low, result.high)}"
    return f"Your suite catches {sure.caught:,} of {total:,} provably wrong agents ({rate}), {where}."


def notes(result: AuditResult) -> Iterator[str]:
    """What the rate leaves out, in plain words."""
    if result.invalid.caught + result.invalid.survived:
        yield f"{_of(result.invalid)} calls that tools would refuse are caught; no rate counts them."
    if result.maybe.caught + result.maybe.survived:
        yield f"{_of(result.maybe)} changes that may be harmless are caught; no rate counts them."
    for why, count in result.not_judged.items():
        yield f"{pluralize(count, 'mutant')} not judged: {why}"
    if result.equivalent:
        yield f"{pluralize(result.equivalent, 'mutant')} left out as harmless (--equivalent)."
    if result.in_dataset:
        share = percent(result.goldens / result.in_dataset)
        yield f"A sample of {result.goldens:,} of {pluralize(result.in_dataset, 'golden')} ({share}) was audited."
    if result.without_tools:
        yield "No tools are known: bugs that need a schema were not planted; pass --tools FILE."


def doubt_notes(result: AuditResult) -> Iterator[str]:
    """Who speaks for and against goldens, and who does not."""
    electorate = result.electorate
    if electorate.voting and result.doubts:
        yield f"Agents that vote on goldens: {first_names(list(electorate.voting), 8)}."
    if electorate.below_half:
        yield f"Agents that pass less than half do not vote: {first_names(list(electorate.below_half), 8)}."
    if electorate.changed:
        yield f"{pluralize(electorate.changed, 'golden')} changed since a run, which says nothing about them."
    if electorate.kept:
        yield f"{pluralize(electorate.kept, 'doubt')} left out: somebody decided that the golden is right."


def _of(catch: Catch) -> str:
    return f"{catch.caught:,} of {catch.caught + catch.survived:,}"


def print_audit(out: Screen, result: AuditResult, *, every: bool = False) -> None:
    """Print the headline, survivors by harm with what would catch each, and goldens that could not be audited."""
    if not result.goldens and (result.floor is not None or result.examined):
        _print_part(out, result, every=every)
        return
    out.print(headline(result), style="bold", soft_wrap=True)
    most = len(result.survivors) if every else MOST_SHOWN
    for survivor in result.survivors[:most]:
        _print_survivor(out, survivor, "red" if survivor.harm in LOUD else "yellow")
        for line in proposal_lines(survivor):
            out.print(f"    {line}", soft_wrap=True)
    if result.maybe_survivors:
        out.print(f"{pluralize(len(result.maybe_survivors), 'change')} that may be harmless:")
        for survivor in result.maybe_survivors[:most]:
            _print_survivor(out, survivor, "dim")
    if len(result.survivors) > most:
        out.print(f"… and {len(result.survivors) - most:,} more: --all", style="dim")
    for title, group in _goldens_left_out(result):
        out.print(f"{pluralize(len(group), 'golden')} {title}:")
        for golden in group[:MOST_LISTED]:
            out.print(f"  {golden.golden_id}: {golden.why}", soft_wrap=True)
        if len(group) > MOST_LISTED:
            out.print(f"  … and {len(group) - MOST_LISTED:,} more: --json", style="dim")
    for sentence in [floor_sentence(result.floor)] if result.floor else ():
        out.print(sentence, soft_wrap=True)
    print_doubts(out, result.doubts, every=every)
    for note in (*notes(result), *doubt_notes(result)):
        out.print(note, style="dim", soft_wrap=True)


def _print_part(out: Screen, result: AuditResult, *, every: bool) -> None:
    """Print an audit that planted no bug: the floor, or the doubts."""
    if result.floor is not None:
        out.print(floor_sentence(result.floor), style="bold", soft_wrap=True)
        for row in floor_rows(result.floor):
            out.print(row, soft_wrap=True)
        return
    print_doubts(out, result.doubts, every=every)
    if not result.doubts:
        out.print(f"No reason to doubt any of {pluralize(result.examined, 'golden')}.", style="bold")
    for note in doubt_notes(result):
        out.print(note, style="dim", soft_wrap=True)


def _print_survivor(out: Screen, survivor: Survivor, color: str) -> None:
    out.say(
        f"[bold {color}]{{}}[/bold {color}]  {{}}  {{}}  [dim]{{}}[/dim]",
        HARM_TITLES[survivor.harm],
        survivor.golden_id,
        survivor.sentence,
        survivor.id,
        soft_wrap=True,
    )


def proposal_lines(survivor: Survivor) -> Iterator[str]:
    """The change that would catch it, or why there is none."""
    proposal = survivor.proposal
    if proposal is None:
        yield survivor.none_because
        return
    for edit in proposal.edits:
        yield f"{edit.path}: {value_text(edit.after, 200)}"
    if proposal.agents and any(".args." in edit.path for edit in proposal.edits):
        yield f"by the calls of {pluralize(proposal.agents, 'agent')} that passed; others may be right too"
    if proposal.would_fail:
        yield f"would fail now: {', '.join(proposal.would_fail)}"


def _goldens_left_out(result: AuditResult) -> Iterator[tuple[str, tuple[NotAudited, ...]]]:
    doubted = {doubt.golden_id for doubt in result.doubts if doubt.code == "cannot_be_met"}
    never_met = tuple(golden for golden in result.cannot_be_met if golden.golden_id not in doubted)
    if never_met:
        yield "cannot be met", never_met
    if result.not_audited:
        yield "not audited", result.not_audited


def audit_markdown(result: AuditResult) -> str:
    """The same for a pull request or a file, with every survivor."""
    lines = ["## Would the suite notice?", "", headline(result), ""]
    if result.survivors:
        lines += ["| harm | golden | what passes | what would catch it |", "| --- | --- | --- | --- |"]
        for survivor in result.survivors:
            answer = "<br>".join(code(line) for line in proposal_lines(survivor))
            cells = (
                HARM_TITLES[survivor.harm],
                code(survivor.golden_id, 80),
                code(survivor.sentence),
                answer,
            )
            lines.append(f"| {' | '.join(cells)} |")
        lines.append("")
    lines += ["| operator | caught | survived |", "| --- | ---: | ---: |"]
    lines += [f"| `{name}` | {c.caught:,} | {c.survived:,} |" for name, c in result.by_operator.items()]
    lines.append("")
    for title, group in _goldens_left_out(result):
        lines += [f"{pluralize(len(group), 'golden')} {title}:", ""]
        lines += [f"- {code(golden.golden_id, 80)}: {code(golden.why)}" for golden in group]
        lines.append("")
    if result.floor is not None:
        lines += [floor_sentence(result.floor), ""]
    lines += doubts_markdown(result.doubts)
    lines += [f"{note}\n" for note in (*notes(result), *map(code, doubt_notes(result)))]
    return "\n".join(lines)
