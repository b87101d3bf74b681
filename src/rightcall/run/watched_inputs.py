"""What an agent that is code reads, and whether it is the same: files of the project, and environment variables.

Kept by hash with the run, and so with every baseline. A file that is compared is one that was imported, opened, or
named in the sources; one that did not exist is kept too, because somebody may add it. Equal ones mean equal behaviour
only if everything that the code reads could be watched, in the baseline and now.
"""

from __future__ import annotations

import hashlib
import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from rightcall.core.codec import decode
from rightcall.core.digest import json_digest
from rightcall.decide.input_change import ComparedInputs, InputChange
from rightcall.files.file_digests import canonical_digest, file_digests, same_content, same_text
from rightcall.files.opened_files import FileWatch
from rightcall.files.project_files import ABSENT, ProjectFiles
from rightcall.files.python_sources import (
    files_named_by_sources,
    source_facts,
    variables_named_by,
)
from rightcall.recording.model_requests import HeardSetup
from rightcall.records.record import Record
from rightcall.records.run import Run
from rightcall.run.agent_sources import AgentSources
from rightcall.store.sql.store import Store

UNSET = "unset"
SET = "set"
ROUNDS = 20_000
"""Of the key derivation: a stored hash must not give away a short value."""
_CREDENTIAL = re.compile(r"(^|_)(API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIALS?)$", re.IGNORECASE)


class Sameness(NamedTuple):
    """Whether what an agent reads, or asks its model first, is the same; `why` it is not, or nobody knows."""

    word: Literal["same", "different", "unknown"]
    why: str = ""


class WatchedInputs(Record, frozen=True):
    """`files` by their name in the project, with the digest of what was first read; a folder ends in `/`.

    `variables` are those that these files name.
    `unseen` says what could not be watched, so that equal files do not mean equal behaviour. `products` are files
    that the agent wrote itself, and that are therefore not compared. `services` are the hosts, with their ports, that
    it asked besides its model's: what they answer cannot be compared either.
    """

    files: dict[str, str] = {}
    unseen: tuple[str, ...] = ()
    variables: dict[str, str] = {}
    products: tuple[str, ...] = ()
    services: tuple[str, ...] = ()
    heard: HeardSetup = HeardSetup()
    """What it sent to its models. Runs keep it, baselines do not."""

    def merge(self, other: WatchedInputs) -> WatchedInputs:
        """What two parts of a run read. A file that was another one in each of them cannot be compared."""
        products = {*self.products, *other.products}
        moved = {*inputs_that_differ(self, other)}
        unseen = (*self.unseen, *other.unseen, *(f"{name} changes from run to run" for name in sorted(moved)))
        files = {**self.files, **other.files}
        variables = {**self.variables, **other.variables}
        return WatchedInputs(
            {name: files[name] for name in sorted(files.keys() - moved - products)},
            tuple(dict.fromkeys(unseen)),
            {name: variables[name] for name in sorted(variables.keys() - moved)},
            tuple(sorted(products)),
            services=tuple(sorted({*self.services, *other.services})),
            heard=self.heard.merge(other.heard),
        )

    def now(self, sources: AgentSources) -> dict[str, str]:
        """The digests of the same files in the working copy."""
        texts = {name: sources.project.hash(name) for name in self.files}
        return file_digests(texts, sources.project, _code(self.files, sources))


def inputs_that_differ(first: WatchedInputs, second: WatchedInputs) -> list[str]:
    """Files and variables that both read, in different versions."""
    both = ((first.files, second.files), (first.variables, second.variables))
    products = {*first.products, *second.products}
    return sorted(
        name
        for mine, theirs in both
        for name in (mine.keys() & theirs.keys()) - products
        if not same_content(mine[name], theirs[name])
    )


def same_watch(first: WatchedInputs | None, second: WatchedInputs | None) -> bool:
    """Whether two runs may have read the same: neither, or both without a difference in what both read."""
    if first is None or second is None:
        return first is second
    return not inputs_that_differ(first, second)


INTERRUPTED = WatchedInputs(unseen=("what the agent read before the run was interrupted is not known",))


def watch_of_run(store: Store, run: Run) -> WatchedInputs | None:
    """What the agent of a stored run read; None when the store does not say."""
    name = run.fingerprints.get("watched", "")
    document = store.runs.document("watched", name) if name else None
    return None if document is None else decode(document, WatchedInputs, f"run {run.id}")


class AgentWatch:
    """Watches the code of one agent in this process: `with watch: …` around each trial."""

    def __init__(self, sources: AgentSources) -> None:
        self._sources = sources
        self._trials = FileWatch(sources.project)
        self._imports = import_watch(sources.project)
        self._heard = (-1, 0, 0)
        self.services: Callable[[], Sequence[str]] = tuple
        """The hosts that the agent asks besides its model's; what they answer is not compared."""
        self.heard: Callable[[], HeardSetup] = HeardSetup
        self._environment = dict(os.environ)

    def __enter__(self) -> None:
        self._trials.__enter__()

    def __exit__(self, *error: object) -> None:
        self._trials.__exit__(*error)

    def inputs(self) -> WatchedInputs:
        """All that was read so far."""
        sources = self._sources
        project = sources.project
        watches = (self._imports.watch, self._trials)
        files = {**self._trials.hashes(), **self._imports.watch.hashes()}
        unseen = [] if project.root.is_dir() else ["the agent ran on a machine without the project's files"]
        loaded = self._imports.modules()
        more = [project.path(n) for n in sorted(loaded - sources.closure.keys()) if n.endswith(".py")]
        named = loaded | sources.files_in_sources() | files_named_by_sources(more, project, sources.search)
        for watch in watches:
            unseen += [
                f"{name} was edited while the agent ran" for name in watch.edits() if sources.counts(name)
            ]
            unseen += [] if sources.has_list else watch.unseen_actions()
            for program in watch.programs:
                named |= sources.names_of_program(program.command, program.folder)
        unseen += self._imports.unseen(sources)
        written = self._trials.written | self._imports.watch.written
        files |= {name: project.hash(name) for name in named - written - files.keys()}
        counted = {name: files[name] for name in sorted(files) if sources.counts(name)}
        as_text = self._trials.as_text | self._imports.watch.as_text
        return WatchedInputs(
            file_digests(counted, project, _code(counted, sources), as_text),
            tuple(dict.fromkeys(unseen)),
            hash_variables(
                variables_named_by(map(project.path, counted), self._environment), self._environment
            ),
            tuple(sorted(self._trials.products() | self._imports.watch.products())),
            services=() if sources.has_list else tuple(self.services()),
            heard=self.heard(),
        )

    def news(self) -> WatchedInputs | None:
        """All that was read, if that may be more than at the last call; None when it is not."""
        trials = self._trials
        unseen = len(trials.programs) + len(trials.unseen_actions())
        unseen += len(self.services())
        heard = len(trials.read) + len(trials.written), unseen, len(sys.modules)
        if heard == self._heard:
            return None
        self._heard = heard
        whole = self.inputs()
        return whole if whole.files or whole.unseen or whole.variables or whole.services else None


MOST_TEXT = 1 << 20
LARGEST_TEXT = 1 << 17
"""Bytes of files that a run keeps, in all and of one: what changed is shown line by line."""


def with_texts(watched: WatchedInputs, sources: AgentSources, clean: Callable[[str], str]) -> WatchedInputs:
    """The same with the texts of its files, without secrets; those that are not text are left out."""
    texts = dict[str, str]()
    left = MOST_TEXT
    for name in sorted({*watched.files, *sources.closure}):
        path = sources.project.path(name)
        with suppress(OSError, UnicodeDecodeError):
            if path.is_file() and path.stat().st_size <= min(left, LARGEST_TEXT):
                texts[name] = clean(path.read_text("utf-8"))
                left -= len(texts[name])
    return msgspec.structs.replace(watched, heard=msgspec.structs.replace(watched.heard, texts=texts))


def imports_of(sources: AgentSources) -> WatchedInputs | None:
    """What the code of an agent read when it was imported here; None when the suite states everything."""
    return None if sources.ownership == "owned" else AgentWatch(sources).inputs()


class ImportWatch:
    """What modules of a project read when they are imported: once in a process, whoever asks for them first.

    `folder` is the working folder that they chose then.
    """

    def __init__(self, project: ProjectFiles) -> None:
        self.watch = FileWatch(project)
        self._before = _modules_in_use(project)
        self.folder: Path | None = None

    def modules(self) -> set[str]:
        """Files of modules of the project that were imported since."""
        return _modules_in_use(self.watch.project) - self._before

    def unseen(self, sources: AgentSources) -> list[str]:
        """Modules that were imported before and may have read a file that they do not name."""
        return [
            f"{name} was imported before it could be watched"
            for name, path in sources.closure.items()
            if name in self._before and source_facts(path).reads_files
        ]


_import_watches: dict[Path, ImportWatch] = {}


def import_watch(project: ProjectFiles) -> ImportWatch:
    """The watch on imports of a project in this process."""
    if project.root not in _import_watches:
        _import_watches[project.root] = ImportWatch(project)
    return _import_watches[project.root]


def folder_of_imports(project: ProjectFiles) -> Path | None:
    """The working folder that modules of a project chose when they were imported in this process."""
    watch = _import_watches.get(project.root)
    return None if watch is None else watch.folder


def variables_of_sources(
    sources: AgentSources, environment: Mapping[str, str] | None = None
) -> dict[str, str]:
    """The environment variables that sources read, by name, with a hash of each value.

    The value of a credential is not even hashed: whether there is one is all that counts.
    """
    environment = os.environ if environment is None else environment
    names = variables_named_by(sources.sources, environment) if sources.ownership != "owned" else set()
    return hash_variables(names, environment)


def hash_variables(names: Iterable[str], environment: Mapping[str, str]) -> dict[str, str]:
    """Variables with a hash of each value, or whether it is set for a credential."""
    return {name: _value_hash(name, environment.get(name)) for name in sorted(names)}


@lru_cache(1024)
def _value_hash(name: str, value: str | None) -> str:
    if value is None:
        return UNSET
    if _CREDENTIAL.search(name):
        return SET
    secret = value.encode("utf-8", "surrogateescape")
    return hashlib.pbkdf2_hmac("sha256", secret, f"rightcall/{name}".encode(), ROUNDS).hex()[:24]


def _code(names: Iterable[str], sources: AgentSources) -> list[Path]:
    """The Python files of the program: those that it read, and those that its sources import."""
    read = {name: sources.project.path(name) for name in names if name.endswith(".py")}
    paths = {**sources.closure, **read}
    return [path for path in paths.values() if path.suffix == ".py" and path.is_file()]


def _modules_in_use(project: ProjectFiles) -> set[str]:
    """The names of the modules of this process that are files of the project."""
    modules = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    inside = [file for file in modules if isinstance(file, str) and file.startswith(project.roots)]
    return {name for file in inside if (name := project.name(file)) is not None}


def join_watches(first: WatchedInputs | None, second: WatchedInputs | None) -> WatchedInputs | None:
    """Two parts of a run together, where there are any."""
    return first.merge(second) if first is not None and second is not None else first or second


class WatchComparison(NamedTuple):
    """Whether what the agent reads is the same, what was compared and what of it changed.

    Where nobody knows, every golden is in reach of a change. `state` is a hash of the files as they are now, "" without
    any.
    """

    sameness: Sameness
    changes: tuple[InputChange, ...] = ()
    compared: ComparedInputs = ComparedInputs()
    state: str = ""


def compare_watched(
    sources: AgentSources,
    before: WatchedInputs | None,
    *,
    code_before: Mapping[str, str],
    code: Mapping[str, str],
    variables: Mapping[str, str],
) -> WatchComparison:
    """Compare the working copy with what the agent of a baseline read.

    `code` and `variables` are those that its sources show without a run; what changed among them is known.
    """
    if sources.ownership == "owned" and before is None:
        return WatchComparison(Sameness("same"), compared=ComparedInputs(files=tuple(sorted(code))))
    watched = before or WatchedInputs()
    counted = {name: content for name, content in watched.files.items() if sources.counts(name)}
    now = WatchedInputs(counted).now(sources)
    moved = {name for name, content in code.items() if code_before.get(name) != content}
    differ = [n for n in counted if n not in moved and not same_content(counted[n], now[n])]
    same_meaning = (n for n in now.keys() - moved - {*differ} if not same_text(counted[n], now[n]))
    named = variables_named_by(map(sources.project.path, counted), os.environ)
    read = {*watched.variables, *named} - variables.keys()
    values = hash_variables(read, os.environ)
    changes = [
        InputChange("code", name, "new" if counted[name] == ABSENT else "gone" if now[name] == ABSENT else "")
        for name in differ
    ]
    changes += [InputChange("variable", n) for n in values if watched.variables.get(n, UNSET) != values[n]]
    present = (name for name in counted if not counted[name] == now[name] == ABSENT)
    compared = ComparedInputs(
        tuple(sorted({*code, *present})),
        tuple(sorted({*variables, *values})),
        same_meaning=tuple(sorted(same_meaning)),
        products=watched.products,
        services=watched.services,
    )
    why = _why_unknown(sources, before, compared)
    sameness = Sameness("unknown", why) if why else Sameness("different" if changes else "same")
    meanings = {name: canonical_digest(content) for name, content in now.items()}
    return WatchComparison(sameness, tuple(changes), compared, json_digest([meanings, values]) if now else "")


NOT_WATCHED = "the baseline does not say which files its agent read; run the suite on the main branch again"


def _why_unknown(sources: AgentSources, before: WatchedInputs | None, compared: ComparedInputs) -> str:
    """Why equal files would not mean equal behaviour; "" when they do."""
    unseen = (NOT_WATCHED,) if before is None else before.unseen
    nothing = () if compared.files else ("no file of the agent could be found",)
    why = next(filter(None, (sources.unknown, *unseen, *nothing)), "")
    if why and not sources.remote:
        return f"{why}; to compare it, list what it reads: `agent: {{code: [GLOB, …]}}`"
    verb = "is" if len(compared.services) == 1 else "are"
    return why or (f"{', '.join(compared.services)} {verb} not compared" if compared.services else "")
