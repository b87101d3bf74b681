"""A run whose trials are asked for one after the other: only those are run, stored and resumed."""

import asyncio

import msgspec
import pytest

from rightcall.agents.agent import Agent
from rightcall.core.errors import ProviderError
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import Golden, ToolCall
from rightcall.records.expected_call import ExpectedCall
from rightcall.run.local_trials import RunDecision
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store

GOLDENS = [Golden(f"Do {i}", id=f"g{i}", expected_calls=(ExpectedCall("a", {}),)) for i in range(6)]


class AsksFor:
    """Asks for these goldens, one wave after the other, and then decides or raises."""

    goldens = GOLDENS
    most_trials = 10

    def __init__(self, *waves, end=None):
        self.waves = waves
        self.end = end
        self.spent = 0

    def identify(self, run):
        return msgspec.structs.replace(run, versions={**run.versions, "check": "q"})

    def find_interrupted(self, store, run):
        unfinished = [stored.id for stored in store.runs.page() if not stored.finished]
        return unfinished[0] if unfinished else None

    async def decide(self, trials):
        for wave in self.waves:
            results = await trials.ask([(GOLDENS[i], 0) for i in wave])
            assert [result.golden_id for result in results] == [f"g{i}" for i in wave]
        self.spent = trials.spent
        if self.end is not None:
            raise self.end
        return RunDecision("WORSE", "enough was seen")


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "results.db") as opened:
        yield opened


def run(store, decider, answer=lambda request: ToolCall("a", {})):
    asked = []

    def note(request):
        asked.append(request.golden_id)
        return answer(request)

    outcome = asyncio.run(run_plan(Plan("t", Agent(ScriptedProvider(note)), GOLDENS), store, stop=decider))
    return outcome, asked


def test_only_what_is_asked_for_is_run_and_stored(store):
    outcome, asked = run(store, AsksFor([4, 1], [3]))
    stored = store.runs.get(outcome.run.id)
    assert sorted(asked) == ["g1", "g3", "g4"]
    assert [r.golden_id for r in store.runs.results(stored.id)] == ["g1", "g3", "g4"]
    assert (stored.finished, stored.verdict, outcome.verdict.word) == (True, "WORSE", "FAIL")


def test_a_trial_without_an_answer_is_tried_once_more(store):
    failing = {"g1": 1, "g2": 5}

    def answer(request):
        failing[request.golden_id] = failing.get(request.golden_id, 0) - 1
        if failing[request.golden_id] >= 0:
            raise ProviderError("no answer", kind="unreachable")
        return ToolCall("a", {})

    decider = AsksFor([0, 1, 2])
    outcome, asked = run(store, decider, answer)
    errors = {r.golden_id: bool(r.error) for r in store.runs.results(outcome.run.id)}
    assert errors == {"g0": False, "g1": False, "g2": True}
    assert (decider.spent, sorted(asked)) == (5, ["g0", "g1", "g1", "g2", "g2"])


def test_a_decider_that_fails_leaves_an_unfinished_run_that_continues(store):
    with pytest.raises(RuntimeError, match="lost"):
        run(store, AsksFor([0, 1], end=RuntimeError("lost")))
    outcome, asked = run(store, AsksFor([0, 1], [2]))
    assert asked == ["g2"]
    assert store.runs.get(outcome.run.id).results == 3
