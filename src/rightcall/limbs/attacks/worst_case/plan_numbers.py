"""The worst case of a run's own plan, as the numbers that a gate decides from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain

from msgspec.structs import replace

from rightcall.agents.agent import tools_of
from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.text import one_line
from rightcall.decide.rule_source import Facts
from rightcall.limbs.attacks.subject import AttackSubject
from rightcall.limbs.attacks.worst_case.run import reproduce
from rightcall.limbs.attacks.worst_case.suite_replay import replay_worst_case, setup_of_subject
from rightcall.records.golden import AnyGolden
from rightcall.records.tool import Tool
from rightcall.records.worst_case import Threat, WorstCaseNumbers
from rightcall.run.plan import Plan
from rightcall.run.trials import TrialsDone
from rightcall.tools.definitions.source import definitions_of
from rightcall.tools.guard.policy import AUTO, STRICT, GuardPolicy, guard_policy

MOST_KEPT = 50
"""Calls that nothing stopped, and calls of the user that were stopped, which a run keeps of each."""


async def worst_case_evidence(done: TrialsDone) -> Facts:
    """The numbers that the gate asks for. If something prevents them, they say what."""
    prepared = done.prepared
    gate = prepared.plan.gate
    if gate is None or gate.worst_case is None:
        return {}
    threat = gate.worst_case.threat
    try:
        numbers = await worst_case_numbers(prepared.plan, prepared.tools, threat)
    except (
        Exception
    ) as error:  # tools that cannot be read, a world that raises: the run is finished and stays
        why = one_line(scrubber()(str(error) or type(error).__name__), 200)
        numbers = WorstCaseNumbers(threat=threat, inconclusive=f"the replay failed: {why}")
    return {"worst_case": numbers}


async def worst_case_numbers(plan: Plan, tools: Mapping[str, Tool], threat: Threat) -> WorstCaseNumbers:
    """Replay the goldens of a plan through the guard of its agent.

    An agent without a guard is replayed without one. `tools` are all tools of the run: those of a server count as sinks
    too, although nobody supplies their results.
    """
    entries = list(tools_of(plan.agent))
    defined = {tool.name for tool in chain.from_iterable(definitions_of(entry) for entry in entries)}
    entries += [tool for name, tool in tools.items() if name not in defined]
    subject = AttackSubject(plan.name, tuple(entries), plan=plan)
    policy = guard_policy(plan.agent.guard)
    setup = setup_of_subject(subject, policy, policy_name(policy), threat)
    goldens = list(_own_goldens(plan))
    result = await replay_worst_case(goldens, setup)
    await reproduce(goldens, result.summary.unguarded, subject.roles, setup)
    return _numbers_of_run(result.summary)


def policy_name(policy: GuardPolicy | None) -> str:
    """A policy in a word or two."""
    if policy is None:
        return "none"
    return "auto" if policy == AUTO else "strict" if policy == STRICT else "of the suite"


def _numbers_of_run(numbers: WorstCaseNumbers) -> WorstCaseNumbers:
    """What a run keeps: the first rows behind the sums, without secrets and without what replays them."""
    clean = scrubber()
    unguarded = tuple(
        replace(reached, call=clean(reached.call), arguments={}, replay=(), text="", fields={})
        for reached in numbers.unguarded[:MOST_KEPT]
    )
    return replace(numbers, unguarded=unguarded, stops=numbers.stops[:MOST_KEPT])


def _own_goldens(plan: Plan) -> Iterable[AnyGolden]:
    """The user's goldens; attempts that a plan of attacks made from them would count their calls again."""
    attacked = "attacks" in plan.settings
    for golden in plan.in_dataset_order():
        if not (attacked and golden.safety is not None and "~" in golden.id):
            yield golden
