"""Verdicts on inputs that were checked before, in a folder next to a store that is a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rightcall.core.codec import decode, encode
from rightcall.core.errors import RightCallError
from rightcall.decide.check_result import CheckResult
from rightcall.files.atomic import write_file
from rightcall.store.sql.store import Store


@dataclass
class StoredVerdicts:
    """`checks/SEED-NUMBER-ASKED.json`: the seed names the inputs, the number counts what was decided about them."""

    store: Store

    def count(self, seed: str) -> int:
        """How often these inputs were decided about."""
        return len(self._files(seed))

    def last(self, seed: str, asked: str) -> CheckResult | None:
        """The newest verdict on the same question; None when there is none that can be read."""
        found = [path for path in self._files(seed) if path.stem.endswith(f"-{asked}")]
        if not found:
            return None
        path = max(found, key=lambda path: int(path.stem.split("-")[1]))
        try:
            return decode(path.read_bytes(), CheckResult, str(path))
        except (OSError, RightCallError):  # written by another version: decide again
            return None

    def add(self, seed: str, asked: str, result: CheckResult) -> None:
        if (folder := self._folder) is not None:
            folder.mkdir(parents=True, exist_ok=True)
            write_file(folder / f"{seed}-{self.count(seed) + 1}-{asked}.json", encode(result))

    @property
    def _folder(self) -> Path | None:
        return Path(self.store.file).parent / "checks" if self.store.file else None

    def _files(self, seed: str) -> list[Path]:
        folder = self._folder
        return list(folder.glob(f"{seed}-*-*.json")) if folder and folder.is_dir() else []
