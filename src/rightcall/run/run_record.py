"""The record of a run that begins now, with all that repeating it needs, and the cells that a resumed one has done."""

from __future__ import annotations

import datetime
import platform
import secrets
import sys
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from itertools import chain, islice
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from rightcall.agents.observed.catalog import ADAPTERS
from rightcall.core import codec
from rightcall.core.digest import hex_digest
from rightcall.core.redaction.clean_text import scrubber
from rightcall.core.text import utc_text
from rightcall.decide.input_change import InputChange
from rightcall.files.revision import source_of
from rightcall.recording.canonical import scrub_value
from rightcall.records.run import Run
from rightcall.records.tool import Tool
from rightcall.run.plan import Plan
from rightcall.store.sql.store import Store

if TYPE_CHECKING:
    from rightcall.store.base import StoredRun

CHECKED = "check"
"""The tag of runs that `check` made: they tried only part of the goldens, and are not a baseline."""
REPLAYED = "replayed"
"""The tag of runs with recorded answers in them: the same answers again are not new evidence."""


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

    `about_suite` has the command to run it again, `suite_file` and `run_options`. They do not affect results, so they
    may differ when a run is resumed.
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
        settings=scrub_value(dict(settings), scrubber()) if settings else {},
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


MODEL_SDKS = (
    "anthropic",
    "boto3",
    "cohere",
    "google-genai",
    "groq",
    "litellm",
    "mistralai",
    "ollama",
    "openai",
)


@cache
def sdk_versions() -> Mapping[str, str]:
    """The installed model SDKs and agent frameworks, looked up once: each takes half a millisecond."""
    versions = {}
    for name in sorted({*MODEL_SDKS, *(info.package for info in ADAPTERS)}):
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    return MappingProxyType(versions)


def imported_versions(modules: Iterable[str]) -> dict[str, str]:
    """The versions of the installed packages that modules belong to, by their names."""
    wanted = {*modules} - sys.stdlib_module_names
    if not wanted:
        return {}
    packages = set(
        chain.from_iterable(names for module, names in _distributions().items() if module in wanted)
    )
    return {name: version(name) for name in sorted(packages) if name != "rightcall"}


@cache
def _distributions() -> Mapping[str, list[str]]:
    """The packages of each module: a quarter of a second, so once for a process."""
    return packages_distributions()


def package_changes(before: Mapping[str, str], now: Mapping[str, str]) -> tuple[InputChange, ...]:
    """Packages in both, other than model SDKs and frameworks, with another version: what they do is not seen."""
    known = {*sdk_versions(), "rightcall", "python"}
    return tuple(
        InputChange("version", name, f"{before[name]} → {now[name]}")
        for name in sorted(before.keys() & now.keys() - known)
        if before[name] != now[name]
    )


def major_changes(before: Mapping[str, str], now: Mapping[str, str]) -> tuple[InputChange, ...]:
    """Packages in both whose major version differs; RightCall itself is not among them."""
    return tuple(
        InputChange("version", name, f"{before[name]} → {now[name]}")
        for name in sorted(before.keys() & now.keys() - {"rightcall", "python"})
        if major(before[name]) != major(now[name])
    )


def minor_changes(before: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """All other differences, as `openai 3.48.0 → 3.49.0`."""
    return [
        f"{name} {before[name]} → {now[name]}"
        for name in sorted(before.keys() & now.keys() - {"python"})
        if before[name] != now[name] and (name == "rightcall" or major(before[name]) == major(now[name]))
    ]


def major(text: str) -> str:
    return text.partition(".")[0]


AT_A_TIME = 500


class DoneCells:
    """A bit for every cell: a run of ten million that is resumed remembers them in a megabyte."""

    def __init__(self) -> None:
        self._bits = bytearray()
        self._places = self.count = 0

    @classmethod
    def of(cls, plan: Plan, store: Store, run: str) -> DoneCells:
        """The cells of a stored run."""
        cells = cls()
        goldens = plan.goldens()
        while ids := [golden.id for golden in islice(goldens, AT_A_TIME)]:
            stored = set(store.runs.result_keys(run, ids))
            for golden_id in ids:
                for trial in range(plan.trials):
                    cells._add((golden_id, trial) in stored)
        return cells

    def __getitem__(self, place: int) -> bool:
        return bool(self._bits[place >> 3] >> (place & 7) & 1)

    def _add(self, done: bool) -> None:
        if not self._places & 7:
            self._bits.append(0)
        self._bits[-1] |= done << (self._places & 7)
        self._places += 1
        self.count += done
