"""What an audit found: how many bugs the suite would notice, which it would not, and how far trivial agents get."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import msgspec

from rightcall.core.codec import describe_value
from rightcall.improve.doubt import Doubt, GoldenEdit, limit_value, value_text
from rightcall.improve.past_evidence import Electorate
from rightcall.limbs.audit.scene import HARMS, Harm, Mutant
from rightcall.records.floor import Floor
from rightcall.records.golden import AnyGolden
from rightcall.records.record import Record


class GoldenProposal(Record, frozen=True):
    """The smallest change of a golden that catches a survivor.

    `agents` says how many agents' right behaviour stands behind it; `would_fail` are stored trajectories that passed
    and would fail now, for the user to judge.
    """

    edits: tuple[GoldenEdit, ...]
    closes: tuple[str, ...] = ()
    agents: int = 0
    would_fail: tuple[str, ...] = ()


class Survivor(Record, frozen=True):
    """One place where bugs pass; mutants of the same golden, call and parameter are one survivor."""

    id: str
    golden_id: str
    where: str
    operator: str
    harm: Harm
    sentence: str
    tool: str = ""
    parameter: str = ""
    before: Any = None
    after: Any = None
    mutants: tuple[str, ...] = ()
    proposal: GoldenProposal | None = None
    none_because: str = ""


class Catch(Record, frozen=True):
    """Mutants that were scored: caught by the suite, or not."""

    caught: int = 0
    survived: int = 0

    @property
    def rate(self) -> float:
        """The share that was caught; 0 without any."""
        total = self.caught + self.survived
        return self.caught / total if total else 0.0

    def plus(self, caught: bool) -> Catch:
        return Catch(self.caught + caught, self.survived + (not caught))


class NotAudited(Record, frozen=True):
    """A golden without known good behaviour, and why."""

    golden_id: str
    why: str


class AuditResult(Record, frozen=True, tag="rightcall/audit/1", tag_field="format"):
    """An audit. `sure` counts bugs that are wrong by construction and that tools would accept.

    `not_judged` counts mutants whose scoring is an error or needs a judge, by reason.
    `doubts` are goldens that may be wrong, the most certain first, of the `examined` ones; `electorate` are the agents
    whose behaviour speaks for or against goldens. `floor` is what trivial agents pass.
    """

    goldens: int
    audited: int
    sure: Catch
    rate: float
    low: float
    high: float
    not_judged: dict[str, int] = {}
    by_operator: dict[str, Catch] = {}
    survivors: tuple[Survivor, ...] = ()
    not_audited: tuple[NotAudited, ...] = ()
    cannot_be_met: tuple[NotAudited, ...] = ()
    equivalent: int = 0
    doubts: tuple[Doubt, ...] = ()
    examined: int = 0
    electorate: Electorate = Electorate()
    floor: Floor | None = None
    without_tools: bool = False
    seed: str = ""


def survivors_of(mutants: Sequence[Mutant], where: str) -> list[tuple[Survivor, list[Mutant]]]:
    """The survivors of a golden, the most harmful first, each with its mutants."""
    groups: dict[tuple[str, int | None, str], list[Mutant]] = {}
    for mutant in mutants:
        kind = mutant.operator if not mutant.parameter else ""
        groups.setdefault((kind, mutant.call, mutant.parameter), []).append(mutant)
    survivors: list[tuple[Survivor, list[Mutant]]] = []
    for group in groups.values():
        group.sort(key=lambda mutant: (HARMS.index(mutant.harm), mutant.id))
        first = group[0]
        survivors.append(
            (
                Survivor(
                    id=first.id,
                    golden_id=first.golden_id,
                    where=where,
                    operator=first.operator,
                    harm=first.harm,
                    sentence=sentence_of(group),
                    tool=first.tool,
                    parameter=first.parameter,
                    before=limit_value(first.before),
                    after=limit_value(first.after),
                    mutants=tuple(mutant.id for mutant in group),
                ),
                group,
            )
        )
    return sorted(survivors, key=lambda pair: (HARMS.index(pair[0].harm), pair[0].id))


SENTENCES = {
    "do_nothing": "doing nothing passes",
    "drop_call": "leaving out {tool} passes",
    "repeat_call": "{tool} twice passes",
    "extra_turn": "{tool} twice passes",
    "extra_call": "an additional call of {tool} passes",
    "sibling_tool": "{tool} instead of {before} passes",
    "skip_lookup": "leaving out {tool}, whose result is needed, passes",
    "skip_confirmation": "{tool} without asking passes",
    "wrong_order": "{after} in this order passes",
    "no_content": "an answer without content passes",
    "wrong_content": "an answer with {after} instead of {before} passes",
    "world_not_reached": "calls without any effect pass",
    "drop_stated": "leaving out {tool}.{parameter} passes",
    "swap_args": "{tool} with {parameter} exchanged passes",
}


NAMING_TOOLS = ("extra_call", "sibling_tool", "drop_call", "repeat_call")
"""Operators whose mutants differ in the tool that they name."""


def sentence_of(mutants: Sequence[Mutant]) -> str:
    """What passes, in words."""
    first = mutants[0]
    if first.parameter and first.before is None:
        return f"any value of {first.tool}.{first.parameter} passes: the golden does not state it"
    if len(mutants) > 1 and first.parameter:
        return f"{len(mutants)} wrong values of {first.tool}.{first.parameter} pass"
    tools = sorted({mutant.tool for mutant in mutants})
    if len(tools) > 1 and first.operator in NAMING_TOOLS:
        shown = f"{', '.join(tools[:-1])} or {tools[-1]}"
        return SENTENCES[first.operator].format(tool=shown, before=first.before)
    pattern = SENTENCES.get(first.operator, "{tool}.{parameter} {after} instead of {before} passes")
    names = {"before": value_text(first.before, 60), "after": value_text(first.after, 60)}
    if first.operator in ("sibling_tool", "wrong_content"):
        names |= {"before": str(first.before), "after": str(first.after)}
    return pattern.format(tool=first.tool, parameter=first.parameter, **names)


def with_audit_note(tightened: AnyGolden, survivors: Sequence[Survivor]) -> AnyGolden:
    """The changed golden with a note of what was changed and what that catches, for who reads it."""
    closed = [survivor for survivor in survivors if survivor.proposal is not None]
    edits = list(
        chain.from_iterable(survivor.proposal.edits if survivor.proposal else () for survivor in closed)
    )
    note = {
        "edits": msgspec.to_builtins(
            list({repr(edit): edit for edit in edits}.values()), enc_hook=describe_value
        ),
        "catches": [survivor.sentence for survivor in closed],
    }
    return msgspec.structs.replace(tightened, metadata={**tightened.metadata, "audit": note})
