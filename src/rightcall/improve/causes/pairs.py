"""Causes in two tools, skills or agents that are taken for each other."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from rightcall.core.words import stem, words
from rightcall.improve.causes.choices import describe, not_for, only_for, own_words, tools_that_were_missed
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import Hypothesis, ProposedChange, Weight, codes_on
from rightcall.improve.symptom import Symptom
from rightcall.lint.confusability.word_use import request_words
from rightcall.lint.features.mentions import STOP_WORDS
from rightcall.lint.rules.skills_front_matter import MOST_DESCRIPTION
from rightcall.records.call import TRANSFERS, same_name

MISSED = 0.2
BETTER = 0.02


def descriptions_swapped(evidence: Evidence) -> Iterator[Hypothesis]:
    """Two descriptions that are swapped."""
    missed = {
        tool: symptoms
        for tool, symptoms, targets in tools_that_were_missed(evidence)
        if sum(targets.values()) >= MISSED * evidence.tool_stats[tool].trials
    }
    for first, second in combinations(missed, 2):
        gains = [evidence.cover(a, b) - evidence.cover(a, a) for a, b in ((first, second), (second, first))]
        sent_to_itself = [evidence.wording.sends_to(name, name) for name in (first, second)]
        if min(gains) <= BETTER and not all(sent_to_itself):
            continue
        weight = Weight(0.85, f"requests for {first} use the words of {second}'s description, and vice versa")
        weight.add(0.13, _names_fit(evidence, first, second), "each name matches the other's description")
        weight.add(0.13, any(sent_to_itself), "a description says to use its own tool instead")
        texts = evidence.by_name[first].description, evidence.by_name[second].description
        symptoms = [*missed[first], *missed[second]]
        yield Hypothesis(
            symptoms,
            weight,
            f"{first} and {second} are not called in {evidence.trials_of(symptoms)} trials that need them; each "
            "description describes the other",
            f"The descriptions of {first} and {second} are swapped: exchange them.",
            tools=(first, second),
            change=(
                ProposedChange(first, ("description",), texts[0], texts[1]),
                ProposedChange(second, ("description",), texts[1], texts[0]),
            ),
            lint=codes_on(evidence, ("TD501",), (first, second), (second, first)),
            about="pair",
        )


def _names_fit(evidence: Evidence, first: str, second: str) -> bool:
    words = {name: request_words(name.replace("_", " ").replace("-", " ")) for name in (first, second)}

    def fit(name: str, text: str) -> float:
        return evidence.wording.cover(words[name], text)

    return fit(first, second) > fit(first, first) or fit(second, first) > fit(second, second)


PAIR_RULES = ("TD502", "TD503", "TD505", "TD108")
ALIKE = 0.6
"""Similarity from which two texts say the same, so that neither has words that the other lacks."""
PAIR = frozenset(("TD502", "TD505"))


def confusable_pair(evidence: Evidence) -> Iterator[Hypothesis]:
    """Two tools that are confused with each other."""
    places = {
        tuple(sorted(evidence.place[name] for name in pair))
        for pair in _misses_for_another(evidence)
        if any(evidence.by_name[name].kind != "skill" for name in pair)  # those are skill_shadowed
    }
    for first, second in sorted(places):
        yield _pair_confusion(evidence, evidence.tools[first].name, evidence.tools[second].name)


def _misses_for_another(evidence: Evidence) -> set[tuple[str, str]]:
    """Every tool with another that was called instead."""
    symptoms = (seen.symptom for seen in evidence.seen if seen.symptom.group == "miss")
    pairs = {(symptom.tool, symptom.called) for symptom in symptoms if symptom.tool != symptom.called}
    return {pair for pair in pairs if all(name in evidence.by_name for name in pair)}


def _pair_confusion(evidence: Evidence, first: str, second: str) -> Hypothesis:
    ways = [evidence.where(group="miss", tool=a, called=b) for a, b in ((first, second), (second, first))]
    symptoms = [*ways[0], *ways[1]]
    like = evidence.wording.likeness(first, second)
    named = evidence.wording.names(first, second), evidence.wording.names(second, first)
    fired = codes_on(evidence, PAIR_RULES, (first, second), (second, first))
    if like > ALIKE and not all(named):
        symptoms += evidence.where(group="miss", tool=first, called="")
        symptoms += evidence.where(group="miss", tool=second, called="")
    weight = Weight(0.5, f"confused with each other in {evidence.trials_of(ways[0] + ways[1])} trials")
    weight.add(0.25, like > 0.45 or bool(PAIR & set(fired)), f"the descriptions' similarity is {like:.2f}")
    weight.add(0.15, not any(named), "neither description mentions the other")
    both_ways = all(evidence.trials_of(way) for way in ways)
    weight.add(0.08, both_ways, "in both directions")
    weight.add(-0.25, like < 0.2, f"the descriptions' similarity is only {like:.2f}")
    lost = [
        a
        for a, b in ((first, second), (second, first))
        if evidence.is_low_cover(a) and evidence.trials_of(ways[a == second])
    ]
    weight.add(
        -0.15,
        not both_ways and bool(lost) and like < ALIKE,
        "one way only, from a tool whose description lacks its users' words",
    )
    sent_home = any(evidence.wording.sends_to(name, name) for name in (first, second))
    weight.add(
        -0.2, sent_home, "a description says to use its own tool instead: it belongs to the other tool"
    )
    sentences = _sentences(evidence, first, second, ways)
    return Hypothesis(
        symptoms,
        weight,
        f"{first} and {second} are confused with each other in {evidence.trials_of(ways[0] + ways[1])} trials",
        f"Say in {first}: {sentences[0]} And in {second}: {sentences[1]}"
        if all(sentences)
        else f"Say in {first} and in {second} what each is for, and what it is not for.",
        tools=(first, second),
        change=tuple(
            describe(evidence, tool, sentence)
            for tool, sentence, other in ((first, sentences[0], second), (second, sentences[1], first))
            if sentence and not evidence.wording.names(tool, other)
        ),
        lint=fired,
        about="pair",
    )


def _sentences(evidence: Evidence, first: str, second: str, ways: list[list[int]]) -> list[str]:
    """What to add to both descriptions. Where calls of only one are dangerous, doubtful requests go to the other."""
    mine = own_words(evidence, first, second)
    theirs = own_words(evidence, second, first)
    sentences = [not_for(evidence, theirs, second), not_for(evidence, mine, first)]
    second_risky, first_risky = (any(evidence.seen[n].symptom.danger for n in way) for way in ways)
    if first_risky and not second_risky and mine:
        sentences[0] = only_for(mine, second)
    if second_risky and not first_risky and theirs:
        sentences[1] = only_for(theirs, first)
    return sentences


SHADOW_RULES = ("SK115", "SK116", "SK117", "TD501", "TD503", "TD505")


def skill_shadowed(evidence: Evidence) -> Iterator[Hypothesis]:
    """A skill in whose place another is loaded."""
    missed = _misses_for_another(evidence)
    for skill, other in sorted(missed, key=lambda pair: (evidence.place[pair[0]], pair)):
        if all(evidence.by_name[name].kind == "skill" for name in (skill, other)):
            yield _shadow(evidence, skill, other)


def _shadow(evidence: Evidence, skill: str, other: str) -> Hypothesis:
    symptoms = evidence.where(group="miss", tool=skill, called=other)
    trials = evidence.trials_of(symptoms)
    like = evidence.wording.likeness(skill, other)
    shared = common_words(evidence.by_name[skill].description, evidence.by_name[other].description)
    weight = Weight(0.6, f"{other} is loaded instead in {trials} trials")
    weight.add(
        0.2, like > 0.3 or bool(shared), f"both descriptions say {', '.join(shared)}" if shared else ""
    )
    named = evidence.wording.names(other, skill)
    weight.add(0.1, not named, f"the description of {other} does not mention {skill}")
    sentence = not_for(evidence, own_words(evidence, skill, other), skill)
    change = describe(evidence, other, sentence)
    fits = bool(sentence) and not named and len(change.after) <= MOST_DESCRIPTION
    common = f"; both descriptions say {', '.join(shared)}" if shared else ""
    return Hypothesis(
        symptoms,
        weight,
        f"{other} is loaded instead of {skill} in {trials} of {evidence.tool_stats[skill].trials} trials{common}",
        f"Say in {other}: {sentence}"
        if sentence
        else f"Say in {other} what {skill} is for, and that it is not.",
        tools=(skill, other),
        change=(change,) if fits else (),
        lint=codes_on(evidence, SHADOW_RULES, (skill, ""), (other, "")),
        about="pair",
    )


def common_words(first: str, second: str) -> list[str]:
    """Words that two descriptions share, in the order of the first, one of each stem."""
    theirs = {stem(word) for word in words(second)}
    mine = {stem(word): word for word in reversed(words(first)) if word not in STOP_WORDS and len(word) > 2}
    return [word for root, word in reversed(mine.items()) if root in theirs][:4]


AGENT_RULES = ("TD502", "TD503", "TD505")


def agent_confused(evidence: Evidence) -> Iterator[Hypothesis]:
    """Two agents of a team that are mixed up: work goes to the other one, or the other one does it itself."""
    for (first, second), symptoms in evidence.group(_agent_names).items():
        yield _agent_pair(evidence, first, second, symptoms)


def _agent_names(symptom: Symptom) -> tuple[str, str] | None:
    """The two agents that a symptom is about, in either direction."""
    return (min(symptom.agents), max(symptom.agents)) if len(symptom.agents) == 2 else None


def _agent_pair(evidence: Evidence, first: str, second: str, symptoms: list[int]) -> Hypothesis:
    trials = evidence.trials_of(symptoms)
    weight = Weight(0.7, f"mixed up in {trials} trials")
    tools = tuple(filter(None, (_tool(evidence, first), _tool(evidence, second))))
    fired: tuple[str, ...] = ()
    if len(tools) == 2:
        like = evidence.wording.likeness(*tools)
        fired = codes_on(evidence, AGENT_RULES, tools, tools[::-1])
        weight.add(
            0.15, like > 0.45 or bool(fired), f"the similarity of the agents' descriptions is {like:.2f}"
        )
        weight.add(-0.15, like < 0.2, f"the similarity of the agents' descriptions is only {like:.2f}")
    ways = {evidence.seen[number].symptom.agents for number in symptoms}
    weight.add(0.05, len(ways) > 1, "in both directions")
    return Hypothesis(
        symptoms,
        weight,
        f"{first} and {second} are mixed up in {trials} trials",
        f"Say in the descriptions of {first} and {second}, and in the instructions of whoever hands over, which "
        "requests belong to which; take tools from an agent that must not use them.",
        tools=tools,
        lint=fired,
        exposed=None,
        about="set",
    )


def _tool(evidence: Evidence, agent: str) -> str:
    """The definition by which a model chooses the agent; empty when the suite has none."""
    names = (agent, *(f"{prefix}{agent}" for prefix in TRANSFERS))
    return next((tool for tool in evidence.by_name for name in names if same_name(tool, name)), "")
