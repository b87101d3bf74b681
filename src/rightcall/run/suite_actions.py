"""The code, servers and files that a suite names, determined without running anything, and its recordings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from rightcall.agents.agent import is_address
from rightcall.core.errors import ConfigError, InputError
from rightcall.files.python_object import is_module, is_object_name
from rightcall.metrics.resolve import parse_metric
from rightcall.providers.provider_kinds import is_provider
from rightcall.recording.library import Recordings, RecordMode, RecordSettings
from rightcall.run.suite import Suite, is_goldens, load_suite
from rightcall.run.suite_document import tool_sources
from rightcall.store.base import StoredRun
from rightcall.tools.mcp.address import McpAddress, read_address

FILE_MODELS = ("scripted", "local")
"""Models whose name is a file."""


def metric_names(suite: Suite) -> Iterator[str]:
    """Every metric that a suite names, observed ones included."""
    for entry in suite.metrics:
        if isinstance(entry, str):
            yield entry
        else:
            for names in entry.values():
                yield from [names] if isinstance(names, str) else names


def judge_files(suite: Suite) -> Iterator[str]:
    """Files that the judges of a suite read or write: those of their models, and their caches."""
    for metric in metric_names(suite):
        settings = _settings_of(metric)
        prefix, _, file = str(settings.get("model", "")).partition(":")
        if prefix in FILE_MODELS and file:
            yield file
        if isinstance(cache := settings.get("cache"), str) and cache:
            yield cache


def _settings_of(metric: str) -> dict[str, Any]:
    try:
        return parse_metric(metric)[1]
    except ConfigError:  # the plan says what is wrong with it
        return {}


def is_code_metric(name: str) -> bool:
    """Whether a metric's name is `module:attribute`."""
    return ":" in name.partition("(")[0]


def is_code(model: str, folder: Path | None = None) -> bool:
    """Whether a model's name is `module:agent` rather than a provider's; the module may be in `folder`."""
    prefix, _, rest = model.partition(":")
    if not rest or "/" in prefix or is_provider(prefix):
        return False
    return "." in prefix or is_module(prefix, folder)


def starts_code(suite: Suite, folder: Path) -> bool:
    """Whether running a suite imports a module, or starts a program or a server."""
    return is_address(suite.agent.model) or imports_code(suite, folder) or has_live_tools(suite, folder)


def imports_code(suite: Suite, folder: Path, model: str | None = None) -> bool:
    """Whether running a suite imports a module that it names."""
    return (
        is_code(model or suite.agent.model, folder)
        or any(map(is_code_metric, metric_names(suite)))
        or any(any(mock_functions(mock)) for mock in suite.mocks.values())
        or bool(suite.agent.value_names)
        or _tools_module(suite, folder)
    )


def has_live_tools(suite: Suite, folder: Path) -> bool:
    """Whether the tools of a suite are an object of a module, or those of a server that is asked."""
    try:
        source = tool_sources(suite.tools).mcp
        served = isinstance(source, str | dict) and not suite_address(source, folder).replays
    except (ConfigError, InputError):
        return False  # the plan reports the problem
    return served or _tools_module(suite, folder)


def _tools_module(suite: Suite, folder: Path) -> bool:
    try:
        listed = tool_sources(suite.tools).listed
    except ConfigError:
        return False  # the plan reports the problem
    return isinstance(listed, str) and is_object_name(listed) and not (folder / listed).exists()


def suite_address(source: str | dict[str, Any], folder: Path) -> McpAddress:
    """The MCP server of a suite; its recording is next to the suite."""
    address = read_address(source, "tools.mcp")
    return replace(address, recording=str(folder / address.recording)) if address.recording else address


def mock_functions(mock: Any) -> Iterator[str]:
    """Functions that a mock names, those for single goldens included."""
    if isinstance(mock, dict):
        if isinstance(function := mock.get("function"), str):
            yield function
        others = mock.get("goldens")
        for other in others.values() if isinstance(others, dict) else ():
            yield from mock_functions(other)


def with_record_mode(suite: Suite, mode: RecordMode | None) -> Suite:
    """The suite with another recording mode; unchanged without one."""
    if mode is None:
        return suite
    return msgspec.structs.replace(suite, record=msgspec.structs.replace(record_settings(suite), mode=mode))


def record_settings(suite: Suite) -> RecordSettings:
    """The `record:` setting of a suite, in either form."""
    return suite.record if isinstance(suite.record, RecordSettings) else RecordSettings(suite.record)


def recordings_folder(suite: Suite, folder: Path) -> Path:
    """Where the recordings of a suite are kept."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", suite.name).strip("-.") or "suite"
    return folder / record_settings(suite).folder / name


def recordings_of_suite(file: Path) -> tuple[Suite, Path]:
    """The suite in a file, and the folder of its recordings."""
    suite = load_suite(file)
    return suite, recordings_folder(suite, file.parent)


def suite_recordings(suite: Suite, folder: Path) -> Recordings | None:
    """The recordings of a suite; None when nothing is recorded or replayed."""
    settings = record_settings(suite)
    return None if settings.mode == "none" else Recordings(settings, recordings_folder(suite, folder))


def recordings_of_run(run: StoredRun) -> Recordings | None:
    """The recordings of the suite of a stored run; None when the suite is not here or records nothing."""
    file = Path(run.run.versions.get("suite_file", "") or ".")
    if not file.is_file() or is_goldens(file):
        return None
    return suite_recordings(load_suite(file), file.parent)
