"""`rightcall traces`: what agents did elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rightcall.cli.options import json_option
from rightcall.cli.output import console, print_json, print_json_line, print_next, tell
from rightcall.report import one_line

if TYPE_CHECKING:
    from rightcall.model.golden import Golden
    from rightcall.store import KeptTrace
    from rightcall.traces import CallsMode, Trace

at_store = click.option(
    "--store", "url", metavar="URL", help="A file or a PostgreSQL URL. [default: .rightcall/rightcall.db]"
)


@click.group()
def traces() -> None:
    """Import, show, review and export traces of agents that ran elsewhere."""


@traces.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path),
    help="Write trajectories.jsonl and candidates.jsonl here.",
)
@click.option("--calls", type=click.Choice(["auto", "root", "all"]), default="auto", show_default=True,
              help="Which calls count: without those of agents used as tools, of the root agent, or all.")  # fmt: skip
@click.option("--redact", multiple=True, metavar="REGEX", help="Replace what fits this too; may be repeated.")
@click.option("--keep-raw", is_flag=True, help="Write personal data and keys as they are.")
@click.option("--skip-bad", is_flag=True, help="Count lines that cannot be read instead of stopping.")
@at_store
@json_option
def import_(
    files: tuple[Path, ...],
    folder: Path | None,
    calls: CallsMode,
    redact: tuple[str, ...],
    keep_raw: bool,
    skip_bad: bool,
    url: str | None,
    as_json: bool,
) -> None:
    """Read traces from FILES and make trajectories and goldens to review of them.

    OTLP (JSON, protobuf), OpenInference, Langfuse, MLflow, LangSmith, Laminar, Traceloop and Inspect AI are detected
    by content. Without --to, traces go into the store, where `traces review` finds them.
    """
    from rightcall.traces import Problems, Redactor, load_traces

    whole = Problems()
    found = list(load_traces(*files, calls=calls, skip_bad=skip_bad, problems=whole.merge))
    if keep_raw:
        tell("warning: --keep-raw writes e-mail addresses, numbers and keys as they are", err=True)
    else:
        redactor = Redactor(_key(url), redact)
        found = [redactor.trace(trace) for trace in found]
    useful = [
        trace
        for trace in found
        if trace.trajectory.calls or trace.trajectory.output or trace.trajectory.messages
    ]
    written = _write(useful, folder, url)
    summary = _summary(found, useful, whole, written)
    if as_json:
        print_json(summary)
        return
    for line in summary["problems"]:
        tell(f"warning: {one_line(line)}", err=True)
    unknown = (
        f", arguments unknown in {summary['unknown_arguments']:,}" if summary["unknown_arguments"] else ""
    )
    tell(f"{_count(len(found), 'trace')}, {_count(summary['calls'], 'call')}{unknown}")
    if folder is not None:
        tell(f"{folder / 'trajectories.jsonl'}: {_count(len(useful), 'trajectory', 'trajectories')}")
        tell(f"{folder / 'candidates.jsonl'}: {_count(summary['candidates'], 'golden')} to review")
        print_next(f"rightcall traces review {folder / 'candidates.jsonl'} --to goldens.jsonl")
    else:
        print_next("rightcall traces list", "rightcall traces review --to goldens.jsonl")


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _key(url: str | None) -> bytes:
    from rightcall.store import open_store

    with open_store(url) as store:
        return store.redaction_key()


def _write(found: list[Trace], folder: Path | None, url: str | None) -> int:
    """Files, or the store; gives how many goldens wait for review."""
    from rightcall.datasets import save_goldens, save_trajectories
    from rightcall.model.trajectory import RecordedTrajectory
    from rightcall.traces import distinct_candidates

    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        recorded = [
            RecordedTrajectory(trace.golden_id or trace.golden().id, trace.trajectory, trace.trial)
            for trace in found
        ]
        save_trajectories(recorded, folder / "trajectories.jsonl")
        candidates = distinct_candidates(found)
        save_goldens(candidates, folder / "candidates.jsonl")
        return len(candidates)
    from rightcall.monitor import CheckedAgent, MonitorSettings, kept_trace, run_checks
    from rightcall.store import open_store

    names = MonitorSettings().cheap
    with open_store(url) as store:
        for start in range(0, len(found), 500):
            batch = []
            for trace in found[start : start + 500]:
                checks = run_checks(names, trace, CheckedAgent())
                failed = any(check.bad for check in checks)
                batch.append(
                    kept_trace(trace, trace.service or trace.agent or "agent", checks, failed, queue=True)
                )
            store.keep_traces(batch)
    return len(distinct_candidates(found))


def _summary(found: list[Trace], useful: list[Trace], whole: Any, candidates: int) -> dict[str, Any]:
    from collections import Counter

    problems = Counter(text for trace in found for text in trace.problems if text not in whole.texts())
    calls = [call for trace in found for call in trace.trajectory.calls]
    lines = list(whole.places())
    lines += [
        f"{text} (in {count:,} traces)" if count > 1 else text for text, count in problems.most_common(20)
    ]
    return {
        "traces": len(found),
        "without_calls_or_answers": len(found) - len(useful),
        "calls": len(calls),
        "unknown_arguments": sum(call.arguments_unknown for call in calls),
        "candidates": candidates,
        "problems": lines,
    }


@traces.command("list")
@click.option("--agent", default="", help="Traces of this agent.")
@click.option("--failed", is_flag=True, help="Only traces that some check found bad.")
@click.option("--queued", is_flag=True, help="Only traces that wait for review.")
@click.option(
    "--limit",
    type=click.IntRange(1, 1000),
    default=20,
    show_default=True,
    help="Number of traces, newest first.",
)
@at_store
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def list_(agent: str, failed: bool, queued: bool, limit: int, url: str | None, as_json: bool) -> None:
    """Traces in the store, newest first."""
    from rightcall.store import TraceFilter, open_store

    which = TraceFilter(agent=agent, failed=True if failed else None, review="queued" if queued else None)
    with open_store(url, must_exist=True) as store:
        rows = store.traces(which, limit=limit)
    for row in rows:
        if as_json:
            print_json_line(row)
        else:
            bad = ", ".join(check.name for check in row.checks if check.bad)
            tell(f"{row.trace_id[:16]}  {row.started_at[:19]}  {one_line(row.agent)[:20]:<20} {row.calls:>3} calls  "
                 f"{'bad: ' + bad if bad else 'ok' if row.checks else '-'}  {one_line(row.input)[:50]}")  # fmt: skip


@traces.command()
@click.argument("trace")
@at_store
@json_option
def show(trace: str, url: str | None, as_json: bool) -> None:
    """One TRACE: its id or the beginning of it, or a file of traces."""
    if Path(trace).is_file():
        from rightcall.traces import load_traces

        for found in load_traces(trace):
            if as_json:
                print_json_line(found)
            else:
                _print_trace(found)
        return
    from rightcall.monitor import trace_of
    from rightcall.store import open_store

    with open_store(url, must_exist=True) as store:
        kept = store.trace(trace)
    if as_json:
        print_json(kept)
        return
    _print_trace(trace_of(kept))
    for check in kept.row.checks:
        word = "cannot say" if check.bad is None else "bad" if check.bad else "ok"
        tell(f"  {check.name:<24} {word:<10} {one_line(check.reason)}")


def _print_trace(trace: Trace) -> None:
    made = trace.trajectory
    tell(f"trace {trace.trace_id}  {one_line(trace.agent)}  {one_line(trace.model)}  version {trace.version}")
    tell(f"  asked: {one_line(trace.input)}")
    for call in made.calls:
        given = (
            "arguments unknown"
            if call.arguments_unknown
            else one_line(str(call.raw if call.arguments is None else call.arguments))
        )
        tell(f"  {call.step}  {one_line(call.name)}  {given}  {call.status}")
    tell(
        f"  answer: {one_line(made.output)}"
        if made.output
        else f"  ended: {made.stop_reason} {one_line(made.error)}"
    )
    for problem in trace.problems:
        tell(f"  note: {one_line(problem)}")


@traces.command()
@click.argument("candidates", required=False, type=click.Path(path_type=Path))
@click.option(
    "--to", "target", required=True, type=click.Path(path_type=Path), help="Goldens that were accepted."
)
@at_store
def review(candidates: Path | None, target: Path, url: str | None) -> None:
    """Judge goldens made of traces, one by one: keep, negative, drop or skip.

    CANDIDATES is what `traces import --to` wrote; without it the store's queue is reviewed, failed checks first.
    """
    from rightcall.monitor import add_goldens, as_negative, reviewed

    kept = 0
    for golden, settle in _waiting(candidates, url):
        _print_candidate(golden)
        choice = click.prompt("keep, negative, drop, skip, quit", default="skip",
                              type=click.Choice(["keep", "negative", "drop", "skip", "quit"]))  # fmt: skip
        if choice == "quit":
            break
        if choice in ("keep", "negative"):
            judged = golden
            if choice == "negative":
                names = [str(call.tool) for call in golden.expected_calls]
                said = click.prompt("calls that must not happen", default=",".join(names))
                judged = as_negative(golden, [name.strip() for name in said.split(",") if name.strip()])
            add_goldens(target, [reviewed(judged, by=_author())])
            kept += 1
        if choice != "skip":
            settle("kept" if choice in ("keep", "negative") else "dropped")
    tell(f"{_count(kept, 'golden')} added to {target}")
    if kept:
        print_next(f"rightcall dataset check {target}")


def _author() -> str:
    from rightcall.store import user_name

    return user_name()


def _waiting(candidates: Path | None, url: str | None) -> Any:
    """Goldens with a function that receives the decision on each."""
    if candidates is not None:
        from rightcall.datasets import load_goldens
        from rightcall.monitor import is_unreviewed

        for golden in list(load_goldens(candidates)):
            if is_unreviewed(golden):
                yield golden, lambda _word: None
        return
    from rightcall.monitor import trace_of
    from rightcall.store import TraceFilter, open_store

    with open_store(url, must_exist=True) as store:
        failed_first = [
            row
            for bad in (True, False)
            for row in store.traces(TraceFilter(review="queued", failed=bad), limit=1000)
        ]
        for row in failed_first:
            kept = store.trace(row.trace_id)
            yield trace_of(kept).golden(), lambda word, name=row.trace_id: store.set_review(name, word)


def _print_candidate(golden: Golden) -> None:
    out = console()
    out.say("\n[bold]{}[/bold]  [dim]{}[/dim]", one_line(golden.input), golden.id)
    for call in golden.expected_calls:
        out.print(f"  {one_line(str(call.tool))}  {one_line(str(call.args))}", soft_wrap=True)
    if golden.metadata.get("seen"):
        out.print(f"  seen {golden.metadata['seen']} times")


@traces.command()
@click.argument("ids", nargs=-1, required=True)
@click.option("--to", "target", required=True, type=click.Path(path_type=Path), help="Goldens to add to.")
@click.option(
    "--negative", multiple=True, metavar="TOOL", help="Forbid this call instead of expecting what was seen."
)
@click.option("--accept", is_flag=True, help="You have looked at it and it is right: mark it reviewed.")
@at_store
def promote(
    ids: tuple[str, ...], target: Path, negative: tuple[str, ...], accept: bool, url: str | None
) -> None:
    """Make goldens of the traces IDS. They are unreviewed, unless --accept or --negative says what is right."""
    from rightcall.monitor import add_goldens, as_negative, reviewed, trace_of
    from rightcall.store import open_store

    goldens = []
    with open_store(url, must_exist=True) as store:
        for name in ids:
            kept: KeptTrace = store.trace(name)
            golden = trace_of(kept).golden()
            if negative:
                golden = as_negative(golden, negative)
            goldens.append(reviewed(golden, by=_author()) if accept or negative else golden)
            store.set_review(kept.row.trace_id, "kept")
    count = add_goldens(target, goldens)
    tell(f"{_count(len(goldens), 'golden')} added to {target}, {count:,} in it")
    if not accept and not negative:
        print_next(f"rightcall traces review {target} --to {target}")


@traces.command()
@click.argument("run")
@click.option("--events-to", "target", required=True, metavar="URL", help="An OTLP/HTTP endpoint.")
@click.option("--spans", is_flag=True, help="Send spans of the run and its trials too.")
@at_store
def export(run: str, target: str, spans: bool, url: str | None) -> None:
    """Send the scores of RUN as gen_ai.evaluation.result events to an OTLP endpoint."""
    import asyncio

    from rightcall.monitor import export_run
    from rightcall.store import open_store

    with open_store(url, must_exist=True) as store:
        sent = asyncio.run(export_run(store, run, target, spans=spans))
    tell(f"{sent:,} scores sent")
