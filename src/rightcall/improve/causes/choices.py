"""Shared by tool selection causes: misses, their targets, and how well descriptions cover requests."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rightcall.core.words import stem
from rightcall.improve.counters import most_common
from rightcall.improve.evidence import Evidence
from rightcall.improve.hypothesis import ProposedChange
from rightcall.lint.confusability.word_use import purpose_sentences, stems
from rightcall.stats.paired_tests import fisher_exact


def tools_that_were_missed(evidence: Evidence) -> Iterator[tuple[str, list[int], Counter[str]]]:
    """Every missed tool: its symptoms, and what was called instead ("" for nothing), by trials."""
    for tool in evidence.by_name_in_order:
        symptoms = evidence.where(group="miss", tool=tool)
        if symptoms:
            targets: Counter[str] = Counter()
            for number in symptoms:
                targets[evidence.seen[number].symptom.called] += evidence.seen[number].trials
            yield tool, symptoms, targets


def missing_words(evidence: Evidence, tool: str) -> list[str]:
    """Words of a tool's missed requests that its description and other requests lack, most informative first."""
    stats = evidence.tool_stats[tool]
    others = [other for name, other in evidence.tool_stats.items() if name != tool]
    goldens = sum(other.goldens for other in others)
    words = [
        word
        for word, times in stats.missed_words.items()
        if not evidence.wording.says(tool, word)
        and separates(times, stats.goldens, sum(other.words[word] for other in others), goldens)
    ]
    return _informative_words(evidence, words, stats.missed_words)


CHANCE = 0.05


def separates(times: int, of: int, elsewhere: int, of_others: int) -> bool:
    """Whether goldens have something more often than other goldens do, beyond chance (one-sided exact test)."""
    here = min(times, of)
    there = min(elsewhere, of_others)
    if not of_others or not of:
        return True
    more = here * of_others > there * of
    return more and fisher_exact(((here, of - here), (there, of_others - there))) <= 2 * CHANCE


def own_words(evidence: Evidence, tool: str, other: str) -> list[str]:
    """Words in requests for one tool but not the other: those of its name first, then the most informative.

    Words that the other tool says of itself are left out: its description would exclude what it is for.
    """
    mine = evidence.tool_stats[tool].words
    theirs = evidence.tool_stats[other].words
    words = [word for word in mine if word not in theirs and not evidence.wording.says(other, word)]
    name = stems(tool.replace("_", " "))
    return sorted(_informative_words(evidence, words, mine), key=lambda word: stem(word) not in name)


def _informative_words(evidence: Evidence, words: list[str], counts: Counter[str]) -> list[str]:
    """The most informative words; one that a single request has is no pattern, where others have more."""
    words = [word for word in words if len(word) > 2]
    return most_informative(evidence, [word for word in words if counts[word] > 1] or words, counts)


def most_informative(evidence: Evidence, words: list[str], counts: Counter[str]) -> list[str]:
    """The four words that are said most often for how rare they are in the descriptions."""
    return sorted(words, key=lambda w: (-counts[w] * evidence.wording.rarity(w), w))[:4]


def destinations(targets: Counter[str]) -> str:
    """What happens instead of a tool's call, most common first."""
    return ", ".join(f"{tool or 'nothing'} in {times}" for tool, times in most_common(targets)[:3])


def describe(evidence: Evidence, tool: str, addition: str) -> ProposedChange:
    """A tool's description with another sentence."""
    text = evidence.by_name[tool].description
    after = f"{text.rstrip()} {addition}" if text.strip() else addition
    return ProposedChange(tool, ("description",), text, after)


def not_for(evidence: Evidence, words: list[str], other: str) -> str:
    """A sentence that sends requests to another tool: by their words, or by what the other says of itself.

    Words of another language than the definition's are not quoted, so the other's own first sentence stands for them.
    """
    if words:
        return f"Not for requests that mention {', '.join(words)}: use {other}."
    own = first_sentence(evidence.by_name[other].description).rstrip(".")
    return f"Not for what {other} does ({own[:1].lower()}{own[1:]}): use {other}." if own else ""


def only_for(words: list[str], other: str) -> str:
    """A sentence that keeps a dangerous tool for requests that say so, and sends all others to a harmless one.

    Excluding the words of the other tool's requests would leave to it every request in words nobody thought of.
    """
    return f"Only for requests that mention {', '.join(words)}: otherwise use {other}."


def such_as(evidence: Evidence, symptoms: list[int]) -> str:
    """Ids of a few goldens with these symptoms, for where words cannot be quoted."""
    ids = sorted(case.id for case in evidence.goldens_with(symptoms))
    return ", ".join(ids[:2])


def first_sentence(description: str) -> str:
    """The purpose of a tool, from its first sentence."""
    return next(iter(purpose_sentences(description)), "")
