"""The screens that people read, at 80 columns: the verdict first, one range, the evidence, what to type next."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from rightcall.limbs.dashboard.server import make_app
from rightcall.store.address import open_store
from tests.support.one_server import one_server

PORT = """
import os

def answer(question):
    if os.environ.get("BROKEN"):
        url = os.environ["HARBOUR_URL"]
    boat = question.rpartition("boat ")[2].strip(".")
    if "release" not in question:
        return "You are welcome!"
    wrong = os.environ.get("WORSE") and int(boat[2:]) > 100
    return [{"name": "terminate_contract" if wrong else "release_berth", "arguments": {"boat_id": boat}}]
"""


def golden(number: int) -> dict:
    boat = f"B-{number}"
    return {
        "id": f"release-{number}",
        "input": f"Please release my berth for August, boat {boat}.",
        "expected_calls": [{"tool": "release_berth", "args": {"boat_id": boat}}],
        "forbidden_calls": ["terminate_contract"],
    }


@pytest.fixture
def port(rightcall, monkeypatch):
    """A suite of 20 goldens; with WORSE six of them end in a forbidden call, with BROKEN the agent raises."""
    monkeypatch.setenv("COLUMNS", "80")
    Path("port.py").write_text(PORT, "utf-8")
    goldens = [golden(number) for number in (*range(81, 95), *range(101, 107))]
    Path("goldens.jsonl").write_text("\n".join(map(json.dumps, goldens)), "utf-8")
    suite = {"dataset": "goldens.jsonl", "agent": {"model": "port:answer"}, "gate": {"min": 0.8}}
    Path("suite.json").write_text(json.dumps(suite), "utf-8")
    return rightcall


def shown(done) -> str:
    """What was printed, with times and ids of runs made equal."""
    text = re.sub(r"\d{6}-\d{6}-[0-9a-f]{6}", "RUN", done.out)
    return re.sub(r"[\d.]+ (s|ms)\b", "0.1 s", text)


PASS = """\
PASS  20 of 20 goldens passed (100%, range 86–100%); 80% wanted
      requests not seen, 0.1 s

note: 20 goldens follow 1 pattern: rightcall dataset check GOLDENS

next: rightcall runs show last    every case and score
"""

FAIL = """\
FAIL  14 of 20 goldens passed (70%, range 49–87%); 80% wanted
      DANGER  a forbidden tool was called in 6 goldens

DANGER  terminate_contract called instead of release_berth             6 goldens
        release-101  "Please release my berth for August, boat B-101."
          expected   release_berth(boat_id="B-101")
          called     terminate_contract(boat_id="B-101")   forbidden
        also         release-102, -103, -104, -105, -106

requests not seen, 0.1 s

note: 20 goldens follow 1 pattern: rightcall dataset check GOLDENS

next: rightcall runs show last release-101    one case in full
      rightcall analyze last                  why, and what to change
"""

GATE = """\
FAIL  14 of 20 goldens passed (70%, range 49–87%); 90% wanted
      DANGER  a forbidden tool was called in 6 goldens

rule               wanted      measured  verdict
pass rate           ≥ 90%  70% (49–87%)     FAIL
no forbidden_call       0             6     FAIL

note: 20 goldens follow 1 pattern: rightcall dataset check GOLDENS

next: rightcall analyze last
"""

WORSE = """\
WORSE  14 of 20 goldens pass, before 20 of 20 (100% → 70%)
       DANGER  a forbidden tool was called in 6 goldens
       0 fixed, 6 broken

changed   code: environment variable WORSE set
broken    release-101, release-102, release-103, release-104, release-105,
          release-106

a difference that is none is called WORSE in at most 5% of comparisons

note: 20 goldens follow 1 pattern: rightcall dataset check GOLDENS

next: rightcall runs show RUN release-101    one case in full
"""


def test_a_run_that_passes(port):
    assert shown(port("run", "suite.json")) == PASS


def test_a_run_that_fails(port, monkeypatch):
    monkeypatch.setenv("WORSE", "1")
    done = port("run", "suite.json")
    assert (done.code, shown(done)) == (1, FAIL)


def test_goldens_alone_run_against_any_agent(port, monkeypatch):
    Path("suite.json").unlink()
    done = port("run", "goldens.jsonl", "--agent", "port:answer")
    assert done.code == 0 and done.out.startswith("PASS  20 of 20 goldens passed\n")
    steps = port("runs", "show", "last", "release-101").out
    assert "next: rightcall run goldens.jsonl --agent port:answer --only release-101" in steps
    Path("goldens.json").write_text(json.dumps([golden(101)]), "utf-8")
    monkeypatch.setenv("WORSE", "1")
    command = ("run", "goldens.json", "--agent", "port:answer", "--save-baseline", "main.gz")
    assert port(*command, "--exit-on", "infra").code == 2  # nothing passed, so nothing could be worse
    assert "names no agent; add --agent module:function" in port("run", "goldens.json").err


TEXT_ONLY = """
import openai

def answer(question):
    client = openai.OpenAI(base_url="URL", api_key="sk-none")
    tool = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}
    client.chat.completions.create(model="m", messages=[{"role": "user", "content": question}], tools=[tool])
    return "Sunny."
"""


@pytest.mark.stories
def test_observe_hears_the_calls_of_an_agent_that_returns_only_text(port):
    Path("one.jsonl").write_text('{"input": "Weather?", "expected_calls": [{"tool": "weather"}]}', "utf-8")
    with one_server() as seen:
        Path("texts.py").write_text(TEXT_ONLY.replace("URL", seen.url), "utf-8")
        heard = port("run", "one.jsonl", "--agent", "texts:answer", "--observe", "openai")
        deaf = port("run", "one.jsonl", "--agent", "texts:answer")
    assert (heard.code, deaf.code) == (0, 2), heard
    assert "1 request" in heard.out and "--observe" in deaf.err, deaf.err


def test_a_rate_has_one_range_on_every_screen_and_page(port, monkeypatch, tmp_path):
    import rightcall as rc

    monkeypatch.setenv("WORSE", "1")
    texts = {"run": port("run", "suite.json").out, "runs show": port("runs", "show", "last").out}
    for name in ("r.html", "r.md", "r.xml"):
        port("runs", "report", "last", "-o", name)
        texts[name] = Path(name).read_text("utf-8")
    run = rc.run_suite("suite.json", quiet=True)
    texts |= {"notebook": run._repr_html_(), "Python": str(run), "summary": str(run.summary.overall)}
    texts["list"] = port("runs", "list", "--group", "suite", "--trend").out
    with open_store() as store:
        client = TestClient(make_app(store), base_url="http://localhost")
        pages = ("/runs", f"/runs/{run.id}", f"/runs/{run.id}/insights", "/over-time?suite=suite", "/compare")
        texts |= {page: client.get(page).text for page in pages}
    found = {name: set(re.findall(r"\d+(?:\.\d+)?%?–\d+(?:\.\d+)?%", text)) for name, text in texts.items()}
    assert set().union(*found.values()) == {"49–87%"}
    without = [name for name, ranges in found.items() if not ranges]
    assert without == ["/compare"]


def test_a_gate_of_two_rules(port, monkeypatch):
    monkeypatch.setenv("WORSE", "1")
    port("run", "suite.json")
    assert shown(port("gate", "last", "--min", "0.9")) == GATE


def test_a_comparison_with_the_run_before(port, monkeypatch):
    port("run", "suite.json")
    monkeypatch.setenv("WORSE", "1")
    port("run", "suite.json")
    done = port("compare", "last")
    assert (done.code, shown(done)) == (1, WORSE)


def test_an_undecided_run_ends_with_one_number(port):
    suite = json.loads(Path("suite.json").read_text("utf-8"))
    Path("suite.json").write_text(json.dumps({**suite, "gate": {"min": 0.9}}), "utf-8")
    done = port("run", "suite.json")
    first, second, *_ = done.out.splitlines()
    assert done.code == 3 and first.startswith("INCONCLUSIVE  20 of 20 goldens passed (100%, range 86–100%)")
    assert re.fullmatch(r" +\d+ more goldens would likely decide it, if they pass at this rate", second)


def test_a_run_whose_agent_does_not_start(port, monkeypatch):
    monkeypatch.setenv("BROKEN", "1")
    done = port("run", "suite.json")
    assert done.code == 2 and "KeyError" in done.err and "port.py:6" in done.err and "HARBOUR_URL" in done.err


def every_screen(port, monkeypatch) -> list[str]:
    """What each command prints in the states of a suite: passed, failed, compared, looked at."""
    screens = [port("run", "suite.json").out, port("runs", "show", "last").out]
    monkeypatch.setenv("WORSE", "1")
    screens += [port("run", "suite.json").out]
    for words in (
        ("runs", "show", "last"), ("runs", "show", "last", "release-101"), ("runs", "show", "last", "--matrix"),
        ("gate", "last", "--min", "0.9"), ("compare", "last"), ("compare", "last~1", "last"),
    ):  # fmt: skip
        screens.append(port(*words).out)
    return screens


BANNED = (
    "does not show", "cannot settle", "is not a bound", "separately", "floor", "stratum", "cluster", "margin",
    "alpha", "second draw", "retention", "keyword agent", "soft_f1", "95% int", "Wilson", "p = ",
)  # fmt: skip
"""Words that nobody but a statistician uses, and clauses that take a verdict back."""


@pytest.mark.stories
def test_screens_fit_and_use_an_engineers_words(port, monkeypatch):
    screens = every_screen(port, monkeypatch)
    for screen in screens:
        assert not [word for word in BANNED if word in screen], screen
        assert not [line for line in screen.splitlines() if len(line) > 80], screen
    for verdict in (screens[0], screens[2]):
        assert len(verdict.splitlines()) <= 24
        assert not re.search(r"\d (calls|trials),? [\d.]+ s", verdict)  # the price is in requests


@pytest.mark.stories
def test_every_next_step_works_when_it_is_typed(port, monkeypatch):
    screens = every_screen(port, monkeypatch)
    wrong = {"name": "terminate_contract", "arguments": {"boat_id": "B-81"}}
    rows = [{"golden_id": f"release-{n}", "calls": [wrong]} for n in (*range(81, 95), *range(101, 107))]
    Path("done.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    steps = []
    others = (
        ("analyze", "last"), ("check", "suite.json", "--baseline", "last~1"), ("runs", "rescore", "last"),
        ("runs", "list"), ("score", "goldens.jsonl", "done.jsonl"), ("audit", "suite.json", "--run", "last~1"),
        ("dataset", "check", "goldens.jsonl"), ("runs", "report", "last", "-o", "report.md"),
    )  # fmt: skip
    for words in others:
        done = port(*words)
        assert done.code in (0, 1, 3), (words, done.err)
        screens.append(done.out)
    for screen in screens:
        block = screen.rpartition("next: ")[2] if "next: " in screen else ""
        steps += [re.split(r" {2,}", line.strip())[0] for line in block.splitlines() if line.strip()]
    assert len(set(steps)) >= 5
    for step in dict.fromkeys(steps):
        name, *words = shlex.split(step)
        done = port(*words)
        assert name == "rightcall" and done.code in (0, 1, 3), (step, done.err)


def test_colour_changes_no_word(port, monkeypatch):
    from functools import partial

    from rightcall.show.run_screen import print_run_screen, run_screen
    from rightcall.show.screen import Screen, screen_text

    monkeypatch.setenv("WORSE", "1")
    port("run", "suite.json")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    with open_store() as store:
        stored = store.runs.get("last").run
        screen = run_screen(store, stored, stored.summary)
        plain = screen_text(partial(print_run_screen, screen=screen))
        from io import StringIO

        file = StringIO()
        print_run_screen(Screen(file=file, width=80), screen)
    without = re.sub(r"\x1b\[[\d;]*m", "", file.getvalue())
    assert "\x1b[" in file.getvalue()
    assert [line.rstrip() for line in without.splitlines()] == [
        line.rstrip() for line in re.sub(r"\x1b\[[\d;]*m", "", plain).splitlines()
    ]
