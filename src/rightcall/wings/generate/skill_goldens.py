"""Trigger goldens from skills, without a model: requests that need a skill, and adjacent ones that do not.

Requests are made of what the description says the skill does and when it is used. An adjacent negative has its nouns,
but asks to explain, to compare or a plain question; or it needs the nearest other skill. All are drafts.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import NamedTuple

from rightcall.core.words import words
from rightcall.lint.config import LintConfig
from rightcall.lint.engine import as_sets
from rightcall.lint.features.mentions import STOP_WORDS
from rightcall.lint.features.toolset import SetFeatures
from rightcall.model.expected_call import ExpectedCall
from rightcall.model.golden import Golden
from rightcall.model.tool import Tool
from rightcall.wings.generate.actions import action_of, base_form

POSITIVES = NEGATIVES = 4
LONGEST = 160

_USE = re.compile(
    r"\b(?:use|invoke|activate|apply|load|trigger)s? (?:this skill |this |it |the skill )?(?:when(?:ever)?|if|for|to)"
    r"\s+(.+)",
    re.IGNORECASE | re.DOTALL,
)
_WHEN = re.compile(r"\bwhen(?:ever)? (?:the )?users? (.+)", re.IGNORECASE | re.DOTALL)
_ASKS = re.compile(
    r"(?:the )?(?:users?|you) (?:explicitly )?(asks? (?:you )?(?:for|to|about)|wants?(?: to)?|needs?(?: to)?|mentions?"
    r"|has|have|is|are|says?|requests?|provides?|uploads?|shares?)\s+(.*)",
    re.IGNORECASE | re.DOTALL,
)
_CUT = re.compile(
    r"[.](?=\s|$)|[;:\n]|\s[—–-]\s|,? (?:or|and) (?=when|if|asks|wants|needs|mentions)|\((?:e\.g|such)"
)
_NAMED = re.compile(r"`[^`]*`|\"[^\"]*\"|“[^”]*”")
_GERUND = re.compile(r"(\w+)ing\b(.*)", re.DOTALL)


class SkillPhrases(NamedTuple):
    """What a description offers for requests: things to do, situations, and its nouns."""

    actions: tuple[str, ...]
    situations: tuple[str, ...]
    topic: str


def trigger_goldens(skills: Sequence[Tool], seed: int = 0) -> list[Golden]:
    """Drafts for each skill that a model may load: positives that expect it, and adjacent negatives.

    A skill whose description is not English, or says neither what it does nor when, gets none.
    """
    loadable = [
        skill
        for skill in skills
        if (skill.skill is None or skill.skill.by_model) and _is_english(skill.description)
    ]
    phrases = {skill.name: phrases_of(skill) for skill in loadable}
    near = nearest_skills(loadable)
    goldens = list[Golden]()
    for skill in loadable:
        chance = random.Random(f"{seed}/{skill.name}")  # noqa: S311
        requests = list(_distinct(_positive_requests(phrases[skill.name]), POSITIVES, chance))
        goldens += [
            _draft(text, skill.name, "p", number, seed) for number, text in enumerate(requests, start=1)
        ]
        if requests:
            goldens += _negatives(skill, phrases, near.get(skill.name, ""), seed)
    return goldens


def _is_english(text: str) -> bool:
    return sum(character.isascii() for character in text) > 0.8 * len(text)


def phrases_of(skill: Tool) -> SkillPhrases:
    """The parts of a description that can be said by a user."""
    text = " ".join(_NAMED.sub(lambda match: match[0][1:-1], skill.description).split())
    trigger = _USE.search(text) or _WHEN.search(text)
    before = text[: trigger.start()] if trigger else text
    plain = Tool(skill.name.replace("-", "_"), before.strip() or text)
    whole = action_of(plain)
    named = set(words(whole)) <= set(
        words(skill.name.replace("-", " "))
    )  # only the name: it would be given away
    actions = () if named else tuple(dict.fromkeys(_single_actions(whole)))
    situations = tuple(_situations(trigger[1])) if trigger else ()
    return SkillPhrases(
        actions, situations, _topic(actions[0] if actions else "", before or text, skill.name)
    )


def nearest_skills(skills: Sequence[Tool]) -> dict[str, str]:
    """The skill that each is most easily confused with, by the linter's index; only where there is one."""
    sets = as_sets(list(skills))
    if not sets:
        return {}
    near = dict[str, str]()
    for pair in SetFeatures(sets[0], LintConfig()).pairs:
        near.setdefault(pair.first.name, pair.second.name)
        near.setdefault(pair.second.name, pair.first.name)
    return near


def _single_actions(action: str) -> Iterator[str]:
    """`fill in, merge and extract PDF forms` as one request for each verb, when the words before the last are verbs."""
    head, _, rest = action.rpartition(" and ")
    listed = [part.strip() for part in head.split(",")] if head else []
    last_words = rest.split()
    if listed and len(last_words) > 1 and all(base_form(part.split()[0]) for part in listed if part):
        thing = " ".join(last_words[1:])
        for verb in (*listed, last_words[0]):
            yield verb if len(verb.split()) > 2 else f"{verb} {thing}"
    else:
        yield action


def _situations(text: str) -> Iterator[str]:
    """Requests of a user in the situations that “use when …” names."""
    clause = _CUT.split(text.strip(), maxsplit=1)[0].strip(" ,.")
    if not clause or len(clause) > LONGEST:
        return
    if clause.lower().startswith("asked to "):
        yield f"Please {_lower(clause[9:])}."
        return
    asks = _ASKS.match(clause)
    if asks is not None:
        verb, what = asks[1].lower(), _lower(asks[2].strip())
        form = "I have {}. Please take care of it."
        if verb.startswith(("ask", "request")) and verb.endswith("to"):
            form = "Please {}."
        elif verb.startswith(("want", "need")) and verb.endswith("to"):
            form = "I want to {}." if verb.startswith("want") else "I need to {}."
        elif verb.startswith(("ask", "request", "want", "need")):
            form = "I need {}."
        elif verb.startswith(("mention", "say")):
            is_action = what and base_form(what.split()[0])
            form = "Please {}." if is_action else "This is about {}. Please take care of it."
        if what:
            yield form.format(what)
    elif clause.split()[0].lower().endswith("ing") and _GERUND.match(clause):
        yield f"I am {_lower(clause)} and need a hand."
    else:
        yield f"I need help with {_lower(clause)}."


def _positive_requests(phrases: SkillPhrases) -> Iterator[str]:
    forms = ("Please {}.", "Can you {} for me?", "I have to {} by tomorrow; please do it.", "Help me {}.")
    yield from phrases.situations
    for number in range(POSITIVES):
        for action in phrases.actions:
            yield forms[number].format(action)


def _negatives(skill: Tool, phrases: dict[str, SkillPhrases], neighbour: str, seed: int) -> Iterator[Golden]:
    """Adjacent requests: three that need no skill, and one that needs the nearest, which must be loaded instead."""
    topic = phrases[skill.name].topic
    questions = [
        f"Explain {topic} to me in two sentences.",
        f"What should I know before I decide about {topic}? Just tell me, change nothing.",
        f"Which is more common, {topic} or a plain text message? A rough answer is enough.",
        f"Who uses {topic} most? One sentence is enough.",
    ]
    other = phrases[neighbour].actions if neighbour else ()
    if other:
        text = f"Please {other[0]}; nothing else."
        yield _draft(text, neighbour, f"near-{skill.name}", 1, seed)
        questions.pop()
    for number, text in enumerate(questions, start=1):
        yield _draft(text, "", f"{skill.name}-n", number, seed)


def _draft(text: str, skill: str, mark: str, number: int, seed: int) -> Golden:
    provenance = {
        "by": f"rightcall {version('rightcall')}",
        "way": "skills",
        "model": "template",
        "seed": seed,
    }
    golden_id = f"{skill}-{mark}{number}" if skill else f"{mark}{number}"
    return Golden(
        text, golden_id, judge="skills", category="golden" if skill else "negative",
        expected_calls=(ExpectedCall(skill),) if skill else (), tags=("generated", "trigger", "template"),
        cluster=golden_id.rpartition("-")[0] or golden_id, metadata={"generated": provenance},
    )  # fmt: skip


def _topic(action: str, text: str, name: str) -> str:
    """What the skill is about, in its own words: the object of an action, otherwise telling words of the text."""
    rest = [
        word for word in action.split()[1:] if word not in ("in", "out", "up", "a", "an", "the", "from", "to")
    ]
    object_words = list(
        itertools.takewhile(lambda word: word.lower() not in STOP_WORDS and word.isascii(), rest)
    )
    if object_words:
        return " ".join(object_words[:4]).strip(" ,.")
    telling = [
        word for word in words(text) if word not in STOP_WORDS and len(word) > 3 and not base_form(word)
    ]
    return " and ".join(list(dict.fromkeys(telling))[:2]) or name.replace("-", " ")


def _distinct(texts: Iterator[str], most: int, chance: random.Random) -> Iterator[str]:
    seen = dict[str, None]()
    for text in texts:
        clean = " ".join(text.split())
        if 8 < len(clean) <= LONGEST + 40:
            seen.setdefault(clean)
    first, *others = seen or {"": None}
    rest = others if len(others) < most else [others[0], *chance.sample(others[1:], most - 2)]
    yield from [text for text in (first, *rest) if text][:most]


def _lower(text: str) -> str:
    """The text in lower case at its beginning, unless it begins with a name."""
    first, _, rest = text.partition(" ")
    is_name = first[1:] != first[1:].lower() or not first[:1].isalpha()
    return text if is_name else f"{first.lower()} {rest}".strip()
