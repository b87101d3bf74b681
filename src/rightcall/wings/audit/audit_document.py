"""An audit with what its pages show: goldens, bugs that pass, and goldens with the proposed changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from rightcall.core.codec import describe_value
from rightcall.core.digest import file_digest
from rightcall.core.errors import InputError
from rightcall.datasets.review import KEY, UNREVIEWED
from rightcall.model.golden import AnyGolden, ConversationalGolden, Golden
from rightcall.model.record import Record
from rightcall.model.tool import Tool
from rightcall.model.trajectory import Trajectory
from rightcall.show.view.floor import floor_sentence
from rightcall.store.sql.audits import AuditEntry
from rightcall.store.sql.store import Store
from rightcall.wings.audit.audit import AuditListener
from rightcall.wings.audit.mutant import HARMS, Mutant
from rightcall.wings.audit.result import AuditResult, Survivor, with_audit_note

MOST_SHOWN = 300
"""Survivors that pages show with their calls, the most harmful ones."""


MOST_KEPT = 2000
"""Survivors of a document."""


class SurvivorCase(Record, frozen=True):
    """A golden and what a bug made of its right behaviour."""

    golden: Golden | None
    conversation: ConversationalGolden | None
    trajectory: Trajectory

    @property
    def of(self) -> AnyGolden:
        golden = self.golden or self.conversation
        assert golden is not None
        return golden


class AuditDocument(Record, frozen=True):
    """The audit of a dataset: its figures, all that was found, and the cases of the survivors by their ids."""

    entry: AuditEntry
    result: AuditResult
    cases: dict[str, SurvivorCase] = {}
    changes: tuple[Golden, ...] = ()
    conversation_changes: tuple[ConversationalGolden, ...] = ()
    tools: tuple[Tool, ...] = ()

    @property
    def changed_goldens(self) -> tuple[AnyGolden, ...]:
        """The goldens with all proposed changes, those that have one."""
        return (*self.changes, *self.conversation_changes)


class AuditCases(AuditListener):
    """Keeps the most harmful survivors with their calls, and goldens with the changes that would catch them."""

    def __init__(self) -> None:
        self._cases: dict[str, tuple[int, SurvivorCase]] = {}
        self.changes: dict[str, AnyGolden] = {}

    def on_golden(
        self, golden: AnyGolden, survivors: Sequence[tuple[Survivor, Mutant]], tightened: AnyGolden | None
    ) -> None:
        single = golden if isinstance(golden, Golden) else None
        conversation = golden if isinstance(golden, ConversationalGolden) else None
        for survivor, mutant in survivors:
            case = SurvivorCase(single, conversation, mutant.trajectory)
            self._cases[survivor.id] = HARMS.index(survivor.harm), case
        if len(self._cases) > 2 * MOST_SHOWN:
            self._keep_worst()
        if tightened is not None and len(self.changes) < MOST_SHOWN:
            self.changes[golden.id] = with_audit_note(tightened, [survivor for survivor, _ in survivors])

    def _keep_worst(self) -> None:
        ranked = sorted(self._cases.items(), key=lambda item: (item[1][0], item[0]))
        self._cases = dict(ranked[:MOST_SHOWN])

    def document(
        self, result: AuditResult, dataset: Path | None, name: str, tools: Mapping[str, Tool]
    ) -> AuditDocument:
        """The whole audit of a dataset."""
        self._keep_worst()
        entry = AuditEntry(
            fingerprint=file_digest(dataset) if dataset is not None else "",
            name=name or (dataset.stem if dataset else "goldens"),
            dataset=str(dataset or ""),
            goldens=result.goldens,
            audited=result.audited,
            caught=result.sure.caught,
            survived=result.sure.survived,
            low=result.low,
            high=result.high,
            floor=floor_sentence(result.floor) if result.floor is not None else "",
            doubts=len({doubt.golden_id for doubt in result.doubts}),
        )
        changed = list(self.changes.values())
        most = msgspec.structs.replace(result, survivors=result.survivors[:MOST_KEPT])
        return AuditDocument(
            entry,
            most,
            {name: case for name, (_, case) in self._cases.items()},
            tuple(golden for golden in changed if isinstance(golden, Golden)),
            tuple(golden for golden in changed if isinstance(golden, ConversationalGolden)),
            tuple(tools.values()),
        )


def encode_document(document: AuditDocument) -> bytes:
    """The document as JSON."""
    return msgspec.json.encode(document, enc_hook=describe_value)


def decode_document(content: bytes) -> AuditDocument:
    """The document of a store; `InputError` for one that another version wrote."""
    try:
        return msgspec.json.decode(content, type=AuditDocument)
    except msgspec.MsgspecError as problem:
        raise InputError("audit", f"cannot be read: {problem}", "audit the suite again") from None


def as_draft(golden: AnyGolden) -> AnyGolden:
    """The changed golden as a draft that nobody has reviewed: runs refuse it."""
    return msgspec.structs.replace(golden, metadata={**golden.metadata, KEY: UNREVIEWED})


def draft_changes(store: Store, alias: str, goldens: Iterable[AnyGolden]) -> None:
    """Add changed goldens to the draft of a dataset in the store."""
    for golden in goldens:
        store.datasets.add_to_draft(alias, as_draft(golden), author="audit")
