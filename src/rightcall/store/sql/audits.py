"""Audits of datasets in the store: the newest of each dataset, with its figures and its whole document."""

from __future__ import annotations

import msgspec

from rightcall.core.text import percent
from rightcall.model.record import Record
from rightcall.store.sql.core import StorePart
from rightcall.store.sql.monitor_states import MonitorStates, put_states
from rightcall.store.sql.record_bytes import decode_record, encode_record

ENTRY, DOCUMENT = "audit", "audit_document"


class AuditEntry(Record, frozen=True):
    """The figures of an audit. `fingerprint` is the digest of the dataset's file, as runs have it."""

    fingerprint: str
    name: str = ""
    dataset: str = ""
    at: str = ""
    goldens: int = 0
    audited: int = 0
    caught: int = 0
    survived: int = 0
    low: float = 0.0
    high: float = 1.0
    doubts: int = 0
    floor: str = ""
    """What trivial agents pass, as a sentence."""

    @property
    def planted(self) -> int:
        """The bugs that were scored and are provably wrong."""
        return self.caught + self.survived

    @property
    def rate(self) -> float:
        """The share that was caught; 0 without any."""
        return self.caught / self.planted if self.planted else 0.0

    @property
    def sentence(self) -> str:
        """How many bugs the dataset catches, in one line."""
        if not self.planted:
            return "the last audit could judge nothing"
        caught = f"catches {self.caught:,} of {self.planted:,} provably wrong agents ({percent(self.rate)})"
        return f"the last audit: {caught}" + (f"; {self.floor}" if self.floor else "")


class Audits(StorePart):
    """The part of the store for audits: `store.audits`."""

    __slots__ = ()

    def put(self, entry: AuditEntry, document: bytes) -> AuditEntry:
        """Store an audit in place of the last one of its dataset; its time is now."""
        entry = msgspec.structs.replace(entry, at=self._store.now())
        with self._store.write_transaction() as connection:
            put_states(connection, ENTRY, {entry.fingerprint: encode_record(entry)})
            put_states(connection, DOCUMENT, {entry.fingerprint: document})
        return entry

    def entries(self) -> list[AuditEntry]:
        """The last audit of every dataset, newest first."""
        stored = MonitorStates(self._store).states(ENTRY).values()
        entries = [decode_record(content, AuditEntry) for content in stored]
        return sorted(entries, key=lambda entry: entry.at, reverse=True)

    def get(self, fingerprint: str) -> AuditEntry | None:
        """The last audit of a dataset, if there is one."""
        content = MonitorStates(self._store).states(ENTRY, fingerprint).get(fingerprint)
        return None if content is None else decode_record(content, AuditEntry)

    def document(self, fingerprint: str) -> bytes | None:
        """All of an audit, as it was put."""
        return MonitorStates(self._store).states(DOCUMENT, fingerprint).get(fingerprint)
