"""Changes to an agent's definitions, with proof that one helps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rightcall.agents.agent import Agent
from rightcall.api.evaluate_options import EvaluateOptions
from rightcall.api.run_result import RunResult
from rightcall.core.event_loop import run_blocking
from rightcall.core.options import Option, takes
from rightcall.improve.proof.options import ImproveRequest
from rightcall.improve.proof.protocol import improve_plan
from rightcall.records.golden import Golden
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.improve.improvement import Improvement


@dataclass(frozen=True)
class ImproveCall(ImproveRequest):
    """The parameters of `rightcall.improve`."""

    run: Annotated[str | RunResult, Option("A run of the agent on the dataset")]
    agent: Annotated[Agent, Option("The agent to improve")]
    dataset: Annotated[str | Path | Iterable[Golden], Option("A file of goldens, or goldens")]


@takes(ImproveCall)
def improve(options: ImproveCall) -> Improvement:
    """Propose changes to definitions, test them on held-out goldens, and return a patch for the one that helps.

    Starts from a run of the same agent and dataset. `model` rewrites descriptions, in addition to what findings
    propose. Changes nothing but the store, where the trials are kept.
    """
    run = options.run
    opened = run.store if isinstance(run, RunResult) else open_store(options.store, must_exist=True)
    plan = EvaluateOptions(options.agent, options.dataset, name="improve").plan()
    run_id = run.id if isinstance(run, RunResult) else run
    return run_blocking(improve_plan(plan, opened, run_id, options.options(options.model)))
