"""`monitor.yaml`: where to listen, which checks, the rate of false alarms, and where to send alerts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from operator import attrgetter
from pathlib import Path

from rightcall.core import codec
from rightcall.core.errors import ConfigError, InputError, suggestion
from rightcall.files.checked_read import require_file
from rightcall.files.documents import read_document
from rightcall.limbs.traces.checks import CHECKS, DEFAULT, AgentSettings
from rightcall.metrics.matching.base import Scope
from rightcall.metrics.matching.compile import compile_matcher
from rightcall.records.record import Record

HARD = frozenset({"forbidden"})
"""These alarm at the first occurrence."""


class FalseAlarms(Record, frozen=True):
    """The accepted probability of a false alarm within a period, over everything monitored."""

    share: float = 0.05
    per: str = "30d"
    versions: int = 2


class Keep(Record, frozen=True):
    """How long traces are kept."""

    traces: str = "30d"
    failed: str = "180d"


class AlertTo(Record, frozen=True):
    """Where to send which alerts: a webhook, a command that reads JSON, or stderr."""

    when: tuple[str, ...] = ("drift", "forbidden")
    to: str = ""
    exec: tuple[str, ...] = ()


class MonitorSettings(Record, frozen=True):
    """The contents of `monitor.yaml`.

    `hosts` are further names under which senders reach the receiver.
    """

    format: str = "rightcall/monitor/1"
    listen: str = "127.0.0.1:4318"
    hosts: tuple[str, ...] = ()
    agents: dict[str, AgentSettings] = {}
    checks: tuple[str, ...] = DEFAULT
    false_alarms: FalseAlarms = FalseAlarms()
    keep: Keep = Keep()
    alerts: tuple[AlertTo, ...] = ()
    redact: tuple[str, ...] = ()
    settle: str = "5s"
    idle: str = "60s"
    calls: str = "auto"

    @property
    def drifting(self) -> tuple[str, ...]:
        """Checks that are watched for drift: hard ones alarm by themselves."""
        return tuple(check for check in self.checks if check not in HARD)


def load_settings(path: str | Path) -> MonitorSettings:
    """Read and check a file of settings."""
    path = require_file(path)
    settings = codec.convert(read_document(path), MonitorSettings, str(path))
    if problems := [f"{path}: {problem}" for problem in setting_problems(settings)]:
        raise ConfigError(*problems)
    return settings


def setting_problems(settings: MonitorSettings) -> Iterator[str]:
    """All problems, one sentence each."""
    for name in settings.checks:
        if name not in CHECKS:
            yield f"unknown check '{name}'; {suggestion(name, CHECKS) or 'known: ' + ', '.join(CHECKS)}"
    if not 0 < settings.false_alarms.share < 1:
        yield f"false_alarms.share must be between 0 and 1, got {settings.false_alarms.share}"
    for name, agent in settings.agents.items():
        yield from (f"agents.{name}.forbidden_args.{problem}" for problem in _matcher_problems(agent))
    for name in TIMES:
        try:
            seconds(attrgetter(name)(settings))
        except InputError as error:
            yield f"{name} {error.problem}"
    for alert in settings.alerts:
        if not alert.to and not alert.exec:
            yield "an alert needs `to` or `exec`"


def _matcher_problems(agent: AgentSettings) -> Iterator[str]:
    for tool, arguments in agent.forbidden_args.items():
        for argument, spec in arguments.items():
            try:
                compile_matcher(spec, Scope())
            except InputError as error:
                yield f"{tool}.{argument}: {error.problem}"


TIMES = ("false_alarms.per", "settle", "idle", "keep.traces", "keep.failed")
UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def seconds(text: str) -> float:
    """`30d`, `5s` and the like in seconds."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([smhdw])", text.strip())
    if match is None:
        raise InputError("", f"must be a time such as 30d, 12h or 5s, got '{text}'")
    return float(match[1]) * UNITS[match[2]]
