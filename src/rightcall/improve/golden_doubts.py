"""Goldens that are probably wrong: every reason to doubt each, from its definition, its own behaviour, and votes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import Literal

from rightcall.core.errors import InputError
from rightcall.core.text import shorten
from rightcall.improve.call_difference import difference_from
from rightcall.improve.doubt import (
    DOUBT_CODES,
    PRECISION,
    AlternativeCall,
    Doubt,
    DoubtCode,
    Reason,
    SuspectGolden,
    apply_edits,
    in_order,
    limit_value,
)
from rightcall.improve.doubt_reasons import (
    against_schema,
    agents_agree,
    cannot_be_met,
    default_demanded,
    nobody_passes,
    stray_mark,
    too_strict,
)
from rightcall.improve.votes import Ballots, Votes, count_votes, no_ballot
from rightcall.metrics.score_case import Scorer
from rightcall.metrics.value_sources import words_of
from rightcall.records.golden import AnyGolden
from rightcall.records.tool import Tool
from rightcall.run.golden_check import DatasetFinding, notes_of
from rightcall.run.rehearsal.known_good import own_behaviour
from rightcall.run.rehearsal.toolset import Toolsets
from rightcall.run.rehearsal.trial import Trial

REASONS: dict[DoubtCode, Callable[[SuspectGolden], Iterator[Reason]]] = {
    "cannot_be_met": cannot_be_met,
    "against_schema": against_schema,
    "default_demanded": default_demanded,
    "stray_mark": stray_mark,
    "agents_agree": agents_agree,
    "nobody_passes": nobody_passes,
    "too_strict": too_strict,
}
LONGEST_SENTENCE = 400


class Doubter:
    """Examines goldens one at a time; `doubts` has all of them."""

    def __init__(self, trial: Trial, ballots: Ballots = no_ballot, *, system: str = "") -> None:
        self._trial = trial
        self._ballots = ballots
        self._system = system
        self._toolsets = Toolsets()
        self._doubts: list[Doubt] = []
        self.examined = 0

    async def examine(self, where: str, golden: AnyGolden) -> None:
        """Look for reasons to doubt one golden."""
        self.examined += 1
        toolset = self._toolsets.of(self._trial.tools_of(golden))
        ballot = self._ballots(golden)
        votes = count_votes(ballot, toolset)
        own = await own_behaviour(golden, toolset, self._trial)
        suspect = SuspectGolden(golden, toolset, words_of(golden, self._system), votes, own=own)
        for code, reasons in REASONS.items():
            for reason in reasons(suspect):
                self._add(golden.id, where, code, _with_valid_change(reason, suspect), votes=votes)

    def doubts(self) -> tuple[Doubt, ...]:
        """Every doubt, the most certain first."""
        return in_order(self._doubts)

    def _add(self, golden_id: str, where: str, code: DoubtCode, reason: Reason, votes: Votes) -> None:
        alternative = reason.alternative
        doubt = Doubt(
            golden_id=golden_id,
            code=code,
            band=reason.band,
            sentence=shorten(reason.sentence, LONGEST_SENTENCE),
            precision=PRECISION[reason.band],
            where=where,
            n=votes.n,
            agree=alternative.share if alternative else 0.0,
            passing=votes.passing,
            families=alternative.families if alternative else (),
            agents=alternative.agents if alternative else (),
            evidence=tuple(shorten(line, LONGEST_SENTENCE) for line in reason.evidence),
            alternative=_alternative_calls(reason),
            change=reason.change,
        )
        if doubt not in self._doubts[-len(DOUBT_CODES) :]:
            self._doubts.append(doubt)


def _with_valid_change(reason: Reason, suspect: SuspectGolden) -> Reason:
    """The reason with its change only where that can be made, and accepts the alternative."""
    if not reason.change:
        return reason
    golden = suspect.golden
    try:
        changed = apply_edits(golden, reason.change)
        refused = any(severity == "error" for severity, *_ in notes_of(changed, suspect.toolset.tools))
    except (InputError, KeyError, IndexError, TypeError):
        return reason._replace(change=())
    if reason.alternative is not None and not refused:
        refused = difference_from(changed, reason.alternative.calls, suspect.toolset).size > 0
    too_long = any(
        any(limit_value(value) != value for value in (edit.before, edit.after)) for edit in reason.change
    )
    return reason._replace(change=()) if refused or too_long else reason


def _alternative_calls(reason: Reason) -> tuple[AlternativeCall, ...]:
    """What agents do instead, with values that an output can hold."""
    calls = reason.alternative.calls if reason.alternative else ()
    return tuple(
        AlternativeCall(
            call.name, {name: limit_value(value) for name, value in (call.arguments or {}).items()}
        )
        for call in calls
    )


MOST_EXAMINED = 100_000
"""Goldens that are examined; larger datasets are checked for mistakes only."""


class DatasetDoubts:
    """What `dataset check` finds without a run: examines goldens as they are read; `findings` has the doubts.

    What the schema refuses is found elsewhere.
    """

    def __init__(self, tools: Mapping[str, Tool]) -> None:
        self._doubter = Doubter(Trial(Scorer(), tools))

    def watch(self, goldens: Iterator[tuple[str, AnyGolden]]) -> Iterator[tuple[str, AnyGolden]]:
        """The same goldens, examined as they pass."""
        with asyncio.Runner() as loop:
            for where, golden in goldens:
                if self._doubter.examined < MOST_EXAMINED:
                    loop.run(self._doubter.examine(where, golden))
                yield where, golden

    def findings(self) -> Iterator[DatasetFinding]:
        """The doubts about all goldens that were read, the most certain first."""
        for doubt in self._doubter.doubts():
            if doubt.code != "against_schema":
                change = " and ".join(edit.path for edit in doubt.change)
                hint = f"a change of {change} would accept it" if change else ""
                severity: Literal["error", "warning"] = "error" if doubt.band == "certain" else "warning"
                yield DatasetFinding(
                    doubt.where, doubt.golden_id, severity, doubt.code, message=doubt.sentence, hint=hint
                )
