"""A name too generic to identify its tool."""

from __future__ import annotations

from collections.abc import Iterator

from rightcall.improve.causes.choices import first_sentence, tools_that_were_missed
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, ProposedChange, codes_on
from rightcall.lint.confusability.word_use import request_words


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    for tool, symptoms, targets in tools_that_were_missed(evidence):
        fired = codes_on(evidence, ("TD103", "TD107", "TD109"), (tool, ""))
        if not {"TD103", "TD107"} & set(fired):
            continue
        name = _better(evidence, tool)
        low = evidence.is_low_cover(tool)
        trials = sum(targets.values())
        yield Hypothesis(
            "ambiguous_name",
            symptoms,
            frozenset((tool,)),
            0.9 if low else 0.97,
            f"{tool} is not called in {trials} of {evidence.tool_stats[tool].trials} trials that need it, and its name "
            "says nothing",
            f"Rename {tool} to verb_noun{f', for example {name}' if name else ''}.",
            (tool,),
            (),
            (f"{', '.join(fired)} warns about the name",),
            (ProposedChange(tool, ("name",), tool, name),) if name and name not in evidence.by_name else (),
            fired,
        )


def _better(evidence: Evidence, tool: str) -> str:
    words = request_words(first_sentence(evidence.by_name[tool].description))
    return "_".join(words[:2]) if len(words) >= 2 and all(word.isascii() for word in words[:2]) else ""
