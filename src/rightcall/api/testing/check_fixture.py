"""The `check` fixture."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from rightcall.agents.agent import Agent
from rightcall.api.testing.assertion import require_passed
from rightcall.api.testing.golden_batch import Checked, GoldenBatch
from rightcall.core.errors import CheckError, ConfigError, RightCallError
from rightcall.metrics.base import AnyMetric
from rightcall.metrics.matching.verdict import Rules, read_rules
from rightcall.metrics.resolve import as_metrics, metrics_to_observe
from rightcall.records.golden import AnyGolden, ConversationalGolden, Golden, category_of, with_id
from rightcall.records.run import CaseResult
from rightcall.run.conversations import as_user
from rightcall.run.golden_check import codes_of
from rightcall.run.plan import Plan
from rightcall.tools.definitions.offer import tools_for


@dataclass(frozen=True)
class Defaults:
    """Command-line options."""

    trials: int = 1
    concurrency: int = 32
    seed: int = 0


class Checker:
    """`check(agent, golden)`: run the agent on a golden, and fail the test when it does not pass."""

    def __init__(
        self,
        together: GoldenBatch,
        to_come: Sequence[AnyGolden],
        defaults: Defaults,
        note: Callable[[dict[str, Any]], None],
        attempt: list[Checked] | None = None,
        earlier: Sequence[Checked] = (),
    ) -> None:
        self._together = together
        self._to_come = to_come
        self._defaults = defaults
        self._note = note
        self._attempt: list[Checked] = [] if attempt is None else attempt
        self._earlier = earlier

    def __call__(
        self,
        agent: Agent | str | Callable[[Any], Any],
        golden: AnyGolden,
        *,
        metrics: Sequence[AnyMetric] = (),
        measure: Sequence[AnyMetric] = (),
        trials: int | None = None,
        rules: Rules | None = None,
        user: Any = None,
    ) -> tuple[CaseResult, ...]:
        """The results of all trials, when all passed. A golden without any check skips the test.

        A trial passes when its golden is satisfied and every one of `metrics` passes; `measure` is only measured.
        `trials` is the number of trials [default: `--rightcall-trials`]. `user` plays the user of a
        conversation that is not fully scripted.
        """
        __tracebackhide__ = True
        try:
            chosen = as_metrics(metrics)
            setup = Plan(
                name="",
                agent=agent if isinstance(agent, Agent) else Agent(agent),
                dataset=(),
                metrics=chosen,
                observe=metrics_to_observe(measure, chosen),
                rules=read_rules(rules),
                trials=self._defaults.trials if trials is None else trials,
                concurrency=self._defaults.concurrency,
                seed=self._defaults.seed,
                user=as_user(user),
            )
            checked = self._check_once(setup, _require_golden(golden))
        except RightCallError as error:
            raise CheckError(str(error)) from None
        return self._judge(checked)

    def _check_once(self, setup: Plan, golden: AnyGolden) -> Checked:
        """The trials of a golden. When the test is run again, only those without an answer are.

        An agent that failed has failed: running it until it passes would show a rate that it does not have.
        """
        place = len(self._attempt)
        earlier = self._earlier[place] if place < len(self._earlier) else None
        again = earlier is not None and earlier.golden.id == golden.id
        if earlier is not None and again and not any(result.error for result in earlier.results):
            checked = earlier
        else:
            checked = self._together.check_golden(setup, golden, self._to_come, again=again)
        self._attempt.append(checked)
        return checked

    def _judge(self, checked: Checked) -> tuple[CaseResult, ...]:
        __tracebackhide__ = True
        golden = checked.golden
        results = checked.results
        planted = ((result.metrics.get("resisted"), result.checked) for result in results)
        deciding = {metric.name for metric in checked.setup.metrics}
        attacks = [(score.attack, counts) for score, counts in planted if score and score.attack]
        self._note(
            {
                "run": checked.run_id,
                "agent": checked.setup.agent.name,
                "golden": golden.id,
                "category": category_of(golden),
                "cluster": golden.cluster,
                "passes": [bool(result.passed) for result in results if result.judged],
                "answered": any(r.trajectory is not None and r.trajectory.answered for r in results),
                "errors": sum(result.checked and bool(result.error) for result in results),
                "unchecked": sum(not result.checked for result in results),
                "attacks": [attack.delivered for attack, _ in attacks if attack.twin is None],
                "undelivered_twins": sum(
                    attack.twin is not None and not counts for attack, counts in attacks
                ),
                "by_judge": any(r.passed and not deciding.isdisjoint(r.judge_metrics) for r in results),
                "can_show": sorted(codes_of(golden)),
                "judges": sorted(set(chain.from_iterable(result.judge_metrics for result in results))),
                "failed": [result.fails_exactly for result in results if result.judged],
                "codes": dict(
                    Counter(failure.code for result in results if result.checked for failure in result.codes)
                ),
            }
        )
        require_passed(golden, results, tools_for(golden, checked.tools))
        return results


def _require_golden(golden: Any) -> AnyGolden:
    if not isinstance(golden, Golden | ConversationalGolden):
        raise ConfigError(f"check() expects a golden, got {type(golden).__name__}")
    return with_id(golden)
