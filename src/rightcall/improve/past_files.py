"""Files of trajectories as runs of agents: `[[FAMILY/]AGENT=]FILE`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rightcall.datasets.trajectories import load_trajectories
from rightcall.improve.family import family_of
from rightcall.improve.past_runs import PastCase
from rightcall.improve.votes import Voter
from rightcall.model.golden import AnyGolden
from rightcall.model.trajectory import Trajectory
from rightcall.run.rehearsal.trial import Trial


def agent_of_file(spec: str, families: Mapping[str, str] | None = None) -> tuple[Voter, Path]:
    """The agent and the file that an option names; a file alone is an agent of its name."""
    agent, equals, file = spec.partition("=")
    if not equals or Path(spec).exists():
        name = Path(spec).stem
        return Voter(name, family_of(name, families)), Path(spec)
    family, slash, name = agent.partition("/")
    if not slash:
        family, name = "", agent
    name = name or Path(file).stem
    return Voter(name, family or family_of(name, families)), Path(file)


class PastFiles:
    """Recorded trajectories of several agents, scored by the suite's own criteria."""

    def __init__(self, specs: Sequence[str], families: Mapping[str, str] | None = None) -> None:
        self._recorded: defaultdict[str, list[tuple[Voter, Trajectory]]] = defaultdict(list)
        self._cases: dict[str, list[PastCase]] = {}
        for spec in specs:
            voter, file = agent_of_file(spec, families)
            for recorded in load_trajectories(file):
                self._recorded[recorded.golden_id].append((voter, recorded.trajectory))

    async def score(self, goldens: Iterable[AnyGolden], trial: Trial) -> None:
        """Judge every trajectory of these goldens; those of others, and those that cannot be judged, say nothing."""
        for golden in goldens:
            for voter, trajectory in self._recorded.pop(golden.id, ()):
                if trajectory.error or any(call.arguments_unknown for call in trajectory.calls):
                    continue
                judgement, _ = await trial.judge_computed(golden, trajectory)
                if judgement != "not_judged":
                    case = PastCase(voter, judgement == "passed", trajectory)
                    self._cases.setdefault(golden.id, []).append(case)

    def __call__(self, golden: AnyGolden) -> list[PastCase]:
        return self._cases.get(golden.id, [])

    def rates(self) -> dict[Voter, tuple[int, int]]:
        """Passed and judged trajectories of each agent."""
        counts: defaultdict[Voter, list[int]] = defaultdict(lambda: [0, 0])
        for cases in self._cases.values():
            for case in cases:
                counts[case.voter][0] += case.passed
                counts[case.voter][1] += 1
        return {voter: (passed, judged) for voter, (passed, judged) in counts.items()}
