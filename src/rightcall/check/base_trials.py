"""Fresh trials of the version that a change started from: its code, its tools, its prompts, today's model.

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
from pathlib import Path

import msgspec

from rightcall.check.base_process import BaseAgent, BaseAnswer, BaseRequest, serve_base
from rightcall.check.base_version import BaseVersion
from rightcall.core.codec import decode, encode
from rightcall.core.errors import ConfigError, RightCallError
from rightcall.records.run import CaseResult
from rightcall.records.tool import Tool
from rightcall.run.trust import in_project

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes of one result, with its trajectory."""


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
