"""A description that claims too much: the tool is called for other tools' requests, or where none is needed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from rightcall.improve.causes.choices import describe, such_as
from rightcall.improve.counters import NEGATIVE, Class
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, ProposedChange, Weight, codes_on
from rightcall.lint.confusability.word_use import purpose_sentences

_BROAD = re.compile(
    r"\b(?:any|every|all|whatever|anything|everything|always|general|generally|whenever)\b", re.I
)
NONE = "none"
NOISE = 0.1
"""Share of the trials below which a source counts as noise."""


def hypotheses(evidence: Evidence) -> Iterator[Hypothesis]:
    choice = sum(s.trials for s in evidence.seen if s.symptom.group in ("miss", "extra"))
    for tool in evidence.by_name_in_order:
        symptoms = evidence.where(group="extra", tool=tool) + evidence.where(group="miss", called=tool)
        sources: Counter[str] = Counter()
        for number in symptoms:
            seen = evidence.seen[number]
            sources[seen.symptom.tool if seen.symptom.group == "miss" else NONE] += seen.trials
        trials = sum(sources.values())
        if not trials:
            continue
        text = evidence.by_name[tool].description
        broad = {word.lower() for word in _BROAD.findall(text)}
        worded = len(broad) >= 2 or "TD807" in evidence.lint_on(tool)
        count, own, expected_share = evidence.surplus_cover[tool]
        repeated = sum(count >= max(2, NOISE * trials) for count in sources.values())
        several = repeated >= 2 or len(sources) >= 3  # one trial from elsewhere may be chance
        main, most = max(sources.items(), key=lambda item: (item[1], item[0]))
        narrow_source = main != NONE and most > trials / 2 and evidence.is_low_cover(main)
        weight = Weight(0.35, [f"called in {trials} trials that need {', '.join(sorted(sources))}"])
        weight.add(0.25, several, f"wrongly called from {len(sources)} kinds of requests")
        weight.add(0.2, worded, "its description is broad: " + (", ".join(sorted(broad)) or "see TD807"))
        weight.add(0.15, trials > 0.6 * choice, f"{trials} of {choice} wrong choices end here")
        weight.add(
            0.1,
            count > 0 and own / count > expected_share / count,
            "its description covers these requests better",
        )
        weight.add(-0.2, narrow_source, f"{main}, which is missed, lacks its users' words")
        weight.add(-0.2, not several and not worded, "one source only, and no broad words")
        exposed: frozenset[Class] = frozenset(
            (NEGATIVE, *(name for name in evidence.by_name if name != tool))
        )
        sentence = next((s for s in purpose_sentences(text) if _BROAD.search(s)), "")
        yield Hypothesis(
            "overbroad_description",
            symptoms,
            exposed,
            weight.value,
            f"{tool} is called in {trials} trials that need no tool or another one: {_sources(sources)}",
            f"{tool} claims more than it does. "
            + _advice(sentence, _common(evidence, tool), such_as(evidence, symptoms)),
            (tool,),
            (),
            tuple(weight.reasons),
            _change(evidence, tool, sentence),
            codes_on(evidence, ("TD807", "TD205"), (tool, "")),
        )


def _sources(sources: Counter[str]) -> str:
    ordered = sorted(sources.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{'no tool' if name == NONE else name} in {times}" for name, times in ordered[:3])


def _advice(sentence: str, words: list[str], ids: str) -> str:
    strike = f"Strike '{sentence}'" if sentence else ""
    add = (
        f"Not for requests that mention {', '.join(words)}."
        if words
        else f"what it is not for, such as {ids}."
    )
    if words:
        return f"{strike}; add: {add}" if strike else f"Add: {add}"
    return f"{strike}, and say {add}" if strike else f"Say {add}"


def _common(evidence: Evidence, tool: str) -> list[str]:
    words, own = evidence.surplus_words[tool], evidence.tool_stats[tool].words
    strange = [word for word in words if not evidence.wording.says(tool, word)]  # never what the tool is for
    strangest = [word for word in strange if word not in own] or strange
    return sorted(strangest, key=lambda w: (-words[w] * evidence.wording.rarity(w), w))[:4]


def _change(evidence: Evidence, tool: str, sentence: str) -> tuple[ProposedChange, ...]:
    text = evidence.by_name[tool].description
    left = (
        re.sub(r"\s{2,}", " ", re.sub(re.escape(sentence) + r"[.!?]?\s*", "", text)).strip()
        if sentence
        else text
    )
    if sentence and len(left.split()) >= 4:
        return (ProposedChange(tool, ("description",), text, left),)
    words = _common(evidence, tool)
    return (describe(evidence, tool, f"Not for requests that mention {', '.join(words)}."),) if words else ()
