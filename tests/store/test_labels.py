"""Label files: appended by several processes, read back completely, damage named by its place."""

from __future__ import annotations

import json
import multiprocessing

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.core.errors import InputError
from rightcall.records.label import CasePlace, JudgementRecord, Label, rule_hash
from rightcall.store.labels import LabelFolder
from tests.support.examples import examples

RULE = "The answer is kind."


def label(golden="g", **fields) -> Label:
    fields = {
        "material": "m",
        "metric": "kind",
        "rule": rule_hash(RULE),
        "label": "pass",
        "by": "ana",
    } | fields
    return Label(CasePlace(golden), at="2026-01-01T00:00:00Z", **fields)


def read(folder: LabelFolder, metric: str = "kind") -> list[Label]:
    return [row.label for row in folder.labels(metric).rows]


@given(st.lists(st.text(max_size=20), min_size=1, max_size=4), st.text(max_size=30), st.text(max_size=12))
@settings(max_examples=examples(100, 15))
def test_what_is_added_is_read_back(tmp_path_factory, goldens, note, metric):
    folder = LabelFolder(tmp_path_factory.mktemp("labels"))
    labels = [label(golden, note=note, metric=metric, by="bé n") for golden in goldens]
    for one in labels:
        folder.add([one], [RULE])
    assert read(folder, metric) == labels and folder.rules() == {rule_hash(RULE): RULE}
    assert folder.metrics() == [metric]


def test_a_line_names_its_format_and_the_file_its_metric(tmp_path):
    folder = LabelFolder(tmp_path / "labels")
    folder.add([label()], [RULE])
    (line,) = (tmp_path / "labels" / "kind.jsonl").read_text("utf-8").splitlines()
    assert json.loads(line)["format"] == "rightcall/label/1"
    assert folder.file("../../etc").parent == folder.path and folder.file(".x").name[0] != "."


def _append(path: str, by: str) -> None:
    folder = LabelFolder(path)
    for number in range(100):
        folder.add([label(f"{by}{number}", by=by, note="x" * 3000)], [f"{RULE} {by} {number % 7}", RULE])


def test_processes_that_write_at_once_lose_nothing(tmp_path):
    writers = [multiprocessing.Process(target=_append, args=(str(tmp_path), by)) for by in ("ana", "ben")]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    folder = LabelFolder(tmp_path)
    assert {row.case.golden for row in read(folder)} == {
        f"{by}{n}" for by in ("ana", "ben") for n in range(100)
    }
    assert len(folder.rules()) == 15 and not folder.labels("kind").torn


def test_half_a_line_is_named_and_what_follows_is_kept(tmp_path):
    folder = LabelFolder(tmp_path)
    folder.add([label("a"), label("b")], [RULE])
    file = folder.file("kind")
    for cut in (1, 30, 200):
        whole = file.read_bytes()
        file.write_bytes(whole[:-cut] if cut < 200 else whole + b'{"case": {"golden": "\xc3')
        folder.add([label("c")])
        rows = folder.labels("kind")
        assert rows.torn == (() if cut == 1 else (f"{file}:{2 if cut == 30 else 3}",))
        assert [row.label.case.golden for row in rows.rows][-1] == "c"
        file.write_bytes(whole)


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("<<<<<<< HEAD", "is a conflict of a merge"),
        ("[]", "kind.jsonl:2"),
        ('{"format": "rightcall/label/2"}', "upgrade RightCall"),
        ('{"format": "rightcall/label/1", "case": {"golden": "g"}, "lable": "pass"}', "kind.jsonl:2"),
        ("METRIC", "is a label of 'other', in the file of 'kind'"),
        ("RULE", "has the unknown rule ffff"),
    ],
)
def test_a_line_that_is_no_label_is_an_error_with_its_place(tmp_path, line, problem):
    folder = LabelFolder(tmp_path)
    folder.add([label()], [RULE])
    changed = {"METRIC": {"metric": "other"}, "RULE": {"rule": "f" * 64}}.get(line)
    if changed:
        first = json.loads(folder.file("kind").read_text("utf-8"))
        line = json.dumps(first | changed)
    with folder.file("kind").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(InputError, match=r"kind\.jsonl:2") as raised:
        folder.labels("kind")
    assert problem in str(raised.value)


def test_a_secret_in_a_rubric_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOP_API_KEY", "quite-a-long-secret-1234")
    folder = LabelFolder(tmp_path)
    rule = "The answer hides quite-a-long-secret-1234."
    folder.add([label(rule=rule_hash(rule))], [rule])
    assert len(read(folder)) == 1 and b"quite-a-long" not in (tmp_path / "rules.json").read_bytes()


def test_a_judge_that_is_asked_again_replaces_its_earlier_answer(tmp_path):
    folder = LabelFolder(tmp_path)
    for share in (0.0, 1.0):
        folder.add_judgements(
            [
                JudgementRecord(
                    CasePlace("g"), "m", "kind", "r", "j", "openai:j", "2026-01-01", share, share == 1.0
                )
            ]
        )
    assert [judgement.share for judgement in folder.judgements("kind")] == [1.0]


def test_an_empty_or_missing_file_has_no_labels(tmp_path):
    folder = LabelFolder(tmp_path / "none")
    assert not folder.labels("kind").rows and not folder.metrics()
    folder = LabelFolder(tmp_path)
    folder.file("kind").touch()
    assert not folder.labels("kind").rows and not folder.metrics()
