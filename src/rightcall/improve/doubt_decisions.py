"""Decisions about doubts: *keep* is remembered by the content of the golden, *edit* and *drop* change a draft."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, get_args

from rightcall.core.codec import decode, encode
from rightcall.core.errors import InputError, RightCallError
from rightcall.datasets.review import reviewed
from rightcall.improve.doubt import Doubt, smallest_change
from rightcall.improve.golden_edit import apply_edits
from rightcall.model.golden import AnyGolden
from rightcall.model.record import Record
from rightcall.store.base import DatasetVersion
from rightcall.store.sql.store import Store

KIND = "doubt_decisions"
Decision = Literal["keep", "edit", "drop"]
DECISIONS: tuple[Decision, ...] = get_args(Decision)


class DoubtDecision(Record, frozen=True, forbid_unknown_fields=False):
    """What somebody decided about a doubt."""

    golden_id: str
    code: str
    decision: Decision = "keep"
    author: str = ""
    at: str = ""


def decisions(store: Store) -> dict[str, DoubtDecision]:
    """Every decision by the mark of its doubt; those that cannot be read are as if nobody had decided."""
    by_mark: dict[str, DoubtDecision] = {}
    for mark, content in store.traces.states(KIND).items():
        try:
            by_mark[mark] = decode(content, DoubtDecision, "decision")
        except RightCallError:
            continue
    return by_mark


def marks_of_kept(store: Store) -> frozenset[str]:
    """Marks of the doubts about goldens that somebody calls right. Edits and drops change a draft only."""
    return frozenset(mark for mark, decided in decisions(store).items() if decided.decision == "keep")


def remember(store: Store, doubts: Iterable[Doubt], decision: Decision, *, author: str, at: str) -> None:
    """Remember what was decided about a golden, until its content changes."""
    documents = {
        doubt.mark: encode(DoubtDecision(doubt.golden_id, doubt.code, decision, author, at))
        for doubt in doubts
    }
    store.traces.set_states(KIND, documents)


def forget(store: Store, doubts: Iterable[Doubt]) -> None:
    """Take decisions back: the golden is doubted again."""
    store.traces.set_states(KIND, {doubt.mark: None for doubt in doubts})


def decide(
    store: Store,
    decision: Decision,
    golden: AnyGolden,
    doubts: Sequence[Doubt],
    *,
    alias: str,
    dataset: Iterable[AnyGolden],
    author: str,
    at: str,
) -> DatasetVersion | None:
    """Carry a decision out and remember it; returns the draft of `alias` that it changed.

    The draft begins as `dataset` where none is open. *Edit* without a proposed change leaves the golden to be edited.
    """
    version = None
    if decision != "keep":
        goldens = {other.id: other for other in _draft(store, alias, dataset)}
        if decision == "edit":
            goldens[golden.id] = apply_proposal(golden, doubts, author=author, at=at)
        else:
            goldens.pop(golden.id, None)
        if not goldens:
            raise InputError(f"golden '{golden.id}'", "is the only one of its dataset", "keep it, or edit it")
        version = store.datasets.push(alias, goldens.values(), finalized=False, author=author)
    remember(store, doubts, decision, author=author, at=at)
    return version


def apply_proposal(golden: AnyGolden, doubts: Sequence[Doubt], *, author: str, at: str) -> AnyGolden:
    """The golden with the change that is proposed, accepted; without one, as it is and pending."""
    change = smallest_change(doubts)
    why = "; ".join(f"{doubt.title}: {doubt.sentence}" for doubt in doubts)[:2_000]
    changed = apply_edits(golden, change) if change else golden
    state: Literal["accepted", "pending"] = "accepted" if change else "pending"
    return reviewed(changed, state, comment=why, author=author, at=at, edited=bool(change))


def _draft(store: Store, alias: str, dataset: Iterable[AnyGolden]) -> list[AnyGolden]:
    """The goldens of the draft; those of the dataset itself where no draft is open."""
    is_open = any(not version.finalized for version in store.datasets.versions(alias))
    return list(store.datasets.pull(alias, finalized=False) if is_open else dataset)
