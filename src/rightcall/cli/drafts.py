"""Drafts under review: those of a file, or the draft of a dataset in the store."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.records.golden import AnyGolden
    from rightcall.store.base import DatasetVersion
    from rightcall.store.sql.store import Store


def add_to_draft(store: Store, alias: str, goldens: Iterable[AnyGolden]) -> DatasetVersion:
    """Add goldens to the draft of an alias; an id that is taken gets a number."""
    import msgspec

    earlier = store.datasets.pull(alias, finalized=False) if store.datasets.versions(alias) else ()
    before = {golden.id: golden for golden in earlier}
    for golden in goldens:
        name = golden.id
        number = 1
        while name in before:
            number += 1
            name = f"{golden.id}~{number}"
        before[name] = msgspec.structs.replace(golden, id=name)
    return store.datasets.push(alias, before.values(), finalized=False, author="generate")


def is_file(drafts: str) -> bool:
    """Whether drafts are in a file; what looks like a path is one."""
    path = Path(drafts)
    return (
        path.exists()
        or path.suffix.lower() in (".jsonl", ".json", ".yaml", ".yml", ".csv")
        or path.parent != Path()
    )


def open_drafts(drafts: str, store: str | None) -> Drafts:
    return FileDrafts(Path(drafts)) if is_file(drafts) else StoredDrafts(drafts, store)


class FileDrafts:
    """Drafts in a file, rewritten after each decision."""

    def __init__(self, path: Path) -> None:
        from rightcall.datasets.goldens import load_goldens

        self.name = str(path)
        self._path = path
        self._goldens = {golden.id: golden for golden in load_goldens(path)}

    def goldens(self) -> list[AnyGolden]:
        """All of them, in the file's order."""
        return list(self._goldens.values())

    def put(self, golden: AnyGolden) -> None:
        from rightcall.datasets.goldens import save_goldens

        self._goldens[golden.id] = golden
        save_goldens(self._goldens.values(), self._path)


class StoredDrafts:
    """The draft of a dataset; others may review it at the same time."""

    def __init__(self, alias: str, store: str | None) -> None:
        self.name = alias
        self._store = open_store(store, must_exist=True)
        self._store.datasets.get(alias, finalized=False)

    def goldens(self) -> list[AnyGolden]:
        """All of them, as they are now."""
        return list(self._store.datasets.pull(self.name, finalized=False))

    def put(self, golden: AnyGolden) -> None:
        from rightcall.store.base import user_name

        self._store.datasets.add_to_draft(self.name, golden, author=user_name())


Drafts = FileDrafts | StoredDrafts
"""Where drafts are. `put` replaces the golden with the same id, or adds it."""
