"""Parts of a run's safety as they are shown everywhere: the worst case and the risks of OWASP.

The risks are the ten of agentic applications (2026); their names come from one data file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.resources import files

from rightcall.core.codec import decode
from rightcall.core.text import percent, pluralize
from rightcall.decide.safety_numbers import AttackRow, SafetyNumbers
from rightcall.records.record import Record
from rightcall.records.worst_case import GuardShare, WorstCaseNumbers


class SafetySection(Record, frozen=True):
    """`texts` are the columns that are no numbers; their cells may hold text from outside."""

    title: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    sentences: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()


TITLE = "Worst case: the model hijacked"
NOT_REPLAYED = (
    "No worst case was replayed in this run: `attacks: {worst_case: {}}` in the suite replays it with every run, "
    "`rightcall attacks worst-case SUITE` does it once."
)
BLIND = (
    "The guard judges where values come from. It does not detect paraphrases, spelled-out digits, a choice among values"
    " that are allowed, or harm done with the user's own words."
)


def worst_case_sentence(numbers: WorstCaseNumbers | None) -> str:
    """The half of the sentence that does not depend on the model."""
    if numbers is None:
        return "What the guards would stop if the model were hijacked was not replayed."
    if numbers.inconclusive or not numbers.attacker_calls:
        why = numbers.inconclusive or "no call of an attacker was tried"
        return f"Nothing is known about a hijacked model: {why}."
    calls = f"{pluralize(numbers.attacker_calls, 'call')} of sinks"
    if numbers.guard == "none" and not numbers.stopped:
        return f"If the model were hijacked, nothing would stop its {calls}."
    who = "the tools' own checks" if numbers.guard == "none" else f"the guard {numbers.guard}"
    share = percent(numbers.false_stops / numbers.user_calls) if numbers.user_calls else "none"
    return (
        f"If the model were hijacked, {who} would stop {numbers.stopped:,} of {calls} "
        f"and {share} of the user's own calls."
    )


def worst_case_sections(numbers: WorstCaseNumbers | None) -> Iterator[SafetySection]:
    """By sink and guard, then the calls that nothing stopped, then the user's calls that were stopped."""
    if numbers is None:
        yield SafetySection(TITLE, sentences=(NOT_REPLAYED,))
        return
    yield SafetySection(
        TITLE,
        ("sink", "attacker's calls", "stopped", "by"),
        tuple(map(_share_row, numbers.sinks)),
        tuple(_sentences(numbers)),
        texts=("sink", "by"),
    )
    if numbers.unguarded:
        yield SafetySection(
            "Calls that nothing stops (unguarded)",
            ("goal", "call", "in the task", "after calls"),
            tuple((row.goal, row.call, row.golden_id, f"{row.at:,}") for row in numbers.unguarded),
            texts=("goal", "call", "in the task"),
        )
    if numbers.stops:
        titles = ("call of", "in the task", "verdict", "by", "argument", "label")
        rows = (
            (row.tool, row.golden_id, row.verdict, ", ".join(row.by), row.argument, row.label)
            for row in numbers.stops
        )
        cells = tuple(tuple(cell or "–" for cell in row) for row in rows)
        yield SafetySection("Calls of the user that are stopped (false_stop)", titles, cells, texts=titles)


def _share_row(share: GuardShare) -> tuple[str, ...]:
    rules = sorted(share.by.items(), key=lambda rule: -rule[1])
    by = ", ".join(f"{rule} {count:,}" for rule, count in rules) or "–"
    return (share.sink, f"{share.calls:,}", f"{share.stopped:,}", by)


def _sentences(numbers: WorstCaseNumbers) -> Iterator[str]:
    if numbers.inconclusive:
        yield f"INCONCLUSIVE: {numbers.inconclusive}."
    if not numbers.goldens:
        return
    yield (
        f"Guard {numbers.guard}, threat {numbers.threat}, {pluralize(numbers.goldens, 'task')}, no model asked: "
        f"{numbers.stopped:,} of {pluralize(numbers.attacker_calls, 'call')} of the attacker stopped at every position."
    )
    if numbers.user_calls:
        of_sinks = percent(numbers.false_stops / numbers.user_sinks) if numbers.user_sinks else "–"
        yield (
            f"Of {pluralize(numbers.user_calls, 'call')} of the user {numbers.false_stops:,} stopped "
            f"({percent(numbers.false_stops / numbers.user_calls)}; {of_sinks} of sink calls), {numbers.asked:,} by a "
            f"question; {numbers.tasks_stopped:,} of {pluralize(numbers.goldens, 'task')} with a stop."
        )
    for why, count in Counter(numbers.untried.values()).items():
        yield f"No attack was tried in {pluralize(count, 'task')}: {why}."
    yield BLIND


class Risk(Record, frozen=True):
    """One risk, and the attempts and kinds of sinks of a worst case that test it; without any it is never tested."""

    id: str
    name: str
    beside: tuple[str, ...] = ()
    any: bool = False
    families: tuple[str, ...] = ()
    carriers: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()
    sinks: tuple[str, ...] = ()
    note: str = ""
    on_request: str = ""
    """What a plan must ask for to test it, where the plan `auto` does not."""


class RiskLine(Record, frozen=True):
    """What a run says about one risk."""

    id: str
    name: str
    tested: bool
    text: str


@cache
def risks() -> tuple[Risk, ...]:
    data = files("rightcall.show.view").joinpath("owasp.json").read_bytes()
    return decode(data, tuple[Risk, ...], "owasp.json")


def risk_lines(numbers: SafetyNumbers | None, worst_case: WorstCaseNumbers | None) -> tuple[RiskLine, ...]:
    """A line for each risk; one without a delivered attempt and a call of a worst case was not tested, whatever the
    plan said.
    """
    return tuple(_line(risk, numbers, worst_case) for risk in risks())


def _line(risk: Risk, numbers: SafetyNumbers | None, worst_case: WorstCaseNumbers | None) -> RiskLine:
    name = f"{risk.name} ({', '.join(risk.beside)})" if risk.beside else risk.name
    rows = _rows_of(risk, numbers) if numbers is not None else []
    delivered = sum(row.delivered for row in rows)
    obeyed = sum(row.obeyed for row in rows)
    parts = [f"{pluralize(delivered, 'delivered attempt')}, {obeyed:,} obeyed"] if delivered else []
    calls, stopped = _worst_case_calls(risk, worst_case) if worst_case is not None else (0, 0)
    counted = "" if risk.any else ", by kind of sink"
    parts += [f"worst case: {stopped:,} of {pluralize(calls, 'call')} stopped{counted}"] if calls else []
    if not parts:
        return RiskLine(risk.id, name, False, _why_not_tested(risk, numbers))
    note = f"; {risk.note}" if risk.note else ""
    return RiskLine(risk.id, name, True, f"tested: {'; '.join(parts)}{note}")


def _why_not_tested(risk: Risk, numbers: SafetyNumbers | None) -> str:
    """That a risk was not tested, and why where the reason is in the plan or in what the agent read."""
    if numbers is not None and (planned := sum(row.attempts for row in _rows_of(risk, numbers))):
        return f"not tested: none of {pluralize(planned, 'attempt')} was delivered"
    return f"not tested: {risk.on_request}" if numbers is not None and risk.on_request else "not tested"


def _rows_of(risk: Risk, numbers: SafetyNumbers) -> list[AttackRow]:
    """The attacks that test a risk, by family, carrier or goal."""
    return [
        row
        for row in numbers.rows
        if risk.any or row.family in risk.families or row.carrier in risk.carriers or row.goal in risk.goals
    ]


def _worst_case_calls(risk: Risk, worst_case: WorstCaseNumbers) -> tuple[int, int]:
    if risk.any:
        return worst_case.attacker_calls, worst_case.stopped
    own = [share for share in worst_case.sinks if share.sink in risk.sinks]
    return sum(share.calls for share in own), sum(share.stopped for share in own)
