"""The record of a run that begins now, with everything needed to repeat it."""

from __future__ import annotations

import datetime
import platform
import secrets
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightcall.core import codec
from rightcall.core.digest import hex_digest
from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.text import utc_text
from rightcall.files.revision import source_of
from rightcall.model.run import Run
from rightcall.model.tool import Tool
from rightcall.recording.canonical import scrub_value

if TYPE_CHECKING:
    from rightcall.store.base import StoredRun
    from rightcall.store.sql.store import Store

CHECKED = "check"
"""The tag of runs that `check` made: they tried only part of the goldens, and are not a baseline."""


def new_run_id(now: datetime.datetime | None = None) -> str:
    """A fresh id; ids sort by the time their runs began."""
    now = now or datetime.datetime.now(datetime.UTC)
    return f"{now:%y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def golden_set_name(run: Run) -> str:
    """A name for the goldens of a run as they are stored: equal when everything they are made from is."""
    made_from = ("dataset", "selection", "tool_sets", "simulator")
    parts = [run.versions["rightcall"], *(run.fingerprints.get(part, "") for part in made_from)]
    return hex_digest("\0".join(parts), 32)


def new_run(
    name: str,
    agent: str,
    *,
    fingerprints: Mapping[str, str],
    trials: int = 1,
    seed: int = 0,
    group: str = "",
    settings: Mapping[str, Any] | None = None,
    about_suite: Mapping[str, str] | None = None,
) -> Run:
    """A run that begins now. Runs of one `group` [default: the name] are followed over time.

    `about_suite` has the command to run it again, `suite_file` and `run_options`, and `suite_kind`. They do not affect
    results, so they may differ when a run is resumed.
    """
    now = datetime.datetime.now(datetime.UTC)
    return Run(
        id=new_run_id(now),
        name=name,
        started_at=utc_text(now),
        agent=agent,
        trials=trials,
        seed=seed,
        group=group or name,
        settings=scrub_value(dict(settings or {}), scrubber()),
        fingerprints=dict(fingerprints),
        versions={"rightcall": version("rightcall"), "python": platform.python_version()}
        | source_of(Path.cwd())
        | {name: setting for name, setting in (about_suite or {}).items() if setting},
    )


def tools_of_run(store: Store, run: StoredRun) -> dict[str, Tool]:
    """The tools of a run; none when they were not stored."""
    fingerprint = run.run.fingerprints.get("tools", "")
    content = store.runs.document("tools", fingerprint) if fingerprint else None
    tools = codec.decode(content, list[Tool], f"tools of run {run.id}") if content else []
    return {tool.name: tool for tool in tools}
