"""A recorded provider: what was recorded is replayed exactly, without secrets."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.core.errors import InputError
from rightcall.providers.base import ModelReply, ModelRequest, Prompt, Settings
from rightcall.providers.recorded import RecordedProvider
from rightcall.providers.scripted import ScriptedProvider
from rightcall.recording.case import CURRENT
from rightcall.recording.library import Recordings, RecordSettings
from rightcall.records import Golden, Message, ToolCall, Trajectory, Usage
from tests.support.examples import examples

from .samples import PROMPT, WEATHER, a_request

text = st.text(st.characters(codec="utf-8"), max_size=12)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | text, lambda inner: st.lists(inner, max_size=3)
)
calls = st.builds(
    ToolCall, name=text, arguments=st.none() | st.dictionaries(text, json_values, max_size=3), id=text
)
messages = st.builds(Message, st.just("assistant"), text, st.lists(calls, max_size=2).map(tuple))
replies = st.builds(
    ModelReply,
    messages,
    st.builds(Usage, st.integers(0, 9), st.integers(0, 9), st.none() | st.floats(0, 1)),
    st.sampled_from(["done", "truncated", "refused"]),
    text,
    st.floats(0, 9),
)
requests = st.builds(
    ModelRequest,
    st.sampled_from([PROMPT, Prompt(), Prompt("x", (WEATHER,), Settings(seed=1))]),
    st.lists(st.builds(Message, st.sampled_from(["user", "assistant"]), text), min_size=1, max_size=3).map(
        tuple
    ),
    text,
    st.integers(0, 2),
)


GOLDEN = Golden("?", "g")


def answers(folder, mode, asked, answer=lambda request: "recorded"):
    """What one trial is answered, recorded or replayed."""
    recordings = Recordings(RecordSettings(mode), Path(folder))
    case = recordings.begin(GOLDEN, 0, recordings.trial(GOLDEN, 0))

    async def replies():
        CURRENT.set(case)
        async with RecordedProvider(ScriptedProvider(answer), recordings) as provider:
            return [await provider.complete(request) for request in asked]

    seen = asyncio.run(replies())
    if mode != "replay":
        recordings.write(GOLDEN, case, Trajectory(), whole=False)
    return seen


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(requests, replies), min_size=1, max_size=8))
def test_a_cassette_replays_exactly_what_was_recorded(exchanges):
    script = iter([reply for _, reply in exchanges])
    asked = [request for request, _ in exchanges]
    with tempfile.TemporaryDirectory() as folder:
        said = answers(folder, "refresh", asked, lambda request: next(script))
        assert answers(folder, "replay", asked) == said


def test_secrets_are_not_written_and_are_not_needed_to_replay(tmp_path, monkeypatch):
    key = "sk-abcdef0123456789abcdef"
    monkeypatch.setenv("MY_API_KEY", "plain words as a key")
    request = a_request(f"use {key} or plain words as a key", prompt=Prompt(f"key: {key}"))
    answers(tmp_path, "auto", [request], lambda request: ToolCall("login", {"key": key, "list": [key]}))
    written = "".join(file.read_text() for file in tmp_path.rglob("*.json"))
    assert "[secret]" in written and key not in written and "plain words" not in written
    (reply,) = answers(tmp_path, "replay", [request])
    assert reply.message.calls[0].arguments["key"] == "[secret]"


def test_an_environment_full_of_our_own_words_does_no_harm(tmp_path, monkeypatch):
    for i, word in enumerate(("assistant", "messages", "golden_id", "arguments")):
        monkeypatch.setenv(f"NUMBER_{i}_KEY", word)
    answers(tmp_path, "auto", [a_request()])
    (reply,) = answers(tmp_path, "replay", [a_request()], lambda request: "asked again")
    assert reply.message.content == "recorded"


def test_a_broken_recording_is_named(tmp_path):
    answers(tmp_path, "auto", [a_request()])
    (file,) = tmp_path.glob("*.json")
    file.write_text('{"goldn": "a"}')
    with pytest.raises(InputError, match="unknown field 'goldn'"):
        answers(tmp_path, "replay", [a_request()])
