"""Processes killed between the claim, the effect and the record: never two effects, never one on a guess."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from rightcall.tools.idempotency.key_location import sqlite_store

pytestmark = pytest.mark.stories

WORKER = Path(__file__).with_name("crash_worker.py")


class Crashes:
    """Runs the worker again and again on one database and one file of effects."""

    def __init__(self, folder: Path) -> None:
        self.database = folder / "keys.db"
        self.effects = folder / "effects.txt"

    def run(self, die_at: str, *, now: float = 1_000, probe: bool = False) -> list[str]:
        command = [sys.executable, str(WORKER), str(self.database), str(self.effects), str(now), die_at]
        done = subprocess.run(
            [*command, *(["probe"] if probe else [])],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == (0 if die_at in ("never", "sixteen") else -9), done.stderr
        return done.stdout.splitlines()

    @property
    def done(self) -> int:
        return len(self.effects.read_text().splitlines()) if self.effects.exists() else 0

    def state(self) -> str:
        return sqlite_store(self.database).state("r/t/0:pay:k")


@pytest.fixture
def crashes(tmp_path: Path) -> Crashes:
    return Crashes(tmp_path)


def test_sixteen_processes_with_one_key_have_one_effect(crashes: Crashes):
    lines = crashes.run("sixteen")
    assert crashes.done == 1 and len(lines) == 16
    assert sorted(lines)[:1] == ["ok - False"] and lines.count("ok - True") == 15


def test_killed_before_the_claim_is_committed_nothing_is_known_and_the_next_runs_it(crashes: Crashes):
    crashes.run("before_start")
    assert (crashes.state(), crashes.done) == ("absent", 0)
    assert crashes.run("never") == ["ok - False"] and crashes.done == 1


def test_killed_between_claim_and_effect_the_probe_finds_nothing_and_it_is_run_once(crashes: Crashes):
    crashes.run("before_effect", probe=True)
    assert (crashes.state(), crashes.done) == ("started", 0)
    assert crashes.run("never", now=1_061, probe=True) == ["ok - False"]
    assert crashes.run("never", now=1_062, probe=True) == ["ok - True"]
    assert crashes.done == 1


def test_killed_between_effect_and_record_the_probe_finds_it_and_nothing_is_run(crashes: Crashes):
    crashes.run("after_effect", probe=True)
    assert (crashes.state(), crashes.done) == ("started", 1)
    assert crashes.run("never", now=1_061, probe=True) == ["ok - True"]
    assert (crashes.state(), crashes.done) == ("done", 1)


@pytest.mark.parametrize(("die_at", "effects"), [("before_effect", 0), ("after_effect", 1)])
def test_killed_in_the_middle_without_a_probe_nothing_is_ever_run_again(crashes, die_at, effects):
    crashes.run(die_at)
    for now in (1_061, 5_000):
        assert crashes.run("never", now=now) == ["unknown outcome_unknown False"]
    assert (crashes.state(), crashes.done) == ("unknown", effects)


def test_killed_after_the_record_the_next_call_gets_the_same_result(crashes: Crashes):
    crashes.run("after_record")
    assert crashes.run("never") == ["ok - True"] and crashes.done == 1
