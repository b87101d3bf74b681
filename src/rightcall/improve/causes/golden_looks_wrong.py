"""Goldens that every trial and every model contradicts in the same way, supported by the request."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, quote_values


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    symptoms = [number for number, seen in enumerate(evidence.seen) if seen.suspect and seen.trials > 0]
    if not symptoms:
        return
    goldens = tuple(sorted(evidence.suspects))
    shown = [_behaviour_text(golden, evidence) for golden in goldens[:3]]
    models = len(evidence.others) + 1
    tools = sorted(
        {evidence.suspects[golden].wanted for golden in goldens}, key=lambda name: evidence.place.get(name, 0)
    )
    yield Hypothesis(
        "golden_looks_wrong",
        symptoms,
        frozenset(),
        0.9 if evidence.others else 0.75,
        f"{len(goldens)} goldens are contradicted by the same call every time",
        f"{'1 model contradicts' if models == 1 else f'{models} models contradict'} {quote_values(goldens, 4)}. Review "
        "them before changing a tool.",
        tuple(tools),
        (),
        tuple(shown),
        goldens=goldens,
        about="golden",
    )


def _behaviour_text(golden: str, evidence: Evidence) -> str:
    behaviour = evidence.suspects[golden]
    if behaviour.sentence:
        return f"{golden}: {behaviour.sentence}"
    if behaviour.called != behaviour.wanted:
        return f"{golden}: the golden expects {behaviour.wanted}, the agent calls {behaviour.called}"
    name, expected, actual = behaviour.values[0]
    return f"{golden}: the golden expects {name}={expected}, the agent passes {actual}"
