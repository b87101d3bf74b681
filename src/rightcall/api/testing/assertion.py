"""`assert_test`: scores one case and raises a `CheckFailed` that explains the failure, or a `CheckError`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any
from unittest import SkipTest

from rightcall.agents.agent import Agent
from rightcall.api.testing.golden_batch import perform
from rightcall.core.errors import CheckError, CheckFailed, ConfigError
from rightcall.core.event_loop import run_blocking
from rightcall.core.text import visible
from rightcall.metrics.base import AnyMetric
from rightcall.metrics.matching.base import short_json
from rightcall.metrics.matching.expectation import pattern_text
from rightcall.metrics.matching.reasons import call_text, reason
from rightcall.metrics.matching.verdict import ScoringRules
from rightcall.metrics.resolve import DIMENSIONS
from rightcall.metrics.score_case import Scorer
from rightcall.records.call import ToolCall
from rightcall.records.case import AnyTestCase
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden, request_of, with_id
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool
from rightcall.run.answers import no_answer_reason
from rightcall.run.conversations import as_user
from rightcall.run.plan import Plan
from rightcall.run.recorded_scores import score_cases, scorer_of
from rightcall.show.view.call_pairs import pairing_of
from rightcall.show.view.case import reason_of
from rightcall.tools.definitions.offer import tools_for


def assert_test(
    test_case: AnyTestCase | None = None,
    metrics: Sequence[AnyMetric] = (),
    *,
    measure: Sequence[AnyMetric] = (),
    golden: AnyGolden | None = None,
    agent: Agent | str | Callable[[Any], Any] | None = None,
    user: Any = None,
    rules: ScoringRules | None = None,
    run_async: bool = True,
) -> CaseResult:
    """Fail the current test when a case does not pass; with `golden` and `agent` the agent is run first.

    A case that failed raises a `CheckFailed`, an `AssertionError`. One about which nothing can be said, because a
    model, a metric or the setup broke or no answer arrived, raises a `CheckError`. One that neither its golden nor a
    metric checks raises `unittest.SkipTest`: test runners skip it.

    It passes when its golden is satisfied and every one of `metrics` passes; `measure` is only measured. `user` plays
    the user of a conversation that is not fully scripted: the conversation is run once with each of its
    personas, all of them must pass, and the result with the lowest score is returned. Nothing is stored: `check` does
    that. `run_async` is DeepEval's and has no effect: an async metric is always awaited.
    """
    __tracebackhide__ = True
    if isinstance(test_case, Golden | ConversationalGolden):
        raise ConfigError(
            f"assert_test: {type(test_case).__name__} is not a test case: write golden=…, agent=…, "
            "or TestCase(golden, …) with what an agent did"
        )
    scorer = scorer_of(metrics, measure, rules)
    if test_case is not None:
        return assert_case(test_case, scorer)
    if golden is None or agent is None:
        raise ConfigError("assert_test needs a test_case, or a golden and an agent")
    return assert_agent(golden, agent if isinstance(agent, Agent) else Agent(agent), scorer, user)


def assert_case(case: AnyTestCase, scorer: Scorer) -> CaseResult:
    """The result of a case that passed; `CheckFailed` for one that did not, `CheckError` for one that broke."""
    __tracebackhide__ = True
    results = run_blocking(score_cases([case], scorer))
    golden = with_id(case.golden)
    require_passed(golden, results, tools_for(golden, case.tools))
    return results[0]


def assert_agent(golden: AnyGolden, agent: Agent, scorer: Scorer, user: Any = None) -> CaseResult:
    """The same for an agent that is run now, with every simulated user."""
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
    results_by_golden, prepared = run_blocking(perform(plan))
    results = list(chain.from_iterable(results_by_golden.values()))
    if not any(result.trajectory is not None and result.trajectory.answered for result in results):
        problem = next((r.trajectory.error for r in results if r.trajectory is not None), "")
        text = f"golden '{named.id}': {no_answer_reason(len(results), problem)}"
        raise CheckError(text, result=results[0], results=tuple(results))
    require_passed(named, results, tools_for(named, prepared.tools))
    return min(results, key=lambda result: result.score)


def require_passed(golden: AnyGolden, results: Sequence[CaseResult], tools: Mapping[str, Tool]) -> None:
    """Raises unless every trial passed, with every simulated user: `CheckFailed`, or `CheckError` if none failed.

    A golden that states no check, tested without metrics, is skipped: `NothingChecked`.
    """
    __tracebackhide__ = True
    if not any(result.checked for result in results):
        raise NothingChecked(reason_to_skip(golden, results))
    failed = next((result for result in results if result.judged and not result.passed), None)
    if failed is not None:
        raise CheckFailed(failure_text(golden, results, tools), result=failed, results=tuple(results))
    broken = next((result for result in results if result.error), None)
    if broken is not None:
        text = error_text(golden, results)
        raise CheckError(text, result=broken, results=tuple(results))


class NothingChecked(SkipTest):
    """Neither the golden nor a metric checks anything, so that a test can neither pass nor fail: it is skipped."""


def reason_to_skip(golden: AnyGolden, results: Sequence[CaseResult]) -> str:
    """What the agent did about a golden that states no check, and what would check it."""
    did = reason_of(results[0])
    return visible(
        f"golden '{golden.id}': nothing was checked{f' ({did})' if did else ''}; state what should happen "
        "(expected_calls, no_calls, output_contains, …) or pass metrics"
    )


def failure_text(golden: AnyGolden, results: Sequence[CaseResult], tools: Mapping[str, Tool]) -> str:
    """Why a golden failed: the first failing trial, and how many others failed too."""
    failed = [result for result in results if result.judged and not result.passed]
    first = failed[0]
    lines = [f"golden '{golden.id}': {short_json(request_of(golden), 200)}", *reasons(first)]
    if len(results) > 1:
        lines.append(f"({_which(first, results)}; {len(failed)} of {_count_text(results)} failed)")
    if first.trajectory is not None and isinstance(golden, Golden):
        difference = list(calls_difference(golden, first, tools))
        if difference:
            lines += ["", *difference, "", "  as expected   - expected, not called   + called, not expected"]
        if first.trajectory.output and not first.trajectory.calls:
            lines += ["", f"answer: {short_json(first.trajectory.output, 300)}"]
    return visible("\n".join(lines))


def error_text(golden: AnyGolden, results: Sequence[CaseResult]) -> str:
    """Why the agent could not be scored."""
    broken = [result for result in results if result.error]
    among = f"no answer to {len(broken)} of {_count_text(results)}: " if len(results) > 1 else ""
    return visible(f"golden '{golden.id}': {among}{broken[0].error}")


def _which(result: CaseResult, results: Sequence[CaseResult]) -> str:
    """A result's place among several: its trial, its simulated user, or both."""
    users = len({result.golden_id for result in results})
    trial = f"trial {result.trial}" if users < len(results) else ""
    return ", ".join(filter(None, [result.golden_id if users > 1 else "", trial]))


def _count_text(results: Sequence[CaseResult]) -> str:
    users = len({result.golden_id for result in results})
    return f"{len(results)} {'trials' if users == 1 else 'conversations'}"


def reasons(result: CaseResult) -> list[str]:
    """What is wrong with a result, one line each; named metrics are prefixed with their name."""
    overall = result.metrics.get("overall")
    lines = [overall.reason if overall and overall.reason else reason(result.codes)]
    for name, score in result.metrics.items():
        text = score.error or score.reason
        if not score.passed and text and text not in lines and name not in DIMENSIONS:
            lines.append(f"{name} {score.value:.2f}: {text}")
    return [line for line in lines if line] or ["did not pass"]


def calls_difference(golden: AnyGolden, result: CaseResult, tools: Mapping[str, Tool]) -> Iterator[str]:
    """Lines `  as expected`, `- expected, not called`, `+ called, not expected`, paired as every report pairs them."""
    pairing = pairing_of(golden, result, tools)
    for pair in pairing.pairs:
        is_right = pair.kind == "right"
        if pair.expected is not None:
            yield f"{' ' if is_right else '-'} {expectation_text(pairing.expected[pair.expected])}"
        if pair.call is not None and not is_right and pair.kind != "allowed":
            yield f"+ {actual_text(pairing.calls[pair.call])}"


def expectation_text(expected_call: ExpectedCall) -> str:
    """An expected call as code; `(…)` when any arguments are accepted."""
    name = pattern_text(expected_call.tool)
    text = f"{name}(…)" if expected_call.args is None else call_text(name, expected_call.args)
    return text if expected_call.required else f"{text}  (optional)"


def actual_text(call: ToolCall) -> str:
    if call.arguments_unknown:
        return f"{call.name}(?)"
    return call_text(call.name, call.raw if call.arguments is None else call.arguments)
