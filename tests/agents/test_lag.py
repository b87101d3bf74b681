"""Latency is the model's: what the machine spent on itself is known, and never decides a case."""

from __future__ import annotations

import asyncio
import time

from hypothesis import given, strategies as st

from rightcall.agents.agent import Agent
from rightcall.agents.kinds import agent_of_kind
from rightcall.agents.model_retries import Asker
from rightcall.agents.pool import BEAT, LagMeter
from rightcall.metrics.case_result import result_of
from rightcall.metrics.dimensions import Latency
from rightcall.providers.base import ModelReply, ModelRequest, Prompt
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import Golden, Message, TestCase, ToolCall, Trajectory

milliseconds = st.integers(0, 5_000).map(float)


class Clock:
    now = 100.0

    def __call__(self):
        return self.now


def test_a_late_beat_counts_for_no_less_than_it_was_late():
    async def measured():
        clock = Clock()
        meter = LagMeter(clock)
        meter.start()
        meter.stop()  # beats come by hand here
        clock.now += BEAT
        meter.beat()
        in_time = meter.so_far()
        clock.now += BEAT + 0.154
        before_the_beat = meter.so_far()
        meter.beat()
        return in_time, before_the_beat, meter.so_far()

    in_time, before, after = asyncio.run(measured())
    assert in_time == 0.0
    assert before == after and 0.154 <= after <= 0.154 + 2 * BEAT


class Blocking(ScriptedProvider):
    """A model whose answer comes while the loop is busy with something else."""

    def __init__(self, latency_ms=None):
        super().__init__(lambda request: "")
        self._latency_ms = latency_ms

    async def complete(self, request):
        started = time.perf_counter()
        time.sleep(0.05)  # noqa: ASYNC251  that is the point
        taken = (time.perf_counter() - started) * 1000
        return ModelReply(Message("assistant", "hello"), latency_ms=self._latency_ms or taken)


async def asked(provider):
    meter = LagMeter()
    meter.start()
    try:
        return await Asker(provider, 1, lag=meter).ask(ModelRequest(Prompt(), (Message("user", "hi"),)))
    finally:
        meter.stop()


def test_the_time_a_busy_loop_adds_to_an_answer_is_known():
    reply = asyncio.run(asked(Blocking()))
    assert 0 < reply.lag_ms <= reply.latency_ms


def test_a_latency_that_was_recorded_earlier_has_no_lag():
    assert asyncio.run(asked(Blocking(latency_ms=1e9))).lag_ms == 0.0


def test_a_function_of_the_users_own_is_measured_the_same_way():
    async def answer(golden):
        time.sleep(0.05)  # noqa: ASYNC251  that is the point
        return "hello"

    async def perform():
        async with agent_of_kind(Agent(answer)) as session:
            return await session.performer.perform(Golden("hi", id="g"), 0)

    trajectory = asyncio.run(perform())
    assert 0 < trajectory.lag_ms <= trajectory.latency_ms


@given(taken=milliseconds, lag=milliseconds, budget=milliseconds.filter(bool))
def test_a_budget_is_judged_only_where_the_lag_cannot_matter(taken, lag, budget):
    golden = Golden("hi", id="g", max_latency_ms=budget)
    trajectory = Trajectory(output="hello", latency_ms=taken, lag_ms=lag)
    result = result_of(golden, 0, trajectory, {})
    kept = taken <= budget
    broken = taken - lag > budget
    assert (result.passed, bool(result.error)) == (kept, not kept and not broken)
    score = Latency().measure(TestCase(golden, trajectory))
    assert (score.passed, bool(score.error)) == (result.passed, bool(result.error))


def test_what_fails_for_another_reason_fails_on_a_busy_machine_too():
    golden = Golden("hi", id="g", max_latency_ms=1000, no_calls=True)
    trajectory = Trajectory(calls=(ToolCall("delete", {}),), latency_ms=1154, lag_ms=200)
    result = result_of(golden, 0, trajectory, {})
    assert not result.passed and not result.error
    assert "over_latency" not in {failure.code for failure in result.codes}
