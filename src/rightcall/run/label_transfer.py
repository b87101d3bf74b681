"""Labels in and out of other programs: CSV for spreadsheets, JSON Lines for everything."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, cast

import msgspec

from rightcall.core import codec
from rightcall.core.errors import InputError, suggestion
from rightcall.core.redaction.clean_text import scrub
from rightcall.core.text import utc_text
from rightcall.decide.label_rules import RunLabels, plan_name
from rightcall.files.checked_read import read_checked
from rightcall.records.label import BY_HAND, Label, LabelWord, case_id
from rightcall.records.record import Record
from rightcall.run.label_session import LONGEST_NAME, LONGEST_NOTE, LabelSession, keep_index

COLUMNS = ("golden", "trial", "label", "note", "by", "at")
WORDS = ("pass", "fail", "unsure")


class ImportCount(Record, frozen=True):
    """What an import did. `drawn` says whether the labels may estimate a rate."""

    added: int
    unchanged: int
    empty: int
    drawn: bool


def import_labels(
    session: LabelSession, file: Path, *, words: Mapping[str, str] | None = None, at_random: bool = False
) -> ImportCount:
    """Store the labels of a file; those that are stored already are not added again.

    `words` maps other words for labels to ours. The labels may estimate a rate if the labelled cases are those that the
    plan would ask about first, if they are all cases, or if you state that they were drawn `at_random`.
    """
    rows = list(_rows(file))
    mapped = _word_map(words or {})
    moment = datetime.datetime.fromtimestamp(file.stat().st_mtime, datetime.UTC)
    read = [(_label(session, row, where, mapped, at=utc_text(moment))) for where, row in rows]
    labels = [label for label in read if label is not None]
    labelling = session.labels()
    plan = _import_plan(session, labels, labelling, at_random)
    labels = [
        msgspec.structs.replace(label, plan=plan, stratum=session.stratum(label.case.id)) for label in labels
    ]
    stored = {_key(label) for label in chain.from_iterable(labelling.by_case.values())}
    new = list({_key(label): label for label in labels if _key(label) not in stored}.values())
    rules = {session.question(label.case.id).rule for label in new}
    if new:
        session.folder.add(new, sorted(rules))
        keep_index(session.store, session.judged, session.folder)
    return ImportCount(len(new), len(labels) - len(new), len(read) - len(labels), plan != BY_HAND)


def export_rows(session: LabelSession, *, open_cases: int = 0) -> list[dict[str, Any]]:
    """The current labels of a run as rows, and the next cases of the plan without one."""
    labelling = session.labels()
    rows: list[dict[str, Any]] = [
        {"golden": case.golden, "trial": case.trial, "label": label.label, "note": label.note,
         "by": label.by, "at": label.at}
        for name, labels in labelling.cases.items()
        for case in [session.judged.cases[name].place]
        for label in labels.all
        if label.case.id == name
    ]  # fmt: skip
    for name in session.plan_order(open_cases) if open_cases else ():
        if name not in labelling.cases:
            place = session.judged.cases[name].place
            rows.append(
                {"golden": place.golden, "trial": place.trial, "label": "", "note": "", "by": "", "at": ""}
            )
    return rows


def csv_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows for a spreadsheet."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _rows(file: Path) -> Iterable[tuple[str, dict[str, Any]]]:
    """The rows of a file with their places."""
    text = read_checked(file).decode("utf-8", "replace")
    if file.suffix.lower() == ".csv":
        reader = csv.DictReader(io.StringIO(text, newline=""))  # lines may end in \r alone
        try:
            _require_columns(f"{file}:1", reader.fieldnames or ())
            for row in reader:
                where = f"{file}:{reader.line_num}"
                if None in row:
                    raise InputError(
                        where, f"has more than the {len(reader.fieldnames or ())} columns of line 1"
                    )
                yield where, {name: value or "" for name, value in row.items()}
        except csv.Error as error:
            raise InputError(f"{file}:{reader.line_num}", f"is not CSV: {error}") from None
        return
    if file.suffix.lower() not in (".jsonl", ".ndjson"):
        raise InputError(str(file), "labels are imported from a .csv or .jsonl file")
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            where = f"{file}:{number}"
            fields = codec.decode(line.encode(), dict[str, Any], where)
            place = fields.get("case")
            if isinstance(place, dict):  # a line of a file of labels
                fields = {name: fields[name] for name in ("label", "note", "by", "at") if name in fields}
                fields |= {"golden": place.get("golden"), "trial": place.get("trial", 0)}
            _require_columns(where, fields)
            yield where, fields


def _require_columns(where: str, names: Iterable[Any]) -> None:
    names = list(names)
    unknown = [str(name) for name in names if name not in COLUMNS]
    if unknown:
        hint = suggestion(unknown[0], COLUMNS) or f"columns are {', '.join(COLUMNS)}"
        raise InputError(where, f"unknown column '{unknown[0]}'", hint)
    for name in ("golden", "label"):
        if name not in names:
            raise InputError(where, f"has no column '{name}'", f"columns are {', '.join(COLUMNS)}")


def _word_map(words: Mapping[str, str]) -> dict[str, LabelWord]:
    wrong = [word for word in words.values() if word not in WORDS]
    if wrong:
        raise InputError("--map", f"maps to '{wrong[0]}'", f"labels are {', '.join(WORDS)}")
    ours = {word: word for word in WORDS} | {word.casefold(): label for word, label in words.items()}
    return cast("dict[str, LabelWord]", ours)


def _label(
    session: LabelSession, row: Mapping[str, Any], where: str, words: Mapping[str, LabelWord], at: str
) -> Label | None:
    """The label of a row; None for a case without one."""
    written = str(row.get("label", "")).strip()
    if not written:
        return None
    if written.casefold() not in words:
        hint = f"labels are {', '.join(WORDS)}; map others: --map {written or 'yes'}=pass"
        raise InputError(where, f"unknown label '{written[:40]}'", hint)
    try:
        trial = int(str(row.get("trial", "") or 0))
    except ValueError:
        raise InputError(where, f"trial must be a number, got '{row['trial']}'") from None
    name = case_id(str(row["golden"]), trial)
    if name not in session.judged.cases:
        hint = suggestion(name, session.judged.cases) or f"run {session.judged.run.id} has no such case"
        raise InputError(where, f"unknown case '{name[:80]}'", hint)
    case = session.judged.cases[name]
    return Label(
        case.place,
        case.target.material,
        session.judged.metric,
        case.target.rule,
        label=words[written.casefold()],
        by=scrub(" ".join(str(row.get("by") or "").split()))[:LONGEST_NAME] or session.by,
        at=str(row.get("at") or "").strip() or at,
        note=scrub(str(row.get("note") or "").strip())[:LONGEST_NOTE],
    )


def _import_plan(
    session: LabelSession, labels: Iterable[Label], labelling: RunLabels, at_random: bool
) -> str:
    if at_random:
        return plan_name("random", session.judged.population)
    labelled = {label.case.id for label in labels} | set(labelling.by_case)
    planned = set(session.plan_order(max(1, len(labelled))))
    return session.plan if planned == labelled else BY_HAND


def _key(label: Label) -> tuple[str, ...]:
    return label.case.id, label.material, label.rule, label.by, label.label, label.note, label.at
