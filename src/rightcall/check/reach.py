"""What changed since a baseline's inputs, and which goldens that can affect.

The files that the baseline's agent read are hashed again in the working copy. Equal ones mean equal behaviour only if
everything that the code reads could be watched, in the baseline and now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

import msgspec

from rightcall.core.text import pluralize
from rightcall.decide.check_result import ComparedInputs
from rightcall.decide.input_change import ChangeKind, InputChange
from rightcall.files.file_digests import canonical_digest, same_content, same_text
from rightcall.files.project_files import ABSENT
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import AnyGolden, ConversationalGolden
from rightcall.records.record import Record
from rightcall.run.agent_sources import AgentSources
from rightcall.run.baseline_file import BaselineHeader, BaselineLine
from rightcall.run.inputs import Inputs, ask_hash, digest, golden_hash
from rightcall.run.watched_inputs import UNSET, WatchedInputs, variables_of_modules

_HASHED = {"exchange": "request and reply", "server": "command of the MCP server", "with": "values of `with`"}
_PART_NAMES = {"input_schema": "parameters", "output_schema": "result schema"}


def input_changes(before: Inputs, now: Inputs) -> tuple[InputChange, ...]:
    """Every difference, tools first."""
    changes = _tool_changes(before, now)
    changes += [InputChange("mock", name) for name in _keys_that_differ(before.mocks, now.mocks)]
    changes += [InputChange("tool_code", name) for name in _keys_that_differ(before.tool_code, now.tool_code)]
    for name in _keys_that_differ(before.worlds, now.worlds):
        acting = {*before.world_tools.get(name, ()), *now.world_tools.get(name, ())}
        changes.append(InputChange("world", name, about=tuple(sorted(acting))))
    if before.system != now.system:
        changes.append(InputChange("system"))
    for name in _keys_that_differ(before.agent, now.agent):
        kind: ChangeKind = "model" if name == "model" else "base_url" if name == "base_url" else "mode"
        values = before.agent.get(name) or "none", now.agent.get(name) or "none"
        changes.append(InputChange(kind, name, _HASHED.get(name) or " → ".join(values)))
    for which in ("settings", "limits", "faults", "user"):
        if getattr(before, which) != getattr(now, which):
            changes.append(InputChange(which))
    for name in _keys_that_differ(before.code, now.code):
        both = name in before.code and name in now.code
        changes.append(InputChange("code", name, "" if both else "new" if name in now.code else "gone"))
    changes += [InputChange("variable", name) for name in _keys_that_differ(before.variables, now.variables)]
    if before.metrics != now.metrics:
        changes.append(InputChange("metrics"))
    return tuple(changes)


def _keys_that_differ(before: dict[str, str], now: dict[str, str]) -> list[str]:
    return sorted(name for name in {*before, *now} if before.get(name) != now.get(name))


def _tool_changes(before: Inputs, now: Inputs) -> list[InputChange]:
    gone = [name for name in before.tools if name not in now.tools]
    new = [name for name in now.tools if name not in before.tools]
    changes = []
    for name in before.tools:
        if name in now.tools and before.tools[name] != now.tools[name]:
            changes.append(InputChange("tool_changed", name, _part_changes(name, before.tools, now.tools)))
    for name in list(new):
        # The same text under another name is a renaming: what expected the old name now needs the new one.
        twin = next((old for old in gone if _same_tool(before.tools[old], now.tools[name])), None)
        if twin is not None:
            detail = _parts(before.tools[twin], now.tools[name])
            changes.append(InputChange("tool_renamed", name, detail, before=twin))
            gone.remove(twin)
            new.remove(name)
    changes += [InputChange("tool_added", name) for name in new]
    changes += [InputChange("tool_removed", name) for name in gone]
    if not changes and before.order != now.order:
        changes.append(InputChange("tool_order"))
    return changes


def _same_tool(first: dict[str, str], second: dict[str, str]) -> bool:
    return first == second or ("description" in first and first["description"] == second.get("description"))


def _part_changes(name: str, before: dict[str, dict[str, str]], now: dict[str, dict[str, str]]) -> str:
    """`description swapped with find_order, parameters`."""
    swapped = {
        part: other
        for other in before.keys() & now.keys() - {name}
        for part in before[name]
        if before[name][part] != now[name].get(part) == before[other].get(part)
        and now[other].get(part) == before[name][part]
    }
    words = _parts(before[name], now[name]).split(", ")
    by_word = {_PART_NAMES.get(part, part): other for part, other in swapped.items()}
    return ", ".join(f"{word} swapped with {by_word[word]}" if word in by_word else word for word in words)


def _parts(before: dict[str, str], now: dict[str, str]) -> str:
    names = [part for part in {**before, **now} if before.get(part) != now.get(part)]
    return ", ".join(_PART_NAMES.get(name, name) for name in names)


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
    near: Mapping[str, Iterable[str]] | None = None,
    quarantine: frozenset[str] = frozenset(),
) -> Reach:
    """Sort the goldens. `near` are tools like each changed one, by its name."""
    changed = set(chain.from_iterable(change.tools for change in changes))
    alike = changed | set(chain.from_iterable((near or {}).get(tool, ()) for tool in changed))
    groups: dict[str, list[str]] = {name: [] for name in Reach.__struct_fields__}
    for golden in goldens:
        line = before.get(golden.id)
        if golden.id in quarantine:
            groups["quarantined"].append(golden.id)
        elif line is None or not line.scores:
            groups["new"].append(golden.id)
        elif line.golden != golden_hash(golden):
            groups["edited"].append(golden.id)
            groups["new"].append(golden.id)
        elif line.ask == ask_hash(golden, now):
            groups["untouched"].append(golden.id)
        elif changed and (about(golden) & alike or changed & line.confused.keys()):
            groups["affected"].append(golden.id)
        else:
            groups["rest"].append(golden.id)
            if guards(golden):
                groups["hard"].append(golden.id)
    return Reach(**{name: tuple(ids) for name, ids in groups.items()})


def about(golden: AnyGolden) -> set[str]:
    """Tools that a golden expects, allows or forbids by name."""
    calls: list[ExpectedCall] = [*golden.expected_calls]
    if isinstance(golden, ConversationalGolden):
        calls += list(chain.from_iterable(turn.expected_calls or () for turn in golden.turns))
    else:
        calls += list(chain.from_iterable(golden.any_of))
    named: set[str] = set()
    for call in calls:
        tool = call.tool
        named |= {tool} if isinstance(tool, str) else set(tool) if isinstance(tool, tuple) else set()
    return named | {tool for tool in golden.forbidden_calls if isinstance(tool, str)}


def guards(golden: AnyGolden) -> bool:
    """Whether a golden guards against damage: forbidden calls, a state that must be kept, a safety tag."""
    return bool(golden.forbidden_calls or golden.expected_state is not None or SAFETY_TAGS & set(golden.tags))


@dataclass
class FirstRequests:
    """What a comparison of first requests showed, by golden.

    `changed` names the parts that differ, `states` has their digests, `unknown` says why a golden could not be
    compared. `masked` are parts that vary by themselves, with the clock for example, and were compared without dates,
    times and ids. `keeps_state` says how the agent carried one trial into another.
    """

    equal: list[str] = field(default_factory=list)
    changed: dict[str, tuple[str, ...]] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)
    masked: set[str] = field(default_factory=set)
    states: dict[str, list[str]] = field(default_factory=dict)
    keeps_state: str = ""

    @property
    def state(self) -> str:
        """A digest of the changed requests: another one is another question, with another draw."""
        return digest(self.states)[:24] if self.states else ""

    @property
    def compared(self) -> int:
        return len(self.equal) + len(self.changed)

    @property
    def changes(self) -> tuple[InputChange, ...]:
        """`the first request of 12 goldens changed (system)`; none when no request did."""
        if not self.changed:
            return ()
        parts = Counter(chain.from_iterable(self.changed.values()))
        named = ", ".join(part for part, _ in parts.most_common())
        return (InputChange("first_request", pluralize(len(self.changed), "golden"), named),)

    @property
    def unknown_words(self) -> str:
        """Why goldens have to be tried whose request could not be compared; "" when all could be."""
        if not self.unknown:
            return ""
        why, _ = Counter(self.unknown.values()).most_common(1)[0]
        return f"the first request of {pluralize(len(self.unknown), 'golden')} could not be compared ({why})"

    @property
    def notes(self) -> list[str]:
        """What a reader of the verdict should know about the comparison."""
        notes = []
        if self.masked:
            notes.append(
                f"first requests: {', '.join(sorted(self.masked))} vary between trials of the baseline, and were "
                "compared without dates, times and ids"
            )
        if self.unknown and self.compared:
            notes.append(self.unknown_words)
        return notes


def reach_with_first_requests(
    reach: Reach, goldens: Iterable[AnyGolden], first_requests: FirstRequests
) -> Reach:
    """The goldens as a comparison of first requests sorts them.

    Those whose request changed are affected. Those whose request could not be compared belong to the rest, of which a
    sample is run. An equal request takes no golden out of the rest: a file or variable that changed may be used after
    the first answer.
    """
    goldens_by_id = {golden.id: golden for golden in goldens}
    changed = first_requests.changed
    unknown = first_requests.unknown
    untouched = [golden for golden in reach.untouched if golden not in changed and golden not in unknown]
    unseen = [golden for golden in reach.untouched if golden in unknown]
    rest = [golden for golden in reach.rest if golden not in changed] + unseen
    moved = [golden for golden in (*reach.untouched, *reach.rest) if golden in changed]
    hard = {*reach.hard, *(golden for golden in unseen if guards(goldens_by_id[golden]))} - {*moved}
    return msgspec.structs.replace(
        reach,
        untouched=tuple(untouched),
        affected=(*reach.affected, *moved),
        rest=tuple(rest),
        hard=tuple(golden for golden in goldens_by_id if golden in hard),
    )


NOT_WATCHED = "the baseline does not say which files its agent read; run the suite on the main branch again"


class WatchComparison(NamedTuple):
    """What was compared and what of it changed, besides the inputs that the suite states.

    `unknown` says why equal files do not mean equal behaviour; every golden is then in reach of a change. `state` is a
    hash of the files as they are now, "" without any.
    """

    changes: tuple[InputChange, ...] = ()
    compared: ComparedInputs = ComparedInputs()
    unknown: str = ""
    state: str = ""


def compare_watched(sources: AgentSources, header: BaselineHeader, inputs: Inputs) -> WatchComparison:
    """Compare the working copy with what the agent of a baseline read."""
    before = header.watched
    if sources.ownership == "owned" and before is None:
        return WatchComparison(compared=ComparedInputs(files=tuple(sorted(inputs.code))))
    files = {} if before is None else before.files
    counted = {name: content for name, content in files.items() if sources.counts(name)}
    now = WatchedInputs(counted).now(sources)
    moved_code = {name for name, content in inputs.code.items() if header.given.code.get(name) != content}
    changes = tuple(
        InputChange("code", name, "new" if counted[name] == ABSENT else "gone" if now[name] == ABSENT else "")
        for name in counted
        if name not in moved_code and not same_content(counted[name], now[name])
    )
    unchanged = now.keys() - moved_code - {change.name for change in changes}
    same_meaning = (name for name in unchanged if not same_text(counted[name], now[name]))
    variables = {} if before is None else variables_of_modules(before, sources.project)
    moved = {n: content for n, content in variables.items() if n not in inputs.variables}
    old = {} if before is None else before.variables
    changes += tuple(
        InputChange("variable", n) for n, content in moved.items() if old.get(n, UNSET) != content
    )
    present = (name for name in counted if not counted[name] == now[name] == ABSENT)
    compared = ComparedInputs(
        tuple(sorted({*inputs.code, *present})),
        tuple(sorted({*inputs.variables, *moved})),
        same_meaning=tuple(sorted(same_meaning)),
        products=() if before is None else before.products,
        services=() if before is None else before.services,
    )
    unknown = sources.unknown
    if not unknown and before is None:
        unknown = NOT_WATCHED
    if not unknown and before is not None and before.unseen:
        unknown = before.unseen[0]
    if not unknown and not compared.files:
        unknown = "no file of the agent could be found"
    if unknown and not sources.remote:
        unknown = f"{unknown}; to compare it, list what it reads: `agent: {{code: [GLOB, …]}}`"
    if not unknown and before is not None and before.services:
        verb = "is" if len(before.services) == 1 else "are"
        unknown = f"{', '.join(before.services)} {verb} not compared"
    meanings = {name: canonical_digest(content) for name, content in now.items()}
    return WatchComparison(changes, compared, unknown, digest([meanings, moved]) if now else "")
