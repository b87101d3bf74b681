"""The same request in other words, or with a slip of the keyboard."""

from __future__ import annotations

import msgspec

from rightcall.analysis import held_values, still_holds
from rightcall.errors import ConfigError
from rightcall.model.golden import Golden
from rightcall.suite.perturbations.variant import PerturbTask, Variant

SHORTEST_WORD = 5


def paraphrase(task: PerturbTask) -> Variant:
    """Other words for the same request: a golden's own under `metadata.paraphrases`, or those of a model."""
    made = []
    for golden in task.goldens:
        words = [
            text
            for text in (*given(golden), *task.paraphrases.get(golden.id, ()))
            if still_holds(golden, text)
        ]
        if words:
            made.append(msgspec.structs.replace(golden, input=words[task.draw % len(words)]))
    if not made:
        raise ConfigError(
            "--perturb paraphrase needs paraphrases: give goldens metadata.paraphrases, a list of texts with the "
            "same values, or a model that writes them (--paraphrase-model)"
        )
    return task.with_goldens(made)


def given(golden: Golden) -> list[str]:
    """The paraphrases that come with a golden."""
    own = golden.metadata.get("paraphrases") if isinstance(golden.metadata, dict) else None
    return [text for text in own if isinstance(text, str)] if isinstance(own, list) else []


def typos(task: PerturbTask) -> Variant:
    """Two letters swapped in a word that is not an expected argument's value."""
    made = []
    for golden in task.goldens:
        values = " ".join(str(value) for value in held_values(golden))
        words = golden.input.split(" ")
        free = [
            at
            for at, word in enumerate(words)
            if len(word) >= SHORTEST_WORD and word.isalpha() and word not in values
        ]
        if free:
            rng = task.random("typos", golden.id)
            at = rng.choice(free)
            word, spot = words[at], rng.randrange(1, len(words[at]) - 2)
            words[at] = word[:spot] + word[spot + 1] + word[spot] + word[spot + 2 :]
            made.append(msgspec.structs.replace(golden, input=" ".join(words)))
    return task.with_goldens(made)
