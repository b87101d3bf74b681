"""`rightcall traces`: traces of agents that ran elsewhere."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from rightcall.agents.observed.recorder import CallsScored
from rightcall.cli.command_options import CommandGroup
from rightcall.cli.interrupt import run_interruptible
from rightcall.cli.output import print_json, print_json_line, print_next, tell
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.text import pluralize
from rightcall.limbs.traces.problems import Problems
from rightcall.show.text import one_line
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.limbs.traces.trace import Trace
    from rightcall.limbs.traces.trace_import import Imported
    from rightcall.store.base import KeptTrace
    from rightcall.store.sql.store import Store


@click.group(cls=CommandGroup)
def traces() -> None:
    """Import, show, review and export traces of agents that ran elsewhere."""


@traces.command("import")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def import_(
    files: tuple[Path, ...],
    calls: Annotated[
        CallsScored,
        Option(
            "Which calls count: auto excludes those of agents used as tools, root counts only the root agent's, "
            "all counts all"
        ),
    ] = "auto",
    redact: Annotated[
        tuple[str, ...], Option("Also replace matches of this pattern (repeatable)", metavar="REGEX")
    ] = (),
    keep_raw: Annotated[bool, Option("Do not redact personal data and keys")] = False,
    skip_bad: Annotated[bool, Option("Skip lines that cannot be read, and count them")] = False,
    store_url: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Read traces from FILES into the store, where `traces promote` makes goldens of them.

    OTLP (JSON, protobuf), OpenInference, Langfuse, MLflow, LangSmith, Laminar, Traceloop and Inspect AI are detected
    by content.
    """
    from rightcall.limbs.traces.reader import load_traces
    from rightcall.limbs.traces.redaction import Redactor
    from rightcall.limbs.traces.trace_import import import_traces

    whole = Problems()
    traces = load_traces(*files, calls=calls, skip_bad=skip_bad, problems=whole.merge)
    if keep_raw:
        tell("warning: --keep-raw writes e-mail addresses, numbers and keys as they are", err=True)
    with open_store(store_url) as store:
        if not keep_raw:
            traces = map(Redactor(store.traces.redaction_key(), redact).trace, traces)
        outcome = import_traces(traces, store)
    summary = _summary(outcome, whole)
    if as_json:
        print_json(summary)
        return
    for line in summary["problems"]:
        tell(f"warning: {one_line(line)}", err=True)
    unknown = f", arguments unknown in {outcome.unknown_arguments:,}" if outcome.unknown_arguments else ""
    tell(f"{pluralize(outcome.traces, 'trace')}, {pluralize(outcome.calls, 'call')}{unknown}")
    print_next("rightcall traces list", "rightcall traces promote --to goldens.jsonl")


def _summary(outcome: Imported, whole: Problems) -> dict[str, Any]:
    told = whole.texts()  # also given with the first trace
    lines = list(whole.places())
    lines += [
        f"{text} (in {count:,} traces)" if count > 1 else text
        for text, count in outcome.problems.most_common(20)
        if text not in told
    ]
    return {
        "traces": outcome.traces,
        "without_calls_or_answers": outcome.traces - outcome.useful,
        "calls": outcome.calls,
        "unknown_arguments": outcome.unknown_arguments,
        "problems": lines,
    }


@traces.command("list")
def list_(
    agent: Annotated[str, Option("Only traces of this agent")] = "",
    failed: Annotated[bool, Option("Only traces that failed a check")] = False,
    queued: Annotated[bool, Option("Only traces awaiting review")] = False,
    limit: Annotated[int, Option("Maximum number of traces", ge=1, le=1000)] = 20,
    store_url: StoreOption = None,
    as_json: Annotated[bool, Option("Output JSON, one object per line", flags=("--json",))] = False,
) -> None:
    """List traces in the store, newest first."""
    from rightcall.limbs.traces.trace import shown_trace_id
    from rightcall.store.base import TraceFilter

    which = TraceFilter(agent=agent, failed=True if failed else None, review="queued" if queued else None)
    with open_store(store_url, must_exist=True) as store:
        rows = store.traces.page(which, limit=limit)
    if not rows and not as_json:
        nothing = "no traces yet; add some with `rightcall traces import FILE`"
        tell("no trace matches" if agent or failed or queued else nothing)
    for row in rows:
        if as_json:
            print_json_line(row)
        else:
            bad = ", ".join(check.name for check in row.checks if check.bad)
            name = one_line(shown_trace_id(row.trace_id))
            calls = f"{row.calls:>3} {'call ' if row.calls == 1 else 'calls'}"
            tell(f"{name}  {row.started_at[:19]}  {one_line(row.agent)[:20]:<20} {calls}  "
                 f"{'bad: ' + bad if bad else 'ok' if row.checks else '-'}  {one_line(row.input)[:50]}")  # fmt: skip


@traces.command()
@click.argument("trace")
def show(trace: str, store_url: StoreOption = None, as_json: JsonOption = False) -> None:
    """Show TRACE: an id, a prefix of one, or a file of traces."""
    if Path(trace).is_file():
        from rightcall.limbs.traces.reader import load_traces

        for loaded_trace in load_traces(trace):
            if as_json:
                print_json_line(loaded_trace)
            else:
                _print_trace(loaded_trace)
        return
    from rightcall.limbs.traces.trace import trace_of

    with open_store(store_url, must_exist=True) as store:
        kept = store.traces.get(trace)
    if as_json:
        print_json(kept)
        return
    _print_trace(trace_of(kept))
    for check in kept.row.checks:
        word = "unknown" if check.bad is None else "bad" if check.bad else "ok"
        tell(f"  {check.name:<24} {word:<10} {one_line(check.reason)}")


def _print_trace(trace: Trace) -> None:
    trajectory = trace.trajectory
    tell(f"trace {trace.trace_id}  {one_line(trace.agent)}  {one_line(trace.model)}  version {trace.version}")
    tell(f"  asked: {one_line(trace.input)}")
    for call in trajectory.calls:
        written = call.raw if call.arguments is None else call.arguments
        arguments = "arguments unknown" if call.arguments_unknown else one_line(str(written))
        tell(f"  {call.step}  {one_line(call.name)}  {arguments}  {call.status}")
    ended = f"ended: {trajectory.stop_reason} {one_line(trajectory.error)}"
    tell(f"  answer: {one_line(trajectory.output)}" if trajectory.output else f"  {ended}")
    for problem in trace.problems:
        tell(f"  note: {one_line(problem)}")


@traces.command()
@click.argument("ids", nargs=-1)
def promote(
    ids: tuple[str, ...],
    target: Annotated[Path, Option("File of goldens to add to", flags=("--to",))],
    negative: Annotated[
        tuple[str, ...], Option("Forbid this call instead of expecting what was seen", metavar="TOOL")
    ] = (),
    accept: Annotated[bool, Option("Mark as reviewed: the agent's calls are correct")] = False,
    store_url: StoreOption = None,
) -> None:
    """Create goldens from the traces IDS [default: all queued ones], unreviewed without --accept or --negative."""
    import msgspec

    from rightcall.datasets.review import as_negative, reviewed
    from rightcall.limbs.traces.trace import add_goldens, trace_of
    from rightcall.store.base import user_name

    goldens = []
    with open_store(store_url, must_exist=True) as store:
        for name in ids or _queued(store):
            kept: KeptTrace = store.traces.get(name)
            golden = trace_of(kept).golden()
            golden = msgspec.structs.replace(golden, metadata=golden.metadata | {"seen": kept.row.seen})
            if negative:
                golden = as_negative(golden, negative)
            goldens.append(reviewed(golden, "accepted", author=user_name()) if accept or negative else golden)
            store.traces.set_review(kept.row.trace_id, "kept")
    count = add_goldens(target, goldens)
    tell(f"{pluralize(len(goldens), 'golden')} added to {target}, {count:,} in it")
    if goldens and not accept and not negative:
        print_next(f"rightcall generate review {target}")


def _queued(store: Store) -> list[str]:
    """Traces that wait for a review, failed checks first."""
    from rightcall.store.base import TraceFilter

    pages = (store.traces.page(TraceFilter(review="queued", failed=bad), limit=1000) for bad in (True, False))
    return [row.trace_id for row in chain.from_iterable(pages)]


@traces.command()
@click.argument("run")
def export(
    run: str,
    target: Annotated[str, Option("OTLP/HTTP endpoint", flags=("--events-to",), metavar="URL")],
    store_url: StoreOption = None,
) -> None:
    """Send the scores of RUN as gen_ai.evaluation.result events to an OTLP endpoint."""
    from rightcall.limbs.traces.run_export import export_run

    with open_store(store_url, must_exist=True) as store:
        sent = run_interruptible(export_run(store, run, target))
    tell(f"{sent:,} scores sent")
