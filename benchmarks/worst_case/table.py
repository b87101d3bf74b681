"""The table of the worst case, and what each rule adds."""

from __future__ import annotations

import msgspec

from benchmarks.worst_case.worlds import SmallWorld, load_worlds
from rightcall.core.text import percent
from rightcall.limbs.attacks.worst_case.suite_replay import worst_case
from rightcall.records.worst_case import Threat, WorstCaseNumbers
from rightcall.tools.guard.policy import AUTO, BASE_RULES, GuardPolicy, load_policy

GUARDS = ("none", "auto", "strict", "own lines")


def policy_of(world: SmallWorld, guard: str) -> str | GuardPolicy:
    return load_policy(world.own_guard) if guard == "own lines" else guard


def summary_of(world: SmallWorld, guard: str | GuardPolicy, threat: Threat) -> WorstCaseNumbers:
    return worst_case(world.goldens, world.tools, guard, threat=threat, mocks=world.mocks).summary


def print_table() -> None:
    worlds = load_worlds()
    print(
        "| guard | threat | attacker calls stopped | user calls stopped | of sink calls | tasks with a stop |"
    )
    print("|---|---|---|---|---|---|")
    for guard in GUARDS:
        for threat in ("text", "record"):
            sums = [summary_of(world, policy_of(world, guard), threat) for world in worlds]
            print(f"| `{guard}` | {threat} | {cells(sums)} |")
    print("\nby world, threat text, user calls stopped:")
    for world in worlds:
        shares = [summary_of(world, policy_of(world, guard), "text").false_stop_rate for guard in GUARDS[1:]]
        print(f"{world.name:<12}" + " · ".join(percent(share) for share in shares))


def cells(sums: list[WorstCaseNumbers]) -> str:
    stopped = sum(s.stopped for s in sums)
    attacks = sum(s.attacker_calls for s in sums)
    stops, calls, sinks = (
        sum(getattr(s, name) for s in sums) for name in ("false_stops", "user_calls", "user_sinks")
    )
    tasks = sum(s.goldens for s in sums)
    stopped_tasks = sum(s.tasks_stopped for s in sums)
    return (
        f"{stopped:,} of {attacks:,} | {stops} of {calls} ({percent(stops / calls)}) | {percent(stops / sinks)} |"
        f" {stopped_tasks} of {tasks} ({percent(stopped_tasks / tasks)})"
    )


def print_rules() -> None:
    print("| without the rule | attacker calls stopped (threat text) | first call that gets through |")
    print("|---|---|---|")
    for rule in BASE_RULES:
        policy = msgspec.structs.replace(AUTO, without=(rule,))
        sums = [summary_of(world, policy, "text") for world in load_worlds()]
        stopped = sum(s.stopped for s in sums)
        attacks = sum(s.attacker_calls for s in sums)
        reached = next((entry for s in sums for entry in s.unguarded), None)
        what = f"`{reached.golden_id}`: {reached.goal}" if reached else "none: other rules stop it too"
        print(f"| `{rule}` | {stopped:,} of {attacks:,} | {what} |")
