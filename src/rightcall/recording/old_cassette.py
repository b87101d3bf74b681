"""`*.cassette.jsonl`, where older versions recorded models: read, and no longer written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from rightcall.core.codec import decode, to_plain
from rightcall.core.errors import InputError
from rightcall.model.record import Record
from rightcall.recording.canonical import VOLATILE
from rightcall.recording.cassette import PromptShelf, TapedExchange, read_cassette

FORMAT = "rightcall/cassette/1"

Trials = dict[tuple[str, int], list[TapedExchange]]
"""Exchanges by golden and trial."""


class OldExchange(Record, frozen=True):
    """A request, with the hash of its prompt, and the reply to it."""

    prompt: str
    messages: list[dict[str, Any]]
    reply: dict[str, Any]
    golden_id: str = ""
    trial: int = 0


class OldPrompt(Record, frozen=True):
    system: str = ""
    tools: list[dict[str, Any]] = []
    settings: dict[str, Any] = {}


class OldLine(Record, frozen=True):
    """One line of the file: exactly one of the three. A format begins a session, which replaces earlier trials."""

    format: str | None = None
    prompt: OldPrompt | None = None
    exchange: OldExchange | None = None


def read_trials(path: Path) -> Trials:
    """What a folder of recordings holds, or a cassette of an older version."""
    if not path.is_dir():
        return _old_trials(path)
    shelf, trials = PromptShelf(path / "prompts"), Trials()
    for file in sorted(path.glob("*.json")):
        golden = read_cassette(file)
        for number, trial in golden.trials.items():
            trials[golden.golden, int(number)] = [
                TapedExchange(shelf.put_back(exchange.ask), exchange.reply) for exchange in trial.exchanges
            ]
    return trials


def _old_trials(path: Path) -> Trials:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(str(path), f"cannot be read: {error.strerror}") from None
    whole_lines, _, _cut = data.rpartition(b"\n")  # a crash may have truncated the last line
    prompts: dict[str, dict[str, Any]] = {}
    new_prompt: dict[str, Any] | None = None
    trials, recorded_in, session = Trials(), dict[tuple[str, int], int](), 0
    for number, text in enumerate(whole_lines.split(b"\n") if whole_lines else [], 1):
        line = decode(text, OldLine, f"{path}:{number}")
        if line.format not in (None, FORMAT):
            raise InputError(f"{path}:{number}", f"format must be '{FORMAT}', got '{line.format}'")
        session += line.format is not None
        if line.prompt is not None:
            new_prompt = _ask(line.prompt)
        if (exchange := line.exchange) is not None:
            if new_prompt is not None:  # a prompt stands before the first exchange that names it
                prompts[exchange.prompt], new_prompt = new_prompt, None
            trial = exchange.golden_id, exchange.trial
            if recorded_in.get(trial, session) != session:
                trials.pop(trial, None)
            recorded_in[trial] = session
            ask = {**prompts.get(exchange.prompt, {}), "messages": exchange.messages}
            trials.setdefault(trial, []).append(TapedExchange(ask, exchange.reply))
    return trials


def _ask(prompt: OldPrompt) -> dict[str, Any]:
    """The prompt as requests are compared today: without settings that do not affect the answer."""
    settings = {name: value for name, value in prompt.settings.items() if name not in VOLATILE}
    plain: dict[str, Any] = to_plain(msgspec.structs.replace(prompt, settings=settings))
    return plain
