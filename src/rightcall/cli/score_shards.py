"""`rightcall score --on`: recorded behaviour scored in shards on Ray."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from rightcall.cli.driver_process import SUPERVISION
from rightcall.cli.output import tell
from rightcall.core.text import counted
from rightcall.metrics.resolve import as_metrics, observed
from rightcall.metrics.score_case import Scorer
from rightcall.model.run import nothing_checked_text
from rightcall.run.suite import WorkersConfig
from rightcall.show.terminal import print_summary
from rightcall.tools.definitions.load import load_tools
from rightcall.wings.ray.place import Workers
from rightcall.wings.ray.shards import Scoring

if TYPE_CHECKING:
    from rightcall.metrics.matching.verdict import ScoringRules

ROUNDING = 1e-12


class ShardChoices(NamedTuple):
    """What the command line says about scoring."""

    tools: Path | None
    metrics: Sequence[str]
    observe: Sequence[str]
    rules: ScoringRules
    partial: bool
    least: float
    include_unreviewed: bool = False


def score_in_shards(
    goldens: Path, trajectories: Path, how: ShardChoices, on: str, workers: int | None, out: Path
) -> None:
    """Score every shard, print the summary, and exit with 1 below the minimum."""
    SUPERVISION.start()
    chosen = as_metrics(how.metrics)
    scorer = Scorer(chosen, observed(how.observe, chosen), how.rules)
    tools = tuple(load_tools(how.tools)) if how.tools else ()
    scoring = Scoring(goldens.resolve(), scorer, tools, out.resolve(), how.include_unreviewed)
    with Workers(WorkersConfig(count=workers), on, folder=Path.cwd(), dataset=goldens) as shared:
        scores = shared.score(
            scoring,
            trajectories.resolve(),
            partial=how.partial,
            done=tell_shards,
            tell=lambda line: tell(line, err=True),
        )
    notes = [f"{counted(scores.shards, 'shard')}; rows in {out}"]
    if scores.left_out:
        notes.append(f"{counted(scores.left_out, 'golden')} without a trajectory skipped")
    print_summary(
        scores.summary, [], notes=notes, hints=[f"cat {out}/part-*.jsonl | jq 'select(.passed | not)'"]
    )
    overall = scores.summary.overall
    everything = overall.cases + overall.errors
    if scores.summary.unchecked and not everything:
        tell(nothing_checked_text(scores.summary.unchecked), err=True)
        raise click.exceptions.Exit(3)
    if not overall.cases or overall.passed < (how.least - ROUNDING) * everything:
        raise click.exceptions.Exit(1)


def tell_shards(finished: int, of: int) -> None:
    """Say how many shards are done, at most twenty times."""
    if finished == of or finished % max(1, of // 20) == 0:
        tell(f"{finished:,} of {of:,} shards", err=True)
