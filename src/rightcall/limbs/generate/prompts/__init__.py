"""Prompts, one file per step: `$name` is a placeholder.

The hash of a prompt's text is stored in every golden it helped to make, so that goldens from two wordings can
be distinguished. To change a prompt, change its file.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from string import Template

from rightcall.core.digest import hex_digest
from rightcall.records.record import Record


class StepPrompt(Record, frozen=True):
    """One prompt: its name, its text, and a short hash of it."""

    name: str
    text: str
    hash: str

    def fill(self, **values: object) -> str:
        """The prompt with its values; a missing value is a `KeyError`."""
        return Template(self.text).substitute({name: str(value) for name, value in values.items()})


@cache
def step_prompt(name: str) -> StepPrompt:
    """The prompt of a step."""
    text = (
        files("rightcall.limbs.generate.prompts").joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
    )
    return StepPrompt(name, text, hex_digest(text, 12))
