"""`exec:COMMAND`: an agent that is a program. It reads one JSON line on stdin and replies with JSON on stdout."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
from contextlib import suppress
from pathlib import Path
from shutil import which
from typing import Any

import msgspec

from rightcall.agents.remote.addressed_session import AddressedAgent, AddressedSession, Asking
from rightcall.agents.remote.agent_reply import (
    AgentFailedError,
    UnreadableReplyError,
    read_transcript_of,
    start_of,
)
from rightcall.agents.remote.exchange import Exchange
from rightcall.core.codec import DecodeErrors, encode
from rightcall.core.errors import ConfigError
from rightcall.core.operating_system import kill_process_tree, new_process_tree, terminate_process_tree
from rightcall.core.redaction.clean_text import scrub
from rightcall.core.text import one_line
from rightcall.records.dialects.coding_agents import claims_bytes
from rightcall.records.golden import Golden
from rightcall.records.trajectory import Trajectory

LARGEST = 16 << 20
KEPT_STDERR = 64 << 10
CODING_AGENTS = {
    "claude": "-p --output-format stream-json --verbose",
    "codex": "exec --json",
    "gemini": "--output-format stream-json",
}
"""Programs that are asked in plain text and print a transcript, with the words that make them do so."""
GRACE = 2.0
"""Seconds between terminating a program and killing it."""


class ExecAgent(AddressedAgent):
    """One program, started for every request, or kept running with `reuse: true`."""

    def __init__(self, command: list[str], exchange: Exchange, asking: Asking) -> None:
        super().__init__(exchange, asking)
        self._command = command
        self.name = "exec:" + " ".join(word for word in command[:2] if "=" not in word)
        self._product = Path(command[0]).stem if exchange.request is None else ""
        self._folder = exchange.folder or None
        self._idle: list[_Program] = []
        self._all: list[_Program] = []

    def session(self, golden: Golden, trial: int = 0) -> AddressedSession:
        if not self.exchange.reuse:
            return AddressedSession(golden, trial, self._asking, self._once, ends=True)
        held = _Held(self)
        return AddressedSession(golden, trial, self._asking, held.ask, close=held.release)

    async def check(self) -> list[str]:
        program = self._command[0]
        beside = Path(self._folder or ".") / program
        if which(program) or beside.is_file():
            return []
        return [f"exec: program '{program}' not found on PATH or in {self._folder or 'this folder'}"]

    async def aclose(self) -> None:
        programs = self._all
        self._all = []
        self._idle = []
        await asyncio.gather(*(program.end() for program in programs))

    async def _once(self, ask: dict[str, Any], user_text: str) -> Trajectory:
        program = await self.start_program(ask.get("traceparent", ""))
        try:
            plain = self._product in CODING_AGENTS
            content = await program.whole_reply(
                user_text.encode() if plain else encode(self.exchange.body(ask))
            )
        finally:
            await program.end()
        transcript = read_transcript_of(content)
        if transcript is None and plain:
            raise UnreadableReplyError(
                f"{self.name} wrote no transcript: start it with {CODING_AGENTS[self._product]}: {start_of(content)}"
            )
        return transcript or self.read(_reply_in(content), user_text)

    async def start_program(self, traceparent: str = "") -> _Program:
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command,
                cwd=self._folder,
                env=self._environment(traceparent),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=LARGEST,
                **new_process_tree(),
            )
        except OSError as error:
            raise AgentFailedError(f"{self.name} cannot start: {error.strerror or error}") from None
        return _Program(self.name, process)

    def _environment(self, traceparent: str) -> dict[str, str] | None:
        """This process's environment, plus where to send spans and which trace to continue, if spans are received."""
        telemetry = self._asking.telemetry
        if telemetry is None:
            return None
        told = {
            "OTEL_EXPORTER_OTLP_ENDPOINT": telemetry.endpoint,
            "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        }
        return {**os.environ, **told, **({"TRACEPARENT": traceparent} if traceparent else {})}

    async def borrow_program(self) -> _Program:
        """A program waiting for a request: an idle one, or a new one."""
        while self._idle:
            program = self._idle.pop()
            if program.alive:
                return program
        program = await self.start_program()
        self._all.append(program)
        return program

    def return_program(self, program: _Program) -> None:
        if program.alive:
            self._idle.append(program)


class _Held:
    """The program of one session, from its first turn to its last."""

    def __init__(self, agent: ExecAgent) -> None:
        self._agent = agent
        self._program: _Program | None = None

    async def ask(self, ask: dict[str, Any], user_text: str) -> Trajectory:
        program = self._program = self._program or await self._agent.borrow_program()
        try:
            content = await program.line(encode(self._agent.exchange.body(ask)))
        except BaseException:  # its late reply would answer the next request: do not reuse it
            self._program = None
            await program.end()
            raise
        return self._agent.read(content, user_text)

    async def release(self) -> None:
        if self._program is not None:
            self._agent.return_program(self._program)
            self._program = None


class _Program:
    """A running command with the end of its stderr."""

    def __init__(self, name: str, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        self._name = name
        self._process = process
        self._stdin = process.stdin
        self._stdout = process.stdout
        self._stderr = process.stderr
        self._errors = bytearray()
        self._listening = asyncio.create_task(self._listen())

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def whole_reply(self, ask: bytes) -> bytes:
        """Everything it writes to stdout until it ends."""
        await self._write(ask)
        self._stdin.close()
        content = await self._read_all()
        code = await self._process.wait()
        await self._listening
        if code != 0 and not claims_bytes(content):  # a transcript says itself how it ended
            raise AgentFailedError(f"{self._name} exited with code {code}{self._last_words()}")
        if not content.strip():
            raise AgentFailedError(f"{self._name} wrote no reply to stdout{self._last_words()}")
        return content

    async def line(self, ask: bytes) -> bytes:
        await self._write(ask)
        try:
            content = await self._stdout.readline()
        except ValueError:
            raise AgentFailedError(f"{self._name} wrote a line longer than {LARGEST >> 20} MB") from None
        if not content.strip():
            raise AgentFailedError(f"{self._name} wrote no reply to stdout{self._last_words()}")
        return content

    async def end(self) -> None:
        """Terminate the program and its child processes; kill them two seconds later."""
        if self.alive:
            terminate_process_tree(self._process.pid)
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    await self._process.wait()
        if self.alive:
            kill_process_tree(self._process.pid)
            await self._process.wait()
        self._listening.cancel()
        with suppress(asyncio.CancelledError):
            await self._listening
        # Close the transport now: an event loop that ends first would warn about open pipes.
        self._process._transport.close()  # type: ignore[attr-defined]

    async def _write(self, ask: bytes) -> None:
        # It exited, or does not read: only its reply counts. uvloop raises RuntimeError if its pipe is closed.
        with suppress(ConnectionError, RuntimeError):
            self._stdin.write(ask + b"\n")
            await self._stdin.drain()

    async def _read_all(self) -> bytes:
        chunks = []
        size = 0
        while chunk := await self._stdout.read(1 << 16):
            chunks.append(chunk)
            size += len(chunk)
            if size > LARGEST:
                raise AgentFailedError(f"{self._name} wrote more than {LARGEST >> 20} MB to stdout")
        return b"".join(chunks)

    async def _listen(self) -> None:
        while chunk := await self._stderr.read(1 << 14):
            self._errors += chunk
            del self._errors[:-KEPT_STDERR]

    def _last_words(self) -> str:
        stderr = one_line(scrub(bytes(self._errors[-4000:]).decode(errors="replace")), 1000)
        return f"; stderr: {stderr}" if stderr else ""


def _reply_in(content: bytes) -> bytes:
    """The reply in a program's output: all of it, or its last line if others precede it."""
    try:
        msgspec.json.decode(content)
    except DecodeErrors:
        lines = content.strip().splitlines()
        return lines[-1] if lines and lines[-1].lstrip()[:1] in (b"{", b"[", b'"') else content
    return content


def command_of(text: str) -> list[str]:
    """A command as a list: JSON, or words split like a shell does. No shell is used."""
    try:
        words = json.loads(text) if text.lstrip().startswith("[") else shlex.split(text)
    except ValueError as error:
        raise ConfigError(f"exec: '{text}' is not a command: {error}") from None
    if not words or not isinstance(words, list) or not all(isinstance(word, str) and word for word in words):
        raise ConfigError(f'exec: needs a command such as exec:["node", "agent.js"], got \'{text}\'')
    return words
