"""Words of tools compared with words of requests: how well a description covers what users say."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from itertools import chain

from rightcall.core.words import name_tokens, stem, words
from rightcall.lint.confusability.similarity import Rarity, ToolTexts
from rightcall.lint.features.mentions import GENERIC_NAME_TOKENS, STOP_WORDS
from rightcall.lint.features.text import sentences
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.source.tools import tool_set
from rightcall.records.tool import Tool

_EXCLUDING = re.compile(r"\b(?:not for|do(?:es)? not|don't|never|instead|rather than|unlike)\b", re.I)

MOSTLY = 0.95


class Wording:
    """The texts of a set of tools, compared with each other and with requests."""

    def __init__(self, tools: Sequence[Tool]) -> None:
        self._features = [ToolFeatures(source) for source in tool_set(tools).tools]
        self._texts = ToolTexts(self._features)
        self._index = {tool.name: at for at, tool in reversed(list(enumerate(tools)))}
        self._said: Mapping[str, frozenset[str]] = {
            tool.name: stems(" ".join(purpose_sentences(tool.description))) for tool in tools
        }
        self._excluded = {tool.name: exclusion_sentences(tool.description) for tool in tools}
        self._rarity = Rarity(
            [dict.fromkeys(words(tool.description) + list(name_tokens(tool.name)), 1) for tool in tools]
        )
        self._descriptions = {tool.name: tool.description.lower() for tool in tools}

    def likeness(self, first_word: str, second_word: str) -> float:
        """How similar the texts of two tools are, 0 to 1."""
        first = self._index.get(first_word)
        second = self._index.get(second_word)
        return self._texts.likeness(first, second) if first is not None and second is not None else 0.0

    def cover(self, request: Collection[str], tool: str) -> float:
        """The share of a request's words, weighted by how informative they are, that a tool's description has.

        `request` holds words as `request_words` gives them. What the description excludes ("Not for …") does not count.
        """
        tool_stems = self._said.get(tool)
        if not request or not tool_stems:
            return 0.0
        covered = total = 0.0
        for word in request:
            weight = self._rarity[word]
            total += weight
            if stem(word) in tool_stems:
                covered += weight
        return covered / total if total else 0.0

    def says(self, tool: str, word: str) -> bool:
        """Whether a tool's description has a word, in any form."""
        return stem(word) in self._said.get(tool, ())

    def names(self, tool: str, other: str) -> bool:
        """Whether the description of one tool names the other."""
        return bool(other) and bool(
            re.search(rf"(?<!\w){re.escape(other.lower())}(?!\w)", self._descriptions.get(tool, ""))
        )

    def sends_to(self, tool: str, other: str) -> bool:
        """Whether what a description excludes ("Not for …: use other") names the other tool."""
        return any(other.lower() in sentence.lower() for sentence in self._excluded.get(tool, ()))

    def rarity(self, word: str) -> float:
        """How informative a word is."""
        return self._rarity[word]


def request_words(text: str, without: Collection[str] = ()) -> list[str]:
    """The informative words of a request in order, without those of its values."""
    left_out = set(chain.from_iterable(words(value) for value in without))
    return list(
        dict.fromkeys(
            word
            for word in words(text[:20_000])
            if word not in STOP_WORDS and word not in left_out and not word.isdigit()
        )
    )


def reads_as_english(text: str) -> bool:
    """Whether words of a text can be quoted in an English definition and read well there.

    Letters beyond ASCII, or three words without a single common English one, are another language, also when
    Vietnamese is written without its accents.
    """
    text = text[:2_000]
    if not text.isascii():
        letters = [letter for letter in text if letter.isalpha()]
        if sum(letter.isascii() for letter in letters) < MOSTLY * len(letters):
            return False
    text_words = words(text)
    return bool(text_words) and (len(text_words) < 3 or any(word in STOP_WORDS for word in text_words))


def stems(text: str) -> frozenset[str]:
    """The stems of the informative words of a text."""
    return frozenset(stem(word) for word in words(text[:50_000]) if word not in STOP_WORDS)


def purpose_sentences(description: str) -> list[str]:
    """The sentences of a description that say what the tool is for, without those that say what it is not for."""
    all_sentences = sentences(description[:50_000])
    return [sentence for sentence in all_sentences if not _EXCLUDING.search(sentence)]


def exclusion_sentences(description: str) -> list[str]:
    """The sentences of a description that say what the tool is not for."""
    return [sentence for sentence in sentences(description[:50_000]) if _EXCLUDING.search(sentence)]


def is_generic_name(name: str) -> bool:
    """Whether every word of a tool's name would fit any tool."""
    tokens = name_tokens(name)
    return bool(tokens) and all(token in GENERIC_NAME_TOKENS for token in tokens)
