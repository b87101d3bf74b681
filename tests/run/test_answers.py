"""A run in which nothing of the agent arrived has no verdict, whatever its goldens state."""

from __future__ import annotations

import asyncio

import httpx
import pytest

import rightcall as rc
from rightcall.agents.agent import Agent
from rightcall.providers.base import ModelReply
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import Message
from rightcall.run.plan import Plan
from rightcall.run.runner import run_plan
from rightcall.store.address import open_store
from tests.providers.loopback import json_server

SILENT = [rc.Golden("Say nothing", id=f"g{n:02}", no_calls=True) for n in range(12)]
"""Goldens that a broken agent would satisfy."""

TALKS = [
    rc.ConversationalGolden("Chat", id=f"t{n}", turns=(rc.Turn("user", "Hi"),), forbidden_calls=("delete",))
    for n in range(3)
]


def empty_model():
    return ScriptedProvider(lambda request: ModelReply(Message("assistant", "")), "empty")


def raising(golden):
    raise KeyError(golden.id)


def sometimes_raising(golden):
    if golden.id > "g00":
        raise KeyError(golden.id)
    return []


@pytest.mark.parametrize(
    ("agent", "goldens"),
    [
        (lambda golden: [], SILENT),
        (lambda golden: " \n", SILENT),
        (lambda golden: rc.Trajectory(), SILENT[:1]),
        (rc.Agent(empty_model()), SILENT),
        (rc.Agent(empty_model(), mode="loop"), SILENT),
        (rc.Agent(empty_model()), TALKS),
        (sometimes_raising, SILENT[:9]),
    ],
)
@pytest.mark.parametrize("gate", [None, {"min": 0.1, "rule": "point"}])
def test_a_run_without_any_answer_is_an_error_through_every_door(agent, goldens, gate, tmp_path):
    store = tmp_path / "s.db"
    run = rc.evaluate(agent, goldens, store=store, gate=gate)
    assert run.verdict.word == "ERROR" and not run.passed
    assert "no answer arrived in any of" in run.verdict.sentence and run.verdict.sentence in str(run.summary)
    assert rc.gate(run.id, {"min": 0.1, "rule": "point"}, store=store).word == "ERROR"
    assert rc.rescore(run.id, store=store).verdict.word == "ERROR"


def test_an_agent_that_returns_only_empty_lists_is_told_what_to_return(tmp_path):
    sentence = rc.evaluate(lambda golden: [], SILENT, store=tmp_path / "s.db").verdict.sentence
    assert sentence.endswith("return the agent's answer or messages too, also where it calls nothing")
    sentence = rc.evaluate(sometimes_raising, SILENT[:9], store=tmp_path / "s.db").verdict.sentence
    assert "KeyError" in sentence and "return the agent's" not in sentence


def test_one_answer_is_evidence_that_the_agent_works(tmp_path):
    def agent(golden):
        return "Hello." if golden.id == "g05" else []

    assert rc.evaluate(agent, SILENT, store=tmp_path / "s.db").verdict.word == "PASS"


def test_recorded_cases_state_what_was_done_and_nothing_was_to_arrive(tmp_path):
    cases = [rc.TestCase(golden, rc.Trajectory()) for golden in SILENT]
    assert rc.score_cases(cases, store=tmp_path / "s.db").passed


def test_answers_from_before_a_resume_count_and_missing_ones_do_not(tmp_path):
    for first, word in (("Hello.", "PASS"), ("", "ERROR")):
        with open_store(tmp_path / f"{word}.db") as store:
            assert _resumed(store, first).verdict.word == word


def _resumed(store, first_answer):
    """A run that is interrupted after its first case, and resumed with an agent that says nothing."""
    asked = []

    async def agent(golden):
        asked.append(golden.id)
        if len(asked) == 2:
            await asyncio.Event().wait()
        return first_answer if len(asked) == 1 else []

    plan = Plan("p", Agent(agent), SILENT[:4], concurrency=1)

    async def interrupted():
        running = asyncio.create_task(run_plan(plan, store))
        while len(asked) < 2:  # noqa: ASYNC110  the agent of two event loops
            await asyncio.sleep(0.01)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    asyncio.run(interrupted())
    (begun,) = store.runs.page()
    assert begun.results == 1
    return asyncio.run(run_plan(plan, store, resume=begun.id))


def test_an_agent_that_raises_for_the_first_two_goldens_is_a_broken_setup(tmp_path):
    with pytest.raises(
        rc.errors.ConfigError, match=r"KeyError: 'g0[01]' \(.*test_answers\.py:\d+ in raising"
    ):
        rc.evaluate(raising, SILENT, store=tmp_path / "s.db", concurrency=4, seed=3)
    (kept,) = open_store(tmp_path / "s.db").runs.page()
    assert kept.results >= 2 and not kept.finished


def test_the_first_goldens_are_those_of_the_dataset_and_ask_before_the_others(tmp_path):
    asked = []

    def agent(golden):
        asked.append(golden.id)
        raise KeyError(golden.id)

    with pytest.raises(rc.errors.ConfigError, match="stopped after 2 goldens"):
        rc.evaluate(agent, SILENT, store=tmp_path / "s.db", concurrency=1, seed=3)
    assert asked == ["g00", "g01"]


def test_first_goldens_that_fail_for_two_reasons_fail_their_cases(tmp_path):
    def agent(golden):
        if golden.id == "g00":
            return
        raise KeyError(golden.id)

    run = rc.evaluate(agent, SILENT, store=tmp_path / "s.db")
    assert run.summary.codes == {"agent_error": 11, "unreadable_result": 1} and not run.passed


def test_the_first_goldens_that_lose_their_connection_get_no_answer(tmp_path):
    def agent(golden):
        raise rc.errors.InfrastructureError("no route")

    run = rc.evaluate(agent, SILENT, store=tmp_path / "s.db")
    assert run.verdict.sentence == "ERROR: 12 of 12 goldens got no answer"


def test_an_agent_that_raises_for_some_is_one_that_fails(tmp_path):
    def sometimes(golden):
        if golden.id != "g01":
            raise ValueError("no")
        return "Hello."

    run = rc.evaluate(sometimes, SILENT, store=tmp_path / "s.db", concurrency=1)
    assert run.verdict.word == "FAIL" and run.summary.codes["agent_error"] == 11


def test_a_run_that_saw_no_call_though_some_are_expected_says_how_to_observe(tmp_path):
    goldens = [rc.Golden("Pay", id="pay", expected_calls=(rc.ExpectedCall("pay"),)), SILENT[0]]
    with open_store(tmp_path / "s.db") as store:
        for agent, hinted in ((lambda g: "Done.", True), (lambda g: [rc.ToolCall("other")], False)):
            outcome = asyncio.run(run_plan(Plan("p", Agent(agent), goldens), store))
            assert any("observe: auto" in notice for notice in outcome.notices) is hinted
        silent = asyncio.run(run_plan(Plan("p", Agent(lambda g: "Done."), SILENT), store))
        assert silent.notices == ()
        forbidding = [rc.Golden("Free my berth", id="berth", forbidden_calls=["terminate_contract"])]
        for answer, hinted in (("Done.", True), ([{"role": "assistant", "content": "Done."}], False)):
            outcome = asyncio.run(
                run_plan(Plan("p", Agent(lambda g, answer=answer: answer), forbidding), store)
            )
            assert any("though the goldens forbid some" in notice for notice in outcome.notices) is hinted


def test_an_observed_function_of_which_nothing_is_heard_is_no_green(tmp_path):
    import openai  # noqa: F401  an adapter is loaded, and hears nothing

    run = rc.evaluate(rc.observe(lambda question: "Done."), SILENT, store=tmp_path / "s.db")
    assert run.verdict.word == "ERROR" and "nothing that the agent asked was heard" in run.verdict.sentence


def test_an_agent_that_asks_a_model_where_nobody_hears_it_is_a_broken_setup(tmp_path):
    reply = {"choices": [{"message": {"role": "assistant", "content": "Done."}}]}
    with json_server(lambda _: reply) as server:

        def unheard(question):
            asked = {"model": "m", "messages": [{"role": "user", "content": question}]}
            return httpx.post(f"{server.url}/v1/chat/completions", json=asked).json()["choices"][0]["message"]

        with pytest.raises(rc.errors.InputError, match="asked a model, and no adapter heard it"):
            rc.evaluate(rc.observe(unheard), SILENT, store=tmp_path / "s.db")
