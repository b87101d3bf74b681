"""What `assert_test` does: one case, scored, and an `AssertionError` that tells what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rightcall.errors import CheckFailed, ConfigError
from rightcall.event_loop import finished
from rightcall.executor import Agent, Session, Users, UserSetup
from rightcall.metrics import AnyMetric, Scorer, ScoringRules, as_metrics, observed
from rightcall.model.case import AnyTestCase, ConversationalTestCase, TestCase
from rightcall.model.golden import AnyGolden, Golden, with_id
from rightcall.model.run import CaseResult
from rightcall.model.text import visible
from rightcall.suite import as_user, conversation_problem, conversations_of, score_cases
from rightcall.testing.failure_text import failure_text
from rightcall.tools.definitions import offered_tools, with_tool_set


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
    """Fail the test around it when a case does not pass; with `golden` and `agent` the agent is run first.

    It passes when its golden is satisfied and every one of `metrics` passes; `observe` only measures. `user` plays
    the user of a conversation that is not scripted to its end. Nothing is stored: `check` does that. `run_async` is
    DeepEval's and changes nothing: an async metric is always awaited.
    """
    __tracebackhide__ = True
    chosen = as_metrics(metrics)
    if test_case is None:
        if golden is None or agent is None:
            raise ConfigError("assert_test needs a test_case, or a golden and an agent")
        test_case = case_of_agent(golden, agent if isinstance(agent, Agent) else Agent(agent), as_user(user))
    return assert_case(test_case, Scorer(chosen, observed(observe, chosen), rules or ScoringRules()))


def assert_case(case: AnyTestCase, scorer: Scorer) -> CaseResult:
    """The result of a case that passed; `CheckFailed` for one that did not."""
    __tracebackhide__ = True
    (result,) = finished(score_cases([case], scorer))
    if result.error:
        raise CheckFailed(
            visible(f"golden '{case.golden.id}': {result.error}"), infrastructure=True, result=result
        )
    if not result.passed:
        raise CheckFailed(_text(case, result), result=result)
    return result


def case_of_agent(golden: AnyGolden, agent: Agent, user: UserSetup | Users | None = None) -> AnyTestCase:
    """A test case of what an agent does now. A simulated user plays its first manner."""

    async def perform() -> AnyTestCase:
        async with Session(agent, user=user) as session:
            trajectory = await session.performer.perform(named, 0)
            tools = dict(offered_tools(named, session.tools))
            if isinstance(named, Golden):
                return TestCase(named, trajectory, tools)
            return ConversationalTestCase(named, trajectory, tools)

    chosen = next(iter(conversations_of(with_id(golden), user)))
    named = with_tool_set(chosen, agent.tool_sets)
    if not isinstance(named, Golden) and (problem := conversation_problem(named, agent, user)):
        raise ConfigError(problem)
    return finished(perform())


def _text(case: AnyTestCase, result: CaseResult) -> str:
    return failure_text(with_id(case.golden), [result], offered_tools(case.golden, case.tools))
