"""Phrases for requests written without a model: one file per language.

To add a language: a file with `PHRASES`, its values in `pools.py`, and its code in `pools.Language`.
"""

from __future__ import annotations

from importlib import import_module

from rightcall.model.record import Record
from rightcall.wings.generate.pools import Language


class Phrases(Record, frozen=True):
    """The phrases a language needs to express a plan.

    `asks` take `{what}` and `{details}`; `bare` takes only `{what}`, and `again` only the details of a second call.
    `withheld` says that the user still owes a value: whoever acts without it did not listen. `verbs` and `nouns` translate the words
    of tool names, and `names` those of parameters; missing words are taken from the definition.
    """

    asks: tuple[str, ...]
    bare: tuple[str, ...]
    detail: str
    between: str
    last: str
    also: tuple[str, ...]
    again: tuple[str, ...]
    then: tuple[str, ...]
    withheld: tuple[str, ...]
    result: str
    yes: str
    no: str
    quotes: tuple[str, str]
    idle: tuple[str, ...]
    openers: tuple[str, ...]
    joined: str = " "
    verbs: dict[str, str] = {}
    nouns: dict[str, str] = {}
    names: dict[str, str] = {}


def phrases_of(language: Language) -> Phrases:
    """The phrases of a language."""
    phrases: Phrases = import_module(f"rightcall.wings.generate.phrases.{language}").PHRASES
    return phrases
