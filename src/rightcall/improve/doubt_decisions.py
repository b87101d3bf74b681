"""Decisions about doubts: *keep* is remembered by the content of the golden, *edit* and *drop* change a draft."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from rightcall.core.codec import encode
from rightcall.core.errors import InputError
from rightcall.datasets.review import reviewed
from rightcall.improve.doubt import Doubt, proposed_change
from rightcall.improve.golden_edit import apply_edits
from rightcall.model.golden import AnyGolden
from rightcall.model.record import Record
from rightcall.store.base import DatasetVersion
from rightcall.store.sql.store import Store

DECISIONS = "doubt_decisions"
DoubtDecision = Literal["keep", "edit", "drop"]


class KeptDoubt(Record, frozen=True):
    """A doubt about a golden that its owner calls right."""

    golden_id: str
    code: str
    author: str = ""
    at: str = ""


def settled_marks(store: Store) -> frozenset[str]:
    """Marks of the doubts that somebody has decided: the golden is right as it is."""
    return frozenset(store.traces.states(DECISIONS))


def keep_golden(store: Store, doubts: Iterable[Doubt], *, author: str, at: str) -> None:
    """Remember that a golden is right: these doubts are not shown again while its content stays the same."""
    store.traces.set_states(
        DECISIONS,
        {doubt.mark: encode(KeptDoubt(doubt.golden_id, doubt.code, author, at)) for doubt in doubts},
    )


def doubt_again(store: Store, doubts: Iterable[Doubt]) -> None:
    """Forget that doubts were decided."""
    store.traces.set_states(DECISIONS, {doubt.mark: None for doubt in doubts})


def edited_golden(golden: AnyGolden, doubts: Sequence[Doubt], *, author: str, at: str) -> AnyGolden:
    """The golden with the first change that is proposed, reviewed by its author."""
    change = proposed_change(doubts)
    if not change:
        raise InputError(f"golden '{golden.id}'", "no change is proposed", "edit it by hand")
    why = "; ".join(f"{doubt.title}: {doubt.sentence}" for doubt in doubts)
    return reviewed(apply_edits(golden, change), "accepted", comment=why, author=author, at=at, edited=True)


def put_in_draft(
    store: Store, alias: str, dataset: Iterable[AnyGolden], golden: AnyGolden, *, author: str
) -> DatasetVersion:
    """Replace a golden in the draft of a dataset, which begins as `dataset` where it has none."""
    goldens = {other.id: other for other in _draft(store, alias, dataset)}
    goldens[golden.id] = golden
    return store.datasets.push(alias, goldens.values(), finalized=False, author=author)


def drop_from_draft(
    store: Store, alias: str, dataset: Iterable[AnyGolden], golden_id: str, *, author: str
) -> DatasetVersion:
    """Set a golden aside: the draft of a dataset, which begins as `dataset` where it has none, without it."""
    goldens = [golden for golden in _draft(store, alias, dataset) if golden.id != golden_id]
    if not goldens:
        raise InputError(f"golden '{golden_id}'", "is the only one of its dataset", "keep it, or edit it")
    return store.datasets.push(alias, goldens, finalized=False, author=author)


def _draft(store: Store, alias: str, dataset: Iterable[AnyGolden]) -> list[AnyGolden]:
    """The goldens of the draft; of the dataset itself where no draft is open, because that is what was doubted."""
    is_open = any(not version.finalized for version in store.datasets.versions(alias))
    goldens = store.datasets.pull(alias, finalized=False) if is_open else dataset
    return list(goldens)
