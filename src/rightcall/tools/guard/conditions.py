"""What a rule demands of a call: each condition says which argument does not meet it, and by which label."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from rightcall.core.text import pluralize
from rightcall.core.words import name_tokens
from rightcall.records.record import Record
from rightcall.schema.roles.parameters import TECHNICAL_NAMES, classes_of_name
from rightcall.tools.guard.base_rules import words_of
from rightcall.tools.guard.policy import Condition, GuardRule, Vouching, several
from rightcall.tools.guard.provenance import Provenance, host_matches
from rightcall.tools.guard.values import addresses_in, compact, fold, fold_value, host_of, number_of

ALWAYS: frozenset[Condition] = frozenset(("limit", "hosts", "confirm", "deny", "allow"))
"""Conditions that bind from the start; those about where values come from, and repeats, bind once it is tainted."""
SHORTEST_PASSAGE = 8
PASSAGE_WORDS = 4


class Breach(Record, frozen=True):
    """An argument that does not meet a rule: its path, its label, and what was expected, in words."""

    argument: str = ""
    label: str = ""
    why: str = ""


@dataclass
class Used:
    """How much of the limits a trial has used, by rule."""

    calls: Counter[Hashable] = field(default_factory=Counter)
    totals: dict[int, float] = field(default_factory=dict)

    def copy(self) -> Used:
        return Used(self.calls.copy(), dict(self.totals))


@dataclass(frozen=True)
class CheckedCall:
    """A call as conditions see it: its leaves, what is known of values, and what was used before."""

    tool: str
    leaves: Sequence[tuple[str, Any]]
    provenance: Provenance
    used: Used


def breach_of(rule: GuardRule, key: int, call: CheckedCall, covers: Callable[[str], bool]) -> Breach | None:
    """How a call breaks a rule; None when it meets it. `covers` says which paths the rule is about."""
    condition = rule.condition
    is_repeat = rule.limit is not None and bool(rule.limit.same)
    if (is_repeat or condition not in ALWAYS) and not call.provenance.tainted:
        return None
    if condition == "limit":
        return _over_limit(rule, key, call)
    if condition in ("confirm", "deny"):
        is_met = rule.confirm == "tainted" and not call.provenance.tainted
        return None if is_met else Breach(why=f"{condition}: always")
    if condition == "allow":
        return Breach(why=f"not among the tools of {rule.role or 'this agent'}")
    if condition == "asked":
        is_asked = any(call.provenance.says(word) for word in words_of(tuple(rule.asked or ())))
        return None if is_asked else Breach(why=f"no word of the user asks for {call.tool}")
    bound = [(path, value) for path, value in call.leaves if covers(path)]
    return next(_CHECKS[condition](rule, bound, call), None)


def _needs(rule: GuardRule, leaves: Sequence[tuple[str, Any]], call: CheckedCall) -> Iterator[Breach]:
    labels = rule.needs or ()
    for path, value in leaves:
        label = _label_at(path, value, call.provenance)
        if label not in labels:
            yield Breach(path, label, f"{path} must come from {' or '.join(labels)}")


def _label_at(path: str, value: Any, values: Provenance) -> Vouching:
    """The label of a value as that argument: of a flag, of a sum or a count, or of anything else."""
    name = path.rpartition(".")[2]
    if isinstance(value, bool):
        is_named = any(values.says(word) for word in name_tokens(name))
        return "user" if is_named or not value else "untrusted"
    is_amount = set(classes_of_name(name)) <= {"amount"}
    return values.label_of_amount(value) if is_amount else values.label(value)


def _links(rule: GuardRule, leaves: Sequence[tuple[str, Any]], call: CheckedCall) -> Iterator[Breach]:
    labels = rule.links or ()
    values = call.provenance
    for path, value in leaves:
        if not isinstance(value, str) or len(value) < 4:
            continue
        for address in sorted(addresses_in(value)):
            label = values.label(address)
            if label not in labels:
                yield Breach(path, label, f"an address in {path} must come from {' or '.join(labels)}")


def _passages(rule: GuardRule, leaves: Sequence[tuple[str, Any]], call: CheckedCall) -> Iterator[Breach]:
    labels = rule.passages or ()
    values = call.provenance
    for path, value in leaves:
        if not isinstance(value, str):
            continue
        repeated = [passage for passage in passages_of(value) if values.in_untrusted(passage)]
        foreign = any(values.label(passage) not in labels for passage in repeated)
        if foreign and values.label(value) not in labels:
            yield Breach(path, "untrusted", f"{path} repeats untrusted text")


_PIECES = re.compile(r"[:;,.!?|\n()\[\]\"]+|\s[-–—]\s")


def passages_of(value: str) -> list[str]:
    """The folded passages of a title: itself, its parts between punctuation, and every run of four words."""
    folded = fold(value)
    pieces = [piece.strip() for piece in _PIECES.split(folded)]
    parts = folded.split()
    runs = [" ".join(parts[i : i + PASSAGE_WORDS]) for i in range(len(parts) - PASSAGE_WORDS + 1)]
    passages = dict.fromkeys((folded, *pieces, *(run.strip(".,;:!?\"'()") for run in runs)))
    return [passage for passage in passages if len(passage) >= SHORTEST_PASSAGE]


_WORD = re.compile(r"[^\s\"'<>(),;=&?]+")


def _secrets(rule: GuardRule, leaves: Sequence[tuple[str, Any]], call: CheckedCall) -> Iterator[Breach]:
    values = call.provenance
    if not values.private:
        return
    for path, value in leaves:
        if number_of(value) is not None or not isinstance(value, str):
            candidates = {compact(str(value))}
        else:
            candidates = set(_candidates(value))
        for candidate in sorted(candidates & values.private.keys()):
            fields = values.private[candidate]
            if not any(values.says(word) for word in fields):
                why = f"{path} holds a private value ({min(fields)}) that the user did not name"
                yield Breach(path, "private", why)


def _candidates(text: str) -> Iterator[str]:
    """Words of a text, runs of up to five of them, and its addresses: what a private value may be written as."""
    pieces = [piece.strip(".:!?/") for piece in _WORD.findall(fold(text))]
    pieces += list(chain.from_iterable(re.split(r"[:/.]", piece) for piece in pieces))
    yield from addresses_in(text)
    yield compact(text)
    for start in range(len(pieces)):
        for length in range(1, 6):
            yield compact(" ".join(pieces[start : start + length]))


def _hosts(rule: GuardRule, leaves: Sequence[tuple[str, Any]], call: CheckedCall) -> Iterator[Breach]:
    hosts = rule.hosts or ()
    for path, value in leaves:
        host = host_of(fold_value(value)) if isinstance(value, str) else ""
        if not host_matches(host, hosts):
            why = f"the host of {path} is not one of {', '.join(hosts)}"
            yield Breach(path, call.provenance.label(value), why)


_CHECKS: Mapping[
    Condition, Callable[[GuardRule, Sequence[tuple[str, Any]], CheckedCall], Iterator[Breach]]
] = {"needs": _needs, "links": _links, "passages": _passages, "secrets": _secrets, "hosts": _hosts}


def _over_limit(rule: GuardRule, key: int, call: CheckedCall) -> Breach | None:
    limit = rule.limit
    assert limit is not None
    if (
        limit.calls is not None
        and call.used.calls[limit_key(rule, key, call.tool, call.leaves)] >= limit.calls
    ):
        again = (
            f" with the same {', '.join(several(limit.same))}" if limit.same and "*" not in limit.same else ""
        )
        return Breach(why=f"more than {pluralize(limit.calls, 'call')}{again}")
    if not limit.arg:
        return None
    amount = amount_of(limit.arg, call.leaves)
    if amount is None:
        return Breach(limit.arg, "", f"{limit.arg} must be a number")
    if limit.each is not None and amount > limit.each:
        return Breach(limit.arg, "", f"{limit.arg} is more than {limit.each:g}")
    if limit.total is not None and call.used.totals.get(key, 0.0) + amount > limit.total:
        return Breach(limit.arg, "", f"{limit.arg} adds up to more than {limit.total:g}")
    return None


def limit_key(rule: GuardRule, key: int, tool: str, leaves: Sequence[tuple[str, Any]]) -> Hashable:
    """What a call counts towards: the rule, and with `same` the values of its arguments, however they are written."""
    same = several(rule.limit.same) if rule.limit is not None else ()
    values = (
        (path, number if (number := number_of(value)) is not None else compact(str(value)))
        for path, value in leaves
        if same and ("*" in same or path in same) and "_".join(name_tokens(path)) not in TECHNICAL_NAMES
    )
    return key, tool if same else "", tuple(sorted(values, key=repr))


def amount_of(argument: str, leaves: Sequence[tuple[str, Any]]) -> float | None:
    """The absolute sum of an argument; 0 when it is not given, None when it is something else."""
    amounts = [number_of(value) for path, value in leaves if path == argument]
    return None if None in amounts else sum(abs(amount) for amount in amounts if amount is not None)
