"""`rightcall score --on`: recorded behaviour scored in shards on Ray."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rightcall.cli.driver_process import SUPERVISION
from rightcall.cli.output import tell
from rightcall.cli.run_progress import tell_shards
from rightcall.cli.score import exit_by, print_scores
from rightcall.core.text import pluralize
from rightcall.metrics.resolve import as_metrics, metrics_to_observe
from rightcall.metrics.score_case import Scorer
from rightcall.run.suite import WorkersConfig
from rightcall.tools.definitions.source import load_tools
from rightcall.wings.ray.place import Workers
from rightcall.wings.ray.shards import Scoring

if TYPE_CHECKING:
    from rightcall.metrics.matching.verdict import ScoringRules


def score_in_shards(
    goldens: Path,
    trajectories: Path,
    out: Path,
    *,
    on: str,
    workers: int | None,
    tools: Path | None,
    metrics: Sequence[str],
    observe: Sequence[str],
    rules: ScoringRules,
    partial: bool,
    least: float,
    include_unreviewed: bool,
) -> None:
    """Score every shard, print the summary and what attacks did, and exit as `rightcall score` does."""
    SUPERVISION.start()
    chosen = as_metrics(metrics)
    scorer = Scorer(chosen, metrics_to_observe(observe, chosen), rules)
    definitions = tuple(load_tools(tools)) if tools else ()
    scoring = Scoring(goldens.resolve(), scorer, definitions, out.resolve(), include_unreviewed)
    with Workers(WorkersConfig(count=workers), on, folder=Path.cwd(), dataset=goldens) as shared:
        scores = shared.score(
            scoring,
            trajectories.resolve(),
            partial=partial,
            done=tell_shards,
            tell=lambda line: tell(line, err=True),
        )
    notes = [f"{pluralize(scores.shards, 'shard')}; rows in {out}"]
    if scores.left_out:
        notes.append(f"{pluralize(scores.left_out, 'golden')} without a trajectory skipped")
    hints = [f"cat {out}/part-*.jsonl | jq 'select(.passed | not)'"]
    print_scores(scores.summary, scores.safety, notes=notes, hints=hints)
    exit_by(scores.summary, least)
