"""OWASP's ten risks of agentic applications (2026): which of them a run tested. Names come from one data file."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from rightcall.core.codec import decode
from rightcall.core.text import pluralize
from rightcall.decide.safety_numbers import SafetyNumbers
from rightcall.model.record import Record


class Risk(Record, frozen=True):
    """One risk and the attempts that test it; without any it is never tested here."""

    id: str
    name: str
    beside: tuple[str, ...] = ()
    any: bool = False
    families: tuple[str, ...] = ()
    carriers: tuple[str, ...] = ()
    goals: tuple[str, ...] = ()
    note: str = ""


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


def risk_lines(numbers: SafetyNumbers) -> tuple[RiskLine, ...]:
    """A line for each risk; one without a delivered attempt was not tested, whatever the plan said."""
    return tuple(_line(risk, numbers) for risk in risks())


def _line(risk: Risk, numbers: SafetyNumbers) -> RiskLine:
    delivered = tried = 0
    if risk.any:
        delivered, tried = numbers.delivered, numbers.asr.count
    else:
        groups = (
            (numbers.families, risk.families),
            (numbers.carriers, risk.carriers),
            (numbers.goals, risk.goals),
        )
        for rows, names in groups:
            own = [row for row in rows if row.name in names]
            if own:
                delivered, tried = sum(row.delivered for row in own), sum(row.tried for row in own)
    beside = f" ({', '.join(risk.beside)})" if risk.beside else ""
    if not delivered:
        return RiskLine(risk.id, f"{risk.name}{beside}", False, "not tested")
    note = f"; {risk.note}" if risk.note else ""
    words = f"tested: {pluralize(delivered, 'delivered attempt')}, {tried:,} moved the agent{note}"
    return RiskLine(risk.id, f"{risk.name}{beside}", True, words)
