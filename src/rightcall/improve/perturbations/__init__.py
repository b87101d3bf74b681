"""Harmless changes: tools in another order, under neutral names, among unrelated tools; and ablations.

A perturbation is a function from a `PerturbTask` to the `Variant` that is run instead. To add one: a function in the
file of its subject, and its name in `KINDS`.

offers      which tools are offered, in which order, without which texts
names       neutral names of tools and parameters
requests    the same request in other words
"""

from __future__ import annotations

from rightcall.core.errors import ConfigError, suggestion
from rightcall.improve.perturbations.names import names, parameters
from rightcall.improve.perturbations.offers import (
    bare,
    distractors,
    drop,
    drop_other,
    examples,
    order,
    system,
)
from rightcall.improve.perturbations.requests import paraphrase, typos
from rightcall.improve.variant import Perturbation

KINDS: dict[str, Perturbation] = {
    kind.__name__: kind
    for kind in (
        order, names, parameters, distractors, paraphrase, typos, drop, drop_other, bare, examples, system,
    )
}  # fmt: skip
RANDOM = frozenset(("order", "names", "distractors", "typos", "drop_other", "paraphrase"))
"""Kinds that are drawn several times."""
ABLATIONS = frozenset(("bare", "examples", "system"))
"""Changes that are expected to have an effect: they get no verdict."""


def read_kind(typed: str) -> tuple[str, str]:
    """`order`, or `drop=TOOL`: the kind and what it is about. Refuses an unknown one."""
    kind, _, about = typed.strip().partition("=")
    if kind not in KINDS:
        hint = suggestion(kind, KINDS) or f"known: {', '.join(KINDS)}"
        raise ConfigError(f"unknown perturbation '{kind}'; {hint}")
    if about and kind not in ("drop", "bare", "distractors"):
        raise ConfigError(f"--perturb {kind} takes no value after '='")
    return kind, about
