"""The selection of goldens to run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import islice
from typing import TypeVar

from rightcall.model.golden import AnyGolden, ConversationalGolden, Golden

G = TypeVar("G", bound=Golden | ConversationalGolden)


@dataclass(frozen=True)
class Selection:
    """Ids (with * and ?), tags and categories; a golden needs to match one. Empty selects all."""

    only: tuple[str, ...] = ()
    limit: int | None = None

    def chooses(self, golden: AnyGolden) -> bool:
        return not self.only or any(
            word in golden.tags or word == golden.category or fnmatchcase(golden.id, word)
            for word in self.only
        )

    def chosen(self, goldens: Iterable[G]) -> Iterator[G]:
        picked = (golden for golden in goldens if self.chooses(golden)) if self.only else iter(goldens)
        return islice(picked, self.limit)
