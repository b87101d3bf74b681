"""The version that a change started from: which commit it is, whether it can and may be run here, and its trials.

The files of the commit are unpacked into a temporary folder. A suite that starts no code is run here; any other in
another process (`base_process`), so that modules of the two versions never mix. Installed packages and environment
variables are those of today in both.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from pathlib import Path

import msgspec

from rightcall.agents.agent import is_address
from rightcall.check.base_process import BaseAgent, BaseAnswer, BaseRequest, serve_base
from rightcall.core.codec import decode, encode
from rightcall.core.errors import ConfigError, RightCallError
from rightcall.core.text import shorten
from rightcall.files.revision import (
    commit_named,
    first_commit_since,
    git_dirty,
    has_file,
    is_ancestor,
    is_shallow,
    repository_root,
    unpack_commit,
)
from rightcall.providers.provider_kinds import is_provider
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool
from rightcall.run.baseline_file import BaselineHeader
from rightcall.run.inputs import Inputs
from rightcall.run.suite import load_suite
from rightcall.run.suite_actions import starts_code
from rightcall.run.trust import in_project, is_listed, trust_folder

PROJECT_FILES = ("package.json", "pyproject.toml", "requirements.txt", "suite.yaml")
INSTALLED = ("node_modules", ".venv", "venv")
"""Folders of installed packages."""
LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one result, with its trajectory."""


@dataclass(frozen=True)
class BaseVersion:
    """A suite at a commit: `root` is the folder of the repository, `suite` the path of the suite's file in it."""

    root: Path
    suite: Path
    commit: str

    @classmethod
    def of(cls, file: Path, ref: str) -> BaseVersion:
        """The suite at a branch, tag or commit; `ConfigError` when there is no such commit."""
        whole = file.resolve()
        root = repository_root(whole.parent)
        commit = commit_named(whole.parent, ref)
        if root is None or not commit:
            raise ConfigError(
                f"--base-ref {ref}: git knows no such commit here; `git fetch` it first "
                "(in CI, clone the whole history: fetch-depth: 0 on GitHub, GIT_DEPTH: 0 on GitLab)"
            )
        return cls(root, whole.relative_to(root.resolve()), commit)

    def require_trust(self, *, trust: bool = False) -> None:
        """Raise `ConfigError` unless this work descends from the commit, or the user trusts the folder of the suite.

        A commit can contain anything, and is not in the working copy.
        """
        file = self.root / self.suite
        if is_listed(file) or (in_project(file) and is_ancestor(self.root, self.commit, "HEAD")):
            return
        if not trust:
            commit = self.commit[:10]
            raise ConfigError(
                f"commit {commit} is not one that this work descends from, and running its code needs trust in "
                f"{file.parent}: review it (git show {commit}), then pass --trust"
            )
        trust_folder(file.parent)

    def unpack(self, place: Path) -> tuple[Path, Path]:
        """The files of the commit, and a project without them."""
        folder = place.resolve() / "commit"
        elsewhere = place.resolve() / "elsewhere"
        folder.mkdir()
        elsewhere.mkdir()
        (elsewhere / "pyproject.toml").touch()
        unpack_commit(self.root, self.commit, folder)
        self._link_installed_packages(folder)
        return folder, elsewhere

    def _link_installed_packages(self, folder: Path) -> None:
        """Give the commit the packages that are installed in the working tree: git does not have them."""
        projects = {path.parent for path in chain.from_iterable(folder.rglob(name) for name in PROJECT_FILES)}
        for project in sorted(projects):
            for name in INSTALLED:
                there = self.root.resolve() / project.relative_to(folder) / name
                if there.is_dir() and not (project / name).exists():
                    (project / name).symlink_to(there, target_is_directory=True)

    @property
    def starts_code(self) -> bool:
        """Whether it imports modules of the commit or starts programs."""
        return _starts_code(self)

    def module_folders(self, folder: Path) -> str:
        """PYTHONPATH of the other version: folders of the project become the commit's, if it starts code."""
        folders = []
        for name in filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep)):
            whole = Path(name).resolve()
            if not whole.is_relative_to(self.root.resolve()):
                folders.append(str(whole))
            elif self.starts_code:
                folders.append(str(folder / whole.relative_to(self.root.resolve())))
        return os.pathsep.join(folders)


FETCH = "fetch the whole history (fetch-depth: 0 on GitHub, GIT_DEPTH: 0 on GitLab)"


def base_of_baseline(file: Path, header: BaselineHeader, *, trust: bool) -> tuple[BaseVersion | None, str]:
    """The version that made a baseline, to be run again; or None, and why it cannot be."""
    commit, problem = _commit_of(file.resolve(), header)
    if problem := outside_git(header.given) or problem:
        return None, problem
    base = BaseVersion.of(file, commit)
    try:
        base.require_trust(trust=trust)
    except ConfigError as error:
        return None, f"of the baseline, {error}"
    return base, ""


def _commit_of(file: Path, header: BaselineHeader) -> tuple[str, str]:
    """The commit with the version of a baseline; or "", and why git does not have it.

    A baseline may be saved before its version is committed: its version is then that of the first commit afterwards.
    """
    folder = file.parent
    commit = header.commit
    if repository_root(folder) is None:
        return "", "the suite is not in a git repository"
    if commit and not commit_named(folder, commit):
        return "", f"git does not have the baseline's commit {commit[:10]} here; {FETCH}"
    if commit and has_file(file, commit):
        return commit, ""
    saved = "the baseline was saved outside of git or with uncommitted changes"
    if is_shallow(folder):
        return "", f"{saved}, and this clone does not have the commits since; {FETCH}"
    later = first_commit_since(file, header.runs[0].at) if header.runs else ""
    if not later or (later == commit_named(folder, "HEAD") and not git_dirty(folder)):
        return "", f"{saved}, and no commit before this one has its version"
    return later, ""


def outside_git(inputs: Inputs) -> str:
    """Why no commit of the repository can bring back the agent; "" when one can."""
    model = inputs.agent.get("model", "")
    if not is_address(model):
        return ""
    kind, _, where = model.partition(":")
    if kind != "exec":
        return f"the agent is a service ({shorten(model, 60)}), of which only the present version answers"
    return "" if inputs.code else f"the program {shorten(where, 60)} is not in the repository"


@lru_cache(maxsize=64)
def _starts_code(base: BaseVersion) -> bool:
    """Whether the suite of a commit starts code; nothing of it runs. A commit never changes."""
    with tempfile.TemporaryDirectory(prefix="rightcall-base-") as name:
        folder = Path(name).resolve()
        unpack_commit(base.root, base.commit, folder)
        file = folder / base.suite
        try:
            suite = load_suite(file)
        except RightCallError:  # its own run says what is wrong with it, and starts nothing
            return False
        module, colon, _ = suite.agent.model.partition(":")
        # wherever the commit has the module: it is not looked for from here
        return starts_code(suite, file.parent) or bool(colon and not is_provider(module))


class BaseVersionError(ConfigError):
    """The base version could not be run; the message says why."""


class BaseTrials:
    """Runs trials of a base version; it is unpacked and started with the first of them, and ended by `close`."""

    def __init__(self, base: BaseVersion, agent: BaseAgent) -> None:
        self.base = base
        self._agent = agent
        self._server: asyncio.Task[_Server] | None = None
        self._stack = AsyncExitStack()
        self.spent = 0

    async def ask(self, request: BaseRequest) -> tuple[CaseResult, tuple[Tool, ...]]:
        """One trial, with the tools that it was offered; `BaseVersionError` when this version cannot be run."""
        if self._server is None:
            self._server = asyncio.create_task(self._start())
        try:
            server = await asyncio.shield(self._server)
            self.spent += 1
            answer = await server.ask(request)
        except (RightCallError, OSError) as error:
            raise self._unavailable(str(error)) from None
        if answer.result is None:
            raise self._unavailable(answer.problem)
        return answer.result, answer.tools

    async def close(self) -> None:
        """End the version, with trials in progress, and remove its files."""
        if self._server is not None:
            self._server.cancel()
            await asyncio.wait([self._server])
        await self._stack.aclose()

    def _unavailable(self, problem: str) -> BaseVersionError:
        lines = [line for line in problem.strip().splitlines() if line.strip()] or ["it printed nothing"]
        words = lines[-1].strip().removeprefix("error: ")[:300]
        return BaseVersionError(f"the base version at {self.base.commit[:10]} could not be run: {words}")

    async def _start(self) -> _Server:
        name = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="rightcall-base-"))
        folder, elsewhere = await asyncio.to_thread(self.base.unpack, Path(name))
        server: _Server
        if not self.base.starts_code and not in_project(folder):
            server = _Here(folder / self.base.suite, self._agent)
        else:
            server = await _Process.start(self.base, folder, elsewhere, self._agent)
        self._stack.push_async_callback(server.close)
        return server


class _Server:
    """The base version at work. `_ended` says why, once it has ended, or raises it."""

    _ended: asyncio.Task[str]

    def _send(self, request: BaseRequest, answer: asyncio.Future[BaseAnswer]) -> None:
        raise NotImplementedError

    async def ask(self, request: BaseRequest) -> BaseAnswer:
        answer: asyncio.Future[BaseAnswer] = asyncio.get_running_loop().create_future()
        self._send(request, answer)
        await asyncio.wait((answer, self._ended), return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            raise ConfigError(self._ended.result())
        return answer.result()

    async def close(self) -> None:
        self._ended.cancel()
        await asyncio.wait([self._ended])


class _Here(_Server):
    """The base version in this process: nothing of it is imported."""

    def __init__(self, suite: Path, agent: BaseAgent) -> None:
        self._requests = asyncio.Queue[tuple[BaseRequest, asyncio.Future[BaseAnswer]] | None]()
        self._ended = asyncio.create_task(self._serve(suite, agent))

    async def _serve(self, suite: Path, agent: BaseAgent) -> str:
        await serve_base(suite, agent, self._requests)
        return "it ended early"

    def _send(self, request: BaseRequest, answer: asyncio.Future[BaseAnswer]) -> None:
        self._requests.put_nowait((request, answer))


class _Process(_Server):
    """The base version in another process: requests are lines of its input, answers lines of its output."""

    def __init__(self, program: asyncio.subprocess.Process) -> None:
        self._program = program
        self._waiting: dict[tuple[str, int], asyncio.Future[BaseAnswer]] = {}
        self._ended = asyncio.create_task(self._read())

    @classmethod
    async def start(cls, base: BaseVersion, folder: Path, elsewhere: Path, agent: BaseAgent) -> _Process:
        """Start it in its own folder if it may start something, otherwise in one that it is outside of."""
        program = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # otherwise a `msgspec.py` of the commit would be imported instead of the installed one
            "-m",
            "rightcall.check.base_process",
            str(folder / base.suite),
            str(folder),
            str(base.root.resolve()),
            encode(agent).decode(),
            *(["--search"] if base.starts_code else []),
            cwd=_working_folder(base, folder) if base.starts_code else elsewhere,
            env={**os.environ, "GITHUB_ACTIONS": "", "PYTHONPATH": base.module_folders(folder)},
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
        )
        return cls(program)

    def _send(self, request: BaseRequest, answer: asyncio.Future[BaseAnswer]) -> None:
        self._waiting[request.golden, request.trial] = answer
        if (pipe := self._program.stdin) is not None and not self._ended.done():
            pipe.write(encode(request) + b"\n")

    async def close(self) -> None:
        if self._program.returncode is None:
            self._program.kill()
        await super().close()
        await self._program.wait()

    async def _read(self) -> str:
        """Hand out answers; what was printed on stderr, when it ends."""
        output = self._program.stdout
        problems = self._program.stderr
        if output is None or problems is None:
            return ""
        told = asyncio.create_task(problems.read())
        try:
            while line := await output.readline():
                answer = decode(line, BaseAnswer, "base version")
                waiting = self._waiting.pop((answer.golden, answer.trial), None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(answer)
            return (await told).decode(errors="replace")
        except (ValueError, msgspec.MsgspecError, RightCallError) as error:
            return f"it printed something else than answers: {error}"
        finally:
            told.cancel()


def _working_folder(base: BaseVersion, folder: Path) -> Path:
    """The working folder of the check in the files of the commit, where the commit has it."""
    here = Path.cwd().resolve()
    root = base.root.resolve()
    inside = folder / here.relative_to(root) if here.is_relative_to(root) else folder
    return inside if inside.is_dir() else folder
