"""`rightcall judge`: labels in and out of files, the rate that people would give, what is refused."""

from __future__ import annotations

import csv
import io
import json
import shutil
from pathlib import Path

import pytest

from tests.support.judged_example import kind_of, make_run, people_say

METRIC = "refund_promised"


@pytest.fixture(scope="module")
def example(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("judged")
    make_run(folder)
    return folder


@pytest.fixture
def judge(example, tmp_path, rightcall):
    """`rightcall judge …` in a copy of the example with its run."""
    shutil.copytree(example, tmp_path, dirs_exist_ok=True)
    return lambda *words: rightcall("judge", *words)


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def write_table(path: str, rows: list[dict[str, str]]) -> str:
    with Path(path).open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def planned(judge, n: int) -> list[str]:
    return [row["golden"] for row in table(judge("export", "--n", n).out) if not row["label"]]


def label(judge, n: int = 48, by: str = "ana", say=people_say) -> None:
    rows = [{"golden": name, "label": say(name), "by": by} for name in planned(judge, n)]
    done = judge("import", "last", write_table(f"{by}.csv", rows))
    assert f"{n} labels added" in done.out and "do not count towards a rate" not in done.out


def test_without_labels_there_is_no_rate_and_the_next_step_is_named(judge):
    done = judge("rate")
    assert done.code == 3 and "0 labels" in done.out and f"--metric {METRIC}" in done.out
    assert "the judge is not calibrated" in done.out


def test_labels_of_the_plan_give_the_rate_of_people(judge):
    label(judge)
    done = judge("rate", "--json")
    report = json.loads(done.out)
    assert (done.code, report["labels"], report["calibrated"]) == (0, 48, True)
    truth = sum(people_say(f"refund-{n:02}") == "pass" for n in range(1, 61)) / 60
    estimate = report["estimate"]
    assert estimate["lower"] <= truth <= estimate["upper"] and estimate["judged"] > truth
    assert sum(stratum["labels"] for stratum in estimate["strata"]) == 48
    assert "48 labels: people pass" in judge("rate").out


def test_below_the_floor_there_is_a_rate_that_decides_nothing(judge):
    label(judge, 12)
    done = judge("rate", "--json")
    assert done.code == 3 and json.loads(done.out)["estimate"]["labels"] == 12


def test_importing_twice_adds_nothing_and_a_changed_answer_replaces(judge):
    label(judge, 24)
    lines = Path(f"judging/labels/{METRIC}.jsonl").read_text("utf-8")
    assert "0 labels added, 24 already there" in judge("import", "last", "ana.csv").out
    assert Path(f"judging/labels/{METRIC}.jsonl").read_text("utf-8") == lines
    rows = table(judge("export").out)
    rows[0] = rows[0] | {"label": "unsure", "at": "2999-01-01T00:00:00Z"}
    assert "1 label added, 23 already there" in judge("import", "last", write_table("again.csv", rows)).out
    after = table(judge("export").out)
    assert len(after) == 24 and [row["label"] for row in after].count("unsure") == 1
    assert len(Path(f"judging/labels/{METRIC}.jsonl").read_text("utf-8").splitlines()) == 25


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ({"golden": "refund-1", "label": "pass"}, "file.csv:2: unknown case 'refund-1'; did you mean"),
        ({"golden": "refund-01", "label": "success"}, "file.csv:2: unknown label 'success'; labels are pass"),
        ({"golden": "refund-01", "label": "1"}, "unknown label '1'"),
        ({"golden": "refund-01", "label": "pass", "trial": "two"}, "trial must be a number, got 'two'"),
        ({"golden": "refund-01", "label": "pass", "trial": "7"}, "unknown case 'refund-01#7'"),
        (
            {"golden": "refund-01", "labels": "pass"},
            "file.csv:1: unknown column 'labels'; did you mean 'label'",
        ),
        ({"golden": "refund-01"}, "file.csv:1: has no column 'label'"),
    ],
)
def test_a_row_that_is_no_label_is_an_error_with_its_line(judge, row, problem):
    done = judge("import", "last", write_table("file.csv", [row]))
    assert done.code == 2 and problem in done.err
    assert not Path("judging/labels").exists()


def test_lines_may_end_in_a_carriage_return_alone(judge):
    file = write_table("file.csv", [{"golden": name, "label": "pass"} for name in planned(judge, 3)])
    Path(file).write_bytes(Path(file).read_bytes().replace(b"\r\n", b"\r"))
    assert "3 labels added" in judge("import", "last", file).out


def test_other_words_are_understood_only_when_they_are_mapped(judge):
    rows = [
        {"golden": name, "label": "Yes" if people_say(name) == "pass" else "No"}
        for name in planned(judge, 24)
    ]
    file = write_table("file.csv", rows)
    assert judge("import", "last", file).code == 2
    assert "24 labels added" in judge("import", "last", file, "--map", "yes=pass,no=fail").out
    assert judge("import", "last", file, "--map", "yes=good").code == 2
    assert judge("import", "last", file, "--map", "yes").code == 2


def test_hand_picked_cases_cannot_estimate_a_rate_unless_they_are_stated_to_be_random(judge):
    picked = sorted(f"refund-{n:02}" for n in range(1, 61) if kind_of(f"refund-{n:02}") != "right")
    rows = [{"golden": name, "label": people_say(name)} for name in picked]
    assert "do not count towards a rate" in judge("import", "last", write_table("file.csv", rows)).out
    done = judge("rate")
    assert done.code == 3 and "hand-picked cases cannot estimate a rate" in done.out
    judge("import", "last", write_table("file.csv", [row | {"by": "ben"} for row in rows]), "--random")
    assert judge("rate").code == 0


def test_two_people_agree_and_disagree_and_someone_settles(judge):
    label(judge)
    names = planned(judge, 60) + [row["golden"] for row in table(judge("export").out)]
    vague = [name for name in names if kind_of(name) == "vague"]
    rows = [{"golden": name, "label": "pass", "by": "ben"} for name in vague]
    judge("import", "last", write_table("ben.csv", rows))
    report = json.loads(judge("rate", "--json").out)
    assert report["disputed"] and set(report["disputed"]) <= set(vague)
    assert report["labels"] == 48 - len(report["disputed"])
    assert [pair["people"] for pair in report["people"]] == [["ana", "ben"]]
    shown = judge("status").out
    assert "disputed" in shown and "ana fail, ben pass" in shown
    case = report["disputed"][0]
    assert judge("label", "--case", case, "--settle", "fail", "--by", "cy").code == 0
    assert case not in json.loads(judge("rate", "--json").out)["disputed"]
    assert judge("label", "--case", "refund-99", "--settle", "fail").code == 2
    assert judge("label", "--settle", "fail").code == 2


def test_many_unsure_labels_are_counted_either_way(judge):
    label(judge, say=lambda name: "unsure" if kind_of(name) == "vague" else people_say(name))
    report = json.loads(judge("rate", "--json").out)["estimate"]
    assert report["unsure"] > 0.05 * 48
    either = report["unsure_counted"]
    assert either["as_fail"]["rate"] < either["as_pass"]["rate"]


def test_a_changed_rubric_makes_labels_stale(judge, rightcall):
    label(judge, 24)
    other = "refund_judge:RefundJudge(version=1, rubric='The refund is promised in writing.')"
    suite = Path("judging/suite.yaml")
    suite.write_text(suite.read_text("utf-8").replace("refund_judge:RefundJudge(version=1)", other), "utf-8")
    rightcall("run", "judging/suite.yaml")
    report = json.loads(judge("status", "judging/suite.yaml", "--json").out)["metrics"][0]
    assert (report["stale"], report["labelled"], report["calibrated"]) == (24, 0, False)
    assert "24 labels stale" in report["notes"][0]


def test_a_judge_that_changed_is_asked_again_and_its_agreement_is_shown_by_version(judge):
    label(judge)
    suite = Path("judging/suite.yaml")
    suite.write_text(suite.read_text("utf-8").replace("version=1", "version=2"), "utf-8")
    done = judge("rate", "--again", "--json")
    report = json.loads(done.out)
    assert done.code == 0 and len(report["judgements"]) == 48
    kappas = {point["judge"]: point["agreement"]["beyond_chance"] for point in report["drift"]}
    first, second = (next(k for name, k in kappas.items() if f"judge-{v}," in name) for v in (1, 2))
    assert first > second
    shown = judge("rate", "--again").out
    assert "48 labelled cases judged" in shown and "refund-judge-2" in shown


def test_biases_are_tested_together_and_too_few_labels_say_nothing(judge):
    label(judge)
    report = {bias["name"]: bias for bias in json.loads(judge("rate", "--json").out)["biases"]}
    assert report["leniency"]["difference"] > 0 and 0 <= report["leniency"]["p"] <= 1
    assert report["self-preference"]["problem"] == "needs labelled cases of two agents"


def test_a_torn_line_is_a_warning_of_every_command(judge):
    label(judge, 12)
    with Path(f"judging/labels/{METRIC}.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"format": "rightcall/label/1", "case": {"gold')
    done = judge("rate", "--json")
    assert f"{METRIC}.jsonl:13: half a line" in done.err and json.loads(done.out)["labels"] == 12


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("rate", "--metric", "refund"), "has no judged metric 'refund'; did you mean 'refund_promised'?"),
        (("rate", "zz"), "no run matches 'zz'"),
        (("label",), "needs a terminal; import labels from a file instead"),
        (("export", "-o", "labels.txt"), "exported to a .csv or .jsonl file"),
        (("import", "last", "judging/suite.yaml"), "imported from a .csv or .jsonl file"),
        (("import", "last", "none.csv"), "no such file"),
        (("rate", "--again"), "has no label"),
        (("status", "none.yaml"), "no run matches 'none.yaml'"),
    ],
)
def test_bad_input_is_one_line(judge, words, problem):
    done = judge(*words)
    assert done.code == 2 and problem in done.err and len(done.err.splitlines()) == 1


def test_labels_go_out_and_in_as_json_lines(judge):
    label(judge, 24)
    judge("export", "-o", "labels.jsonl")
    shutil.move("judging/labels", "judging/other")
    assert "24 labels added" in judge("import", "last", "labels.jsonl").out
    assert "24 already there" in judge("import", "last", f"judging/other/{METRIC}.jsonl").out


def test_the_labels_that_a_suite_demands_are_those_of_every_command(judge, tmp_path):
    label(judge)
    assert judge("rate").code == 0
    with (tmp_path / "judging" / "suite.yaml").open("a", encoding="utf-8") as suite:
        suite.write("judge: {labels: 50}\n")
    rated = judge("rate")
    assert rated.code == 3 and "48 of 50 labels: the judge is not calibrated" in rated.out
