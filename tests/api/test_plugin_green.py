"""Sessions that showed nothing about the agent are not green."""

from __future__ import annotations

import pytest

from tests.conftest import OTHER_PLUGINS

pytest_plugins = ["pytester"]

AGENT = """
from rightcall import Golden
from rightcall.metrics.judged.rubric import Rubric
from rightcall.providers.scripted import ScriptedProvider

judge = Rubric(ScriptedProvider(lambda request: '{"verdict": "pass", "reason": "polite"}'), "It is polite.", votes=1)

def agent(text):
    return "Good morning!"
"""
JUDGED = """
def test_manners(check):
    check(agent, Golden("Hello", id="hello"), metrics=[judge])
"""
OBSERVED = """
def test_manners(check):
    check(agent, Golden("Hello", id="hello", output_contains=["morning"]), measure=[judge])
"""
EXACT = """
def test_manners(check):
    check(agent, Golden("Hello", id="hello", output_contains=["morning"]))
"""


@pytest.fixture(autouse=True)
def no_other_plugins(pytester, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", OTHER_PLUGINS)  # pytester removes it


@pytest.mark.parametrize(
    ("test", "options", "code", "says"),
    [
        (JUDGED, (), 1, "*INCONCLUSIVE: goldens pass by a judge that is not calibrated*"),
        (JUDGED, ("--rightcall-uncalibrated=allow",), 0, "*1 of 1 golden passed*"),
        (JUDGED, ("--rightcall-min=0.5",), 1, "*gate INCONCLUSIVE*"),
        (OBSERVED, (), 0, "*1 of 1 golden passed*"),
        (EXACT, (), 0, "*1 of 1 golden passed*"),
        (
            EXACT,
            ("--rightcall-forbid=forbidden_call",),
            1,
            "ERROR: gate: forbid: forbidden_call can never occur*",
        ),
    ],
)
def test_a_session_is_green_by_what_was_shown(pytester, test, options, code, says):
    pytester.makepyfile(AGENT + test)
    found = pytester.runpytest(*options)
    found.stdout.fnmatch_lines([says])
    assert found.ret == code
