"""An audit in sections, which every report draws: what passes, which goldens may be wrong, what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rightcall.core.text import first_names, percent, percent_interval, pluralize
from rightcall.improve.doubt import BAND_LINES, BANDS, Doubt, GoldenEdit, value_text
from rightcall.limbs.audit.result import AuditResult, NotAudited, Survivor
from rightcall.limbs.audit.scene import Harm
from rightcall.records.record import Record
from rightcall.show.view.floor import floor_rows, floor_sentence

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
}
LOUD = ("double_effect", "extra_effect", "wrong_object", "wrong_effect")


class AuditRow(Record, frozen=True):
    """One finding: a bug that passes, a reason to doubt a golden, or a golden that was left out.

    `lines` say what would catch it or what speaks against the golden, with the proposed `edits`. `mark` names a bug.
    """

    title: str
    golden_id: str
    sentence: str
    loud: bool = False
    where: str = ""
    mark: str = ""
    lines: tuple[str, ...] = ()
    edits: tuple[GoldenEdit, ...] = ()


class AuditSection(Record, frozen=True):
    """Findings of one kind, with a sentence above them. `name` is the anchor on a page."""

    name: str
    title: str
    rows: tuple[AuditRow, ...] = ()
    lead: str = ""


def audit_sections(result: AuditResult) -> Iterator[AuditSection]:
    """Everything that an audit found, what decides first."""
    planted = bool(result.goldens) or not (result.floor or result.examined)
    if planted:
        rows = tuple(map(_survivor_row, result.survivors))
        yield AuditSection("survivors", "What passes", rows, headline(result))
    yield from _left_out(result)
    if result.floor is not None:
        rates = () if planted else floor_rows(result.floor)
        yield AuditSection("floor", "", lead="\n".join([floor_sentence(result.floor), *rates]))
    yield from doubt_sections(result.doubts)
    if result.examined and not (planted or result.doubts):
        reason = f"No reason to doubt any of {pluralize(result.examined, 'golden')}."
        yield AuditSection("doubts", "", lead=reason)


def _survivor_row(survivor: Survivor) -> AuditRow:
    return AuditRow(
        HARM_TITLES[survivor.harm],
        survivor.golden_id,
        survivor.sentence,
        loud=survivor.harm in LOUD,
        where=survivor.where,
        mark=survivor.id,
        lines=tuple(proposal_lines(survivor)),
        edits=survivor.proposal.edits if survivor.proposal else (),
    )


def proposal_lines(survivor: Survivor) -> Iterator[str]:
    """The change that would catch it, or why there is none."""
    proposal = survivor.proposal
    if proposal is None:
        yield survivor.none_because
        return
    yield from edit_lines(proposal.edits)
    if proposal.agents and any(".args." in edit.path for edit in proposal.edits):
        yield f"by the calls of {pluralize(proposal.agents, 'agent')} that passed; others may be right too"
    if proposal.would_fail:
        yield f"would fail now: {', '.join(proposal.would_fail)}"


def edit_lines(edits: Iterable[GoldenEdit]) -> Iterator[str]:
    """Each change of a golden: the place, and the new value."""
    return (f"{edit.path}: {value_text(edit.after, 200)}" for edit in edits)


def _left_out(result: AuditResult) -> Iterator[AuditSection]:
    doubted = {doubt.golden_id for doubt in result.doubts if doubt.code == "cannot_be_met"}
    never_met = [golden for golden in result.cannot_be_met if golden.golden_id not in doubted]
    for word, goldens in (("cannot be met", never_met), ("not audited", result.not_audited)):
        if goldens:
            rows = tuple(_left_out_row(word, golden) for golden in goldens)
            yield AuditSection("left-out", f"{pluralize(len(rows), 'golden')} {word}:", rows)


def _left_out_row(word: str, golden: NotAudited) -> AuditRow:
    return AuditRow(word, golden.golden_id, golden.why)


def doubt_sections(doubts: Sequence[Doubt]) -> Iterator[AuditSection]:
    """Goldens that are probably wrong, by band."""
    lead = doubts_headline(doubts)
    for band in BANDS:
        if group := [doubt for doubt in doubts if doubt.band == band]:
            yield AuditSection("doubts", BAND_LINES[band], tuple(map(_doubt_row, group)), lead)
            lead = ""


def doubts_headline(doubts: Sequence[Doubt]) -> str:
    """How many goldens are probably wrong, and which; empty without doubts."""
    titles = {doubt.golden_id: doubt.title for doubt in reversed(doubts)}
    ids = list(dict.fromkeys(doubt.golden_id for doubt in doubts))
    named = first_names([f"{golden_id} ({titles[golden_id]})" for golden_id in ids], 3)
    return (
        f"{pluralize(len(ids), 'golden')} {'is' if len(ids) == 1 else 'are'} probably wrong: {named}."
        if ids
        else ""
    )


def _doubt_row(doubt: Doubt) -> AuditRow:
    agents = [f"agents: {first_names(list(doubt.agents), 5)}"] if doubt.agents else []
    return AuditRow(
        doubt.title,
        doubt.golden_id,
        doubt.sentence,
        loud=doubt.band == "certain",
        where=doubt.where,
        lines=(*doubt.evidence, *agents, *edit_lines(doubt.change)),
        edits=doubt.change,
    )


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
    """What the rate leaves out, and who speaks for and against goldens."""
    for why, count in result.not_judged.items():
        yield f"{pluralize(count, 'mutant')} not judged: {why}"
    if result.equivalent:
        yield f"{pluralize(result.equivalent, 'mutant')} left out as harmless (`equivalent` of the suite)."
    if result.without_tools and result.goldens:
        yield "No tools are known: bugs that need a schema were not planted; pass --tools FILE."
    electorate = result.electorate
    if electorate.voting and result.doubts:
        yield f"Agents that vote on goldens: {first_names(list(electorate.voting), 8)}."
    if electorate.below_half:
        yield f"Agents that pass less than half do not vote: {first_names(list(electorate.below_half), 8)}."
    if electorate.changed:
        yield f"{pluralize(electorate.changed, 'golden')} changed since a run, which says nothing about them."
