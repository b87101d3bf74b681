"""Requests to a model for one golden, with a record of prompts and cost.

Prompts are files of `prompts/`, one per step: `$name` is a placeholder. The hash of a prompt's text is stored in every
golden it helped to make, so that goldens from two wordings can be distinguished.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from string import Template
from typing import Any, TypeVar

import msgspec

from rightcall.agents.model_retries import Asker
from rightcall.core.codec import convert
from rightcall.core.digest import hex_digest
from rightcall.core.errors import RightCallError
from rightcall.limbs.generate.statement import echoes
from rightcall.providers.base import ModelRequest, Prompt, Settings
from rightcall.records.message import Message
from rightcall.records.record import Record
from rightcall.records.trajectory import Usage

T = TypeVar("T")
SHORT = 160
LONG = 400
"""Tokens for a request, and for an answer or a judgement."""

PROMPTS = files("rightcall.limbs.generate") / "prompts"


class StepPrompt(Record, frozen=True):
    """One prompt: its name, its text, and a short hash of it."""

    name: str
    text: str
    hash: str

    def fill(self, **values: object) -> str:
        """The prompt with its values; a missing value is a `KeyError`."""
        return Template(self.text).substitute({name: str(value) for name, value in values.items()})


@cache
def step_prompt(name: str) -> StepPrompt:
    """The prompt of a step."""
    text = PROMPTS.joinpath(f"{name}.md").read_text(encoding="utf-8").strip()
    return StepPrompt(name, text, hex_digest(text, 12))


WRITING = Prompt(step_prompt("system").text, settings=Settings(temperature=0.8, max_tokens=SHORT))
ANSWERING = Prompt(step_prompt("system").text, settings=Settings(temperature=0.8, max_tokens=LONG))
JUDGING = Prompt(step_prompt("system").text, settings=Settings(temperature=0.0, max_tokens=LONG))
_LEAD = re.compile(
    r"^(?:message|question|answer|user|request|tin nhắn|câu hỏi|消息|问题)\s*[:：]\s*", re.IGNORECASE
)
_QUOTES = ('""', "''", "“”", "「」", "``")
JSON_ATTEMPTS = 2


class Unreadable(Exception):  # noqa: N818  the outcome of one attempt, not an error
    """A model's answer did not have the requested format."""


class Scribe:
    """The model access of one slot. Everything it does adds to `usage`, `messages` and `prompts`.

    Requests carry the slot's name and the step (`0003-one-get_weather/request`) for scripts and cassettes, and a
    sampling seed that depends only on them and on the run's seed. Every prompt may name the language as `$language`.
    """

    def __init__(
        self, asker: Asker, slot: str, seed: int, language: str, *, critic: Asker | None = None
    ) -> None:
        self._asker = asker
        self._critic = critic or asker
        self.slot = slot
        self._seed = seed
        self._language = language
        self.attempt = 0
        self.usage = Usage()
        self.messages: list[Message] = []
        self.prompts: dict[str, str] = {}

    async def text(self, step: str, prompt: str, **values: object) -> str:
        """What the model writes, without quotes and labels around it; `Unreadable` when empty."""
        text = await self._write(WRITING, step, prompt, values)
        if echo := echoes(text, step_prompt(prompt).text):
            raise Unreadable(f"{step}: the model repeated its instructions: “{echo}”")
        return text

    async def answer(self, step: str, prompt: str, **values: object) -> str:
        """A longer text, such as an expected output."""
        return await self._write(ANSWERING, step, prompt, values)

    async def _write(self, kind: Prompt, step: str, prompt: str, values: Mapping[str, object]) -> str:
        text = clean_reply(await self._ask(self._asker, kind, step, prompt, values=values))
        if not text:
            raise Unreadable(f"{step}: the model wrote nothing")
        return text

    async def record(
        self, step: str, prompt: str, shape: type[T], values: Mapping[str, object], *, judging: bool = False
    ) -> T:
        """What the model answers, as a record read from the first JSON object in it."""
        asker, kind = (self._critic, JUDGING) if judging else (self._asker, ANSWERING)
        problem = ""
        for number in range(JSON_ATTEMPTS):
            text = await self._ask(
                asker, kind, step if not number else f"{step}-again", prompt, values=values
            )
            try:
                return convert(first_object(text), shape, step)
            except (RightCallError, ValueError) as error:
                problem = str(error)
        raise Unreadable(f"{step}: cannot read the model's answer: {problem}")

    def note(self, usage: Usage, *messages: Message) -> None:
        """Add the usage of another component for this slot."""
        self.usage = self.usage.plus(usage)
        self.messages += messages

    async def _ask(
        self, asker: Asker, kind: Prompt, step: str, name: str, values: Mapping[str, object]
    ) -> str:
        prompt = step_prompt(name)
        self.prompts[prompt.name] = prompt.hash
        question = Message("user", prompt.fill(language=self._language, **values))
        place = f"{self.slot}/{step}"
        seed = zlib.crc32(f"{self._seed}/{place}/{self.attempt}".encode()) & 0x7FFFFFFF
        reply = await asker.ask(ModelRequest(kind, (question,), place, self.attempt, seed=seed))
        self.note(reply.usage, question, reply.message)
        return reply.message.content


def clean_reply(reply: str) -> str:
    """A model's text without code fences, a label before it, and quotation marks around it."""
    text = re.sub(r"^```\w*\n|\n```$", "", reply.strip()).strip()
    for _ in range(2):
        text = _LEAD.sub("", text).strip()
        if len(text) > 1 and text[0] + text[-1] in _QUOTES and text[0] not in text[1:-1]:
            text = text[1:-1].strip()
    return text


def first_object(reply: str) -> Any:
    """The first JSON object in a text; `ValueError` when there is none."""
    start = reply.find("{")
    end = reply.rfind("}")
    if start < 0 or end < start:
        raise ValueError("it contains no JSON object")
    try:
        return msgspec.json.decode(reply[start : end + 1])
    except msgspec.DecodeError as error:
        raise ValueError(str(error)) from None
