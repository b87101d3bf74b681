"""`rightcall check`: is this change safe to ship?"""

from __future__ import annotations

import os
import re
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from rightcall.check.options import CheckCommandOptions
from rightcall.cli.command_options import GroupedCommand, takes_options
from rightcall.cli.interrupt import INTERRUPTS, run_interruptible
from rightcall.cli.output import console, in_actions, print_commands, print_json, print_next, tell
from rightcall.core.errors import InfrastructureError
from rightcall.core.text import margin_text, pluralize
from rightcall.files.atomic import atomic_write
from rightcall.show.formats import writer_of
from rightcall.show.lines import inert_json, json_document, write_report
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.decide.check_result import CheckResult
    from rightcall.run.baseline_file import BaselinePool
    from rightcall.run.suite import Suite
    from rightcall.show.github import PullRequest
    from rightcall.store.sql.store import Store

HERE = Path("suite.yaml")
COLORS = {"SAME": "green", "PASS": "green", "WORSE": "red"}


@click.command(cls=GroupedCommand)
@click.argument(
    "suites",
    nargs=-1,
    type=click.Path(path_type=Path),
    metavar="[SUITE]...",
)
@takes_options(CheckCommandOptions)
def check(suites: tuple[Path, ...], options: CheckCommandOptions) -> None:
    """Compare the working version of SUITE with a baseline, running only as much as the verdict needs.

    Affected goldens are tried first, and the check stops as soon as it can decide.

    SUITE defaults to `suite.yaml`.

    Exit codes: 0 PASS, 1 WORSE or a lint error on a changed tool, 3 INCONCLUSIVE, 4 too many errors.
    """
    from rightcall.run.suite import load_suite

    for path in options.outputs:
        _require_known(path)
    suites = suites or _suite_here()
    if options.anchor is not None:
        raise click.exceptions.Exit(compare_with_anchor(suites, options.anchor, options))
    pull_request = _pull_request(options)
    results = []
    with open_store(options.store) as store:
        loaded = [load_suite(file) for file in suites]
        _require_trust(suites, options)
        for file, suite in zip(suites, loaded, strict=True):
            results.append(_check_suite(suite, file, store, options))
        for suite, result in zip(loaded, results, strict=True):
            for path in options.outputs:
                _write(_output_of(path, suite.name, len(suites)), result, store)
            if not options.as_json:
                _show(result)
        if len(results) > 1 and not options.as_json and not options.plan_only:
            _show_all(results)
    if options.as_json:
        print_json(results[0] if len(results) == 1 else results)
    elif in_actions(os.environ):
        from rightcall.show.check_comment import check_annotations, check_markdown
        from rightcall.show.github import add_to_summary

        for result in results:
            print_commands(check_annotations(result), err=True)
            add_to_summary(os.environ, check_markdown(result))
    if pull_request is not None:
        _comment(pull_request, results)
    raise click.exceptions.Exit(0 if options.plan_only else max(result.exit_code for result in results))


def _pull_request(options: CheckCommandOptions) -> PullRequest | None:
    """Where to comment. The token is taken out of the environment: the agent's code shall not read it."""
    if not options.comment:
        return None
    if options.plan_only:
        raise click.UsageError("--comment posts a verdict, and --plan has none")
    from rightcall.show.github import PullRequest

    pull_request = PullRequest.from_environment(os.environ)
    del os.environ["GITHUB_TOKEN"]
    return pull_request


def _comment(pull_request: PullRequest, results: list[CheckResult]) -> None:
    """Post the results. The verdict stands without them: the token of a fork's pull request cannot write."""
    from rightcall.show.check_comment import check_markdown

    for result in results:
        try:
            address = pull_request.put_comment(check_markdown(result))
        except InfrastructureError as error:
            tell(f"warning: no comment was written: {error}", err=True)
        else:
            tell(f"commented: {address}", err=True)


def _require_trust(files: tuple[Path, ...], options: CheckCommandOptions) -> None:
    """Ask for trust in everything that would run, before the first call."""
    from rightcall.check.base_version import BaseVersion
    from rightcall.run.trust import require_trust

    for file in files:
        require_trust(file, trust=options.trust)
        if options.base_ref and not options.plan_only:
            BaseVersion.of(file, options.base_ref).require_trust(trust=options.trust)


def _suite_here() -> tuple[Path, ...]:
    if not HERE.is_file():
        raise click.UsageError("name a suite: there is no suite.yaml in this folder")
    return (HERE,)


def _output_of(path: Path, suite: str, suites: int) -> Path:
    """Where an output of a suite goes; the suite's name is part of it when there are several."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", suite).strip("-.") or "suite"
    return path if suites == 1 else path.with_stem(f"{path.stem}-{plain}")


def _check_suite(suite: Suite, file: Path, store: Store, options: CheckCommandOptions) -> CheckResult:
    from rightcall.check.suite_check import check_suite

    started = time.monotonic()
    is_watched = not options.as_json and sys.stderr.isatty()

    def show_comparison(done: int, goldens: int) -> None:
        if is_watched and time.monotonic() - started > 1:
            tell(f"compared {done:,} of {goldens:,} first requests", err=True)

    def watch(spent: int, planned: int) -> None:
        if is_watched:
            tell(f"{spent:,} of at most {planned:,} calls", err=True)

    work = check_suite(suite, file, store, options, watch=watch, compared=show_comparison)
    try:
        return run_interruptible(work)
    except KeyboardInterrupt:
        tell(f"{INTERRUPTS.reason}; finished trials are stored: run the same command to continue", err=True)
        raise


def _require_known(path: Path) -> None:
    """Check the output names before any call is made."""
    if path.suffix not in (".md", ".json", ".xml", ".sarif"):
        raise click.UsageError(f"-o {path}: write a .md, .json, .xml or .sarif file, or codequality.json")
    if not path.parent.is_dir():
        raise click.UsageError(f"-o {path}: no such folder '{path.parent}'; create it first")
    if path.is_dir():
        raise click.UsageError(f"-o {path}: is a folder")


def _write(path: Path, result: CheckResult, store: Store) -> None:
    """Write one output, in the format of its name."""
    from rightcall.show.check_comment import check_junit, check_markdown, check_quality, check_sarif

    if path.suffix == ".xml" and result.run_id and result.calls.spent:
        with atomic_write(path) as out:
            writer_of("junit")(store, result.run_id, out)
    elif path.suffix == ".md":
        write_report(path, check_markdown(result).encode())
    elif path.suffix == ".sarif":
        write_report(path, check_sarif(result))
    elif path.suffix == ".xml":
        write_report(path, check_junit(result))
    elif path.stem.startswith("codequality"):
        write_report(path, check_quality(result))
    else:
        write_report(path, inert_json(json_document(result)))


def _show(result: CheckResult) -> None:
    from rightcall.show.check_screen import check_screen

    out = console()
    if result.cause == "plan":
        _show_plan(result)
        return
    color = COLORS.get(result.verdict, "yellow")
    first, *others = check_screen(result)
    out.say(f"[bold {color}]{{}}[/bold {color}]{{}}", result.word, first.removeprefix(result.word))
    for line in others:
        out.print(line, soft_wrap=True)
    for warning in result.warnings[:1]:
        out.say("[yellow]{}[/yellow]", warning, hang=4)
    command = shlex.join(["rightcall", *sys.argv[1:]])
    if result.verdict in ("WORSE", "INCONCLUSIVE") and result.run_id:
        case = f" {result.broken[0].golden}" if result.broken else ""
        steps = [f"rightcall runs show {result.run_id}{case}"]
        print_next(*steps, *([] if result.everything or result.verdict == "WORSE" else [f"{command} --full"]))


def _show_all(results: list[CheckResult]) -> None:
    out = console()
    out.say("")
    for result in results:
        color = COLORS.get(result.verdict, "yellow")
        verdict = f"{result.verdict:<12}"
        out.say(f"[{color}]{{}}[/{color}] {{}}  [dim]{{}}[/dim]", verdict, result.suite, result.calls.price)


def _show_plan(result: CheckResult) -> None:
    out = console()
    what = f"{result.reason}"
    out.say("[bold]PLAN[/bold]  {}", what)
    for stratum in result.plan:
        margin = f", margin {margin_text(stratum.margin)}" if stratum.margin is not None else ""
        counts = f"{stratum.goldens:,} goldens, at most {stratum.calls:,} calls{margin}"
        out.say("  {} {}", f"{stratum.name:<10}", counts)
    out.say("  {} {} goldens, 0 calls", f"{'untouched':<10}", f"{result.untouched:,}")
    if confirming := result.calls.planned - sum(stratum.calls for stratum in result.plan):
        out.say("  {} at most {} calls, only after an alarm", f"{'confirm':<10}", f"{confirming:,}")
    compared = result.compared
    if compared.words:
        out.say("{}:", compared.words)
        for name in (*compared.files, *(f"${name}" for name in compared.variables)):
            out.say("  [dim]-[/dim] {}", name)
    out.say("a full run takes {} calls", f"{result.calls.full:,}")
    if result.unknown:
        out.say("[dim]every golden is in reach: {}[/dim]", result.unknown)
    for note in result.notes:
        out.say("[dim]{}[/dim]", note)
    out.say("[dim]nothing was sent[/dim]")


NOTHING_COMPARED = 3


def compare_with_anchor(suites: tuple[Path, ...], anchor: Path, options: CheckCommandOptions) -> int:
    """Compare a suite's baseline with its anchor, or freeze the anchor, which compares nothing; the exit code."""
    from rightcall.run.baseline_anchor import check_anchor
    from rightcall.run.baseline_file import load_baseline
    from rightcall.run.baseline_pool import merged_baseline
    from rightcall.run.suite import load_suite

    if len(suites) > 1 or options.plan_only or options.comment or options.outputs:
        raise click.UsageError("--anchor takes one suite, and neither --plan, --comment nor -o")
    with open_store(options.store) as store:
        main = merged_baseline(store, options.baseline, load_suite(suites[0]).name)
    if not anchor.is_file():
        return _freeze(main, anchor)
    result = check_anchor(load_baseline(anchor), main)
    if options.as_json:
        print_json(result)
        return result.exit_code
    out = console()
    color = {"PASS": "green", "DECLINED": "red"}.get(result.verdict, "yellow")
    out.say(f"[bold {color}]{{}}[/bold {color}]: {{}}", result.verdict, result.reason)
    for golden, before, now in result.worst:
        out.say("  [red]worse[/red]  {}  {} → {}", golden, before, now)
    for note in result.notes:
        out.say("[dim]{}[/dim]", note)
    return result.exit_code


def _freeze(main: BaselinePool, anchor: Path) -> int:
    """Write the newest nine trials per golden of a baseline."""
    from rightcall.run.baseline_anchor import ANCHOR_TRIALS, anchor_of
    from rightcall.run.baseline_file import write_baseline

    frozen = anchor_of(main)
    write_baseline(frozen, anchor)
    goldens = pluralize(len(frozen.lines), "golden")
    tell(f"{anchor}: {goldens}, {frozen.trials:,} trials frozen; nothing was compared", err=True)
    if (least := min(len(line.scores) for line in frozen.lines)) < ANCHOR_TRIALS:
        more = f"some goldens have {least} of {ANCHOR_TRIALS} trials: run the suite again on main, delete {anchor}"
        tell(f"{more} and freeze it again", err=True)
    return NOTHING_COMPARED
