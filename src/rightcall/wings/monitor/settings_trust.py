"""Trust in a `monitor.yaml`: what it would start, import or connect to needs the same approval as in a suite."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path

from rightcall.run.suite_actions import (
    Action,
    fingerprint,
    listen_actions,
    metric_actions,
    without_credentials,
)
from rightcall.run.trust import in_project, require_approval
from rightcall.wings.monitor.settings import MonitorSettings


def settings_actions(settings: MonitorSettings, folder: Path) -> list[Action]:
    """Everything that monitoring with these settings would start, import, write, listen on or send alerts to."""
    names = [Action("listen", f"requests to {name}") for name in settings.hosts]
    return [
        *listen_actions(settings.listen),
        *(listen_actions(settings.listen_grpc) if settings.listen_grpc else ()),
        *names,
        *_alert_actions(settings),
        *_judge_actions(settings, folder),
    ]


def require_settings_trust(settings: MonitorSettings, file: Path, *, trust: bool = False) -> None:
    """Raise `ConfigError` with what settings from outside the project would start, unless they are trusted."""
    if in_project(file):
        return
    actions = settings_actions(settings, file.parent)
    require_approval(
        actions,
        fingerprint(file, actions),
        file,
        opening=f"{file}: these settings are outside the project; monitoring with them would",
        closing="settings can name code: review them, then pass --trust",
        trust=trust,
    )


def _alert_actions(settings: MonitorSettings) -> Iterator[Action]:
    for alert in settings.alerts:
        if alert.exec:
            programs = tuple(word for word in alert.exec if Path(word).is_file())
            yield Action("start", shlex.join(alert.exec), programs)
        elif alert.to and alert.to != "stderr":
            yield Action("connect", without_credentials(alert.to))


def _judge_actions(settings: MonitorSettings, folder: Path) -> Iterator[Action]:
    for judge in settings.judges:
        if judge.metric:
            yield from metric_actions(judge.metric, folder)
