"""Changes to an agent's definitions, with proof that one helps."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rightcall.agents.agent import Agent
from rightcall.api.evaluate_options import EvaluateOptions
from rightcall.api.run_result import RunResult
from rightcall.core.event_loop import run_blocking
from rightcall.improve.proof.options import ImproveOptions, proposer
from rightcall.improve.proof.protocol import improve_plan
from rightcall.model.golden import Golden
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.improve.improvement import Improvement


def improve(
    run: str | RunResult,
    agent: Agent,
    dataset: str | Path | Iterable[Golden],
    *,
    model: str | None = None,
    engine: Literal["rewrite", "gepa"] = "rewrite",
    proposals: int = 10,
    trials: int = 3,
    stop: Literal["end", "evalue"] = "end",
    unproven: bool = False,
    budget: int | None = None,
    store: str | Path | None = None,
) -> Improvement:
    """Propose changes to definitions, test them on held-out goldens, and return a patch for the one that helps.

    Starts from a run of the same agent and dataset. `model` rewrites descriptions, in addition to what findings
    propose; with `engine="gepa"` it reflects on failed cases in a search with the gepa package. `stop="evalue"` ends
    proof as soon as it is decided. Changes nothing but the store, where the trials are kept.
    """
    opened = run.store if isinstance(run, RunResult) else open_store(store, must_exist=True)
    plan = EvaluateOptions(agent, dataset, name="improve").plan()
    options = ImproveOptions(proposals, trials, unproven, budget, proposer(model, engine), stop)
    improvement = improve_plan(plan, opened, run.id if isinstance(run, RunResult) else run, options)
    return run_blocking(improvement)
