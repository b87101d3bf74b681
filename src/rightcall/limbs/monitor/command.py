"""`rightcall monitor`: monitor agents in production."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import click

from rightcall.cli.command_options import CommandGroup
from rightcall.cli.output import console, print_json, print_next, tell
from rightcall.core.errors import InputError
from rightcall.core.operating_system import on_ending_signals
from rightcall.core.options import JsonOption, Option, StoreOption
from rightcall.core.text import percent, percent_change, pluralize
from rightcall.show.text import one_line
from rightcall.store.address import open_store

if TYPE_CHECKING:
    from rightcall.limbs.monitor.receiver import Receiver
    from rightcall.limbs.monitor.rehearsal import BaselinePlan
    from rightcall.store.base import StoredAlarm

LOCAL = ("127.0.0.1", "localhost", "::1")
report = partial(tell, err=True)


@click.group(cls=CommandGroup)
def monitor() -> None:
    """Watch live traces: checks on each trace, drift detection with a stated false-alarm rate, alerts."""


@monitor.command()
@click.argument("config", required=False, type=click.Path(path_type=Path))
def serve(
    config: Path | None,
    host: Annotated[
        str | None, Option("Address to listen on [default: from the settings, or 127.0.0.1]")
    ] = None,
    port: Annotated[
        int | None, Option("Port to listen on [default: from the settings, or 4318]", ge=0, le=65535)
    ] = None,
    token: Annotated[
        str | None, Option("Bearer token that senders must present", envvar="RIGHTCALL_MONITOR_TOKEN")
    ] = None,
    no_auth: Annotated[bool, Option("Allow non-loopback addresses without a token")] = False,
    trust: Annotated[
        bool,
        Option("Trust the folder of the settings, which can start programs, import modules and send alerts"),
    ] = False,
    store_url: StoreOption = None,
) -> None:
    """Receive OTLP over HTTP and check it, with the settings in CONFIG (monitor.yaml).

    Spans are redacted and stored before the sender gets its response. SIGTERM stores what was received and exits
    with 0.
    """
    import asyncio

    from rightcall.limbs.monitor.monitor import Monitor
    from rightcall.limbs.monitor.receiver import Receiver

    with open_store(store_url, small_cache=True) as store:
        watcher = Monitor(config, store=store, redacted=True, trust=trust)
        for note in watcher.cautions():
            report(f"warning: {one_line(note)}")
        at, _, listed = watcher.settings.listen.rpartition(":")
        host = host or at or "127.0.0.1"
        if host not in LOCAL and not token and not no_auth:
            raise click.UsageError(
                f"--host {host} can be reached from other machines: "
                "pass --token, or --no-auth if that is intended"
            )
        port = port if port is not None else int(listed or 4318)
        asyncio.run(_serve(Receiver(watcher, token=token or "", log=report), host, port))


async def _serve(receiver: Receiver, host: str, port: int) -> None:
    """Receive until a signal ends it."""
    import asyncio

    stop = asyncio.Event()
    on_ending_signals(asyncio.get_running_loop(), stop.set)

    def ready(number: int) -> None:
        url = f"http://{host}:{number}"
        report(f"listening on {url} (POST /v1/traces, /v1/logs)")
        report(f"  OTEL_EXPORTER_OTLP_ENDPOINT={url} OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf")

    await receiver.run(host, port, stop, ready)
    counters = receiver.counters
    report(f"{counters.spans:,} spans, {counters.closed:,} traces, {counters.rejected:,} spans rejected")


def _show_plan(config: Path | None, store_url: str | Path | None, *, as_json: bool) -> None:
    """What the baseline in the store would have raised, and whether the rate of false alarms can be stated."""
    from rightcall.limbs.monitor.rehearsal import baseline_plans
    from rightcall.limbs.monitor.settings import MonitorSettings, load_settings

    settings = load_settings(config) if config else MonitorSettings()
    with open_store(store_url, must_exist=True) as store:
        plans = baseline_plans(store, settings)
    if not plans:
        hint = "receive traces for a while, then run `rightcall monitor baseline --from … --to …`"
        raise InputError("", "no baseline yet", hint)
    if as_json:
        print_json(plans)
        return
    for plan in plans:
        _print_plan(plan)


def _print_plan(plan: BaselinePlan) -> None:
    agent = one_line(plan.agent)
    bound = f"at most {percent(plan.share, 0)} in {plan.per}"
    if plan.not_guaranteed:
        tell(f"{agent}: false alarms are not guaranteed to be {bound}:")
        for reason in plan.not_guaranteed:
            tell(f"  - {one_line(reason)}")
    else:
        tell(f"{agent}: false alarms {bound}, over {plan.series:,} watched series")
    names = ", ".join(f"{one_line(a.check)} (evidence {a.evidence:,.0f})" for a in plan.raised)
    played = f"played through the detector it raises {names or 'nothing'}"
    tell(f"  baseline: {pluralize(plan.days, 'day')}; {played}")


@monitor.command()
def status(
    acknowledged: Annotated[
        tuple[int, ...],
        Option("First acknowledge this alarm; its series starts over", flags=("--ack",), metavar="ALARM"),
    ] = (),
    store_url: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show traffic, checks by version, alarms and the review queue."""
    from rightcall.limbs.monitor.production_rates import check_rates, version_changes
    from rightcall.store.base import TraceFilter

    with open_store(store_url, must_exist=True) as store:
        for number in acknowledged:
            store.traces.acknowledge(number)
        traffic = store.traces.counts()
        checks = check_rates(store)
        alarms = store.traces.alarms()
        queued = store.traces.page(TraceFilter(review="queued"), limit=1000)
    changes = version_changes(checks)
    if as_json:
        rows = [dict(zip(("agent", "version", "traces", "failed"), row, strict=True)) for row in traffic]
        print_json({"traffic": rows, "checks": [asdict(check) for check in checks],
                    "changes": [asdict(change) | {"said": change.said} for change in changes],
                    "alarms": alarms, "queued": len(queued)})  # fmt: skip
        return
    if not traffic:
        tell("no traces yet")
        print_next("rightcall monitor serve monitor.yaml", "rightcall traces import FILE")
        return
    for agent, version, traces, failed in traffic:
        tell(f"{one_line(agent)}  version {version}  {pluralize(traces, 'trace')}, {failed:,} with a finding")
    for check in checks:
        bounds = f"[{percent(check.low, 2)}, {percent(check.high, 2)}]"
        shown = f"{percent(check.rate, 2):>7}  {bounds}  of {check.n:,} {check.unit}"
        tell(f"  {one_line(check.name):<24} {check.version}  {shown}")
    for change in changes:
        if change.said != "no difference shown":
            low = percent_change(change.low)
            high = percent_change(change.high)
            bounds = f"{percent_change(change.difference)} [{low}, {high}]"
            tell(f"  {one_line(change.name):<24} {change.before} → {change.now}  {bounds}  {change.said}")
    for alarm in alarms:
        _print_alarm(alarm)
    tell(f"{pluralize(len(queued), 'trace')} to review")
    latched = [alarm for alarm in alarms if alarm.acknowledged_at is None]
    print_next(
        *([f"rightcall monitor status --ack {latched[0].key}"] if latched else []),
        "rightcall traces promote --to goldens.jsonl",
    )


def _print_alarm(alarm: StoredAlarm) -> None:
    state = "latched" if alarm.acknowledged_at is None else f"acknowledged {alarm.acknowledged_at[:16]}"
    content = alarm.content
    if content.get("kind") == "drift":
        rate, low, high, baseline = (
            percent(x, 1) for x in (*content["observed"], content["baseline"]["rate"])
        )
        seen = f"{rate} [{low}, {high}], baseline {baseline}"
        evidence = f"evidence {content['evidence']:,.0f} ≥ {content['threshold']:,.0f}"
        what = f"drift since {content['since'][:16]}: {seen}, {evidence}"
    else:
        what = one_line(str(content.get("reason", "")))
    series = f"{one_line(alarm.agent)} · {alarm.name}  version {alarm.version}"
    tell(f"ALARM {alarm.key}  {series}  {what}  ({state})")


@monitor.command()
def baseline(
    start: Annotated[str, Option("Start of the window, ISO 8601", flags=("--from",), metavar="DAY")] = "",
    end: Annotated[str, Option("End of the window, inclusive", flags=("--to",), metavar="DAY")] = "",
    agent: Annotated[str, Option("Only this agent [default: all]")] = "",
    config: Annotated[Path | None, Option("Settings file with the checks and the false-alarm rate")] = None,
    plan: Annotated[
        bool,
        Option("Show what the stored baseline would have raised, and whether the false-alarm rate holds"),
    ] = False,
    store_url: StoreOption = None,
    as_json: JsonOption = False,
) -> None:
    """Freeze a window of stored traces as the reference. Earlier baselines are kept as history."""
    if bool(start) != bool(end) or plan == bool(start):
        raise click.UsageError("pass --from DAY and --to DAY, or --plan")
    if plan:
        _show_plan(config, store_url, as_json=as_json)
        return
    from rightcall.limbs.monitor.monitor import Monitor

    with open_store(store_url, must_exist=True) as store:
        watcher = Monitor(config, store=store, redacted=True)
        agents = [agent] if agent else sorted({name for name, *_ in store.traces.counts()})
        baselines = [watcher.make_baseline(name, start, end) for name in agents]
    if as_json:
        print_json(baselines)
        return
    for item in baselines:
        tell(f"{one_line(item.agent)}: {item.start} to {item.end}, {item.per_day:,.0f} sessions a day")
        for name, reference in item.checks.items():
            share = percent(reference.bad / reference.n, 2)
            tell(f"  {name:<24} {reference.bad:,.1f} bad of {reference.n:,}, {share}")
    print_next("rightcall monitor baseline --plan")


@monitor.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
def check(
    files: tuple[Path, ...],
    config: Annotated[Path | None, Option("Settings file with agents and checks")] = None,
    as_json: JsonOption = False,
) -> None:
    """Run the checks on FILES once.

    Exit codes: 1 a hard check fails, 3 a hard check cannot say, or FILES have no traces.
    """
    from rightcall.limbs.monitor.settings import HARD, MonitorSettings, load_settings
    from rightcall.limbs.traces.checks import AgentSettings, CheckedAgent, run_checks
    from rightcall.limbs.traces.reader import load_traces
    from rightcall.limbs.traces.trace import shown_trace_id
    from rightcall.tools.definitions.source import load_tools

    settings = load_settings(config) if config else MonitorSettings()
    bad = Counter[str]()
    spoke = Counter[str]()
    hard = 0
    unknown = 0
    rows: list[dict[str, Any]] = []
    for trace in load_traces(*files):
        agent = next((agent for agent in settings.agents.values() if agent.matches(trace)), AgentSettings())
        tools = load_tools(config.parent / agent.tools) if config and agent.tools else ()
        results = run_checks(settings.checks, trace, CheckedAgent(agent, {tool.name: tool for tool in tools}))
        for result in results:
            spoke[result.name] += result.bad is not None
            bad[result.name] += bool(result.bad)
            hard += result.name in HARD and bool(result.bad)
            unknown += result.name in HARD and result.bad is None
        rows.append({"trace_id": trace.trace_id, "checks": results})
    if as_json:
        print_json(rows)
    else:
        for row in rows:
            for trace_check in row["checks"]:
                if trace_check.bad:
                    trace_id = one_line(shown_trace_id(row["trace_id"]))
                    tell(f"{trace_id}  {trace_check.name}: {one_line(trace_check.reason)}")
        for name in settings.checks:
            tell(f"{name:<24} {bad[name]:,} bad of {spoke[name]:,}" + ("" if spoke[name] else "  (no data)"))
    if hard:
        raise click.exceptions.Exit(1)
    if unknown or not rows:
        traces = pluralize(unknown, "trace")
        why = f"hard checks are undecided in {traces}: calls or arguments are not known"
        tell(why if rows else "no traces in these files; nothing was checked", err=True)
        raise click.exceptions.Exit(3)


def show_demo(store_url: str | Path | None, *, as_json: bool) -> None:
    """`rightcall demo --monitor`: an hour of traffic with a planted drift, and what is detected."""
    from rightcall.limbs.monitor.demo import SETTINGS, live_traffic, planted_at, reference_traffic
    from rightcall.limbs.monitor.monitor import Monitor
    from rightcall.limbs.traces.trace import time_text

    address = str(store_url or ".rightcall/monitor-demo.db")
    if store_url is None:  # a separate file, recreated each time
        for suffix in ("", "-wal", "-shm"):
            Path(address + suffix).unlink(missing_ok=True)
    with open_store(address) as store:
        watcher = Monitor(SETTINGS, store=store)
        if not as_json:
            tell("a day of reference traffic, then an hour in which bookings begin to fail")
        watcher.feed(reference_traffic())
        watcher.make_baseline("travel", "2026-11-14", "2026-11-14")
        watcher.feed(live_traffic())
    if as_json:
        print_json({"planted_at": time_text(planted_at()), "alarms": watcher.alarms})
        return
    tell(f"planted: bookings fail from {time_text(planted_at())[:19]}")
    for alarm in watcher.alarms:
        _print_alarm(alarm)
    if not watcher.alarms:
        tell("nothing was detected")
    console().say("[dim]the traces are in {}[/dim]", address)
    print_next(f"rightcall monitor status --store {address}")
