"""What models are asked, one file per step: `$name` stands for a value.

The hash of a prompt's text is written into every golden that it helped to make, so that goldens of two wordings can be
told apart. To change a prompt, change its file; nothing else knows its words.
"""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.resources import files
from string import Template

from rightcall.model.record import Record


class StepPrompt(Record, frozen=True):
    """One prompt: its name, its text, and a short hash of it."""

    name: str
    text: str
    hash: str

    def filled(self, **values: object) -> str:
        """The prompt with its values; a missing one is a `KeyError`."""
        return Template(self.text).substitute({name: str(value) for name, value in values.items()})


@cache
def step_prompt(name: str) -> StepPrompt:
    """The prompt of a step."""
    text = files("rightcall.synthesis.prompts").joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
    return StepPrompt(name, text, hashlib.sha256(text.encode()).hexdigest()[:12])
