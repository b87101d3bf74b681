"""`recorded:FILE`: recorded answers, replayed without a model or a key.

A cassette (`*.cassette.jsonl`) has one object per line: first the format, then a line for each prompt when it
is first used, and a line for each exchange. Anything that looks like a secret is removed before writing.
"""

from __future__ import annotations

import os
from collections import defaultdict
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from rightcall.core.codec import convert, decode, encode, to_plain
from rightcall.core.digest import json_digest
from rightcall.core.errors import InputError, ProviderError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.model import Annotations, Message, Tool, ToolCall, ToolResult, Usage
from rightcall.model.record import Record
from rightcall.models.base import ModelReply, ModelRequest, Prompt, Provider, Settings
from rightcall.models.cassette_miss import explain_miss

if TYPE_CHECKING:
    from rightcall.models.resolver import ProviderOptions

FORMAT = "rightcall/cassette/1"

_REMEMBERED = 256  # prompts: one per run, or one per golden with its own tools

R = TypeVar("R", bound=Record)


class CassetteExchange(Record, frozen=True):
    """A request, with its prompt's fingerprint, and the reply to it."""

    prompt: str
    messages: tuple[Message, ...]
    reply: ModelReply
    golden_id: str = ""
    trial: int = 0

    @property
    def key(self) -> str:
        """The key a request must have to get this reply. It includes the trial, so trials never share a reply."""
        return fingerprint([self.prompt, self.messages, self.golden_id, self.trial])


class CassetteLine(Record, frozen=True):
    """One line of the file: exactly one of the three."""

    format: str | None = None
    prompt: Prompt | None = None
    exchange: CassetteExchange | None = None


class Cassette:
    """The contents of a file: prompts by fingerprint, exchanges by key in the order they were recorded."""

    def __init__(self) -> None:
        self.prompts: dict[str, Prompt] = {}
        self.exchanges: dict[str, list[CassetteExchange]] = defaultdict(list)
        self._session = 0
        self._recorded_in: dict[tuple[str, int], int] = {}

    @classmethod
    def read(cls, path: Path) -> Cassette:
        """A cassette from its file. A last line truncated by a crash is skipped."""
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InputError(str(path), f"cannot be read: {error.strerror}") from None
        whole, _, _cut = data.rpartition(b"\n")
        found = cls()
        for number, text in enumerate(whole.split(b"\n") if whole else [], 1):
            found._add(decode(text, CassetteLine, f"{path}:{number}"), f"{path}:{number}")
        return found

    def _add(self, line: CassetteLine, where: str) -> None:
        if line.format not in (None, FORMAT):
            raise InputError(where, f"format must be '{FORMAT}', got '{line.format}'")
        if line.prompt is not None:
            self.prompts[fingerprint(line.prompt)] = line.prompt
        if line.format is not None:
            self._session += 1
        if line.exchange is not None:
            self._replace_older(line.exchange)
            self.exchanges[line.exchange.key].append(line.exchange)

    def _replace_older(self, new: CassetteExchange) -> None:
        """Remove this trial's recording from earlier sessions: the later one replaces it."""
        trial = new.golden_id, new.trial
        if self._recorded_in.get(trial, self._session) != self._session:
            for key, found in list(self.exchanges.items()):
                kept = [e for e in found if (e.golden_id, e.trial) != trial]
                if kept:
                    self.exchanges[key] = kept
                else:
                    del self.exchanges[key]
        self._recorded_in[trial] = self._session


_OUR_WORDS = frozenset({"assistant", "truncated", "required"}).union(
    *(
        r.__struct_fields__
        for r in (CassetteExchange, Message, ToolCall, ToolResult, ModelReply, Usage, Prompt)
    ),
    *(r.__struct_fields__ for r in (Settings, Tool, Annotations)),
)
"""Keywords of the file format: not secrets, even if the environment has an equal one."""


class ReplayProvider(Provider):
    """Answers from a cassette. A request recorded n times gets its n replies in turn, cyclically."""

    def __init__(self, path: str | Path) -> None:
        self.name = f"recorded:{path}"
        self._path = Path(path)
        self._cassette: Cassette | None = None
        self._scribe = CassetteWriter()
        self._asked: dict[str, int] = defaultdict(int)

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The recorded reply, or an error that shows how the request differs from the nearest recorded one."""
        tape = self._tape()
        wanted, prompt = self._scribe.spell(request, ModelReply(Message("assistant")))
        found = tape.exchanges.get(wanted.key)
        if not found:
            nearest = [e for exchanges in tape.exchanges.values() for e in exchanges]
            reason = explain_miss(wanted, prompt, nearest, tape.prompts)
            raise ProviderError(f"{self._path}: {reason}", kind="not_recorded")
        turn = self._asked[wanted.key]
        self._asked[wanted.key] += 1
        return found[turn % len(found)].reply

    async def check(self) -> list[str]:
        """A cassette that is missing or broken."""
        try:
            self._tape()
        except InputError as error:
            return [str(error)]
        return []

    def _tape(self) -> Cassette:
        if self._cassette is None:
            self._cassette = Cassette.read(self._path)
        return self._cassette


class RecordingProvider(Provider):
    """Asks another provider and appends every exchange to a cassette. Errors are not recorded."""

    def __init__(self, provider: Provider, path: str | Path) -> None:
        self.name, self._inner, self._path = provider.name, provider, Path(path)
        if hasattr(provider, "server"):
            self.server: str = provider.server
        self._file: IO[bytes] | None = None
        self._scribe, self._prompts = CassetteWriter(), set[str]()

    async def complete(self, request: ModelRequest) -> ModelReply:
        """The other provider's reply."""
        reply = await self._inner.complete(request)
        exchange, prompt = self._scribe.spell(request, reply)
        lines = [] if exchange.prompt in self._prompts else [CassetteLine(prompt=prompt)]
        self._write([*lines, CassetteLine(exchange=exchange)])
        self._prompts.add(exchange.prompt)
        return reply

    def prepare(self, prompt: Prompt) -> None:
        """The other provider's preparation."""
        self._inner.prepare(prompt)

    async def check(self) -> list[str]:
        """The other provider's problems."""
        return await self._inner.check()

    async def aclose(self) -> None:
        """Close the cassette and the other provider."""
        if self._file is not None:
            self._file.close()
            self._file = None
        await self._inner.aclose()

    def _write(self, lines: list[CassetteLine]) -> None:
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            _mend(self._path)
            self._file = self._path.open("ab")
            # Starts a session: its recording of a trial replaces those of earlier sessions.
            lines = [CassetteLine(format=FORMAT), *lines]
        self._file.write(b"".join(encode(line) + b"\n" for line in lines))
        self._file.flush()


def fingerprint(value: object) -> str:
    """A short hash of a value, independent of key order."""
    return json_digest(value, 24)


class CassetteWriter:
    """Prepares requests for the file: without secrets, so that a replay needs none.

    A prompt is cleaned once, then cached by identity.
    """

    def __init__(self) -> None:
        self._clean = scrubber()
        self._prompts: dict[int, tuple[Prompt, Prompt, str]] = {}

    def spell(self, request: ModelRequest, reply: ModelReply) -> tuple[CassetteExchange, Prompt]:
        """The exchange as it is written and compared, and the prompt it refers to."""
        prompt, name = self._prompt(request.prompt)
        exchange = CassetteExchange(name, request.messages, reply, request.golden_id, request.trial)
        return self._scrubbed(exchange, CassetteExchange), prompt

    def _prompt(self, prompt: Prompt) -> tuple[Prompt, str]:
        if id(prompt) not in self._prompts:
            if len(self._prompts) >= _REMEMBERED:
                self._prompts.pop(next(iter(self._prompts)))
            clean = self._scrubbed(prompt, Prompt)
            self._prompts[id(prompt)] = (prompt, clean, fingerprint(clean))
        return self._prompts[id(prompt)][1:]

    def _scrubbed(self, record: R, as_type: type[R]) -> R:
        return convert(self._without_secrets(to_plain(record)), as_type, "cassette")

    def _without_secrets(self, value: Any) -> Any:
        if isinstance(value, str):
            return value if value in _OUR_WORDS else self._clean(value)
        if isinstance(value, dict):
            return {self._without_secrets(k): self._without_secrets(v) for k, v in value.items()}
        return [self._without_secrets(v) for v in value] if isinstance(value, list | tuple) else value


def _mend(path: Path) -> None:
    """Truncate a partial line left by a crash, so that the next one starts on a new line."""
    if path.is_file() and (data := path.read_bytes()) and not data.endswith(b"\n"):
        os.truncate(path, data.rfind(b"\n") + 1)  # never rewritten: a second crash would lose all of it


def make(path: str, options: ProviderOptions) -> ReplayProvider:
    """The provider of a name."""
    return ReplayProvider(path)
