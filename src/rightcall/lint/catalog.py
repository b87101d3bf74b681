"""All rules, found by listing the folders of `rules/`: a new file there is a new rule."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from rightcall.errors import InputError, suggestion
from rightcall.lint.rule import FAMILIES, Rule


@cache
def all_rules() -> tuple[Rule, ...]:
    """Every rule, in the order of the codes."""
    found = []
    for family in FAMILIES:
        package = importlib.import_module(f"rightcall.lint.rules.{family}")
        for module in pkgutil.iter_modules(package.__path__):
            rule = importlib.import_module(f"{package.__name__}.{module.name}").RULE
            if module.name != rule.name.replace("-", "_") or rule.family != family:
                raise AssertionError(f"{family}/{module.name}.py holds {rule.code} {rule.name}")
            found.append(rule)
    return tuple(sorted(found, key=lambda rule: rule.code))


def find_rule(wanted: str) -> Rule:
    """The rule with this code or name; raises `InputError` with the nearest one."""
    key = wanted.strip()
    for rule in all_rules():
        if key.upper() == rule.code or key.lower() == rule.name:
            return rule
    known = [word for rule in all_rules() for word in (rule.code, rule.name)]
    hint = suggestion(key.upper() if key[:2].upper() == "TD" else key, known)
    raise InputError("", f"unknown rule '{wanted}'", hint or "see `rightcall rule`")
