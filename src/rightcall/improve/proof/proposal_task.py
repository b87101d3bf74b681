"""What a proposer of changes may look at, and what it is."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from rightcall.improve.findings import Analysis
from rightcall.improve.proposals import Proposal
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult
from rightcall.model.tool import Tool


@dataclass(frozen=True)
class ProposalTask:
    """What a proposer may look at: findings, definitions, and the goldens and results of tune. Never proof.

    `measure` runs the agent with a proposal on some goldens of tune.
    """

    found: Analysis
    tools: Sequence[Tool]
    system: str
    tune: Sequence[AnyGolden]
    results: Sequence[CaseResult]
    measure: Callable[[Proposal, Sequence[AnyGolden]], Awaitable[Sequence[CaseResult]]]


Proposer = Callable[[ProposalTask], Awaitable[list[Proposal]]]
