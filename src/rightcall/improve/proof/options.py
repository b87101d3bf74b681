"""The options of `improve`: how much it may try, and who makes proposals."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from rightcall.improve.findings import Analysis
from rightcall.improve.proposals import Proposal
from rightcall.model.golden import AnyGolden
from rightcall.model.run import CaseResult
from rightcall.model.tool import Tool
from rightcall.models.endpoint import ModelEndpoint

Stop = Literal["end", "evalue"]


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


@dataclass(frozen=True)
class ImproveOptions:
    """How much may be tried. `rewrite` gives further proposals, such as those of a model.

    `stop` "evalue" ends proof as soon as it is decided; "end" runs all of it. `announce` is called with
    a sentence about the next step, before it costs anything.
    """

    proposals: int = 10
    trials: int = 3
    unproven: bool = False
    budget: int | None = None
    rewrite: Proposer | None = None
    stop: Stop = "end"
    announce: Callable[[str], None] = lambda sentence: None


def proposer(
    model: str | ModelEndpoint | None, engine: Literal["rewrite", "gepa"] = "rewrite"
) -> Proposer | None:
    """The rewriter of descriptions: a model asked for each finding, or a search with the gepa package."""
    if model is None:
        return None
    if engine == "gepa":
        from rightcall.improve.proof.gepa_engine import GepaEngine

        return GepaEngine(model)
    from rightcall.improve.proof.rewriter import Rewriter

    return Rewriter(model)
