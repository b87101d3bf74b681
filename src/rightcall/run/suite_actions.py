"""What running a suite would start, import or write on this machine, and its recordings.

A suite is code, so this is determined without running anything. `run --dry-run` lists it, and a suite from outside the
project requires `--trust`.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from rightcall.agents.agent import is_address
from rightcall.agents.remote.remote_agent import command_of
from rightcall.core.digest import digest_of_parts, hex_digest
from rightcall.core.errors import ConfigError, InputError, RightCallError
from rightcall.files.python_object import is_module, is_object_name
from rightcall.metrics.resolve import parse_metric
from rightcall.model.record import Record
from rightcall.models.endpoint import ModelEndpoint
from rightcall.models.provider_kinds import is_provider
from rightcall.models.remote import is_this_machine
from rightcall.recording.library import Recordings
from rightcall.recording.settings import RecordMode, RecordSettings
from rightcall.run.suite import Suite, load_suite, project_files, suite_models, tool_sources
from rightcall.store.base import StoredRun
from rightcall.tools.mcp.address import McpAddress, read_address

FILE_MODELS = ("scripted", "local")
"""Models whose name is a file."""
Kind = Literal["start", "connect", "import", "write", "listen", "send"]


class Action(Record, frozen=True):
    """One action of a suite besides asking its model. `files` are what it would run."""

    kind: Kind
    what: str
    files: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """One line for a list: `start: npx -y some-server`."""
        return f"{self.kind}: {self.what}"


def actions(suite: Suite, folder: Path, model: str | None = None) -> list[Action]:
    """Everything the suite would start, connect to, listen on, import, or write besides recordings in its folder."""
    planned = [*_tools(suite, folder), *listen_actions(suite.agent.otlp)]
    name = model or suite.agent.model
    if is_code(name, folder):
        planned.append(_import(name, folder))
    planned += [_import(value, folder) for value in suite.agent.value_names]
    planned += _agent(name, folder)
    planned += [
        _import(function, folder) for mock in suite.mocks.values() for function in mock_functions(mock)
    ]
    for metric in metric_names(suite):
        planned += metric_actions(metric, folder)
    planned += variables_sent(suite, folder, name)
    recordings = getattr(suite.record, "folder", "")
    if recordings and not is_own_file(folder / recordings, (), folder):
        planned.append(Action("write", str((folder / recordings).resolve())))
    return planned


def variables_sent(suite: Suite, folder: Path, model: str) -> Iterator[Action]:
    """Variables of the environment that a suite, or the project it lies in, sends to another machine."""
    agent, user = suite.agent, suite.user
    own = agent.base_url[0] if isinstance(agent.base_url, tuple) else agent.base_url
    headers = {} if is_address(model) else agent.headers
    written = [ModelEndpoint(model, own, agent.key_env, headers)]
    if user is not None and user.key_env:
        written.append(ModelEndpoint("", user.base_url, user.key_env))
    try:
        named = suite_models(suite, folder).endpoints
    except RightCallError:  # the plan says what is wrong with it
        named = {}
    files = tuple(str(path) for path in project_files(folder) if named)
    for endpoint in [*written, *named.values()]:
        host = urlsplit(endpoint.base_url or "").hostname
        if endpoint.base_url and not is_this_machine(host) and endpoint.secret_variables:
            names = ", ".join(dict.fromkeys(endpoint.secret_variables))
            yield Action("send", f"{names} to {host}", files)


def is_own_file(path: Path, suffixes: tuple[str, ...], *places: Path) -> bool:
    """Whether a suite may write here unasked: in one of the places, not hidden, with a suffix that nothing runs."""
    target = path.resolve()
    if suffixes and target.suffix.lower() not in suffixes:
        return False
    for place in (place.resolve() for place in places):
        if target.is_relative_to(place):
            parts = target.relative_to(place).parts
            return not any(part.startswith(".") and part != ".rightcall" for part in parts)
    return False


def actions_of_suite_alone(suite: Suite, folder: Path, model: str | None = None) -> list[Action]:
    """What only the suite asks for; a `model` that the user typed is part of it if its code is next to the suite."""
    if model is None:
        return actions(suite, folder)
    beside = any(Path(file).is_relative_to(folder) for file in files_of_import(model, folder))
    return actions(suite, folder, model if beside and is_code(model, folder) else "keyword:")


def metric_names(suite: Suite) -> Iterator[str]:
    """Every metric that a suite names, observed ones included."""
    for entry in suite.metrics:
        if isinstance(entry, str):
            yield entry
        else:
            for names in entry.values():
                yield from [names] if isinstance(names, str) else names


def metric_actions(metric: str, folder: Path) -> list[Action]:
    """What a metric would import, and where a judge would write, besides a database in either folder."""
    actions_of_metric = [_import(metric, folder)] if is_code_metric(metric) else []
    cache = _settings_of(metric).get("cache")
    databases = (".db", ".sqlite", ".sqlite3")
    if isinstance(cache, str) and cache and not is_own_file(Path(cache), databases, folder, Path()):
        actions_of_metric.append(Action("write", str(Path(cache).resolve())))
    return actions_of_metric


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


def fingerprint(suite_file: Path, approved: list[Action]) -> str:
    """A fingerprint of the suite and all it would run: its location, its text, and the text of every file it names.

    Any change makes it another suite. What a started command downloads is not covered.
    """
    return digest_of_parts(
        str(path.resolve()).encode("utf-8", "surrogateescape")
        + b"\0"
        + bytes.fromhex(hex_digest(_content(path)))
        for path in (suite_file, *(Path(name) for action in approved for name in action.files))
    )


def _tools(suite: Suite, folder: Path) -> Iterator[Action]:
    try:
        sources = tool_sources(suite.tools)
    except ConfigError:
        return  # the plan reports the problem
    source, listed = sources.mcp, sources.listed
    if isinstance(listed, str) and is_object_name(listed) and not (folder / listed).exists():
        yield _import(listed, folder)
    if isinstance(source, str | dict):
        try:
            address = suite_address(source, folder)
        except InputError:
            return
        if address.replays:
            return  # no server is asked
        if address.command:
            base = Path(address.cwd) if address.cwd else Path()
            near = (path for word in address.command for path in _files_of(word, base, folder))
            where = f" (in {address.cwd})" if address.cwd else ""
            more = f" (with {', '.join(sorted(address.env))})" if address.env else ""
            words = shlex.join(address.command) + where + more
            yield Action("start", words, tuple(dict.fromkeys(map(str, near))))
        else:
            yield Action("connect", without_credentials(address.url))


def suite_address(source: str | dict[str, Any], folder: Path) -> McpAddress:
    """The MCP server of a suite; its recording is next to the suite."""
    address = read_address(source, "tools.mcp")
    return replace(address, recording=str(folder / address.recording)) if address.recording else address


def listen_actions(address: str) -> Iterator[Action]:
    """Listening on HOST:PORT, if other machines can reach it."""
    host = address.rpartition(":")[0].strip("[]")
    if address and not (host and is_this_machine(host)):
        yield Action("listen", address)


def _agent(name: str, folder: Path) -> Iterator[Action]:
    """The program of `exec:COMMAND` and the address of `http:URL` or `a2a:URL`."""
    if name.startswith("exec:"):
        try:
            command = command_of(name.removeprefix("exec:"))
        except ConfigError:
            return  # the plan says what is wrong with it
        near = (path for word in command for path in _files_of(word, folder))
        yield Action("start", shlex.join(command), tuple(dict.fromkeys(map(str, near))))
    elif name.startswith(("http:", "a2a:")):
        yield Action("connect", without_credentials(name.partition(":")[2]))


def mock_functions(mock: Any) -> Iterator[str]:
    """Functions that a mock names, those for single goldens included."""
    if isinstance(mock, dict):
        if isinstance(function := mock.get("function"), str):
            yield function
        others = mock.get("goldens")
        for other in others.values() if isinstance(others, dict) else ():
            yield from mock_functions(other)


def without_credentials(url: str) -> str:
    """A URL for a list, without user, password and query."""
    try:
        parts = urlsplit(url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
    except ValueError:
        return "an invalid URL"  # the plan says what is wrong with it


def _import(name: str, folder: Path) -> Action:
    return Action("import", name.partition(":")[0], files_of_import(name, folder))


def files_of_import(name: str, folder: Path) -> tuple[str, ...]:
    """Files that `module:attribute` would import, if they are in the working folder or next to the suite."""
    top = name.partition(":")[0].partition(".")[0]
    files = [path for base in (Path(), folder) for path in (base / f"{top}.py", *(base / top).rglob("*.py"))]
    return tuple(dict.fromkeys(str(path) for path in files if path.is_file()))


def _files_of(word: str, *bases: Path) -> Iterator[Path]:
    """Files that a word of a command names: `./server.py`, `--config=server.json`."""
    for part in (word, word.rpartition("=")[2]):
        for base in bases:
            try:
                if part and (base / part).is_file():
                    yield base / part
            except (OSError, ValueError):
                continue


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


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


def suite_recordings(suite: Suite, folder: Path) -> Recordings | None:
    """The recordings of a suite; None when nothing is recorded or replayed."""
    settings = record_settings(suite)
    return None if settings.mode == "none" else Recordings(settings, recordings_folder(suite, folder))


def recordings_of_run(run: StoredRun) -> Recordings | None:
    """The recordings of the suite of a stored run; None when the suite is not here or records nothing."""
    file = Path(run.run.versions.get("suite_file", "") or ".")
    return suite_recordings(load_suite(file), file.parent) if file.is_file() else None
