"""What agent, simulated user and judges used is counted by role, and the whole is the run's cost, on every path."""

from __future__ import annotations

import pytest

import rightcall as rc
from rightcall.decide.config import CostLimit, Gate
from rightcall.metrics.judged.rubric import Rubric
from rightcall.metrics.tally import Tally
from rightcall.providers.base import Message, ModelReply
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import CaseResult, Score, Usage
from rightcall.records.score import Judging
from rightcall.records.trajectory import Dialogue, Trajectory
from rightcall.show.view.summary import summary_view


class Priced(ScriptedProvider):
    """A judge whose every answer costs a cent."""

    async def complete(self, request):
        reply = await super().complete(request)
        return ModelReply(reply.message, Usage(100, 10, 0.01), reply.stop, "judge")


def judge(passes: bool = True) -> Priced:
    verdict = rc.ToolCall("give_verdict", {"verdict": "pass" if passes else "fail", "reason": "so"})
    return Priced(lambda request: verdict, "judge")


def agent(golden):
    return "It is 31 °C."


def evaluated(tmp_path, provider, **options):
    metric = Rubric(provider, "names a temperature", label="warm", votes=3, cache="")
    goldens = [rc.Golden(f"How warm is it in {city}?", id=city) for city in ("hanoi", "hue")]
    return rc.evaluate(agent, goldens, metrics=[metric], store=tmp_path / "runs.db", **options)


def test_a_judge_is_in_the_cost_of_the_run_and_apart_by_role(tmp_path):
    run = evaluated(tmp_path, judge())
    assert run.summary.usage.cost_usd == pytest.approx(0.06)
    assert run.summary.roles["judge"] == Usage(600, 60, 0.06)
    assert run.store.runs.get(run.id).usage.cost_usd == pytest.approx(0.06)
    stored = list(run.store.runs.results(run.id))
    assert Tally().add_all(stored).roles["judge"] == Usage(600, 60, 0.06)  # as read back from the store
    assert "judge 660 tokens, $0.0600" in " ".join(summary_view(run.summary).notes)


def test_self_consistency_and_missing_verdicts_are_reported_with_the_run(tmp_path):
    def answer(request):
        text = request.messages[0].content
        if "hue" in text:
            return "hm"
        return rc.ToolCall("give_verdict", {"verdict": "pass" if request.trial else "fail", "reason": "so"})

    run = evaluated(tmp_path, ScriptedProvider(answer, "judge"))
    found = run.summary.judges["warm"]
    assert (found.verdicts, found.passed, found.no_verdict) == (1, 1, 1)
    assert (found.voted, found.self_consistency) == (1, 0.0)
    assert run.summary.codes == {"judge_unparsed": 1}
    assert run.summary.overall.errors == 1


def test_the_limit_of_a_runs_cost_counts_its_judges(tmp_path):
    run = evaluated(tmp_path, judge(), gate=Gate(cost=CostLimit(run_usd=0.05)))
    (check,) = run.verdict.checks
    assert (check.word, round(check.value, 4)) == ("FAIL", 0.06)


def test_a_conversations_user_is_a_role():
    talk = Trajectory(
        messages=(Message("user", "Hi"),),
        usage=Usage(100, 10, 0.1),
        dialogue=Dialogue("user_stop", usage=Usage(40, 4, 0.03)),
    )
    judged = Score(1.0, True, judged=Judging(1, True, Usage(7, 1, 0.02)))
    result = CaseResult(
        "a", 0, True, 1.0, {"overall": Score(1.0, True), "kind": judged}, usage=talk.spent, trajectory=talk
    )
    tally = Tally()
    tally.add(result)
    roles = tally.summary().roles
    assert roles["user"] == Usage(40, 4, 0.03) and roles["judge"] == Usage(7, 1, 0.02)
    total = [
        sum(getattr(u, f) for u in roles.values()) for f in ("input_tokens", "output_tokens", "cost_usd")
    ]
    usage = tally.summary().usage
    assert total == pytest.approx([usage.input_tokens, usage.output_tokens, usage.cost_usd])
