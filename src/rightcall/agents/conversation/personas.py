"""Personas of simulated users, and a golden as one conversation for each of them.

One simulator is one sample of users: success rates move by several points with who plays the user (arXiv:2601.17087),
and simulators left to themselves are too cooperative (arXiv:2603.11245). So a scenario is played by two personas by
default, the conversations of a scenario are one cluster for the statistics, and each persona is a tag, by which
results are grouped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from rightcall.core.errors import ConfigError, suggestion
from rightcall.model.golden import ConversationalGolden, with_persona
from rightcall.model.record import Record


class Persona(Record, frozen=True):
    """A persona; `characteristics` is part of the prompt of the model that plays the user."""

    name: str
    characteristics: str


PERSONAS: dict[str, Persona] = {
    persona.name: persona
    for persona in (
        Persona("plain", "You are friendly and to the point. You write one or two short, correct sentences."),
        Persona(
            "unsure",
            "You are unsure and a little impatient. You describe what you want in everyday words instead of technical "
            "ones, give a detail only when you are asked for it, and sometimes answer only half of a question. You "
            "write in lower case, without much punctuation.",
        ),
        Persona(
            "talkative", "You chat. You tell why you want it and digress, but what you need is in there."
        ),
        Persona(
            "sceptical",
            "You distrust machines. You ask why a detail is needed before you give it, and check what you are told.",
        ),
        Persona("terse", "You write as few words as possible, often only the value that was asked for."),
    )
}
"""Built-in personas by name."""

DEFAULT_PERSONAS = ("plain", "unsure")


def read_persona(persona: str | Mapping[str, Any] | Persona, where: str = "personas") -> Persona:
    """A persona by its name, or written down as `{name, characteristics}`."""
    if isinstance(persona, Persona):
        return persona
    if isinstance(persona, str):
        if persona not in PERSONAS:
            hint = suggestion(persona, PERSONAS) or f"known: {', '.join(PERSONAS)}"
            raise ConfigError(
                f"{where}: unknown persona '{persona}'; {hint}, or write name and characteristics"
            )
        return PERSONAS[persona]
    name, text = persona.get("name"), persona.get("characteristics")
    if not isinstance(name, str) or not name or not isinstance(text, str) or not text or len(persona) > 2:
        raise ConfigError(
            f"{where}: a persona is a name of {', '.join(PERSONAS)}, or has name and characteristics"
        )
    return Persona(name, text)


def by_persona(
    golden: ConversationalGolden, personas: Sequence[Persona], models: Sequence[str] = ()
) -> Iterator[ConversationalGolden]:
    """The golden once for each persona, and for each model that plays the user when there are several.

    Each has its own id, the scenario as its cluster, and tags for who played it. A golden that no simulated user
    takes part in stays as it is.
    """
    if not golden.is_simulated:
        yield golden
        return
    chosen = [read_persona(persona, f"golden '{golden.id}'") for persona in golden.personas] or list(personas)
    players: list[str | None] = [golden.user_model] if golden.user_model else [*models] or [None]
    for persona in chosen:
        for model in players:
            several = len(players) > 1
            yield msgspec.structs.replace(
                with_persona(golden, persona.name, model if several else None),
                personas=(msgspec.to_builtins(persona),),
                user_model=model if several else golden.user_model,
            )
