"""Causes in the name or the text of one tool or skill."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from difflib import get_close_matches

from rightcall.improve.causes.cases import silent_tools
from rightcall.improve.causes.choices import (
    describe,
    destinations,
    first_sentence,
    missing_words,
    most_informative,
    such_as,
    tools_that_were_missed,
)
from rightcall.improve.causes.pairs import ALIKE
from rightcall.improve.counters import NEGATIVE, most_common
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, ProposedChange, Weight, codes_on
from rightcall.lint.confusability.word_use import is_generic_name, purpose_sentences, request_words
from rightcall.lint.rules.skills_front_matter import MOST_DESCRIPTION

DESCRIPTION_RULES = ("TD201", "TD202", "TD203", "TD205")


def narrow_description(evidence: Evidence) -> Iterator[Hypothesis]:
    """A description that lacks the users' words, so the tool is missed."""
    silent = silent_tools(evidence)
    for tool, symptoms, targets in tools_that_were_missed(evidence):
        if tool in silent:
            continue
        trials = sum(targets.values())
        low = evidence.is_low_cover(tool)
        if evidence.by_name[tool].kind == "skill" and not low:
            continue  # it has the users' words: skill_not_seen or skill_shadowed
        weight = Weight(0.45, f"missed in {trials} of {evidence.tool_stats[tool].trials} trials")
        weight.add(0.2, targets[""] >= 0.4 * trials, f"nothing is called in {targets['']} of them")
        weight.add(0.1, len(targets) >= 2, f"{len(targets)} different things happen instead")
        weight.add(
            0.25, low, "its description covers far fewer of its users' words than those of other tools"
        )
        twin = max(targets, key=lambda name: (targets[name], name))
        alike = targets[twin] > trials / 2 and evidence.wording.likeness(tool, twin) > ALIKE
        weight.add(-0.25, alike, f"it is mostly taken for {twin}, whose description is almost the same")
        words = missing_words(evidence, tool)
        generic = is_generic_name(tool) or bool(evidence.lint_on(tool) & {"TD103", "TD107"})
        weight.scale(1.0 if not generic else 0.85 if low else 0.6)
        listed_words = ", ".join(words)
        yield Hypothesis(
            symptoms,
            weight,
            f"{tool} is not called in {trials} of {evidence.tool_stats[tool].trials} trials that need it; called "
            f"instead: {destinations(targets)}",
            f"{tool} is missed when users say {listed_words}. Say in its description what they want, in these words."
            if listed_words
            else f"{tool} is missed in requests such as {such_as(evidence, symptoms)}. Say in its description what "
            "those users want.",
            tools=(tool,),
            change=(describe(evidence, tool, f"Use it for requests that mention {listed_words}."),)
            if words and low
            else (),
            lint=codes_on(evidence, DESCRIPTION_RULES, (tool, "")),
        )


def ambiguous_name(evidence: Evidence) -> Iterator[Hypothesis]:
    """A name too generic to identify its tool."""
    for tool, symptoms, targets in tools_that_were_missed(evidence):
        fired = codes_on(evidence, ("TD103", "TD107", "TD109"), (tool, ""))
        if not {"TD103", "TD107"} & set(fired):
            continue
        name = _better(evidence, tool)
        low = evidence.is_low_cover(tool)
        trials = sum(targets.values())
        yield Hypothesis(
            symptoms,
            Weight(0.9 if low else 0.97, f"{', '.join(fired)} warns about the name"),
            f"{tool} is not called in {trials} of {evidence.tool_stats[tool].trials} trials that need it, and its name "
            "says nothing",
            f"Rename {tool} to verb_noun{f', for example {name}' if name else ''}.",
            tools=(tool,),
            change=(ProposedChange(tool, ("name",), tool, name),)
            if name and name not in evidence.by_name
            else (),
            lint=fired,
        )


def _better(evidence: Evidence, tool: str) -> str:
    words = request_words(first_sentence(evidence.by_name[tool].description))
    return "_".join(words[:2]) if len(words) >= 2 and all(word.isascii() for word in words[:2]) else ""


_BROAD = re.compile(
    r"\b(?:any|every|all|whatever|anything|everything|always|general|generally|whenever)\b", re.I
)
NONE = "none"
NOISE = 0.1
"""Share of the trials below which a source counts as noise."""


def overbroad_description(evidence: Evidence) -> Iterator[Hypothesis]:
    """A description that claims too much: the tool is called for other tools' requests, or where none is needed."""
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
        if not worded and NONE not in sources:
            continue  # nothing in its text claims the requests of others: theirs may lack their words
        count, own, expected_share = evidence.surplus_cover[tool]
        repeated = sum(count >= max(2, NOISE * trials) for count in sources.values())
        several = repeated >= 2 or len(sources) >= 3  # one trial from elsewhere may be chance
        main, most = max(sources.items(), key=lambda item: (item[1], item[0]))
        narrow_source = main != NONE and most > trials / 2 and evidence.is_low_cover(main)
        weight = Weight(0.35, f"called in {trials} trials that need {', '.join(sorted(sources))}")
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
        sentence = next((s for s in purpose_sentences(text) if _BROAD.search(s)), "")
        yield Hypothesis(
            symptoms,
            weight,
            f"{tool} is called in {trials} trials that need no tool or another one: {_sources(sources)}",
            f"{tool} claims more than it does. "
            + _advice(sentence, _common(evidence, tool), such_as(evidence, symptoms)),
            tools=(tool,),
            change=_change(evidence, tool, sentence),
            lint=codes_on(evidence, ("TD807", "TD205"), (tool, "")),
            exposed=frozenset((NEGATIVE, *(name for name in evidence.by_name if name != tool))),
        )


def _sources(sources: Counter[str]) -> str:
    named = ((name if name != NONE else "no tool", times) for name, times in most_common(sources)[:3])
    return ", ".join(f"{name} in {times}" for name, times in named)


def _advice(sentence: str, words: list[str], ids: str) -> str:
    if words:
        add = f"Not for requests that mention {', '.join(words)}."
        return f"Strike '{sentence}'; add: {add}" if sentence else f"Add: {add}"
    say = f"what it is not for, such as {ids}."
    return f"Strike '{sentence}', and say {say}" if sentence else f"Say {say}"


def _common(evidence: Evidence, tool: str) -> list[str]:
    words = evidence.surplus_words[tool]
    own = evidence.tool_stats[tool].words
    strange = [word for word in words if not evidence.wording.says(tool, word)]  # never what the tool is for
    strangest = [word for word in strange if word not in own] or strange
    return most_informative(evidence, strangest, words)


def _change(evidence: Evidence, tool: str, sentence: str) -> tuple[ProposedChange, ...]:
    if sentence:
        text = evidence.by_name[tool].description
        left = re.sub(r"\s{2,}", " ", re.sub(re.escape(sentence) + r"[.!?]?\s*", "", text)).strip()
        if len(left.split()) >= 4:
            return (ProposedChange(tool, ("description",), text, left),)
    words = _common(evidence, tool)
    return (describe(evidence, tool, f"Not for requests that mention {', '.join(words)}."),) if words else ()


def unknown_tool(evidence: Evidence) -> Iterator[Hypothesis]:
    """A tool that does not exist."""
    invented = evidence.group(lambda symptom: symptom.called if symptom.group == "invented" else None)
    for name, symptoms in invented.items():
        mentioned = [tool for tool in evidence.by_name_in_order if evidence.wording.names(tool, name)]
        near = get_close_matches(name, evidence.by_name_in_order, 1)
        why = f"; the description of {mentioned[0]} mentions it" if mentioned else ""
        why = why or (f"; it looks like {near[0]}" if near else "")
        tools_meant = {evidence.seen[n].symptom.tool for n in symptoms} - {""}
        place = tuple(mentioned[:1] or sorted(tools_meant)[:1])
        yield Hypothesis(
            symptoms,
            Weight(0.9, *(f"mentioned by {tool}" for tool in mentioned[:2])),
            f"{name}, which does not exist, is called in {evidence.trials_of(symptoms)} trials",
            f"{name} does not exist{why}.",
            tools=place,
            lint=codes_on(evidence, ("TD210",), *((tool, "") for tool in mentioned)),
            exposed=None,
        )


SKILL_RULES = ("SK103", "SK104", "TD601", "TD603")


def skill_not_seen(evidence: Evidence) -> Iterator[Hypothesis]:
    """A skill that is not loaded, though its description has the users' words."""
    for skill, symptoms, targets in tools_that_were_missed(evidence):
        if evidence.by_name[skill].kind != "skill" or evidence.is_low_cover(skill):
            continue  # a description without the users' words is a narrow one
        nothing = [number for number in symptoms if not evidence.seen[number].symptom.called]
        trials = evidence.trials_of(nothing)
        if not trials:
            continue
        fired = codes_on(evidence, SKILL_RULES, (skill, ""))
        weight = Weight(
            0.55, f"not loaded in {trials} of {evidence.tool_stats[skill].trials} trials that need it"
        )
        weight.add(
            0.25, targets[""] >= 0.8 * sum(targets.values()), "no other skill or tool is used in its place"
        )
        weight.add(0.1, "SK104" in fired, "its description does not say when to use it")
        weight.add(0.1, len(evidence.tools) > 20, f"it is one of {len(evidence.tools)} in the catalogue")
        addition = "Load this skill first whenever a request is about it, before any other step."
        change = describe(evidence, skill, addition)
        yield Hypothesis(
            nothing,
            weight,
            f"{skill} is not loaded in {trials} of {evidence.tool_stats[skill].trials} trials, though its description "
            "has the words of the requests: choosing by keywords would load it",
            f"Begin the description of {skill} with “Use when …”, in the users' situations, such as in "
            f"{such_as(evidence, symptoms)}; tell the agent to look through its skills first.",
            tools=(skill,),
            change=(change,)
            if len(change.after) <= MOST_DESCRIPTION and addition not in str(change.before)
            else (),
            lint=fired,
        )


GROUPS = ("miss", "arguments", "other")


def loaded_not_followed(evidence: Evidence) -> Iterator[Hypothesis]:
    """A skill that was loaded, and whose calls were not made."""
    for name in evidence.by_name_in_order:
        if evidence.by_name[name].kind == "skill" and (symptoms := _not_followed(evidence, name)):
            yield _not_followed_hypothesis(evidence, name, symptoms)


def _not_followed(evidence: Evidence, skill: str) -> list[int]:
    """Symptoms of goldens that expect the skill and more, in which something else than the load went wrong first."""
    numbers = {
        number
        for case in evidence.cases
        if skill in case.classes and len(case.classes) > 1
        for number, _ in case.cells
    }
    kinds = {tool.name: tool.kind for tool in evidence.tools}
    return sorted(
        number
        for number in numbers
        if (symptom := evidence.seen[number].symptom).group in GROUPS
        and symptom.tool != skill
        and kinds.get(symptom.tool, "tool") == "tool"
        and kinds.get(symptom.called, "tool") != "skill"
    )


def _not_followed_hypothesis(evidence: Evidence, skill: str, symptoms: list[int]) -> Hypothesis:
    trials = evidence.trials_of(symptoms)
    tools = (evidence.seen[number].symptom.tool for number in symptoms)
    missing = list(dict.fromkeys(tool for tool in tools if tool))
    listed = ", ".join(missing[:3]) or "the calls that it prescribes"
    weight = Weight(0.8, f"the load is right in {trials} trials that fail")
    weight.add(0.15, bool(missing), f"what is missing or wrong then: {listed}")
    body = evidence.by_name[skill].skill
    weight.add(0.1, body is not None and body.tokens > 5000, "its body is long")
    return Hypothesis(
        symptoms,
        weight,
        f"{skill} is loaded, but not followed, in {trials} trials: {listed}",
        f"Say in the body of {skill}, as its first step, to call {listed}; put details into references/.",
        tools=(skill,),
    )
