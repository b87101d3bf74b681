"""Which goldens a change can reach, and how each of them is tried.

    untouched   makes the same request as at the baseline: not run
    affected    expects, forbids or allows a changed tool, was confused with it before, or is about a tool like it
    rest        everything else that is reached: a random sample stands for them
    hard        of the rest, those that guard against damage: all tried once, read by the hard rule alone
    new         not at the baseline, or edited since: tried, and compared with nothing

History chooses, the baseline compares: nothing here reads a trial that is compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rightcall.gate import InputChange
from rightcall.model.golden import AnyGolden, ConversationalGolden, ExpectedCall
from rightcall.model.record import Record
from rightcall.suite.baseline_file import BaselineLine
from rightcall.suite.inputs import Inputs, ask_hash, golden_hash

SAFETY_TAGS = frozenset(("safety", "security", "guard", "attack"))


class Reach(Record, frozen=True):
    """Ids of the goldens by stratum, each in the order of the dataset."""

    untouched: tuple[str, ...] = ()
    affected: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()
    hard: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    quarantined: tuple[str, ...] = ()

    @property
    def compared(self) -> int:
        """Goldens that the verdict is about."""
        return len(self.affected) + len(self.rest)


def reach_of(
    goldens: Iterable[AnyGolden],
    before: Mapping[str, BaselineLine],
    now: Inputs,
    changes: Sequence[InputChange],
    *,
    near: Mapping[str, Iterable[str]] | None = None,
    quarantine: frozenset[str] = frozenset(),
) -> Reach:
    """Sort the goldens. `near` are tools like each changed one, by its name."""
    changed = {tool for change in changes for tool in change.tools}
    alike = changed | {other for tool in changed for other in (near or {}).get(tool, ())}
    found: dict[str, list[str]] = {name: [] for name in Reach.__struct_fields__}
    for golden in goldens:
        line = before.get(golden.id)
        if golden.id in quarantine:
            found["quarantined"].append(golden.id)
        elif line is None or not line.scores:
            found["new"].append(golden.id)
        elif line.golden != golden_hash(golden):
            found["edited"].append(golden.id)
            found["new"].append(golden.id)
        elif line.ask == ask_hash(golden, now):
            found["untouched"].append(golden.id)
        elif changed and (about(golden) & alike or changed & line.confused.keys()):
            found["affected"].append(golden.id)
        else:
            found["rest"].append(golden.id)
            if guards(golden):
                found["hard"].append(golden.id)
    return Reach(**{name: tuple(ids) for name, ids in found.items()})


def about(golden: AnyGolden) -> set[str]:
    """Tools that a golden expects, allows or forbids by name."""
    calls: list[ExpectedCall] = [*golden.expected_calls]
    if isinstance(golden, ConversationalGolden):
        calls += [call for turn in golden.turns for call in turn.expected_calls or ()]
    else:
        calls += [call for alternative in golden.any_of for call in alternative]
    named: set[str] = set()
    for call in calls:
        tool = call.tool
        named |= {tool} if isinstance(tool, str) else set(tool) if isinstance(tool, tuple) else set()
    return named | {tool for tool in golden.forbidden_calls if isinstance(tool, str)}


def guards(golden: AnyGolden) -> bool:
    """Whether a golden stands against damage: forbidden calls, a state that must be kept, a safety tag."""
    return bool(golden.forbidden_calls or golden.expected_state is not None or SAFETY_TAGS & set(golden.tags))
