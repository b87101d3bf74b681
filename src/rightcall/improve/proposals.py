"""Changes worth trying without a model: from findings and lint fixes, alone and together; and where each can act."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from rightcall.improve.counters import NEGATIVE, Class
from rightcall.improve.findings import Analysis, RunFinding
from rightcall.improve.golden_facts import calls_expected
from rightcall.improve.hypothesis import ProposedChange
from rightcall.improve.improvement import tools_text
from rightcall.lint.fixer import fix
from rightcall.lint.rules.skills_front_matter import MOST_DESCRIPTION
from rightcall.lint.source.read import read_text
from rightcall.records.dialects import read_tool
from rightcall.records.golden import AnyGolden
from rightcall.records.record import Record
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool

Exposed = frozenset[Class] | None
"""Tools, parameters and `NEGATIVE`; None for every golden."""


def exposure_of(
    cause: str, tools: Iterable[str], parameters: Iterable[str], tool_names: Iterable[str]
) -> Exposed:
    """What a finding's cause can act on. A description that claims too much harms the goldens of all other tools."""
    tools = tuple(tools)
    parameters = tuple(parameters)
    if cause == "no_abstention_guidance":
        return frozenset((NEGATIVE,))
    if cause == "overbroad_description":
        return frozenset((NEGATIVE, *(name for name in tool_names if name not in tools)))
    if parameters:
        return frozenset((tool, name) for tool in tools for name in parameters)
    return frozenset(tools) if tools else None


def is_exposed(golden: AnyGolden, exposure: Exposed) -> bool:
    """Whether a golden is one that a cause, or its change, can act on."""
    if exposure is None:
        return True
    expected = calls_expected(golden)
    if not expected:
        return NEGATIVE in exposure
    return any(tool in exposure or any((tool, name) in exposure for name in args) for tool, args in expected)


SET_ASIDE = frozenset(("golden_looks_wrong", "request_lacks_information"))
"""Findings about goldens: definitions must not be tuned to them."""


class Proposal(Record, frozen=True):
    """Edits that belong together, and why. `tools` and `parameters` are what the finding behind it is about.

    `worth` is how many goldens of the analysed ones it can win back at most; None when no finding says so.
    """

    name: str
    why: str
    changes: tuple[ProposedChange, ...]
    source: str = "finding"
    tools: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    cause: str = ""
    worth: float | None = None
    parts: tuple[Proposal, ...] = ()

    def exposure(self, tool_names: Sequence[str]) -> Exposed:
        """The goldens that it is meant for, given the names of all tools."""
        if not self.parts:
            return exposure_of(self.cause, self.tools, self.parameters, tool_names)
        exposures = [part.exposure(tool_names) for part in self.parts]
        return (
            None if None in exposures else frozenset(chain.from_iterable(some for some in exposures if some))
        )


def proposals_of(analysis: Analysis, tools: Sequence[Tool]) -> list[Proposal]:
    """One for each likely finding with a change, one for safe lint fixes."""
    proposals = [
        proposal_for(
            finding, finding.change, "finding", f"{finding.cause} {finding.place}".strip(), why=finding.what
        )
        for finding in analysis.findings
        if finding.likely and finding.change and finding.cause not in SET_ASIDE
    ]
    skills = {tool.name for tool in tools if tool.kind == "skill"}

    def is_tried(change: ProposedChange) -> bool:
        """Names stay, and clients would cut a longer description of a skill."""
        too_long = change.tool in skills and len(str(change.after)) > MOST_DESCRIPTION
        return change.path != ("name",) and not too_long

    kept = [proposal for proposal in proposals if all(map(is_tried, proposal.changes))]
    return [*kept, *_lint_fixes([tool for tool in tools if tool.kind == "tool"])]


def proposal_for(
    finding: RunFinding, changes: tuple[ProposedChange, ...], source: str, name: str, why: str
) -> Proposal:
    """A proposal that is meant for what a finding is about."""
    return Proposal(
        name,
        why,
        changes,
        source,
        tools=finding.tools,
        parameters=finding.parameters,
        cause=finding.cause,
        worth=finding.won_back.cases,
    )


def together(proposals: Sequence[Proposal]) -> Proposal | None:
    """All of them as one change; None for fewer than two.

    Those that edit what an earlier one edits are left out, and lint fixes, which are meant for no golden in particular.
    """
    taken: set[tuple[str, tuple[str | int, ...]]] = set()
    parts: list[Proposal] = []
    for proposal in proposals:
        if proposal.source == "lint":
            continue
        places = {(change.tool, change.path) for change in proposal.changes}
        inside = any(
            any(tool == other and (path[: len(at)] == at or at[: len(path)] == path) for other, at in taken)
            for tool, path in places
        )
        if not inside:
            taken |= places
            parts.append(proposal)
    if len(parts) < 2:
        return None
    changes = tuple(chain.from_iterable(part.changes for part in parts))
    worth = [part.worth for part in parts if part.worth is not None]
    return Proposal(
        " + ".join(part.name for part in parts),
        "all of these together",
        changes,
        "together",
        tools=tuple(dict.fromkeys(chain.from_iterable(part.tools for part in parts))),
        worth=sum(worth) if worth else None,
        parts=tuple(parts),
    )


def _lint_fixes(tools: Sequence[Tool]) -> Iterator[Proposal]:
    fixed = fix(read_text(tools_text(tools), name="tools.json"))
    if not fixed:
        return
    after = {tool.name: tool for tool in (read_tool(raw, "tools") for raw in json.loads(fixed[0].after.text))}
    changes = tuple(
        chain.from_iterable(_difference(tool, after[tool.name]) for tool in tools if tool.name in after)
    )
    if changes:
        codes = ", ".join(sorted(set(fixed[0].codes)))
        yield Proposal(
            f"lint fixes {codes}", "what the linter fixes without changing the meaning", changes, "lint"
        )


def _difference(before: Tool, after: Tool) -> Iterator[ProposedChange]:
    if before.description != after.description:
        yield ProposedChange(before.name, ("description",), before.description, after.description)
    if before.input_schema != after.input_schema:
        yield ProposedChange(before.name, ("input_schema",), before.input_schema, after.input_schema)


@dataclass(frozen=True)
class ProposalTask:
    """What a proposer may look at: findings, definitions, and the goldens and results of tune. Never proof."""

    found: Analysis
    tools: Sequence[Tool]
    system: str
    tune: Sequence[AnyGolden]
    results: Sequence[CaseResult]


Proposer = Callable[[ProposalTask], Awaitable[list[Proposal]]]
