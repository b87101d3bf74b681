"""Which change touches which golden that broke or was fixed: suspicion, never proof.

For each flipped golden and change: how much the change touches it, whether it can cause what happened, and
how specific the flips are to the touched goldens. Greedy over the changes, so that each golden counts for
one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

import msgspec

from rightcall.core.text import pluralize
from rightcall.improve.changes import ChangeItem, run_changes, words_in
from rightcall.improve.golden_facts import calls_expected
from rightcall.improve.run_setup import RunRecord, run_record
from rightcall.improve.symptom import Symptom, SymptomRequest, symptom_of
from rightcall.metrics.matching.reasons import call_text
from rightcall.recording.request_digest import CHANGING
from rightcall.records.call import ToolCall
from rightcall.records.golden import Golden, request_of
from rightcall.records.record import Record
from rightcall.records.run import CaseResult
from rightcall.store.base import ComparedCase, StoredCase, StoredRun
from rightcall.store.sql.store import Store

MOST_FLIPS = 200
MOST_SHOWN = 300
NEARER = 0.5
"""How much more a change is suspected that mentions what went wrong."""
FITS: dict[str, frozenset[str]] = {
    "enum": frozenset(("copied", "spelling", "enum_neighbour", "invented", "other")),
    "format": frozenset(("date", "spelling", "copied", "other")),
    "required": frozenset(("missing", "extra")),
    "type": frozenset(("type", "other", "unit")),
    "description": frozenset(
        ("unit", "date", "foreign", "swapped", "invented", "copied", "other", "missing")
    ),
}
"""Kinds of wrong arguments that a change of a keyword can cause."""


class Flip(Record, frozen=True):
    """A golden that broke or was fixed: its calls in both runs, and the changes that touch it, most likely first."""

    golden: str
    change: str
    before: str
    after: str
    calls_before: tuple[str, ...]
    calls_after: tuple[str, ...]
    suspects: tuple[int, ...] = ()


class Suspect(Record, frozen=True):
    """A change and the flips attributed to it."""

    item: int
    goldens: tuple[str, ...]
    share: float


class WhatChanged(Record, frozen=True):
    """The changes between two runs, the goldens that flipped, and which change touches them."""

    before: str
    after: str
    items: tuple[ChangeItem, ...]
    flips: tuple[Flip, ...]
    suspects: tuple[Suspect, ...]
    sentence: str
    known: bool = True


def what_changed(store: Store, before: StoredRun, after: StoredRun) -> WhatChanged:
    """Compare two stored runs: what changed, what flipped, and which belongs to which."""
    records = run_record(store, before), run_record(store, after)
    comparison = store.runs.compare(before.id, after.id)
    compared = list(
        chain.from_iterable(comparison.page(side, limit=MOST_FLIPS) for side in ("broken", "fixed"))
    )
    both = [
        (store.runs.case(before.id, c.golden_id), store.runs.case(after.id, c.golden_id)) for c in compared
    ]
    items = [*run_changes(*records), *_model_changes(both), *_result_changes(both)]
    differ = [_first_requests_differ(sides) for sides in both]
    if any(differ) and all(item.scope in ("library", "dataset", "order") for item in items):
        what = f"the first request of {pluralize(differ.count(True), 'flipped golden')} changed"
        items.append(ChangeItem("request", what))
    flips = []
    scores = []
    for case, sides, differs in zip(compared, both, differ, strict=True):
        flip, symptom, tools_involved = _flip(case, sides, records)
        words = _words_of(sides, symptom)
        scores.append(
            [
                0.5 * bool(differs)
                if item.scope == "request"
                else _suspicion(item, symptom, tools_involved) * (1 + NEARER * item.mentions(words))
                for item in items
            ]
        )
        flips.append(flip)
    weights = _specific(items, flips, scores, _goldens_by_tool(store, after))
    flips = [
        msgspec.structs.replace(flip, suspects=_most_suspect(row))
        for flip, row in zip(flips, weights, strict=True)
    ]
    suspects = _greedy(items, flips, weights)
    sentence = _sentence(
        items, flips, suspects, same_requests=bool(differ) and all(d is False for d in differ)
    )
    return WhatChanged(
        before.id,
        after.id,
        tuple(items),
        tuple(flips),
        suspects=tuple(suspects),
        sentence=sentence,
        known=all(r.known for r in records),
    )


Sides = tuple[StoredCase, StoredCase]


def _model_changes(both: Sequence[Sides]) -> Iterator[ChangeItem]:
    """Another model behind the same name."""
    before, after = (
        {r.trajectory.served_model for side in sides for r in side.results if r.trajectory is not None} - {""}
        for sides in (zip(*both, strict=True) if both else ((), ()))
    )
    if before and after and before.isdisjoint(after):
        yield ChangeItem(
            "model",
            "another model answered",
            before=", ".join(sorted(before)),
            after=", ".join(sorted(after)),
        )


def _result_changes(both: Sequence[Sides]) -> Iterator[ChangeItem]:
    """Tools that returned something else for the same arguments, each once."""
    tools: set[str] = set()
    for sides in both:
        old, new = (_results(side) for side in sides)
        for key in old.keys() & new.keys():
            if key[0] not in tools and old[key].isdisjoint(new[key]):
                tools.add(key[0])
                what = "returns something else for the same arguments"
                yield ChangeItem("result", what, key[0], before=min(old[key]), after=min(new[key]))


def _results(side: StoredCase) -> dict[tuple[str, str], set[str]]:
    """What each call returned, by tool and arguments, without dates, times and ids."""
    results: dict[tuple[str, str], set[str]] = {}
    for call in chain.from_iterable(_calls(result) for result in side.results):
        if call.arguments is not None and call.output is not None:
            key = call.name, repr(sorted(call.arguments.items()))
            output = CHANGING.sub("…", str(call.output)[:MOST_SHOWN])
            results.setdefault(key, set()).add(f"error: {output}" if call.status == "error" else output)
    return results


def _first_requests_differ(sides: Sides) -> bool | None:
    """Whether the agent asked its model something else at the start; None where that was not recorded."""
    old, new = ({r.first_request for r in side.results if r.first_request} for side in sides)
    return old.isdisjoint(new) if old and new else None


def _goldens_by_tool(store: Store, after: StoredRun) -> dict[str, int]:
    """Goldens by expected tool, in the later run."""
    counts: Counter[str] = Counter()
    for golden in store.runs.goldens(after.id):
        counts.update({tool for tool, _ in calls_expected(golden)} or {""})
    return counts


def _flip(
    case: ComparedCase, sides: Sides, records: tuple[RunRecord, RunRecord]
) -> tuple[Flip, Symptom | None, frozenset[str]]:
    broken = case.change == "broken"
    bad = sides[1] if broken else sides[0]
    tools = {tool.name: tool for tool in records[1 if broken else 0].tools}
    golden = bad.golden or Golden("", case.golden_id)
    failed = next((r for r in bad.results if r.judged and not r.passed), None)
    symptom = None
    if failed is not None:
        request = SymptomRequest(request_of(golden), calls_expected(golden))
        symptom, _ = symptom_of(failed.codes, _calls(failed), request, tools)
    shown = [_typical_calls(side, passing=(at == 0) == broken) for at, side in enumerate(sides)]
    called = {call.name for side in sides for result in side.results for call in _calls(result)}
    tools_involved = frozenset(tool for tool, _ in calls_expected(golden)) | frozenset(called)
    flip = Flip(
        case.golden_id,
        case.change,
        f"{case.before_passed}/{case.before_judged}",
        f"{case.after_passed}/{case.after_judged}",
        calls_before=shown[0],
        calls_after=shown[1],
    )
    return flip, symptom, tools_involved


def _words_of(sides: Sides, symptom: Symptom | None) -> frozenset[str]:
    """Words of what went wrong: tools, parameters and expected values, which a change that is to blame may mention."""
    golden = sides[1].golden or sides[0].golden
    calls = calls_expected(golden) if golden is not None else []
    names = [tool for tool, _ in calls] + list(chain.from_iterable(args for _, args in calls))
    values = [str(value) for value in chain.from_iterable(args.values() for _, args in calls)]
    return words_in([*names, *values, *([symptom.tool, symptom.called] if symptom else [])])


def _calls(result: CaseResult) -> tuple[ToolCall, ...]:
    return tuple(result.trajectory.calls) if result.trajectory else ()


def _typical_calls(side: StoredCase, *, passing: bool) -> tuple[str, ...]:
    """The calls of a typical trial."""
    result = next((r for r in side.results if r.passed is passing), side.results[0] if side.results else None)
    if result is None:
        return ()
    return tuple(
        call_text(c.name, c.raw if c.arguments is None else c.arguments)[:300] for c in _calls(result)
    )


def _suspicion(item: ChangeItem, symptom: Symptom | None, tools_involved: frozenset[str]) -> float:
    """Touch times fit."""
    if item.is_global:
        return 0.5 * _global_fit(item, symptom)
    if item.tool not in tools_involved and not (item.what == "renamed" and item.before in tools_involved):
        return 0.0
    wrong = {bad.parameter: bad.kind for bad in symptom.arguments} if symptom else {}
    if wrong:
        if item.scope == "parameter" and item.parameter in wrong:
            return 1.0 if _can_cause(item, wrong[item.parameter]) else 0.3
        return 0.4 * 0.3
    return 0.3 if item.scope == "parameter" else 1.0


def _global_fit(item: ChangeItem, symptom: Symptom | None) -> float:
    """How well a change that touches every golden fits: a prompt decides about choices, a setting a little of all."""
    chooses = symptom is not None and symptom.group in ("miss", "extra", "stopped", "invented")
    return 1.0 if item.scope in ("model", "dataset") or (item.scope == "system" and chooses) else 0.6


def _can_cause(item: ChangeItem, kind: str) -> bool:
    return kind in FITS.get(item.path.rpartition(".")[2], FITS["description"])


def _specific(
    items: Sequence[ChangeItem], flips: Sequence[Flip], scores: list[list[float]], goldens: dict[str, int]
) -> list[list[float]]:
    """Suspicion times how much more often touched goldens flip than others."""
    if not flips:
        return []
    total = max(1, sum(goldens.values()))
    local = [at for at, item in enumerate(items) if not item.is_global and item.scope != "result"]
    coded = any(item.scope == "code" for item in items)
    left = sum(not any(row[at] > 0 for at in local) for row in scores) / len(flips)
    lifts = []
    for at, item in enumerate(items):
        if item.is_global:  # gets what local changes do not explain
            lifts.append(max(0.05, left))
            continue
        touched = sum(row[at] > 0 for row in scores)
        exposed = max(touched, goldens.get(item.tool, 0))
        rate = (touched + 1) / (exposed + 1)
        others = (len(flips) - touched + 1) / (total - exposed + 1)
        lift = min(1.0, max(0.05, math.log2(rate / others) / 2))
        lifts.append(0.1 * lift if item.scope == "result" and coded else lift)  # what changed it comes first
    return [[score * lift for score, lift in zip(row, lifts, strict=True)] for row in scores]


def _most_suspect(row: list[float]) -> tuple[int, ...]:
    return tuple(sorted((at for at, score in enumerate(row) if score > 0), key=lambda at: (-row[at], at))[:3])


def _greedy(items: Sequence[ChangeItem], flips: Sequence[Flip], weights: list[list[float]]) -> list[Suspect]:
    free = set(range(len(flips)))
    suspects: list[Suspect] = []
    used: set[int] = set()
    while free:
        totals = {at: sum(weights[f][at] for f in free) for at in range(len(items)) if at not in used}
        best = min(totals, key=lambda at: (-totals[at], at), default=None)
        if best is None or totals[best] <= 0:
            break
        mine = [f for f in sorted(free) if weights[f][best] > 0]
        suspects.append(Suspect(best, tuple(flips[f].golden for f in mine), len(mine) / len(flips)))
        used.add(best)
        free -= set(mine)
    return suspects


def _sentence(
    items: Sequence[ChangeItem], flips: Sequence[Flip], suspects: Sequence[Suspect], *, same_requests: bool
) -> str:
    if not items:
        flipped = f"{pluralize(len(flips), 'golden')} flipped"
        same = ", and the first requests to the model are the same" if same_requests else ""
        return (
            f"no change of model, prompt, settings, tools or code is recorded{same}; {flipped}, by chance or "
            "by something that is not recorded, such as a service, its data, or the model behind a name"
        )
    if not flips:
        return f"{pluralize(len(items), 'change')}, no golden flipped"
    if not suspects:
        flipped = pluralize(len(flips), "golden")
        return f"{pluralize(len(items), 'change')}, none of which touches the {flipped} that flipped"
    first = suspects[0]
    item = items[first.item]
    return f"{len(first.goldens)} of {len(flips)} flipped goldens are touched by one change: {item.place}, {item.what}"
