"""`check`: what a change can reach is tried, and the verdict keeps its promises, whatever finishes first."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path
from unittest import mock

import msgspec
import pytest

import rightcall as rc
from rightcall.check.reach import input_changes, reach_of
from rightcall.check.words import never_seen_chance
from rightcall.cli.main import main
from rightcall.core.errors import InputError
from rightcall.records import Golden
from rightcall.run.baseline_file import (
    BaselineHeader,
    BaselineLine,
    BaselinePool,
    BaselineRun,
    load_baseline,
    merge_baselines,
    write_baseline,
)
from rightcall.run.baseline_pool import find_baseline
from rightcall.run.inputs import Inputs
from rightcall.store.address import open_store
from tests.support.baselines import save_baseline

EXAMPLE = Path(__file__).parents[2] / "examples" / "pull-request"
REFUND = "Refund an order: give the customer the money back after it was delivered."


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """The example as a git repository with a run on main."""
    folder = tmp_path_factory.mktemp("shop")
    for name in ("suite.yaml", "tools.json", "goldens.jsonl"):
        (folder / name).write_text((EXAMPLE / name).read_text())
    edit(folder / "suite.yaml", "record: auto ", "record: none ")
    (folder / ".gitignore").write_text(".rightcall/\n*.jsonl.gz\n")
    with contextlib.chdir(folder):
        for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-qm", "shop"]):
            git(*words)
        run("run", "suite.yaml")
    return folder


@pytest.fixture
def shop(repository, tmp_path, monkeypatch):
    """A copy to change."""
    folder = tmp_path / "shop"
    shutil.copytree(repository, folder)
    monkeypatch.chdir(folder)
    return folder


def git(*words):
    subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *words],
        check=True,
        capture_output=True,
    )


def run(*words):
    with pytest.raises(SystemExit) as ended, mock.patch.object(sys, "argv", ["rightcall", *words]):
        main()
    return ended.value.code or 0


def edit(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new))


def checked(*words):
    code = run("check", "suite.yaml", "-o", "check.json", *words)
    return code, json.loads(Path("check.json").read_text(encoding="utf-8"))


def test_a_change_that_reaches_no_model_passes_without_a_call(shop):
    (shop / "README.md").write_text("hello")
    code, found = checked()
    assert (code, found["verdict"], found["calls"]["spent"]) == (0, "SAME", 0)
    assert "nothing that reaches the model has changed" in found["reason"]


def test_a_harmless_change_of_one_tool_passes_with_a_fraction_of_the_calls(shop):
    edit(shop / "tools.json", "where the parcel is now and when", "where its parcel is now, and when")
    code, found = checked()
    assert (code, found["verdict"]) == (0, "PASS")
    assert found["calls"]["spent"] < found["calls"]["full"] / 2
    assert [s["name"] for s in found["strata"]] == ["affected", "rest"]


def test_a_broken_tool_is_found_at_once_with_the_lines_of_its_goldens(shop):
    edit(shop / "tools.json", REFUND, "Handles cases.")
    code, found = checked("-o", "check.md", "-o", "check.xml", "-o", "check.sarif", "-o", "codequality.json")
    assert (code, found["verdict"], found["cause"]) == (1, "WORSE", "worse")
    assert found["calls"]["spent"] <= 32
    broken = found["broken"][0]
    assert (
        (shop / broken["file"])
        .read_text()
        .splitlines()[broken["line"] - 1]
        .startswith(f'{{"id": "{broken["golden"]}"')
    )
    assert {each["tool"] for each in found["lint"]} == {"refund_order"}
    assert Path("check.md").read_text(encoding="utf-8").startswith("<!-- rightcall:check:shop -->\n")
    assert all(
        {"description", "check_name", "fingerprint", "severity", "location"} <= e.keys()
        for e in json.loads(Path("codequality.json").read_text(encoding="utf-8"))
    )


def test_a_prompt_change_reaches_everything_and_is_sampled(shop):
    edit(shop / "suite.yaml", "Answer with one tool call.", "Answer briefly, with one tool call.")
    code, found = checked()
    assert (code, found["verdict"]) == (0, "PASS")
    assert [(s["name"], s["goldens"]) for s in found["strata"]] == [("rest", 120)]


def test_equal_inputs_give_the_stored_verdict_and_again_draws_again(shop):
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    _, first = checked()
    _, second = checked()
    assert second["calls"]["spent"] == 0
    assert (second["run_id"], second["reason"]) == (first["run_id"], first["reason"])
    _, third = checked("--again")
    assert third["seed"] != first["seed"]
    assert "this is the second draw for these inputs" in third["notes"]


def test_the_verdict_does_not_depend_on_how_many_run_at_once(shop):
    edit(shop / "tools.json", "List what customer reviews say", "List the things that customer reviews say")
    found = []
    suite = (shop / "suite.yaml").read_text()
    for concurrency in (1, 16):
        (shop / "suite.yaml").write_text(f"{suite}concurrency: {concurrency}\n")
        _, result = checked()
        own = ("run_id", "baseline", "notes", "calls", "entry", "budget")
        found.append({k: v for k, v in result.items() if k not in own})
        for path in (shop / ".rightcall" / "checks").glob("*.json"):
            path.unlink()
    assert found[0] == found[1]


def test_another_question_about_the_same_inputs_is_asked(shop):
    """A budget, a margin or --full is not answered with the verdict of a check without it."""
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    _, first = checked("--max-calls", "4")
    assert first["verdict"] == "INCONCLUSIVE"
    code, second = checked()
    assert (code, second["verdict"]) == (0, "PASS")
    assert "this is the second check for these inputs" in second["notes"]
    _, third = checked("--full")
    assert third["calls"]["spent"] > second["calls"]["spent"]
    assert checked()[1]["calls"]["spent"] == 0


def test_an_edited_golden_is_not_answered_with_an_older_verdict(shop):
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    checked()
    lines = (shop / "goldens.jsonl").read_text().splitlines()
    (shop / "goldens.jsonl").write_text("\n".join([lines[0].replace("Show me", "Do show me"), *lines[1:]]))
    _, found = checked()
    assert (found["new"]["goldens"], found["calls"]["spent"] > 0) == (1, True)


@pytest.mark.stories
def test_a_broken_golden_is_told_by_what_went_wrong_not_by_calls_that_were_right_before(shop, capsys):
    edit(shop / "tools.json", REFUND, "Handles cases.")
    _, check = checked()
    said = capsys.readouterr().out
    for golden in check["broken"][:3]:
        assert f"{golden['golden']}   main 3 of 3   here 0 of" in said
        assert "instead of refund_order" in golden["reason"]
    assert "expected refund_order(" in said and "called   cancel_order(" in said


def test_a_plan_without_a_change_says_so(shop, capsys):
    assert run("check", "suite.yaml", "--plan") == 0
    assert "PLAN  nothing that reaches the model has changed; 0 calls" in capsys.readouterr().out


def test_a_plan_spends_nothing(shop, capsys):
    edit(shop / "tools.json", REFUND, f"{REFUND} Ask first.")
    assert run("check", "suite.yaml", "--plan") == 0
    said = capsys.readouterr().out
    assert "affected" in said and "a full run takes" in said
    with open_store(None) as store:
        assert len(store.runs.page()) == 1


def test_a_replay_tests_nothing_about_a_change(shop):
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    code, found = checked("--record", "replay")
    assert (code, found["verdict"]) == (3, "INCONCLUSIVE")
    assert "0 live calls: the model was not tested" in found["reason"]


def test_new_and_edited_goldens_are_tried_and_compared_with_nothing(shop):
    lines = (shop / "goldens.jsonl").read_text().splitlines()
    lines[0] = lines[0].replace("Show me", "Please show me")
    lines.append(
        json.dumps(
            {
                "id": "new-one",
                "input": "Search the shop for a tent",
                "expected_calls": [{"tool": "refund_order"}],
            }
        )
    )
    (shop / "goldens.jsonl").write_text("\n".join(lines) + "\n")
    code, found = checked()
    assert (code, found["verdict"]) == (0, "PASS")
    assert (found["new"]["goldens"], found["new"]["trials"], found["untouched"]) == (2, 6, 119)


def test_a_tool_that_is_gone_and_still_expected_is_named_first(shop, capsys):
    tools = [tool for tool in json.loads((shop / "tools.json").read_text()) if tool["name"] != "list_reviews"]
    (shop / "tools.json").write_text(json.dumps(tools))
    assert run("check", "suite.yaml") == 1
    said = " ".join(capsys.readouterr().out.split())
    assert said.startswith(
        "WORSE list_reviews is gone, and 15 goldens expect it: list_reviews-00 (goldens.jsonl:"
    )


def test_a_baseline_file_is_enough_and_small(shop, tmp_path_factory, capsys):
    save_baseline("main.jsonl.gz")
    (shop / ".rightcall").rename(tmp_path_factory.mktemp("away") / "rightcall")
    edit(shop / "tools.json", REFUND, "Handles cases.")
    assert run("check", "suite.yaml", "--baseline", "main.jsonl.gz") == 1
    assert (shop / "main.jsonl.gz").stat().st_size < 120 * 180
    text = "".join(load_text(shop / "main.jsonl.gz"))
    assert "money back" not in text
    assert run("check", "suite.yaml") == 2
    assert "no complete run of suite 'shop' on branch main" in capsys.readouterr().err


def load_text(path):
    import gzip

    return gzip.decompress(path.read_bytes()).decode()


def test_runs_pool_while_inputs_are_equal_and_edits_start_a_new_pool(shop):
    run("run", "suite.yaml", "--trials", "2")
    with open_store(None) as store:
        pool = find_baseline(store, "branch:main", "shop")
    assert [r.trials for r in pool.header.runs] == [2, 3]
    assert {len(line.scores) for line in pool.lines} == {5}
    edit(shop / "tools.json", "the newest first", "the newest ones first")
    git("commit", "-qam", "edit")
    run("run", "suite.yaml")
    with open_store(None) as store:
        pool = find_baseline(store, "branch:main", "shop")
    assert ([r.trials for r in pool.header.runs], [r.trials for r in pool.header.older]) == ([3], [2, 3])
    assert {line.old for line in pool.lines} == {"11111"}


def test_dirty_runs_checks_and_replays_are_not_a_baseline(shop):
    edit(shop / "tools.json", REFUND, "Handles cases.")
    run("run", "suite.yaml")  # dirty
    run("check", "suite.yaml")
    with open_store(None) as store:
        pool = find_baseline(store, "branch:main", "shop")
    assert len(pool.header.runs) == 1
    assert all(set(line.t) == {"111"} for line in pool.lines)


@pytest.mark.stories
def test_recorded_answers_replayed_are_not_new_trials(shop):
    for _ in range(2):
        run("run", "suite.yaml", "--record", "auto", "--save-baseline", "main.jsonl")
    assert {len(line.scores) for line in load_baseline(Path("main.jsonl")).lines} == {3}
    run("run", "suite.yaml", "--record", "refresh", "--save-baseline", "main.jsonl")
    assert {len(line.scores) for line in load_baseline(Path("main.jsonl")).lines} == {6}


def test_gate_reads_the_same_baselines(shop):
    run("run", "suite.yaml", "--save-baseline", "main.jsonl")
    assert run("gate", "last", "--baseline", "main.jsonl", "--margin", "0.1") == 0
    assert run("gate", "last", "--baseline", "branch:main", "--margin", "0.1") == 0


def test_merged_baselines_are_of_one_suite(tmp_path):
    pools = [
        a_pool("shop", "i", ["111"]),
        a_pool("shop", "i", ["10"], "2026-01-01T00:00:00Z", "r2"),
        a_pool("other", "i", ["1"]),
    ]
    assert merge_baselines(pools[:2]).lines[0].t == ("111", "10")
    assert (
        merge_baselines([pools[0], a_pool("shop", "older", ["10"], "2026-01-01T00:00:00Z", "r2")])
        .lines[0]
        .old
        == "10"
    )
    with pytest.raises(InputError, match="different suites"):
        merge_baselines(pools)


def a_pool(suite, inputs, t, at="2026-01-02T00:00:00Z", name="r1"):
    header = BaselineHeader(suite, inputs, Inputs(), (BaselineRun(name, at),))
    return BaselinePool(header, (BaselineLine("g", "h", "a", tuple(t)),))


def test_a_baseline_file_survives_writing_and_reading(tmp_path):
    pool = a_pool("shop", "i", ["11e", "0"])
    for name in ("a.jsonl", "a.jsonl.gz"):
        write_baseline(pool, tmp_path / name)
        assert load_baseline(tmp_path / name) == pool


def test_compared_trials_cannot_choose():
    """Compared and older trials disagree about what was confused; only the older ones count."""
    inputs = Inputs(tools={"a": {"description": "1"}, "b": {"description": "2"}}, order=("a", "b"))
    before = Inputs(tools={"a": {"description": "0"}, "b": {"description": "2"}}, order=("a", "b"))
    goldens = [Golden("x", id=f"g{i}", expected_calls=(rc.ExpectedCall("b"),)) for i in range(4)]
    from rightcall.run.inputs import golden_hash

    def lines(marks, confused):
        return {
            g.id: BaselineLine(
                g.id, golden_hash(g), "", (marks[i],), confused={"a": 1} if i in confused else {}
            )
            for i, g in enumerate(goldens)
        }

    changes = input_changes(before, inputs)
    rng = random.Random(1)
    reaches = {
        reach_of(
            goldens, lines([rng.choice(["111", "000", "010"]) for _ in goldens], {2}), inputs, changes
        ).affected
        for _ in range(20)
    }
    assert reaches == {("g2",)}


BASE = Inputs(
    agent={"model": "m", "base_url": "", "mode": "single_turn"},
    system="s", settings="t", limits="l", metrics="q", code={"agent.py": "1"}, mocks={"a": "1"},
    tools={"a": {"description": "1", "input_schema": "2"}, "b": {"description": "3", "input_schema": "4"}},
    order=("a", "b"),
)  # fmt: skip
EDITS = [
    ({}, []),
    ({"tools": {"b": BASE.tools["b"], "a": BASE.tools["a"]}}, []),
    ({"order": ("b", "a")}, ["tool_order"]),
    ({"tools": {**BASE.tools, "a": {"description": "9", "input_schema": "2"}}}, ["tool_changed"]),
    ({"tools": {**BASE.tools, "a": {"description": "1", "input_schema": "9"}}}, ["tool_changed"]),
    ({"tools": {"c": BASE.tools["a"], "b": BASE.tools["b"]}}, ["tool_renamed"]),
    ({"tools": {**BASE.tools, "c": {"description": "7"}}}, ["tool_added"]),
    ({"tools": {"a": BASE.tools["a"]}}, ["tool_removed"]),
    ({"mocks": {"a": "2"}}, ["mock"]),
    ({"system": "x"}, ["system"]),
    ({"agent": {**BASE.agent, "model": "n"}}, ["model"]),
    ({"agent": {**BASE.agent, "base_url": "http://x"}}, ["base_url"]),
    ({"agent": {**BASE.agent, "mode": "loop"}}, ["mode"]),
    ({"settings": "x"}, ["settings"]),
    ({"limits": "x"}, ["limits"]),
    ({"faults": "x"}, ["faults"]),
    ({"code": {"agent.py": "2"}}, ["code"]),
    ({"code": {"agent.py": "1", "other.py": "1"}}, ["code"]),
    ({"tool_code": {"a": "1"}}, ["tool_code"]),
    ({"metrics": "x"}, ["metrics"]),
]


def test_new_nameols_and_swapped_descriptions_are_named():
    a = BASE.tools["a"]
    b = BASE.tools["b"]
    swapped = {"a": {**a, "description": b["description"]}, "b": {**b, "description": a["description"]}}
    renamed = {"c": {**a, "input_schema": "9"}, "b": b}
    words = [
        [change.words for change in input_changes(BASE, msgspec.structs.replace(BASE, tools=tools))]
        for tools in (swapped, renamed)
    ]
    assert words == [
        ["tool a changed (description swapped with b)", "tool b changed (description swapped with a)"],
        ["tool a is now called c (parameters)"],
    ]


@pytest.mark.parametrize(("change", "kinds"), EDITS)
def test_each_kind_of_edit_is_recognized(change, kinds):
    now = msgspec.structs.replace(BASE, **change)
    assert [each.kind for each in input_changes(BASE, now)] == kinds


def test_a_parameter_in_another_order_is_not_a_change(shop):
    tools = json.loads((shop / "tools.json").read_text())
    (shop / "tools.json").write_text(json.dumps([dict(reversed(tool.items())) for tool in tools]))
    assert checked()[1]["calls"]["spent"] == 0


def forbid_cancelling(shop):
    """A request for a refund must not cancel the order."""
    lines = [json.loads(line) for line in (shop / "goldens.jsonl").read_text().splitlines()]
    for golden in lines:
        if golden["id"].startswith("refund_order"):
            golden["forbidden_calls"] = ["cancel_order"]
    (shop / "goldens.jsonl").write_text("".join(json.dumps(golden) + "\n" for golden in lines))


def test_damage_that_main_never_did_stops_the_check(shop):
    forbid_cancelling(shop)
    git("commit", "-qam", "forbid")
    run("run", "suite.yaml")
    edit(shop / "tools.json", REFUND, "Handles cases.")
    edit(shop / "suite.yaml", "drop: 0.2, drop_rest: 0.1", "drop: 0.9, drop_rest: 0.9")
    code, found = checked()
    assert (code, found["verdict"], found["cause"]) == (1, "WORSE", "hard")
    (hard,) = found["hard"]
    assert (hard["code"], hard["times"], hard["tries"]) == ("forbidden_call", 4, 4)
    assert re.search(r"it never occurred in \d+ trials of the baseline; chance at most \d", found["reason"])


def test_damage_that_main_did_too_is_not_new(shop):
    forbid_cancelling(shop)
    edit(shop / "tools.json", REFUND, "Handles cases.")
    git("commit", "-qam", "lure")
    run("run", "suite.yaml")
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    _, found = checked()
    assert (found["verdict"], found["hard"]) == ("PASS", [])


@pytest.mark.parametrize(
    ("history", "now", "bound"), [(300, 300, 0.25), (600, 100, 0.057), (3000, 150, 0.018)]
)
def test_the_chance_of_damage_never_seen_before(history, now, bound):
    assert never_seen_chance(history, now) == pytest.approx(bound, abs=0.0006)


def test_a_code_that_the_suite_forbids_is_not_new_when_main_showed_it(shop):
    lines = [json.loads(line) for line in (shop / "goldens.jsonl").read_text().splitlines()]
    lines[1]["expected_calls"] = [{"tool": "list_reviews"}]
    (shop / "goldens.jsonl").write_text("".join(json.dumps(golden) + "\n" for golden in lines))
    with (shop / "suite.yaml").open("a") as file:
        file.write("gate: {forbid: [wrong_tool]}\n")
    git("commit", "-qam", "forbid")
    run("run", "suite.yaml")
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    _, found = checked("--full")
    assert (found["verdict"], found["hard"]) == ("PASS", [])


def test_a_budget_ends_with_the_last_look(shop):
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    code, found = checked("--max-calls", "20")
    assert (code, found["verdict"]) == (3, "INCONCLUSIVE")
    assert found["calls"]["spent"] <= 20


def test_control_asks_untouched_goldens_again(shop):
    tools = json.loads((shop / "tools.json").read_text())
    lines = [json.loads(line) for line in (shop / "goldens.jsonl").read_text().splitlines()]
    for golden in lines[:60]:
        golden["tools"] = [tool["name"] for tool in tools if tool["name"] != "list_reviews"]
    (shop / "goldens.jsonl").write_text("".join(json.dumps(g) + "\n" for g in lines))
    git("commit", "-qam", "narrow")
    run("run", "suite.yaml")
    edit(shop / "tools.json", "the newest first", "the newest ones first")
    edit(shop / "suite.yaml", "drop: 0.2", "control: 10, drop: 0.2")
    _, found = checked()
    assert found["untouched"] == 60
    assert ("control", 10) in [(s["name"], s["goldens"]) for s in found["plan"]]


def test_the_run_of_a_check_says_why(shop, capsys):
    edit(shop / "tools.json", REFUND, "Handles cases.")
    _, found = checked()
    capsys.readouterr()
    assert run("runs", "show", found["run_id"], "--why") == 0
    shown = capsys.readouterr().out
    assert shown.startswith("WORSE") and "affected  " in shown
    assert "alarm: " in shown and "baseline of main at " in shown and "risks: a change that is no" in shown


def test_check_from_python(shop):
    edit(shop / "tools.json", REFUND, "Handles cases.")
    found = rc.check("suite.yaml", settings={"sample": 40})
    assert (found.verdict, found.exit_code) == ("WORSE", 1)


def test_options_that_a_suite_sets(shop):
    edit(
        shop / "suite.yaml",
        "check: {drop: 0.2, drop_rest: 0.1}",
        "check: {drop: 0.2, drop_rest: 0.1, on_inconclusive: pass}",
    )
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    assert checked("--max-calls", "5")[0] == 0


def test_only_the_metrics_changed_so_the_baseline_is_scored_again_without_a_call(shop):
    with (shop / "suite.yaml").open("a") as file:
        file.write("rules: {weights: {precision: 0.5, recall: 0.5}, pass_rule: score}\n")
    code, found = checked()
    assert (code, found["verdict"], found["calls"]["spent"]) == (0, "SAME", 0)
    assert "360 trials of the baseline were scored again: 100.0% → 100.0% passed" in found["reason"]


def test_a_stricter_metric_moves_the_baseline_and_not_the_verdict(shop):
    """With the new metric main fails a golden as well, so the change is not blamed for it."""
    (shop / "pickiness.py").write_text(PICKY)
    with (shop / "suite.yaml").open("a") as file:
        file.write("metrics: [pickiness:Picky]\n")
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    _, found = checked("--trust")
    assert found["verdict"] == "PASS"
    assert {"system", "metrics"} <= {change["kind"] for change in found["changes"]}
    assert any("scored again: 100.0% → 87.5% passed" in note for note in found["notes"])


PICKY = """
from dataclasses import dataclass
import rightcall as rc

@dataclass(frozen=True)
class Picky(rc.Metric):
    def measure(self, case: rc.TestCase) -> rc.Score:
        return rc.Score.passed_if(not case.golden.id.startswith("list_reviews"), "picky")
"""


def test_metrics_that_changed_cannot_be_compared_with_a_file_alone(shop, tmp_path_factory):
    save_baseline("main.jsonl.gz")
    (shop / ".rightcall").rename(tmp_path_factory.mktemp("away") / "rightcall")
    with (shop / "suite.yaml").open("a") as file:
        file.write("rules: {pass_rule: score}\n")
    code, found = checked("--baseline", "main.jsonl.gz")
    assert (code, found["verdict"], found["calls"]["spent"]) == (3, "INCONCLUSIVE", 0)
    assert "cannot be scored again" in found["hint"]


def cloned(shop, tmp_path_factory, *words):
    """A clone of the shop, as CI makes it, with the baseline as a file."""
    save_baseline("main.jsonl.gz")
    folder = tmp_path_factory.mktemp("ci") / "clone"
    git("clone", "-q", *words, f"file://{shop}", str(folder))
    shutil.copy(shop / "main.jsonl.gz", folder)
    return folder


def test_a_shallow_clone_with_a_detached_head_is_checked_like_any_other(shop, tmp_path_factory, monkeypatch):
    """What a CI server checks out: the newest commit of the pull request, nothing of its history, no branch."""
    edit(shop / "tools.json", REFUND, "Handles cases.")
    git("switch", "-qc", "bad")
    git("commit", "-qam", "bad")
    folder = cloned(shop, tmp_path_factory, "--depth", "1", "--branch", "bad")
    monkeypatch.chdir(folder)
    git("checkout", "-q", "--detach")
    code, found = checked("--baseline", "main.jsonl.gz")
    assert (code, found["verdict"]) == (1, "WORSE")
    assert not any("behind" in note for note in found["notes"])


@pytest.mark.parametrize("shallow", [False, True])
def test_main_that_moved_on_is_tested_with_the_change_and_said_so(
    shop, tmp_path_factory, monkeypatch, shallow
):
    """The baseline is of an older commit of main than the one the branch started from."""
    save_baseline("main.jsonl.gz")
    for word in ("one", "two"):
        (shop / "NOTES.md").write_text(word)
        git("add", "NOTES.md")
        git("commit", "-qm", word)
    git("switch", "-qc", "branch")
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    git("commit", "-qam", "prompt")
    depth = ["--depth", "1"] if shallow else []
    folder = cloned(shop, tmp_path_factory, *depth, "--branch", "branch")
    monkeypatch.chdir(folder)
    _, found = checked("--baseline", "main.jsonl.gz")
    said = "the baseline is 2 commits behind the base: their changes are tested with yours"
    assert (said in found["notes"]) is not shallow
    assert found["verdict"] == "PASS"


@pytest.mark.stories
def test_a_commit_of_recordings_alone_does_not_put_the_baseline_behind(shop):
    """A run is recorded, then its recordings are committed: the baseline is of the commit before."""
    for path, said in (("recordings/shop/a.json", None), ("NOTES.md", "is 1 commit behind the base")):
        git("switch", "-q", "main")
        (shop / path).parent.mkdir(parents=True, exist_ok=True)
        (shop / path).write_text("{}")
        git("add", "-A")
        git("commit", "-qm", path)
        git("switch", "-qC", "branch")
        edit(shop / "suite.yaml", "Answer with", "Answer, please, with")
        _, found = checked("--plan")
        git("checkout", "-q", "--", ".")
        behind = [note for note in found["notes"] if "behind" in note]
        assert behind == [] if said is None else said in behind[0]


def test_uncommitted_work_is_checked(shop):
    edit(shop / "tools.json", REFUND, "Handles cases.")
    assert checked()[1]["verdict"] == "WORSE"


@pytest.mark.parametrize("missing", ["repository", "program"])
def test_without_git_a_run_or_a_file_is_the_baseline(shop, monkeypatch, capsys, missing):
    if missing == "repository":
        shutil.rmtree(shop / ".git")
    else:
        monkeypatch.setenv("PATH", "/nowhere")
    edit(shop / "tools.json", REFUND, "Handles cases.")
    assert checked("--baseline", "last")[0] == 1


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["branch", "-m", "master"], "use --baseline branch:master"),
        (["switch", "-qc", "work"], "use --baseline branch:work"),
    ],
)
def test_a_baseline_on_another_branch_is_named(shop, capsys, words, hint):
    shutil.rmtree(shop / ".rightcall")
    git(*words)
    run("run", "suite.yaml")
    assert run("check", "suite.yaml") == 2
    assert hint in capsys.readouterr().err


def test_runs_with_uncommitted_changes_are_said_not_to_count(shop, capsys):
    shutil.rmtree(shop / ".rightcall")
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    run("run", "suite.yaml")
    assert run("check", "suite.yaml") == 2
    assert "runs with uncommitted changes do not count; commit or discard" in capsys.readouterr().err


def test_the_first_run_outside_of_git_is_found_when_asked_for_by_name(shop, capsys):
    shutil.rmtree(shop / ".git")
    shutil.rmtree(shop / ".rightcall")
    run("run", "suite.yaml")
    assert run("check", "suite.yaml") == 2
    assert "--baseline last" in capsys.readouterr().err


AGENT = """
import asyncio, random

async def agent(golden):
    await asyncio.sleep(random.random() / 200)
    tools = [call.tool for call in golden.expected_calls]
    return [{"name": tools[0] if sum(golden.id.encode()) % 9 else "get_order", "arguments": {}}]
"""


def test_another_finishing_order_gives_the_same_check_to_the_byte(shop):
    """Only what names the run itself differs: its id, how old the baseline was by then."""
    (shop / "sleepy.py").write_text(AGENT)
    edit(shop / "suite.yaml", '"keyword:" ', '"sleepy:agent" ')
    git("add", "-A")
    git("commit", "-qm", "agent")
    run("run", "suite.yaml", "--trust")
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    texts = []
    for _ in range(2):
        shutil.rmtree(shop / ".rightcall" / "checks", ignore_errors=True)
        _, found = checked("--trust")
        text = Path("check.json").read_text(encoding="utf-8").replace(found["run_id"], "RUN")
        texts.append(re.sub(r'"age_days": [\d.]+', "", text))
    assert texts[0] == texts[1]
    assert found["calls"]["spent"] > 16


BANK = """
name: bank
worlds: {bank: {accounts: {alice: 100, bob: 5}}}
dataset: goldens.jsonl
agent: {model: "keyword:", mode: loop}
"""


def test_the_state_of_a_world_is_an_input_of_the_goldens_that_can_act_on_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "suite.yaml").write_text(BANK)
    (tmp_path / "goldens.jsonl").write_text(
        '{"id": "in", "input": "What is the balance of alice?", "max_calls": 9}\n'
        '{"id": "out", "input": "What is the balance of alice?", "tools": [], "max_calls": 9}\n'
    )
    run("run", "suite.yaml")
    edit(tmp_path / "suite.yaml", "alice: 100", "alice: 90")
    _, found = checked("--baseline", "last", "--plan")
    (change,) = found["changes"]
    assert (change["kind"], change["name"], found["untouched"]) == ("world", "bank", 1)


def graded_shop(shop):
    """Half of the arguments are right, so that scores are neither 0 nor 1."""
    lines = [json.loads(line) for line in (shop / "goldens.jsonl").read_text().splitlines()]
    for golden in lines:
        golden["category"] = "secondary"
        golden["expected_calls"].append({"tool": "list_reviews"})
    (shop / "goldens.jsonl").write_text("".join(json.dumps(golden) + "\n" for golden in lines))
    with (shop / "suite.yaml").open("a") as file:
        file.write("rules: {pass_rule: score}\n")
    edit(shop / "suite.yaml", "check: {drop: 0.2", "check: {compare: score, drop: 0.2")
    git("commit", "-qam", "graded")
    run("run", "suite.yaml", "--save-baseline", "main.jsonl")


def test_scores_are_compared_where_passing_says_too_little(shop):
    graded_shop(shop)
    lines = load_baseline(Path("main.jsonl")).lines
    assert any(0 < score < 1 for line in lines for score in line.grades)
    edit(shop / "tools.json", REFUND, "Handles cases.")
    edit(shop / "suite.yaml", "drop: 0.2", "rounds: 3, drop: 0.2")
    _, found = checked("--baseline", "main.jsonl")
    differences = {s["name"]: s["difference"] for s in found["strata"]}
    assert -1 < differences["affected"] < 0


def test_merged_baselines_keep_their_scores():
    graded = msgspec.structs.replace(a_pool("shop", "i", ["01"]).lines[0], s=((0.5, 1.0),))
    newer = BaselinePool(a_pool("shop", "i", ["01"]).header, (graded,))
    plain = a_pool("shop", "i", ["1e"], "2026-01-01T00:00:00Z", "r2")
    (line,) = merge_baselines([newer, plain]).lines
    assert (line.s, line.grades) == (((0.5, 1.0), (1.0, None)), (0.5, 1.0, 1.0))
    (line,) = merge_baselines([plain, BaselinePool(newer.header, (graded,))]).lines
    assert line.grades == (0.5, 1.0, 1.0)


def small_shop(shop, goldens):
    """The first goldens of the shop, committed and run on main."""
    lines = (shop / "goldens.jsonl").read_text().splitlines()[:goldens]
    (shop / "goldens.jsonl").write_text("\n".join(lines) + "\n")
    git("commit", "-qam", "small")
    run("run", "suite.yaml")
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")


def test_a_small_suite_is_tried_as_often_as_it_takes_to_settle_anything(shop):
    """24 goldens tried once can never show a margin of 10 points; tried three times they can."""
    small_shop(shop, 24)
    code, found = checked()
    assert (code, found["verdict"]) == (0, "PASS")
    assert found["everything"] == "24 goldens tried once cannot settle a margin of 10%"
    assert found["calls"]["spent"] <= found["calls"]["full"] == 72


@pytest.mark.stories
def test_everything_is_tried_three_times_however_many_trials_were_pooled(shop):
    run("run", "suite.yaml", "--trials", "9")
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    _, found = checked("--full", "--plan")
    assert [(each["name"], each["rounds"], each["calls"]) for each in found["plan"]] == [("rest", 3, 360)]
    assert found["calls"]["full"] == 360


def test_a_suite_too_small_to_promise_anything_says_what_it_would_have_seen(shop, capsys):
    shutil.rmtree(shop / ".rightcall")
    small_shop(shop, 6)
    assert run("check", "suite.yaml") == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "NO LOSS SEEN 6 goldens are affected; 18 of 18 trials passed, as on main" in said
    assert run("check", "suite.yaml", "--strict") == 3
    assert "A drop of 31 points on these goldens would have been seen in four of five checks" in said


def test_the_suite_in_this_folder_is_checked_when_none_is_named(shop, capsys, tmp_path, monkeypatch):
    assert run("check") == 0
    monkeypatch.chdir(tmp_path)
    assert run("check") == 2
    assert "there is no suite.yaml in this folder" in capsys.readouterr().err


def test_a_baseline_file_that_was_cut_off_is_refused(shop, capsys):
    save_baseline("main.jsonl")
    lines = Path("main.jsonl").read_bytes().splitlines(keepends=True)
    Path("few.jsonl").write_bytes(b"".join(lines[:7]))
    Path("cut.jsonl.gz").write_bytes(gzip.compress(b"".join(lines))[:900])
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    for name, problem in (("few.jsonl", "it has 6 of 120 goldens"), ("cut.jsonl.gz", "cannot be read")):
        assert run("check", "suite.yaml", "--baseline", name) == 2
        assert problem in capsys.readouterr().err


def test_other_trials_of_the_baseline_are_another_question(shop):
    """Two files of the same run that differ, such as one edited by hand, do not share a verdict."""
    save_baseline("main.jsonl")
    text = Path("main.jsonl").read_text(encoding="utf-8")
    Path("other.jsonl").write_text(text.replace('"t":["111"]', '"t":["000"]'), encoding="utf-8")
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    _, first = checked("--baseline", "main.jsonl")
    _, second = checked("--baseline", "other.jsonl")
    assert first["fixed"] == [] and second["fixed"]


def test_an_output_that_cannot_be_written_is_refused_before_a_call_is_spent(shop, capsys):
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    for name, problem in (("nowhere/check.md", "no such folder"), ("check.txt", "write a .md")):
        assert run("check", "suite.yaml", "-o", name) == 2
        assert problem in capsys.readouterr().err
    with open_store(None) as store:
        assert len(store.runs.page()) == 1


def test_a_comment_that_cannot_be_posted_changes_no_verdict(shop, capsys, monkeypatch):
    """And the code under test does not find the token."""
    workflow = {"TOKEN": "t", "REPOSITORY": "o/r", "API_URL": "http://127.0.0.1:9", "REF": "refs/pull/7/x"}
    for name, value in workflow.items():
        monkeypatch.setenv(f"GITHUB_{name}", value)
    assert run("check", "suite.yaml", "--comment") == 0
    assert "warning: no comment was written: cannot reach GitHub" in capsys.readouterr().err
    assert "GITHUB_TOKEN" not in os.environ
    assert run("check", "suite.yaml", "--comment") == 2  # and nothing was posted without one


DRIFTING = """
import os

def agent(golden):
    # A provider that is worse today than when the baseline was made, whatever is asked of it.
    down = os.path.exists(PROVIDER) and sum(golden.id.encode()) % 3 == 0
    return [{"name": "nothing" if down else golden.expected_calls[0].tool, "arguments": {}}]
"""


@pytest.fixture
def provider(tmp_path_factory):
    """A place outside the project: while a file is there, the provider is worse."""
    return tmp_path_factory.mktemp("provider") / "is-worse"


@pytest.fixture
def drifting(shop, provider):
    (shop / "drifting.py").write_text(DRIFTING.replace("PROVIDER", repr(str(provider))))
    edit(shop / "suite.yaml", '"keyword:" ', '"drifting:agent" ')
    git("add", "-A")
    git("commit", "-qm", "agent")
    run("run", "suite.yaml", "--trust")
    git("switch", "-qc", "branch")
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    git("commit", "-qam", "prompt")
    return shop


@pytest.mark.stories
def test_a_provider_that_moved_is_not_blamed_on_the_change(drifting, provider):
    provider.touch()
    code, found = checked("--trust")
    assert (code, found["verdict"]) == (3, "INCONCLUSIVE")
    assert re.search(
        r"of \d+ goldens was not confirmed: 0 of (\d+) pass before the change, 0 of \1 after it; main moved too",
        found["reason"],
    )
    assert found["confirm"]["base"]["commit"].startswith(found["baseline"]["commit"][:10])
    edit(drifting / "suite.yaml", "drop: 0.2", "confirm: off, drop: 0.2")
    assert checked("--trust")[0] == 1
    code, found = checked("--trust", "--base-ref", "main")
    assert (code, found["verdict"], found["cause"]) == (3, "INCONCLUSIVE", "control")
    assert "the provider changed too: the version before the change passes less often" in found["reason"]


@pytest.mark.stories
def test_a_change_that_breaks_the_agent_is_blamed_although_the_base_is_asked_too(drifting, monkeypatch):
    monkeypatch.delitem(sys.modules, "drifting")  # a new process would import the edited file
    edit(drifting / "drifting.py", "down = os.path.exists", "down = True or os.path.exists")
    code, found = checked("--trust", "--base-ref", "main")
    assert (code, found["verdict"]) == (1, "WORSE")
    base = found["confirm"]["base"]
    candidate = found["confirm"]["candidate"]
    assert (found["confirm"]["confirmed"], base["passed"], candidate["passed"]) == (True, base["trials"], 0)
    assert f"{base['trials']} of {base['trials']} pass before the change, 0 of" in found["reason"]


@pytest.mark.parametrize("ref", ["nosuch", "--help", "main:suite.yaml"])
def test_a_base_that_git_does_not_know_is_refused_before_a_call(drifting, capsys, ref):
    assert run("check", "suite.yaml", "--trust", f"--base-ref={ref}") == 2
    assert "git knows no such commit here" in capsys.readouterr().err


@pytest.mark.stories
def test_a_base_version_that_cannot_be_run_is_noted_and_not_used_as_control(drifting):
    git("rm", "-q", "--cached", "drifting.py")
    git("commit", "-qm", "lost")
    edit(drifting / "suite.yaml", "with just one", "with only one")
    edit(drifting / "suite.yaml", "drop: 0.2", "control: 40, drop: 0.2")
    code, found = checked("--trust", "--base-ref", "HEAD")
    assert (code, found["verdict"]) == (0, "PASS")
    assert any("could not be run" in note for note in found["notes"])


def test_a_baseline_of_one_trial_is_said_to_say_little(shop):
    shutil.rmtree(shop / ".rightcall")
    run("run", "suite.yaml", "--trials", "1")
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    _, found = checked()
    assert any("one trial per golden, which is weak evidence" in note for note in found["notes"])


def test_last_is_the_last_run_that_is_not_a_check(shop, capsys):
    """Outside of git `--baseline last` is typed for every change, one after the other."""
    for said in ("just one", "exactly one"):
        edit(shop / "suite.yaml", "Answer with", f"Answer with {said}, so")
        assert checked("--baseline", "last")[1]["baseline"]["trials"] == 360
    with open_store(shop / ".rightcall" / "rightcall.db") as store:
        made = store.runs.get("check").id
    assert run("check", "suite.yaml", "--baseline", made) == 2
    assert "is a run of `rightcall check`" in capsys.readouterr().err


def test_the_baseline_is_from_before_this_work_though_main_has_moved_on(shop):
    """A tool got worse on main after this branch left it: that is not this branch's change, in either direction."""
    git("switch", "-qc", "branch")
    git("switch", "-q", "main")
    edit(shop / "tools.json", REFUND, "Handles cases.")
    git("commit", "-qam", "worse")
    run("run", "suite.yaml")
    git("switch", "-q", "branch")
    assert checked()[1]["reason"] == "nothing that reaches the model has changed"
    git("merge", "-q", "main")
    assert checked()[1]["reason"] == "nothing that reaches the model has changed"


def test_quarantined_goldens_are_in_no_stratum_and_are_listed(shop):
    with (shop / "suite.yaml").open("a") as file:
        file.write("quarantine: [refund_order-01, refund_order-02]\n")
    edit(shop / "tools.json", REFUND, REFUND + " Soon.")
    _, found = checked()
    assert found["quarantined"] == ["refund_order-01", "refund_order-02"]
    assert any("2 quarantined goldens are not tried" in note for note in found["notes"])
    assert sum(s["goldens"] for s in found["strata"]) == 118


def test_a_quarantine_that_is_over_fails_the_check_and_names_its_owner(shop, capsys):
    entry = "{{golden: refund_order-01, owner: ana, reason: the sandbox is slow, until: {}}}"
    suite = (shop / "suite.yaml").read_text()
    (shop / "suite.yaml").write_text(suite + f"quarantine: [{entry.format('2999-01-01')}]\n")
    edit(shop / "tools.json", REFUND, REFUND + " Soon.")
    assert checked()[1]["quarantined"] == ["refund_order-01"]
    assert "in quarantine: refund_order-01" in capsys.readouterr().out
    (shop / "suite.yaml").write_text(suite + f"quarantine: [{entry.format('2020-01-31')}]\n")
    assert run("check", "suite.yaml") == 2
    said = capsys.readouterr().err
    assert "refund_order-01 (ana, until 2020-01-31: the sandbox is slow) is over" in " ".join(said.split())


def test_clusters_of_a_suite_are_drawn_whole(shop):
    lines = [json.loads(line) for line in (shop / "goldens.jsonl").read_text().splitlines()]
    for i, golden in enumerate(lines):
        golden["cluster"] = f"c{i // 4}"
    (shop / "goldens.jsonl").write_text("".join(json.dumps(golden) + "\n" for golden in lines))
    edit(shop / "suite.yaml", "Answer with one", "Answer with just one")
    edit(shop / "suite.yaml", "drop: 0.2", "sample: 40, drop: 0.2")
    _, found = checked("--max-calls", "40")
    tried = {each.golden_id for each in results_of(found)}
    by_cluster = {
        golden["cluster"]: {g["id"] for g in lines if g["cluster"] == golden["cluster"]} for golden in lines
    }
    assert found["calls"]["spent"] == len(tried) == 40
    assert sum(ids <= tried for ids in by_cluster.values()) == 10


def results_of(found):
    with open_store(Path(".rightcall") / "rightcall.db") as store:
        return list(store.runs.results(found["run_id"]))


FAILING = """
from rightcall.core.errors import ProviderError
asked = []

def answer(golden):
    asked.append(golden.id)
    if golden.id in {broken} and asked.count(golden.id) <= {times}:
        raise ProviderError("the server is down", kind="connection")
    return [{{"name": "find_order", "arguments": {{}}}}]
"""


@pytest.mark.parametrize(
    ("broken", "times", "word", "code"), [(1, 1, "PASS", 0), (1, 9, "PASS", 0), (10, 9, "ERROR", 4)]
)
def test_trials_without_an_answer_are_asked_once_more_then_left_out(
    tmp_path, monkeypatch, broken, times, word, code
):
    """Above 5% nothing is said about the agent."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    goldens = [
        {"id": f"g{i}", "input": f"{i}", "expected_calls": [{"tool": "find_order"}]} for i in range(60)
    ]
    Path("goldens.jsonl").write_text(
        "".join(json.dumps(golden) + "\n" for golden in goldens), encoding="utf-8"
    )
    name = f"failing_{broken}_{times}"
    suite = {"name": "s", "dataset": "goldens.jsonl", "agent": {"model": f"{name}:answer"}, "tools": [
        {"name": "find_order", "description": "Find an order.", "input_schema": {"type": "object"}}]}  # fmt: skip
    Path(f"{name}.py").write_text(FAILING.format(broken=[], times=0), encoding="utf-8")
    Path("suite.yaml").write_text(json.dumps(suite), encoding="utf-8")
    assert run("run", "suite.yaml", "--trials", "2") == 0
    sys.modules.pop(name)
    Path(f"{name}.py").write_text(
        FAILING.format(broken=[f"g{i}" for i in range(broken)], times=times), encoding="utf-8"
    )
    assert run("check", "suite.yaml", "--baseline", "last", "--full", "-o", "check.json") == code
    found = json.loads(Path("check.json").read_text(encoding="utf-8"))
    assert found["verdict"] == word
