"""Labels in files next to the suite, for git: one JSON line an answer, appended and never rewritten.

labels/METRIC.jsonl              what people say
labels/judgements/METRIC.jsonl   what judges that were asked again say
labels/rules.json                the text of every rubric, by its hash
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from rightcall.core import codec
from rightcall.core.digest import hex_digest
from rightcall.core.errors import InputError
from rightcall.core.operating_system import alone_in
from rightcall.core.redaction.clean_text import scrub
from rightcall.files.atomic import reason, write_file
from rightcall.files.checked_read import read_checked
from rightcall.files.documents import refuse_other_format
from rightcall.records.label import JudgementRecord, Label, rule_hash
from rightcall.records.record import Record

Line = TypeVar("Line", Label, JudgementRecord)

RULES = "rules.json"
JUDGEMENTS = "judgements"
CONFLICT = (b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||")


class StoredLabel(Record, frozen=True):
    """A label, and where it is written."""

    label: Label
    where: str


class LabelRows(Record, frozen=True):
    """The labels of a metric in the order of their file; `torn` names lines that a crash left unfinished."""

    rows: tuple[StoredLabel, ...] = ()
    torn: tuple[str, ...] = ()


class LabelFolder:
    """The folder `labels` next to a suite. Several processes may append to it at the same time."""

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)

    def file(self, metric: str) -> Path:
        """The file of a metric's labels; a name that no file can have gets a plain one with its hash."""
        return self.path / _file_name(metric)

    def labels(self, metric: str) -> LabelRows:
        """Everything that was answered about a metric; lines that are not labels are errors with their place."""
        rows: list[StoredLabel] = []
        torn: list[str] = []
        rules = self.rules() if self.file(metric).is_file() else {}
        for where, label in _records(self.file(metric), Label, "label", torn):
            if label.metric != metric:
                raise InputError(where, f"is a label of '{label.metric}', in the file of '{metric}'")
            if label.rule not in rules:
                hint = f"restore it in {self.path / RULES}, or remove the line"
                raise InputError(where, f"has the unknown rule {label.rule[:12]}", hint)
            rows.append(StoredLabel(label, where))
        return LabelRows(tuple(rows), tuple(torn))

    def judgements(self, metric: str) -> tuple[JudgementRecord, ...]:
        """What judges that were asked again said of a metric's cases; a later line replaces an earlier one."""
        torn: list[str] = []
        lines = _records(self.path / JUDGEMENTS / _file_name(metric), JudgementRecord, "judgement", torn)
        return tuple({(line.material, line.rule, line.judge): line for _, line in lines}.values())

    def rules(self) -> dict[str, str]:
        """The text of every rubric that was labelled by, without secrets, by hash."""
        path = self.path / RULES
        return codec.decode(read_checked(path), dict[str, str], str(path)) if path.is_file() else {}

    def metrics(self) -> list[str]:
        """The metrics that have labels, by name."""
        files = sorted(self.path.glob("*.jsonl"))
        firsts = (next(iter(_records(file, Label, "label", [])), None) for file in files)
        return sorted({first[1].metric for first in firsts if first is not None})

    def add(self, labels: Sequence[Label], rules: Iterable[str] = ()) -> None:
        """Append labels, and store the texts of the rubrics that they are about. On disk when this returns."""
        texts = {rule_hash(text): scrub(text) for text in rules}
        self._make(self.path)
        with alone_in(self.path):
            stored = self.rules()
            if new := {name: text for name, text in texts.items() if name not in stored}:
                document = msgspec.json.encode({**stored, **new}, order="deterministic")
                write_file(self.path / RULES, msgspec.json.format(document, indent=2) + b"\n")
            _append_by_metric(self.path, labels)

    def add_judgements(self, judgements: Sequence[JudgementRecord]) -> None:
        """Append what a judge said."""
        self._make(self.path / JUDGEMENTS)
        with alone_in(self.path):
            _append_by_metric(self.path / JUDGEMENTS, judgements)

    @staticmethod
    def _make(folder: Path) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                str(folder), f"cannot be created: {reason(error)}", "change its permissions"
            ) from None


def _file_name(metric: str) -> str:
    if re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}", metric):
        return f"{metric}.jsonl"
    plain = re.sub(r"[^A-Za-z0-9_-]+", "-", metric).strip("-")[:60] or "metric"
    return f"{plain}-{hex_digest(metric, 8)}.jsonl"


def _records(path: Path, kind: type[Line], word: str, torn: list[str]) -> Iterable[tuple[str, Line]]:
    """The records of a file with their places. What a crash left of a line is reported in `torn`, never used."""
    if not path.is_file() or not path.stat().st_size:
        return
    for number, line in enumerate(read_checked(path).split(b"\n"), 1):
        where = f"{path}:{number}"
        if not line.strip():
            continue
        if line.startswith(CONFLICT):
            raise InputError(where, "is a conflict of a merge", "keep the labels of both sides")
        fields = _object(line, where)
        if fields is None:
            torn.append(where)
            continue
        refuse_other_format(fields.pop("format", None), word, 1, where)
        yield where, codec.convert(fields, kind, where)


def _object(line: bytes, where: str) -> dict[str, Any] | None:
    """The fields of a line; None for the beginning of one, which a crash left."""
    try:
        return codec.decode(line, dict[str, Any], where)
    except InputError:
        if line.startswith(b"{"):
            return None
        raise


def _append_by_metric(folder: Path, records: Sequence[Label] | Sequence[JudgementRecord]) -> None:
    for metric in dict.fromkeys(record.metric for record in records):
        _append(folder / _file_name(metric), [record for record in records if record.metric == metric])


def _append(path: Path, records: Sequence[Label | JudgementRecord]) -> None:
    """Append in one write, on a new line even if a crash left half of one."""
    data = b"".join(
        msgspec.json.encode({"format": record.format, **codec.to_plain(record)}) + b"\n" for record in records
    )
    try:
        with path.open("ab+") as file:
            end = file.seek(0, os.SEEK_END)
            if end:
                file.seek(end - 1)
                data = data if file.read(1) == b"\n" else b"\n" + data
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise InputError(str(path), f"cannot be written: {reason(error)}", "nothing was stored") from None
