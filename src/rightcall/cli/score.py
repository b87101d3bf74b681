"""`rightcall score`: score recorded trajectories against goldens."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from rightcall.api.score_options import ScoreOptions
from rightcall.cli.command_options import GroupedCommand, takes_options
from rightcall.cli.output import tell
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.own_output import OWN
from rightcall.core.seam import find
from rightcall.core.text import pluralize

if TYPE_CHECKING:
    from rightcall.api.recorded_scores import RecordedScores
    from rightcall.records.run import Summary
    from rightcall.show.view.grouped_trials import GoldenRow
    from rightcall.show.view.safety import SafetyView


def as_trajectories(goldens: Path, *files: Path) -> Path:
    """The path itself when it holds trajectories; for traces a temporary file with those that belong to a golden."""
    recorded = files[0]
    if len(files) == 1 and _begins_with_golden(recorded):
        return recorded
    read_traces = find("services", "traced_goldens")
    trajectories = read_traces(goldens, *files) if read_traces is not None else None
    if trajectories is None:
        if len(files) > 1:
            raise click.UsageError(
                "several files must all be traces or transcripts; join files of trajectories"
            )
        return recorded
    from rightcall.datasets.trajectories import save_trajectories

    rows, left_out = trajectories
    if left_out:
        tell(f"{pluralize(left_out, 'trace')} without a golden skipped", err=True)
    path = _temporary_folder() / f"{recorded.stem}.trajectories.jsonl"
    save_trajectories(rows, path)
    return path


def read_standard_input(*files: Path) -> tuple[Path, ...]:
    """The files, with a copy of standard input in place of `-`: a file is read more than once."""
    if [str(file) for file in files].count("-") > 1:
        raise click.UsageError("only one file can be read from standard input")
    return tuple(_copy(sys.stdin.buffer) if str(file) == "-" else file for file in files)


@contextmanager
def names_of_user(*copies: tuple[Path, Path]) -> Iterator[None]:
    """Errors that name the files as the user did: `-` is standard input, not a temporary file."""
    try:
        yield
    except InputError as error:
        where = error.where
        problem = error.problem
        for copy in (str(copy) for path, copy in copies if path != copy):
            where, problem = (text.replace(copy, "standard input") for text in (where, problem))
        raise InputError(where, problem, error.hint) from None


def _copy(stream: BinaryIO) -> Path:
    path = _temporary_folder() / "stdin.jsonl"
    with path.open("wb") as file:
        shutil.copyfileobj(stream, file)
    return path


def _temporary_folder() -> Path:
    import atexit

    folder = tempfile.TemporaryDirectory(prefix="rightcall-")
    atexit.register(folder.cleanup)
    return Path(folder.name)


def _begins_with_golden(recorded: Path) -> bool:
    """Whether the first record names its golden: then it is a trajectory, and no reader of traces need be loaded."""
    try:
        with recorded.open("rb") as file:
            return b'"golden_id"' in file.read(300)
    except OSError:
        return False


@click.command(cls=GroupedCommand)
@click.argument("goldens", type=click.Path(path_type=Path))
@click.argument("trajectories", type=click.Path(path_type=Path), nargs=-1, required=True)
@takes_options(ScoreOptions)
def score(goldens: Path, trajectories: tuple[Path, ...], options: ScoreOptions) -> None:
    """Score TRAJECTORIES (what an agent did) against GOLDENS (what it should have done).

    TRAJECTORIES may also be traces of any kind that `rightcall traces import` reads, if goldens name their trace or
    spans name their golden (`rightcall.golden.id`); and transcripts of coding agents, a file for each trial, that
    begin with a golden's request or are named after it (`ID.jsonl`, `ID.2.jsonl`). `-` reads one of the files from
    standard input, as JSON Lines. Runs and sends nothing. Exit code 1 if the pass rate is below --min, where trials
    without an answer or a record count as failed; 3 if nothing was checked or no attack was delivered, 4 if no case
    has an answer.
    """
    from rightcall.api.recorded_scores import score as score_files
    from rightcall.cli.collector import stop
    from rightcall.show.rows import write_rows

    stop()  # collecting takes a tenth of the time
    hints = _hints(goldens, trajectories[0], options.tools)
    read = read_standard_input(goldens, *trajectories)
    with names_of_user(*zip((goldens, *trajectories), read, strict=True)):
        scores = score_files(
            read[0],
            as_trajectories(*read),
            tools=options.tools or (),
            metrics=options.metrics,
            measure=options.measure,
            rules=options.rules,
            partial=options.partial,
        )
        if options.as_json:
            write_rows(iter(scores), OWN.stdout.buffer, scores.tools)
            for note in _skip_note(scores.left_out):
                tell(note, err=True)
        else:
            _print_scores(scores, options.failures, hints, read[0])
    for notice in scores.notices:
        tell(f"warning: {notice}", err=True)
    exit_by(scores, options.least)


def exit_by(scores: RecordedScores, least: float) -> None:
    """End with the exit code of scores whose pass rate must reach `least`, and say why unless the rate does."""
    from rightcall.api.recorded_scores import no_agent_known
    from rightcall.run.conclude import NAME_AGENTS, NO_AGENT

    summary = scores.summary
    if no_agent_known(summary):
        raise ConfigError(f"{NO_AGENT}; {NAME_AGENTS}")
    reason = scores.shortfall(least)
    if reason:
        tell(reason, err=True)
    if reason is not None:
        nobody_answered = summary.overall.errors and not summary.overall.cases
        raise click.exceptions.Exit(4 if nobody_answered else 3 if scores.undecided(least) else 1)


def _print_scores(scores: RecordedScores, failures: int, hints: list[str], goldens: Path) -> None:
    """Show the progress of scoring, then the summary with the first failures."""
    from rightcall.datasets.goldens import load_goldens
    from rightcall.show.terminal import AskedMetrics, Watcher  # rich only when it is shown
    from rightcall.show.view.failures import names_of
    from rightcall.show.view.grouped_trials import with_titles

    asked = AskedMetrics(scores.metric_names)
    watcher = Watcher("scoring", failures, scores.tools)
    for _ in watcher.watch(asked.watch(scores) if scores.metric_names else iter(scores)):
        pass
    notes = [*_skip_note(scores.left_out), *asked.lines(scores.summary)]
    rows, left_out = watcher.failed.rows()
    name = names_of(lambda: load_goldens(goldens), [row.golden_id for row in rows])
    more = f"{pluralize(left_out, 'more case')} did not pass" if left_out else ""
    print_scores(scores.summary, scores.safety_view, with_titles(rows, name), more, notes=notes, hints=hints)


def print_scores(
    summary: Summary,
    safety: SafetyView | None,
    failed: Sequence[GoldenRow] = (),
    more: str = "",
    *,
    notes: Sequence[str],
    hints: Sequence[str],
) -> None:
    """Print the summary, what attacks did, and the commands to try next."""
    from rightcall.show.terminal import print_summary

    print_summary(
        summary, failed, more, notes=(*summary.warnings, *notes), hints=() if safety is not None else hints
    )
    if safety is not None:
        from rightcall.cli.output import console, print_next
        from rightcall.show.safety import print_safety

        print_safety(console(), safety)
        print_next(*hints)


def _skip_note(count: int) -> list[str]:
    return [f"{pluralize(count, 'golden')} without a trajectory skipped"] if count else []


def _hints(goldens: Path, trajectories: Path, tools: Path | None) -> list[str]:
    definitions = f" --tools {tools}" if tools is not None else ""
    hints = [f"rightcall score {goldens} {trajectories}{definitions} --json | jq 'select(.passed | not)'"]
    if tools is None:
        hints.append(f"rightcall dataset check {goldens} --tools TOOLS.json")
    return hints
