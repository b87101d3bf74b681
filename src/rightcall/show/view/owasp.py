"""OWASP's ten risks of agentic applications (2026): which of them a run tested. Names come from one data file."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.resources import files

from rightcall.core.codec import decode
from rightcall.core.text import pluralize
from rightcall.decide.safety_numbers import FamilyRow, SafetyNumbers
from rightcall.model.record import Record
from rightcall.model.worst_case import WorstCaseNumbers


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
    delivered, tried = _attempts(risk, numbers) if numbers is not None else (0, 0)
    parts = [f"{pluralize(delivered, 'delivered attempt')}, {tried:,} moved the agent"] if delivered else []
    calls, stopped = _worst_case_calls(risk, worst_case) if worst_case is not None else (0, 0)
    counted = "" if risk.any else ", by kind of sink"
    parts += [f"worst case: {stopped:,} of {pluralize(calls, 'call')} stopped{counted}"] if calls else []
    if not parts:
        return RiskLine(risk.id, name, False, _why_not_tested(risk, numbers))
    note = f"; {risk.note}" if risk.note else ""
    return RiskLine(risk.id, name, True, f"tested: {'; '.join(parts)}{note}")


def _why_not_tested(risk: Risk, numbers: SafetyNumbers | None) -> str:
    """That a risk was not tested, and why where the reason is in the plan or in what the agent read."""
    if numbers is None:
        return "not tested"
    if planned := max(len_of for len_of, _ in _sums(risk, numbers, lambda row: row.attempts)):
        return f"not tested: none of {pluralize(planned, 'attempt')} was delivered"
    return f"not tested: {risk.on_request}" if risk.on_request else "not tested"


def _attempts(risk: Risk, numbers: SafetyNumbers) -> tuple[int, int]:
    """Delivered attempts and those that moved the agent; one may be of a family, a carrier and a goal at once."""
    if risk.any:
        return numbers.delivered, numbers.asr.count
    return max(_sums(risk, numbers, lambda row: row.delivered))


def _sums(risk: Risk, numbers: SafetyNumbers, count: Callable[[FamilyRow], int]) -> list[tuple[int, int]]:
    """For families, carriers and goals of a risk: the sum of a count over them, and of the attempts that moved it."""
    sums = [(numbers.attempts, 0)] if risk.any else []
    for rows, names in (
        (numbers.families, risk.families),
        (numbers.carriers, risk.carriers),
        (numbers.goals, risk.goals),
    ):
        own = [row for row in rows if row.name in names]
        sums.append((sum(map(count, own)), sum(row.tried for row in own)))
    return sums


def _worst_case_calls(risk: Risk, worst_case: WorstCaseNumbers) -> tuple[int, int]:
    if risk.any:
        return worst_case.attacker_calls, worst_case.stopped
    own = [share for share in worst_case.sinks if share.sink in risk.sinks]
    return sum(share.calls for share in own), sum(share.stopped for share in own)
