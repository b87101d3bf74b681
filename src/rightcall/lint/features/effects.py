"""What a tool does to the world, as far as it says: declared, else by its annotations, else by its verb."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from rightcall.lint.facts.verbs import ALSO_NOUNS, DESTROY, EFFECTS, READ, STORED, TAKE_AWAY
from rightcall.lint.features.text import name_tokens

_LAST_WORDS = READ | DESTROY | TAKE_AWAY

Kind = Literal["read", "update", "create", "money", "take_away", "destroy", "unknown"]


@dataclass(frozen=True)
class Effect:
    """The kind of effect, the verb of the name ("" when it has none), and who said so."""

    kind: Kind
    verb: str
    said_by: Literal["declared", "annotations", "verb", "nobody"]

    @property
    def is_destructive(self) -> bool:
        """Whether it destroys or removes something."""
        return self.kind in ("destroy", "take_away")

    @property
    def is_write(self) -> bool:
        """Whether it certainly changes something."""
        return self.kind not in ("read", "unknown")


def effect_of(name: str, annotations: Any, extension: Any) -> Effect:
    """Classify one tool."""
    verb = verb_of(name)
    by_verb: Any = EFFECTS.get(verb, "unknown")
    if verb == "drop" and not STORED.isdisjoint(name_tokens(name)):
        by_verb = "destroy"
    declared = extension.get("effect") if isinstance(extension, dict) else None
    if declared in ("read", "update", "create", "money", "take_away", "destroy"):
        return Effect(declared, verb, "declared")
    hints = annotations if isinstance(annotations, dict) else {}
    if hints.get("readOnlyHint") is True:
        return Effect("read", verb, "annotations")
    if hints.get("destructiveHint") is True and by_verb not in ("destroy", "take_away", "money"):
        # The hint's default is true and many servers set it on every write: it does not make a
        # creation destructive, it only settles a verb that says nothing.
        return Effect("update" if by_verb in ("unknown", "read") else by_verb, verb, "annotations")
    return Effect(by_verb, verb, "verb" if verb else "nobody")


def verb_of(name: str) -> str:
    """The verb of a name: the first token that is one, looking at the last dotted part first.

    A word that is a noun as often as a verb counts only as the first token.
    """
    for part in reversed(name.split(".")):
        tokens = name_tokens(part)
        if len(tokens) > 1 and tokens[0] in ALSO_NOUNS and tokens[-1] in _LAST_WORDS:
            return tokens[-1]  # order_status_check, message_delete
        for index, token in enumerate(tokens):
            if token in EFFECTS and (token not in ALSO_NOUNS or (index == 0 and len(tokens) > 1)):
                return token
    first = name_tokens(name)[:1]
    return first[0] if first and first[0] in EFFECTS and first[0] not in ALSO_NOUNS else ""
