"""`rightcall score`: score recorded trajectories against goldens."""

from __future__ import annotations

import shlex
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click
import msgspec

from rightcall.api.recorded_scores import ScoreOptions
from rightcall.cli.command_options import GroupedCommand, takes_options
from rightcall.cli.output import tell
from rightcall.core.errors import ConfigError, InputError
from rightcall.core.own_output import OWN
from rightcall.core.seam import find
from rightcall.core.text import pluralize

if TYPE_CHECKING:
    from rightcall.api.recorded_scores import RecordedScores, ScoreVerdict
    from rightcall.records.golden import AnyGolden
    from rightcall.records.run import CaseResult
    from rightcall.show.view.failure_kinds import FailureKinds


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
    from rightcall.api.recorded_scores import no_agent_known, score as score_files
    from rightcall.cli.collector import stop
    from rightcall.run.conclude import NAME_AGENTS, NO_AGENT
    from rightcall.show.rows import write_rows

    stop()  # collecting takes a tenth of the time
    definitions = ("--tools", str(options.tools)) if options.tools is not None else ()
    again = shlex.join(["rightcall", "score", str(goldens), *map(str, trajectories), *definitions])
    read = read_standard_input(goldens, *trajectories)
    with names_of_user(*zip((goldens, *trajectories), read, strict=True)):
        recorded = as_trajectories(*read)
        scores = score_files(
            read[0],
            recorded,
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
            failures = kinds_of_failures(scores, (read[0], recorded), options.failures)
        verdict = scores.verdict(options.least)
    if no_agent_known(scores.summary):
        raise ConfigError(f"{NO_AGENT}; {NAME_AGENTS}")
    if not options.as_json:
        _print_scores(scores, verdict, failures, again)
    for notice in scores.notices:
        tell(f"warning: {notice}", err=True)
    if options.as_json and verdict.reason:
        tell(verdict.reason, err=True)
    raise click.exceptions.Exit(verdict.exit_code)


def kinds_of_failures(scores: RecordedScores, files: tuple[Path, Path], most: int) -> FailureKinds:
    """Score every case, and put equal failures together; files are read again up to the last example."""
    from rightcall.datasets.pairs import pair
    from rightcall.show.view.failure_kinds import Cases, KindTally

    def find(examples: Sequence[CaseResult]) -> Cases:
        wanted = {(result.golden_id, result.trial): result for result in examples}
        cases: dict[tuple[str, int], tuple[AnyGolden | None, CaseResult]] = {}
        for golden, trial, trajectory in pair(*files, partial=True) if wanted else ():
            if (result := wanted.pop((golden.id, trial), None)) is not None:
                cases[golden.id, trial] = golden, msgspec.structs.replace(result, trajectory=trajectory)
            if not wanted:
                break
        return cases

    tally = KindTally(scores.tools)
    tally.add_all(result for result in _with_progress(scores) if result.checked and not result.passed)
    return tally.kinds(most, find)


def _with_progress(results: Iterable[CaseResult]) -> Iterator[CaseResult]:
    """The results; on a terminal, how many there were so far."""
    from rightcall.show.screen import Screen

    screen = Screen(stderr=True)
    started = shown = time.monotonic()
    for number, result in enumerate(results, 1):
        now = time.monotonic() if number % 1000 == 0 and screen.is_terminal else shown
        if now - shown > 0.5:
            shown = now
            screen.print(f"scoring {number:,} ({number / (now - started):,.0f}/s)", end="\r")
        yield result
    if shown > started:
        screen.print(" " * 60, end="\r")


def _print_scores(scores: RecordedScores, verdict: ScoreVerdict, failures: FailureKinds, again: str) -> None:
    """The screen of a run, with the table by category, as nothing is stored that could show it later."""
    from rightcall.cli.output import console
    from rightcall.show.run_screen import NextStep, RunScreen, print_run_screen, print_steps
    from rightcall.show.safety import print_attacks, print_safety
    from rightcall.show.terminal import print_table
    from rightcall.show.view.summary import summary_view

    out = console()
    summary = scores.summary
    safety = scores.safety_view
    notes = (*summary.warnings, *_skip_note(scores.left_out))
    clauses = tuple(filter(None, (verdict.counts, verdict.reason)))
    steps = (NextStep(f"{again} --json", "every case and score"),)
    screen = RunScreen(verdict.word, clauses, failures, notes=notes, steps=steps, again=again)
    if safety is None:
        print_run_screen(out, screen)
    else:
        print_attacks(out, screen, safety)
    out.print()
    view = summary_view(summary)
    print_table(out, view)
    for note in view.notes:
        out.print(note)
    if safety is not None:
        print_safety(out, safety)
    print_steps(out, screen.steps)


def _skip_note(count: int) -> list[str]:
    return [f"{pluralize(count, 'golden')} without a trajectory skipped"] if count else []
