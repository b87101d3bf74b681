"""Review of drafts: the decision about each golden, stored in the golden itself.

The decision is stored under `metadata.review`, so it travels with the golden through files and the store. A
golden without one is pending. Only accepted goldens become part of a finalized version, unless the whole
draft is finalized as is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec
from msgspec.structs import replace

from rightcall.core import codec
from rightcall.core.errors import InputError
from rightcall.core.text import first_names
from rightcall.datasets.goldens import golden_of_plain
from rightcall.records.golden import AnyGolden, G, Golden
from rightcall.records.record import Record

ReviewState = Literal["pending", "accepted", "rejected"]
STATES: tuple[ReviewState, ...] = get_args(ReviewState)
UNREVIEWED = {"state": "pending"}
"""The review of a golden that nobody has looked at; without an accepted review it decides nothing."""
PROPOSAL = "proposal"
"""Where a golden says that its expectations are what an agent did in a run."""
LONGEST_COMMENT = 20_000
KEY = "review"


class Review(Record, frozen=True):
    """What was decided, by whom and when, with an optional comment. `edited` means that the golden was changed."""

    state: ReviewState = "pending"
    comment: str = ""
    author: str = ""
    at: str = ""
    edited: bool = False


def review_of(golden: AnyGolden) -> Review:
    """The review of a golden; pending when there is none or it cannot be read."""
    try:
        return codec.convert(golden.metadata.get(KEY) or {}, Review, KEY)
    except InputError:
        return Review()


def reviewed(
    golden: G,
    state: ReviewState | None = None,
    *,
    comment: str | None = None,
    author: str = "",
    at: str = "",
    edited: bool | None = None,
) -> G:
    """The golden with a decision, a comment, or both; what is None stays as it was."""
    if comment is not None and len(comment) > LONGEST_COMMENT:
        raise InputError("comment", f"has {len(comment):,} characters, the limit is {LONGEST_COMMENT:,}")
    before = review_of(golden)
    after = Review(
        before.state if state is None else state,
        before.comment if comment is None else comment.strip(),
        author or before.author,
        at or before.at,
        edited=before.edited if edited is None else edited,
    )
    return replace(golden, metadata={**golden.metadata, KEY: msgspec.to_builtins(after)})


def as_negative(golden: Golden, forbidden: Sequence[str]) -> Golden:
    """The same input, with these calls forbidden and no other expectations: the observed call must not recur."""
    return replace(
        golden,
        category="negative",
        expected_calls=(),
        forbidden_calls=tuple(dict.fromkeys(forbidden)),
        no_calls=not forbidden,
        extra_calls="allow" if forbidden else "forbid",
    )


def edit_golden(golden: AnyGolden, text: str | bytes, *, author: str = "", at: str = "") -> AnyGolden:
    """The golden as rewritten by a reviewer, in JSON. Its id and kind stay; it becomes pending and edited."""
    where = f"golden '{golden.id}'"
    plain = codec.decode(text.encode() if isinstance(text, str) else text, dict[str, Any], where)
    golden_after = golden_of_plain({**plain, "id": golden.id}, where, type(golden))
    comment = review_of(golden).comment
    return reviewed(golden_after, "pending", comment=comment, author=author, at=at, edited=True)


def is_accepted(golden: AnyGolden) -> bool:
    """Whether the golden may be finalized."""
    return review_of(golden).state == "accepted"


def needs_review(golden: AnyGolden) -> bool:
    """Whether a golden is under review, and nobody has accepted it."""
    return isinstance(golden.metadata.get(KEY), dict) and not is_accepted(golden)


def refuse_unreviewed(goldens: Iterable[G], dataset: Path | None = None) -> Iterator[G]:
    """The same goldens; an error at the first unreviewed one, because what nobody confirmed decides nothing."""
    for golden in goldens:
        if golden.metadata and needs_review(golden):
            raise InputError(str(dataset or "goldens"), *review_problem([golden.id], dataset))
        yield golden


def review_problem(ids: Sequence[str], dataset: Path | None = None) -> tuple[str, str]:
    """What is wrong with unreviewed goldens, and what to do."""
    shown = first_names([f"'{name}'" for name in ids], 3)
    subject = "1 golden is" if len(ids) == 1 else f"{len(ids):,} goldens are"
    return f"{subject} unreviewed: {shown}", f"review with `rightcall generate review {dataset or 'DRAFTS'}`"


def counts(goldens: Iterable[AnyGolden]) -> dict[ReviewState, int]:
    counter = Counter(review_of(golden).state for golden in goldens)
    return {state: counter[state] for state in STATES}


class Disagreement(Record, frozen=True):
    """A golden about which trials disagree, or say nothing: how often each behaviour occurred."""

    golden_id: str
    reason: str
    behaviours: tuple[tuple[str, int], ...] = ()


class ExpectedDrafts(Record, frozen=True):
    """Drafts with proposed calls, and what they do not settle.

    `split` are goldens whose trials disagree, with or without a draft; `checked` counts goldens that already state a
    check, `without_answer` those that no trial answered.
    """

    run: str
    goldens: tuple[AnyGolden, ...]
    split: tuple[Disagreement, ...] = ()
    checked: int = 0
    without_answer: tuple[str, ...] = ()
