"""`assert_test`: scores one case and raises an `AssertionError` that explains the failure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rightcall.errors import ConfigError
from rightcall.event_loop import finished
from rightcall.executor import Agent
from rightcall.metrics import AnyMetric, Scorer, ScoringRules, as_metrics, observed
from rightcall.model.case import AnyTestCase
from rightcall.model.golden import AnyGolden, with_id
from rightcall.model.run import CaseResult
from rightcall.suite import Plan, as_user, score_cases
from rightcall.testing.failure_text import require_passed
from rightcall.testing.golden_batch import perform
from rightcall.tools.definitions import offered_tools


def assert_test(
    test_case: AnyTestCase | None = None,
    metrics: Sequence[AnyMetric] = (),
    *,
    observe: Sequence[AnyMetric] = (),
    golden: AnyGolden | None = None,
    agent: Agent | str | Callable[[Any], Any] | None = None,
    user: Any = None,
    rules: ScoringRules | None = None,
    run_async: bool = True,
) -> CaseResult:
    """Fail the current test when a case does not pass; with `golden` and `agent` the agent is run first.

    It passes when its golden is satisfied and every one of `metrics` passes; `observe` only measures. `user` plays
    the user of a conversation that is not scripted to its end: the conversation is held once with each of its
    personas, all of them must pass, and the result with the lowest score is returned. Nothing is stored: `check` does
    that. `run_async` is DeepEval's and changes nothing: an async metric is always awaited.
    """
    __tracebackhide__ = True
    chosen = as_metrics(metrics)
    scorer = Scorer(chosen, observed(observe, chosen), rules or ScoringRules())
    if test_case is not None:
        return assert_case(test_case, scorer)
    if golden is None or agent is None:
        raise ConfigError("assert_test needs a test_case, or a golden and an agent")
    return assert_agent(golden, agent if isinstance(agent, Agent) else Agent(agent), scorer, user)


def assert_case(case: AnyTestCase, scorer: Scorer) -> CaseResult:
    """The result of a case that passed; `CheckFailed` for one that did not."""
    __tracebackhide__ = True
    results = finished(score_cases([case], scorer))
    golden = with_id(case.golden)
    require_passed(golden, results, offered_tools(golden, case.tools))
    return results[0]


def assert_agent(golden: AnyGolden, agent: Agent, scorer: Scorer, user: Any = None) -> CaseResult:
    """The same of what an agent does now, with every simulated user."""
    __tracebackhide__ = True
    named = with_id(golden)
    plan = Plan(
        name="assert_test",
        agent=agent,
        dataset=[named],
        metrics=scorer.metrics,
        observe=scorer.observe,
        rules=scorer.rules,
        user=as_user(user),
    )
    found, prepared = finished(perform(plan))
    results = [result for trials in found.values() for result in trials]
    require_passed(named, results, offered_tools(named, prepared.tools))
    return min(results, key=lambda result: result.score)
