"""An alarm of `check`: fresh trials of both versions confirm it or not, and none of its own trials is compared again."""

from __future__ import annotations

import contextlib
import json
import random
import re
import shutil
import sys
from pathlib import Path

import pytest

from rightcall.decide.check_result import CheckResult
from rightcall.store.address import open_store
from tests.check.test_check import EXAMPLE, REFUND, checked, edit, git, run
from tests.support.baselines import save_baseline

LOST = "Handles cases."


@pytest.fixture(scope="module")
def repository(tmp_path_factory):
    """The example as a git repository with a run on main."""
    folder = tmp_path_factory.mktemp("shop")
    for name in ("suite.yaml", "tools.json", "goldens.jsonl"):
        (folder / name).write_text((EXAMPLE / name).read_text())
    edit(folder / "suite.yaml", "record: auto ", "record: none ")
    (folder / ".gitignore").write_text(".rightcall/\n*.jsonl.gz\ncheck*.json\n")
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


def test_a_confirmed_alarm_says_what_confirmed_it(shop, capsys):
    edit(shop / "tools.json", REFUND, LOST)
    code, found = checked()
    confirm = found["confirm"]
    assert (code, confirm["mode"], confirm["alarm"], confirm["confirmed"]) == (1, "base", True, True)
    assert (confirm["level"], found["alpha"]) == (0.015, 0.004)
    assert confirm["evidence"] >= 1 / 0.015 > confirm["evidence"] / 1.8
    passed = (
        f"{confirm['pairs']} of {confirm['pairs']} pass before the change, 0 of {confirm['pairs']} after it"
    )
    assert f"in fresh trials of {len(confirm['goldens'])} goldens {passed}" in found["reason"]
    assert "is called WORSE in at most 1 of 250 checks" in " ".join(capsys.readouterr().out.split())


def test_no_trial_of_the_alarm_is_compared_again(shop):
    edit(shop / "tools.json", REFUND, LOST)
    _, found = checked()
    with open_store(None) as store:
        results = [(r.golden_id, r.trial) for r in store.runs.results(found["run_id"])]
    assert len(results) == len(set(results))  # ids are disjoint: none was asked twice
    planned = max(stratum["rounds"] for stratum in found["strata"])
    fresh = [(golden, trial) for golden, trial in results if trial >= planned]
    assert found["confirm"]["pairs"] <= len(fresh) == (found["calls"]["spent"] - len(results))
    assert {golden for golden, _ in fresh} <= set(found["confirm"]["goldens"])


def test_without_a_version_to_run_the_draw_is_repeated_and_the_verdict_says_why(shop):
    edit(shop / "tools.json", REFUND, LOST)
    shutil.rmtree(shop / ".git")
    save_baseline("main.jsonl.gz")
    code, found = checked("--baseline", "main.jsonl.gz")
    assert (code, found["confirm"]["mode"], found["confirm"]["confirmed"]) == (1, "candidate", True)
    assert re.search(r"confirmed by \d+ trials more", found["reason"])
    assert (
        "the version before the change cannot be run: the suite is not in a git repository" in found["notes"]
    )


def test_a_base_that_does_not_run_is_replaced_by_a_second_draw(shop):
    """The commit's suite is broken: that is found out only when an alarm has to be confirmed."""
    git("rm", "-q", "--cached", "goldens.jsonl")
    git("commit", "-qm", "lost")
    with open_store(None) as store:
        run_id = store.runs.get("last").id
    save_baseline("main.jsonl", run_id)
    lines = Path("main.jsonl").read_text(encoding="utf-8").splitlines()
    header = json.loads(lines[0]) | {"commit": head()}
    Path("main.jsonl").write_text("\n".join([json.dumps(header), *lines[1:]]) + "\n", encoding="utf-8")
    edit(shop / "tools.json", REFUND, LOST)
    code, found = checked("--baseline", "main.jsonl")
    assert (code, found["confirm"]["mode"], found["confirm"]["confirmed"]) == (1, "candidate", True)
    assert any("could not be run" in note and "goldens.jsonl" in note for note in found["notes"])


def head() -> str:
    return (Path(".git") / "refs" / "heads" / "main").read_text().strip()


def test_a_shallow_clone_says_what_to_fetch(shop, tmp_path_factory, monkeypatch):
    save_baseline("main.jsonl.gz")
    (shop / "NOTES.md").write_text("later")
    git("add", "-A")
    git("commit", "-qm", "later")
    clone = tmp_path_factory.mktemp("ci") / "shop"
    git("clone", "-q", "--depth", "1", f"file://{shop}", str(clone))
    shutil.copy(shop / "main.jsonl.gz", clone)
    monkeypatch.chdir(clone)
    edit(clone / "tools.json", REFUND, LOST)
    code, found = checked("--baseline", "main.jsonl.gz")
    assert (code, found["confirm"]["mode"]) == (1, "candidate")
    assert any(
        "git does not have the baseline's commit" in note and "fetch-depth: 0" in note
        for note in found["notes"]
    )


def test_a_budget_of_calls_that_ends_a_confirmation_is_no_pass(shop):
    edit(shop / "tools.json", REFUND, LOST)
    code, found = checked("--max-calls", "17")
    assert (code, found["verdict"], found["confirm"]["cut_short"]) == (3, "INCONCLUSIVE", True)
    assert any("ended the confirmation" in note for note in found["notes"])


FLAKY = """
import json, random
from pathlib import Path

RATES = json.loads((Path(__file__).parent / "rates.json").read_text())
DICE = random.Random()

def agent(golden):
    right = DICE.random() < RATES.get(golden.id, RATES["else"])
    return [{"name": golden.expected_calls[0].tool if right else "nothing", "arguments": {}}]
"""


@pytest.mark.stories
def test_the_base_runs_its_own_code_files_and_prompts(shop, monkeypatch):
    """The code of both versions is the same; what it reads differs, and each version reads its own."""
    (shop / "coin.py").write_text(FLAKY)
    (shop / "rates.json").write_text(json.dumps({"else": 1.0}))
    edit(shop / "suite.yaml", '"keyword:" ', '"coin:agent" ')
    git("add", "-A")
    git("commit", "-qm", "agent")
    monkeypatch.delitem(sys.modules, "coin", raising=False)
    run("run", "suite.yaml")
    (shop / "rates.json").write_text(json.dumps({"else": 0.0}))
    monkeypatch.delitem(sys.modules, "coin")
    code, found = checked()
    assert (code, found["confirm"]["mode"]) == (1, "base")
    assert (found["confirm"]["base"]["passed"], found["confirm"]["candidate"]["passed"]) == (8, 0)


@pytest.mark.stories
def test_a_base_that_imports_the_working_copy_is_not_taken_for_the_base(shop, monkeypatch):
    (shop / "lib").mkdir()
    (shop / "lib" / "helper.py").write_text("RATE = 1.0\n")
    place = f"import sys\nsys.path.insert(0, {str(shop / 'lib')!r})\nimport helper\n"
    answer = "def agent(golden):\n    tool = golden.expected_calls[0].tool if helper.RATE else 'nothing'\n"
    (shop / "pinned.py").write_text(f"{place}{answer}    return [{{'name': tool, 'arguments': {{}}}}]\n")
    edit(shop / "suite.yaml", '"keyword:" ', '"pinned:agent" ')
    git("add", "-A")
    git("commit", "-qm", "agent")
    run("run", "suite.yaml")
    (shop / "lib" / "helper.py").write_text("RATE = 0.0\n")
    for name in ("pinned", "helper"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    code, found = checked()
    assert (code, found["confirm"]["mode"]) == (1, "candidate")
    assert any(
        "it imports lib/helper.py from the working copy instead of the commit" in n for n in found["notes"]
    )


@pytest.mark.stories
def test_drawing_until_pass_does_not_pay(shop):
    """The risk of a false PASS is halved with every draw, and WORSE stands until a draw is PASS."""
    edit(shop / "tools.json", REFUND, LOST)
    checked()
    code, found = checked("--again")
    assert (code, found["beta"], found["drawn"]) == (1, 0.025, ["WORSE", "WORSE"])
    code, found = checked("--again", "--max-calls", "4")
    assert (code, found["verdict"]) == (3, "INCONCLUSIVE")  # another question: no earlier draw of it


def test_a_regressed_of_an_earlier_draw_stands_until_one_passes():
    from rightcall.check.options import CheckOptions
    from rightcall.check.suite_check import _after_earlier_draws

    def draw(word, *earlier):
        result = CheckResult("s", word, "x changed; y", draws=len(earlier) + 1)
        return _after_earlier_draws(result, earlier, CheckOptions(again=True)) if earlier else result

    first = draw("WORSE")
    second = draw("INCONCLUSIVE", first)
    assert second.verdict == "WORSE"
    assert second.sentence == "WORSE: x changed; y; WORSE in draw 1, INCONCLUSIVE in draw 2"
    third = draw("PASS", first, second)
    assert third.sentence.endswith("WORSE in draw 1, INCONCLUSIVE in draw 2, PASS in draw 3")
    assert (third.verdict, draw("INCONCLUSIVE", first, second, third).verdict) == ("PASS", "INCONCLUSIVE")


@pytest.mark.stories
def test_hard_failures_are_tried_again_by_both_versions(shop):
    from tests.check.test_check import forbid_cancelling

    forbid_cancelling(shop)
    git("commit", "-qam", "forbid")
    run("run", "suite.yaml")
    edit(shop / "tools.json", REFUND, LOST)
    code, found = checked()
    assert (code, found["cause"]) == (1, "hard")
    hard = found["hard"][0]
    assert (hard["tries"], hard["base_times"], hard["base_tries"]) == (4, 0, 3)
    assert "trials (before the change in 0 of 3)" in found["reason"]


@pytest.mark.stories
def test_an_anchor_sees_a_decline_and_says_which_goldens(shop, capsys):
    run("run", "suite.yaml", "--trials", "9", "--save-baseline", "main.jsonl")
    words = ("check", "suite.yaml", "--baseline", "main.jsonl", "--anchor", "anchor.jsonl")
    assert run(*words) == 3  # frozen: nothing was compared
    assert run(*words) == 0
    assert (
        "no decline since the anchor was detected: 100.0% of its newest trials passed"
        in capsys.readouterr().out
    )
    text = Path("main.jsonl").read_text(encoding="utf-8")
    dice = random.Random(1)
    worse = "".join(
        line.replace('"t":["111111111"', '"t":["000000000"') if dice.random() < 0.1 else line
        for line in text.splitlines(keepends=True)
    )
    Path("main.jsonl").write_text(worse, encoding="utf-8")
    assert run(*words, "--json") == 1
    found = json.loads(capsys.readouterr().out)
    assert (found["verdict"], found["worst"][0][1:]) == ("DECLINED", ["111111111", "000000000"])


def test_an_anchor_of_few_trials_is_not_a_pass(shop, capsys):
    assert run("check", "--anchor", "anchor.jsonl") == 3
    assert "some goldens have 3 of 9 trials" in capsys.readouterr().err
    assert run("check", "--anchor", "anchor.jsonl") == 3


@pytest.mark.parametrize(
    ("model", "code", "commit", "why"),
    [
        ("https://agent.example.com/run", {}, "HEAD", "the agent is a service"),
        ("exec:agent --fast", {}, "HEAD", "the program agent --fast is not in the repository"),
        ("exec:python agent.py", {"agent.py": "h"}, "HEAD", ""),
        ("keyword:", {}, "", "saved outside of git or with uncommitted changes"),
        ("keyword:", {}, "0123456789" * 4, "git does not have the baseline's commit 0123456789 here"),
        ("keyword:", {}, "HEAD", ""),
    ],
)
def test_why_a_version_cannot_be_run_is_said(shop, model, code, commit, why):
    from rightcall.check.base_version import base_of_baseline
    from rightcall.run.baseline_file import BaselineHeader
    from rightcall.run.inputs import Inputs

    commit = head() if commit == "HEAD" else commit
    header = BaselineHeader("shop", "i", Inputs(agent={"model": model}, code=code), (), commit=commit)
    base, problem = base_of_baseline(Path("suite.yaml"), header, trust=False)
    assert (base is None, why in problem) == (bool(why), True)


def test_code_of_a_commit_that_this_work_does_not_descend_from_needs_trust(shop, monkeypatch, tmp_path):
    from rightcall.check.base_version import base_of_baseline
    from rightcall.run.baseline_file import BaselineHeader
    from rightcall.run.inputs import Inputs

    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    git("switch", "-qc", "other")
    edit(shop / "suite.yaml", '"keyword:" ', '"evil:agent" ')
    git("commit", "-qam", "evil")
    commit = (shop / ".git" / "refs" / "heads" / "other").read_text().strip()
    git("switch", "-q", "main")
    header = BaselineHeader("shop", "i", Inputs(agent={"model": "evil:agent"}), (), commit=commit)
    base, problem = base_of_baseline(Path("suite.yaml"), header, trust=False)
    assert base is None and "then pass --trust" in problem
    assert base_of_baseline(Path("suite.yaml"), header, trust=True)[0] is not None
