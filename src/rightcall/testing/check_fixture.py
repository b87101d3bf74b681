"""What the `check` fixture does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rightcall.errors import CheckFailed, ConfigError, InfrastructureError, RightCallError
from rightcall.executor import Agent
from rightcall.metrics import AnyMetric, ScoringRules, as_metrics, observed
from rightcall.model.golden import AnyGolden, ConversationalGolden, Golden, with_id
from rightcall.model.run import CaseResult
from rightcall.suite import as_user
from rightcall.testing.failure_text import error_text, failure_text
from rightcall.testing.golden_batch import Checked, GoldenBatch, Setup


@dataclass(frozen=True)
class Defaults:
    """What the command line said."""

    trials: int = 1
    concurrency: int = 32
    seed: int = 0


class Checker:
    """`check(agent, golden)`: run the agent on a golden, and fail the test when it did not do what it should."""

    def __init__(
        self,
        together: GoldenBatch,
        to_come: Sequence[AnyGolden],
        defaults: Defaults,
        note: Callable[[dict[str, Any]], None],
    ) -> None:
        self._together, self._to_come, self._defaults, self._note = together, to_come, defaults, note

    def __call__(
        self,
        agent: Agent | str | Callable[[Any], Any],
        golden: AnyGolden,
        *,
        metrics: Sequence[AnyMetric] = (),
        observe: Sequence[AnyMetric] = (),
        trials: int | None = None,
        rules: ScoringRules | None = None,
        user: Any = None,
    ) -> tuple[CaseResult, ...]:
        """The results of all trials, when all passed.

        A trial passes when its golden is satisfied and every one of `metrics` passes; `observe` only measures.
        `trials` is how often the golden is tried [default: `--rightcall-trials`]. `user` plays the user of a
        conversation that is not scripted to its end.
        """
        __tracebackhide__ = True
        try:
            setup = self._setup(agent, metrics, observe, trials, rules, user)
            checked = self._together.checked(setup, _named(golden), self._to_come)
        except RightCallError as error:
            outside = isinstance(error, InfrastructureError)
            raise CheckFailed(str(error), infrastructure=outside) from None
        return self._judged(checked)

    def _setup(
        self,
        agent: Any,
        metrics: Sequence[AnyMetric],
        observe: Sequence[AnyMetric],
        trials: int | None,
        rules: ScoringRules | None,
        user: Any,
    ) -> Setup:
        chosen = as_metrics(metrics)
        return Setup(
            agent=agent if isinstance(agent, Agent) else Agent(agent),
            metrics=tuple(chosen),
            observe=tuple(observed(observe, chosen)),
            rules=rules or ScoringRules(),
            trials=self._defaults.trials if trials is None else trials,
            concurrency=self._defaults.concurrency,
            seed=self._defaults.seed,
            user=as_user(user),
        )

    def _judged(self, checked: Checked) -> tuple[CaseResult, ...]:
        __tracebackhide__ = True
        golden, results = checked.golden, checked.results
        errors = sum(bool(result.error) for result in results)
        self._note(
            {
                "run": checked.run_id,
                "agent": checked.setup.agent.name,
                "golden": golden.id,
                "category": golden.category,
                "cluster": golden.cluster,
                "passes": [bool(result.passed) for result in results if not result.error],
                "errors": errors,
                "codes": dict(Counter(failure.code for result in results for failure in result.codes)),
            }
        )
        if any(not result.passed and not result.error for result in results):
            from rightcall.tools.definitions import offered_tools

            tools = offered_tools(golden, checked.tools)
            raise CheckFailed(failure_text(golden, results, tools))
        if errors:
            raise CheckFailed(error_text(golden, results), infrastructure=True)
        return results


def _named(golden: Any) -> AnyGolden:
    if not isinstance(golden, Golden | ConversationalGolden):
        raise ConfigError(f"check takes a golden, got {type(golden).__name__}")
    return with_id(golden)
