"""First advice in four sentences: which metric fails says where to look."""

from __future__ import annotations

from rightcall.analysis.evidence import Evidence


def seeds_guidance(evidence: Evidence) -> tuple[str, ...]:
    """What to look at first, for each kind of failure, most common first."""
    counts = {"extra": 0, "missed": 0, "wrong": 0, "arguments": 0}
    for seen in evidence.seen:
        symptom = seen.symptom
        if symptom.group == "extra":
            counts["extra"] += seen.trials
        elif symptom.group == "miss":
            counts["wrong" if symptom.called else "missed"] += seen.trials
        elif symptom.group == "arguments":
            counts["arguments"] += seen.trials
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    return tuple(
        SENTENCES[name].format(n=f"{n:,} trials" if n > 1 else "1 trial") for name, n in ordered if n
    )


SENTENCES = {
    "extra": "A tool is called where none is needed in {n} (tools_avoided): a description is too broad. "
    "Say what the tool is not for.",
    "missed": "No tool is called in {n} that need one (tools_selected): a description is too narrow. "
    "Add the words that users say.",
    "arguments": "Parameters are wrong in {n}: describe them and constrain them: enum, format, required.",
    "wrong": "The wrong tool is called in {n}: say in both descriptions what each is not for.",
}
