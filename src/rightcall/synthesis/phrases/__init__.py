"""The words of requests that are written without a model: one file per language.

To add a language: a file with `PHRASES`, its values in `pools.py`, and its code in `pools.Language`.
"""

from __future__ import annotations

from importlib import import_module

from rightcall.model.record import Record
from rightcall.synthesis.pools import Language


class Phrases(Record, frozen=True):
    """What a language needs to word a plan.

    `asks` take `{what}` and `{details}`; `bare` takes `{what}` alone. `verbs` and `nouns` translate the words of tool
    names, and `names` those of parameters; what they lack is said in the words of the definition.
    """

    asks: tuple[str, ...]
    bare: tuple[str, ...]
    detail: str
    between: str
    also: tuple[str, ...]
    then: tuple[str, ...]
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
    found: Phrases = import_module(f"rightcall.synthesis.phrases.{language}").PHRASES
    return found
