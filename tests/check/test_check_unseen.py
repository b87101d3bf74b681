"""PASS says what was compared or run: a change of behaviour that the suite does not mention is found, or run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.support.changed_agents import AGENTS, GOLDENS, Service, Shop, run_commands
from tests.support.selection import nightly_but, selected

pytestmark = pytest.mark.stories

OPTIONS = {
    "full": ["--full"],
    "full again": ["--full", "--again"],
    "again": ["--again"],
    "replay": ["--record", "replay"],
    "full replay": ["--full", "--record", "replay"],
    "baseline file": ["--baseline", "main.jsonl"],
}
WITH_OPTIONS = ("prompt file", "program", "service")
QUICK = (
    "helper by a computed name", "prompt file", "variable by a computed name", "program",
    "program started by the agent", "service",
)  # fmt: skip
QUICK_OPTIONS = (("prompt file", "full replay"), ("service", "again"), ("program", "baseline file"))
CASES = nightly_but(QUICK, AGENTS)


@pytest.fixture(scope="module")
def results(request, tmp_path_factory):
    """Every agent: a baseline, a check without a change, then checks of a broken one; each step in a new process."""
    names = selected(request, "name")
    options = selected(request, "name", "option")
    with Service().running() as service:
        shops = {
            name: Shop(tmp_path_factory.mktemp("shop") / "shop", agent, f"shop_{number}", service).write()
            for number, (name, agent) in enumerate(AGENTS.items())
            if name in names
        }
        run_commands(
            [shop.command("run", "suite.yaml", "--save-baseline", "main.jsonl") for shop in shops.values()]
        )
        before = run_commands([shop.check() for shop in shops.values()])
        for shop in shops.values():
            shop.break_it()
        asked = [(name, "none", []) for name in shops]
        asked += [(name, option, OPTIONS[option]) for name, option in sorted(options)]
        after = run_commands([shops[name].check(*words) for name, _, words in asked])
    return dict(zip(shops, before, strict=True)), {
        (name, option): found for (name, option, _), found in zip(asked, after, strict=True)
    }


@pytest.mark.parametrize("name", CASES)
def test_a_broken_agent_never_passes(name, results):
    found = results[1][name, "none"]
    assert found["check"], found["said"]
    assert (found["code"], found["check"]["verdict"], found["check"]["cause"]) == (1, "WORSE", "hard"), found[
        "said"
    ]


@pytest.mark.parametrize(
    ("name", "option"),
    [
        pytest.param(name, option, marks=() if (name, option) in QUICK_OPTIONS else pytest.mark.nightly)
        for name in WITH_OPTIONS
        for option in OPTIONS
    ],
)
def test_no_option_lets_it_pass(name, option, results):
    found = results[1][name, option]["check"]
    assert found["verdict"] == ("INCONCLUSIVE" if "replay" in option else "WORSE"), found["reason"]


@pytest.mark.parametrize("name", CASES)
def test_an_unchanged_agent_passes_for_what_was_compared_or_run(name, results):
    found = results[0][name]["check"]
    assert found["verdict"] == ("PASS" if AGENTS[name].unknown else "SAME"), (found["reason"], found["notes"])
    if AGENTS[name].unknown:
        assert found["calls"]["spent"] > 0 and found["unknown"]
    else:
        assert found["calls"]["spent"] == 0 and found["compared"]["files"], found["reason"]


def test_a_suite_whose_goldens_are_all_quarantined_does_not_pass(tmp_path):
    shop = Shop(tmp_path / "shop", AGENTS["prompt file"], "shop_quarantined").write()
    run_commands([shop.command("run", "suite.yaml", "--save-baseline", "main.jsonl")])
    suite = shop.folder / "suite.yaml"
    quarantine = [f"g{number}" for number in range(GOLDENS)]
    suite.write_text(yaml.safe_dump({**yaml.safe_load(suite.read_text()), "quarantine": quarantine}))
    (unchanged,) = run_commands([shop.check()])
    shop.break_it()
    (broken,) = run_commands([shop.check()])
    for found in (unchanged["check"], broken["check"]):
        assert (found["verdict"], found["calls"]["spent"]) == ("INCONCLUSIVE", 0), found["reason"]


ACTION = Path(__file__).parents[2] / "action.yml"
LIBRARY = "import rightcall as rc; print(rc.check('suite.yaml', baseline='last').verdict)"


def test_neither_the_action_nor_the_library_lets_it_pass(tmp_path):
    shop = Shop(tmp_path / "shop", AGENTS["prompt file"], "shop_action").write()
    run_commands([shop.command("run", "suite.yaml", "--save-baseline", "main.jsonl")])
    shop.break_it()
    (script,) = (
        step["run"]
        for step in yaml.safe_load(ACTION.read_text())["runs"]["steps"]
        if step.get("id") == "check"
    )
    (tmp_path / "rightcall").write_text(f'#!/bin/sh\n"{sys.executable}" -m rightcall "$@"\n')
    (tmp_path / "rightcall").chmod(0o755)
    given = {
        "SUITE": "suite.yaml",
        "BASELINE": "main.jsonl",
        "ARGS": "",
        "RECORD": "",
        "GITHUB_OUTPUT": "out.txt",
    }
    environment = {
        **os.environ,
        **given,
        "PATH": f"{tmp_path}:{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    in_shop = {"cwd": shop.folder, "env": environment, "capture_output": True, "text": True}
    subprocess.run(["bash", "-eo", "pipefail", "-c", script], check=True, **in_shop)
    assert (shop.folder / "out.txt").read_text().split() == ["rc=1", "verdict=WORSE"]
    assert subprocess.run([sys.executable, "-c", LIBRARY], check=True, **in_shop).stdout.strip() == "WORSE"
