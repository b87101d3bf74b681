"""What changed since failing goldens last passed in every trial: the first thing to look at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from rightcall.improve.attribution import WhatChanged, what_changed
from rightcall.improve.changes import ChangeItem
from rightcall.improve.past_evidence import content_of, is_undisturbed
from rightcall.store.base import ComparedCase, RunFilter, StoredRun
from rightcall.store.sql.store import Store

LOOKED_BACK = 50
MOST_GOLDENS = 1_000
NO_CAUSE = frozenset(("dataset",))
"""Changes that cannot explain a golden that is the same in both runs."""
MOST_ITEMS = 3


class SincePassing(NamedTuple):
    """Goldens that passed in an earlier run, `ago` runs before, and what changed since, the most suspect first.

    Without items nothing that could be read differs. `sure` is whether it is more than chance.
    """

    run: str
    ago: int
    goldens: frozenset[str]
    items: tuple[ChangeItem, ...] = ()
    sure: bool = True


def changes_since_passing(store: Store, stored: StoredRun) -> list[SincePassing]:
    """Every golden that broke, by the run in which it last passed and by the change that touches it."""
    changes: list[SincePassing] = []
    for run, ago, cases in _references(store, stored):
        compared = what_changed(store, run, stored)
        items = [
            at
            for at, item in enumerate(compared.items)
            if item.scope not in NO_CAUSE and not (item.scope == "library" and "rightcall" in item.what)
        ]
        left = dict(cases)
        for suspect in compared.suspects if items else ():
            goldens = left.keys() & set(suspect.goldens)
            if goldens and suspect.item in items:
                sure = _is_more_than_chance(compared, suspect.item, [left[name] for name in goldens])
                shown = _with_others(compared, suspect.item, items)
                changes.append(SincePassing(run.id, ago, frozenset(goldens), shown, sure=sure))
                left = {name: case for name, case in left.items() if name not in goldens}
        if left and not items:
            changes.append(SincePassing(run.id, ago, frozenset(left)))
        elif left:
            changes.append(SincePassing(run.id, ago, frozenset(left), sure=False))
    return changes


def _references(store: Store, stored: StoredRun) -> Iterator[tuple[StoredRun, int, dict[str, ComparedCase]]]:
    """Earlier runs of the suite, newest first, with the goldens that passed there last and fail now."""
    older = store.runs.page(RunFilter(name=stored.run.name), limit=LOOKED_BACK, after=stored.id)
    usable = [(ago, run) for ago, run in enumerate(older, start=1) if run.finished and is_undisturbed(run)]
    own = [(ago, run) for ago, run in usable if run.run.agent == stored.run.agent]
    taken: set[str] = set()
    for ago, run in own or usable:
        broken = {
            case.golden_id: case
            for case in store.runs.compare(run.id, stored.id).page("broken", limit=MOST_GOLDENS)
            if case.before_passed == case.before_judged and case.golden_id not in taken
        }
        same = {name: case for name, case in broken.items() if _is_same_golden(store, name, run, stored)}
        if same:
            taken |= same.keys()
            yield run, ago, same


def _is_same_golden(store: Store, golden: str, *runs: StoredRun) -> bool:
    contents = [[content_of(found) for found in store.runs.goldens(run.id, [golden])] for run in runs]
    return contents[0] == contents[1]


def _is_more_than_chance(compared: WhatChanged, item: int, cases: list[ComparedCase]) -> bool:
    """Whether several goldens broke, or one in every of several trials, or one that the change is about."""
    if not compared.items[item].is_global:
        return True
    fixed = sum(flip.change == "fixed" for flip in compared.flips)
    solid = sum(case.after_passed == 0 and case.after_judged > 1 for case in cases)
    return len(cases) > 2 * fixed and (len(cases) > 1 or solid > 0)


def _with_others(compared: WhatChanged, item: int, items: list[int]) -> tuple[ChangeItem, ...]:
    """The change, and after it others that touch every golden as well, or the same tool."""
    first = compared.items[item]
    totals: defaultdict[int, int] = defaultdict(int)
    for flip in compared.flips:
        for place, at in enumerate(flip.suspects):
            totals[at] += 3 - place
    others = [at for at in items if at != item and totals[at] and compared.items[at].scope != "library"]
    others.sort(key=lambda at: (-totals[at], at))
    return (first, *(compared.items[at] for at in others[: MOST_ITEMS - 1]))
