"""Proposed changes as drafts for review: nobody's goldens change until somebody accepts them."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from rightcall.datasets.review import KEY, UNREVIEWED
from rightcall.model.golden import AnyGolden
from rightcall.store.sql.store import Store


def as_draft(golden: AnyGolden) -> AnyGolden:
    """The changed golden as a draft that nobody has reviewed: runs refuse it."""
    return msgspec.structs.replace(golden, metadata={**golden.metadata, KEY: UNREVIEWED})


def draft_changes(store: Store, alias: str, goldens: Iterable[AnyGolden]) -> None:
    """Add changed goldens to the draft of a dataset in the store."""
    for golden in goldens:
        store.datasets.add_to_draft(alias, as_draft(golden), author="audit")
