"""A run whose trials are asked for one wave after the other: only those are run, stored and resumed."""

import asyncio

import pytest

from rightcall.agents.agent import Agent
from rightcall.core.errors import ProviderError
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import Golden, ToolCall
from rightcall.records.expected_call import ExpectedCall
from rightcall.run.backend import InProcess
from rightcall.run.plan import Plan
from rightcall.run.preparation import preflight
from rightcall.run.trials import open_trials, resumable
from rightcall.store.address import open_store

GOLDENS = [Golden(f"Do {i}", id=f"g{i}", expected_calls=(ExpectedCall("a", {}),)) for i in range(6)]


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "results.db") as opened:
        yield opened


def ask(store, *waves, answer=lambda request: ToolCall("a", {}), resume=None, end=None):
    """The run, what the agent was asked, and the number of trials that were spent."""
    asked = []

    def note(request):
        asked.append(request.golden_id)
        return answer(request)

    async def ask_waves():
        async with await preflight(Plan("t", Agent(ScriptedProvider(note)), GOLDENS)) as prepared:
            run = prepared.new_run()
            if resume is not None:
                run = resumable(store, resume, run)
            backend = InProcess(prepared.session, repeat=True)
            async with open_trials(
                prepared, store, run, resumed=resume is not None, planned=10, backend=backend
            ) as trials:
                for wave in waves:
                    results = await trials.ask_all([(GOLDENS[i], 0) for i in wave])
                    assert [result.golden_id for result in results] == [f"g{i}" for i in wave]
                    stored = {r.golden_id for r in store.runs.results(run.id)}
                    assert stored >= {f"g{i}" for i in wave}
                if end is not None:
                    raise end
            return run, trials.spent

    run, spent = asyncio.run(ask_waves())
    return run.id, asked, spent


def test_only_what_is_asked_for_is_run_and_stored(store):
    run, asked, spent = ask(store, [4, 1], [3])
    assert (sorted(asked), spent) == (["g1", "g3", "g4"], 3)
    assert [r.golden_id for r in store.runs.results(run)] == ["g1", "g3", "g4"]


def test_a_trial_without_an_answer_is_tried_once_more(store):
    failing = {"g1": 1, "g2": 5}

    def answer(request):
        failing[request.golden_id] = failing.get(request.golden_id, 0) - 1
        if failing[request.golden_id] >= 0:
            raise ProviderError("no answer", kind="unreachable")
        return ToolCall("a", {})

    run, asked, spent = ask(store, [0, 1, 2], answer=answer)
    errors = {r.golden_id: bool(r.error) for r in store.runs.results(run)}
    assert errors == {"g0": False, "g1": False, "g2": True}
    assert (spent, sorted(asked)) == (5, ["g0", "g1", "g1", "g2", "g2"])


def test_waves_that_were_interrupted_continue(store):
    with pytest.raises(RuntimeError, match="lost"):
        ask(store, [0, 1], end=RuntimeError("lost"))
    (unfinished,) = [stored.id for stored in store.runs.page() if not stored.finished]
    run, asked, spent = ask(store, [0, 1], [2], resume=unfinished)
    assert (run, asked, spent) == (unfinished, ["g2"], 3)
    assert store.runs.get(run).results == 3
