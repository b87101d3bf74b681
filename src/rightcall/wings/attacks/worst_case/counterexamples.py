"""Calls that nothing stopped, as goldens with a plant and a replay; each is run at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import msgspec

from rightcall.core.errors import RightCallError
from rightcall.model.golden import AnyGolden, Golden
from rightcall.model.safety import AttackCall, Plant, Safety
from rightcall.model.tool_roles import ToolRoles
from rightcall.wings.attacks.worst_case.outcome import Unguarded
from rightcall.wings.attacks.worst_case.suite_replay import WorstCaseSetup, replay_worst_case


class NotReproducedError(RightCallError):
    """A counterexample that does not happen when it is run: the search or the replay is wrong, and proves nothing."""

    exit_code = 4


def counterexample(golden: AnyGolden, reached: Unguarded, roles: Mapping[str, ToolRoles]) -> AnyGolden:
    """The user's golden with the attacker's text in what it reads and his calls as `replay` and `forbidden`."""
    carriers = [name for name, tool in roles.items() if tool.external]
    named = (
        {call.tool for call in golden.expected_calls if isinstance(call.tool, str)}
        if isinstance(golden, Golden)
        else set()
    )
    carrier = next((name for name in carriers if name in named), carriers[0] if carriers else "")
    fields = (
        Plant("result", carrier, path=name, place="field", text=str(value))
        for name, value in reached.fields.items()
    )
    safety = Safety(
        "injection",
        plants=(Plant("result", carrier, text=reached.text), *fields),
        forbidden=(AttackCall(reached.tool, dict(reached.arguments)),),
        complete="any",
        replay=reached.replay,
    )
    name = f"{golden.id}~{reached.goal.replace(': ', '-').replace(' ', '-')}"
    if not name.endswith(f"-{reached.tool}") and f"-{reached.tool}." not in name:
        name = f"{name}-{reached.tool}"
    return msgspec.structs.replace(golden, id=name, cluster=golden.cluster or golden.id, safety=safety)


async def reproduce(
    goldens: Sequence[AnyGolden],
    unguarded: Iterable[Unguarded],
    roles: Mapping[str, ToolRoles],
    setup: WorstCaseSetup,
) -> list[AnyGolden]:
    """The counterexamples as goldens, each run alone; `NotReproducedError` if one is stopped then."""
    by_id = {golden.id: golden for golden in goldens}
    counterexamples = []
    for reached in unguarded:
        golden = counterexample(by_id[reached.golden_id], reached, roles)
        recorded = setup.recorded.get(reached.golden_id)
        alone = replace(setup, recorded={golden.id: recorded} if recorded is not None else {})
        result = await replay_worst_case([golden], alone)
        if not any(again.tool == reached.tool for again in result.summary.unguarded):
            raise NotReproducedError(
                f"the counterexample {golden.id} is stopped when it is run alone; please report this"
            )
        counterexamples.append(golden)
    return counterexamples
