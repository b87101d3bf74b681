"""A golden under suspicion: what is known of it, which reasons to doubt it are read from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from rightcall.improve.argument_kind import stated_values
from rightcall.improve.call_difference import CallDifference, difference_from
from rightcall.improve.doubt import Band
from rightcall.improve.golden_edit import GoldenEdit, value_text
from rightcall.improve.votes import Alternative, Votes
from rightcall.metrics.matching.base import MISSING
from rightcall.metrics.matching.compile import matcher_key
from rightcall.model.golden import AnyGolden
from rightcall.run.rehearsal.own_behaviour import OwnBehaviour
from rightcall.run.rehearsal.toolset import Toolset


@dataclass(frozen=True)
class SuspectGolden:
    """A golden with its tools, the words that its agent reads, the votes on it, and how its own calls go."""

    golden: AnyGolden
    toolset: Toolset
    words: str
    votes: Votes
    own: OwnBehaviour | None = None

    @cached_property
    def difference(self) -> CallDifference:
        """How the alternative that agents agree on differs from the golden."""
        agreement = self.votes.agreement
        if agreement is None:
            return CallDifference()
        return difference_from(self.golden, agreement.calls, self.toolset)


class Reason(NamedTuple):
    """One reason to doubt a golden."""

    band: Band
    sentence: str
    alternative: Alternative | None = None
    change: tuple[GoldenEdit, ...] = ()
    evidence: tuple[str, ...] = ()


def values_of(spec: Any) -> list[Any]:
    """The values that an expectation states, alone or in a list; empty where it only describes them."""
    if isinstance(spec, dict) and (key := matcher_key(spec)) is not None:
        inner = spec[key]
        if key == "optional":
            return values_of(inner)
        if key == "bfcl":
            return (
                [value for value in inner.get("values", ()) if value != ""] if isinstance(inner, dict) else []
            )
    return list(stated_values(spec))


def difference_lines(difference: CallDifference) -> Iterator[str]:
    """The difference in words, one line for each place."""
    for name in difference.missing:
        yield f"the golden expects {name}"
    for name in difference.extra:
        yield f"they call {name}"
    for argument in difference.arguments:
        where = f"{argument.tool}.{argument.parameter}"
        if argument.actual is MISSING:
            yield f"{where}: the golden expects {value_text(argument.expected)}, they leave it out"
        elif argument.expected is MISSING:
            yield f"{where}: they pass {value_text(argument.actual)}, which the golden does not expect"
        else:
            expected, actual = value_text(argument.expected), value_text(argument.actual)
            yield f"{where}: the golden expects {expected}, they pass {actual}"
