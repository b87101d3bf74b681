"""Two agents of a team that are mixed up: work goes to the other one, or the other one does it itself."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, Weight, codes_on
from rightcall.model.agent_names import TRANSFERS, same_name

RELATED = ("TD502", "TD503", "TD505")


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    symptoms_of: dict[tuple[str, ...], list[int]] = {}
    for number, seen in enumerate(evidence.seen):
        if len(pair := seen.symptom.agents) == 2:
            symptoms_of.setdefault(tuple(sorted(pair)), []).append(number)
    for pair, symptoms in sorted(symptoms_of.items()):
        yield _pair(evidence, pair[0], pair[1], symptoms)


def _pair(evidence: Evidence, first: str, second: str, symptoms: list[int]) -> Hypothesis:
    trials = evidence.trials_of(symptoms)
    weight = Weight(0.7, [f"mixed up in {trials} trials"])
    tools = tuple(filter(None, (_tool(evidence, first), _tool(evidence, second))))
    fired: tuple[str, ...] = ()
    if len(tools) == 2:
        like = evidence.wording.likeness(*tools)
        fired = codes_on(evidence, RELATED, tools, tools[::-1])
        weight.add(
            0.15, like > 0.45 or bool(fired), f"the similarity of the agents' descriptions is {like:.2f}"
        )
        weight.add(-0.15, like < 0.2, f"the similarity of the agents' descriptions is only {like:.2f}")
    ways = {evidence.seen[number].symptom.agents for number in symptoms}
    weight.add(0.05, len(ways) > 1, "in both directions")
    return Hypothesis(
        "agent_confused",
        symptoms,
        None,
        weight.value,
        f"{first} and {second} are mixed up in {trials} trials",
        f"Say in the descriptions of {first} and {second}, and in the instructions of whoever hands over, which "
        "requests belong to which; take tools from an agent that must not use them.",
        tools,
        (),
        tuple(weight.reasons),
        (),
        fired,
        about="set",
    )


def _tool(evidence: Evidence, agent: str) -> str:
    """The definition by which a model chooses the agent; empty when the suite has none."""
    names = (agent, *(f"{prefix}{agent}" for prefix in TRANSFERS))
    return next((tool for tool in evidence.by_name for name in names if same_name(tool, name)), "")
