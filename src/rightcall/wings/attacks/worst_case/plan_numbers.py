"""The worst case of a run's own plan, as the numbers that a gate decides from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import islice

from rightcall.agents.agent import tools_of
from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.text import one_line
from rightcall.metrics.matching.reasons import call_text
from rightcall.model.golden import AnyGolden
from rightcall.model.tool import Tool
from rightcall.model.worst_case import FalseStop, ReachedSink, Threat, WorstCaseNumbers
from rightcall.run.plan import Plan
from rightcall.tools.definitions.source import definitions_of
from rightcall.tools.guard.policy import AUTO, STRICT, GuardPolicy, guard_policy
from rightcall.wings.attacks.subject import AttackSubject
from rightcall.wings.attacks.worst_case.outcome import CallRow, Unguarded, WorstCaseSummary
from rightcall.wings.attacks.worst_case.run import reproduce
from rightcall.wings.attacks.worst_case.suite_replay import replay_worst_case, setup_of_subject

MOST_KEPT = 50
"""Calls that nothing stopped, and calls of the user that were stopped, which a run keeps of each."""
LONGEST_CALL = 600
_SAME_SUMS = (
    "guard", "threat", "goldens", "attacker_calls", "stopped", "user_calls", "user_sinks", "false_stops", "asked",
    "tasks_stopped", "undelivered", "unsupplied", "sinks", "inconclusive",
)  # fmt: skip
"""Sums that a summary and the numbers of a run have under the same name."""


async def worst_case_numbers(plan: Plan, tools: Mapping[str, Tool], threat: Threat) -> WorstCaseNumbers:
    """Replay the goldens of a plan through the guard of its agent.

    An agent without a guard is replayed without one. `tools` are all tools of the run: those of a server count as sinks
    too, although nobody supplies their results.
    """
    entries = list(tools_of(plan.agent))
    defined = {tool.name for entry in entries for tool in definitions_of(entry)}
    entries += [tool for name, tool in tools.items() if name not in defined]
    subject = AttackSubject(plan.name, tuple(entries), plan=plan)
    policy = guard_policy(plan.agent.guard)
    setup = setup_of_subject(subject, policy, policy_name(policy), threat)
    goldens = list(_own_goldens(plan))
    result = await replay_worst_case(goldens, setup)
    summary = result.summary
    await reproduce(goldens, summary.unguarded, subject.roles, setup)
    return numbers_of(summary, result.rows)


def policy_name(policy: GuardPolicy | None) -> str:
    """A policy in a word or two."""
    if policy is None:
        return "none"
    return "auto" if policy == AUTO else "strict" if policy == STRICT else "of the suite"


def numbers_of(summary: WorstCaseSummary, rows: Iterable[CallRow] = ()) -> WorstCaseNumbers:
    """The sums that a gate needs, and the first rows behind them for reports, without secrets."""
    clean = scrubber()
    stops = (row for row in rows if row.who == "user" and row.stopped)
    return WorstCaseNumbers(
        **{name: getattr(summary, name) for name in _SAME_SUMS},
        reached=tuple(dict.fromkeys(reached.tool for reached in summary.unguarded)),
        skipped=len(summary.skipped),
        unguarded=tuple(_sink_reached(reached, clean) for reached in summary.unguarded[:MOST_KEPT]),
        stops=tuple(
            FalseStop(row.golden_id, row.tool, row.verdict, row.by, row.argument, row.label)
            for row in islice(stops, MOST_KEPT)
        ),
    )


def _sink_reached(reached: Unguarded, clean: Callable[[str], str]) -> ReachedSink:
    call = one_line(clean(call_text(reached.tool, reached.arguments)), LONGEST_CALL)
    return ReachedSink(reached.tool, reached.sink, reached.goal, reached.golden_id, reached.at, call)


def _own_goldens(plan: Plan) -> Iterable[AnyGolden]:
    """The user's goldens; attempts that a plan of attacks made from them would count their calls again."""
    attacked = "attacks" in plan.settings
    for golden in plan.in_dataset_order():
        if not (attacked and golden.safety is not None and "~" in golden.id):
            yield golden
