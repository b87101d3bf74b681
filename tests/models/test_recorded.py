"""`recorded:PATH`: what was recorded is replayed exactly, and a miss says what is different."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import replace

from rightcall.core.errors import ProviderError
from rightcall.model import Message, ToolCall, Usage
from rightcall.models.base import ModelReply, ModelRequest, Prompt, Settings
from rightcall.models.resolver import check, resolve
from rightcall.models.scripted import ScriptedProvider
from tests.support.examples import examples

from .samples import DELETE, PROMPT, WEATHER, a_request, ask

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


@settings(max_examples=examples(60))
@given(st.lists(st.tuples(requests, replies), max_size=8))
def test_a_cassette_replays_exactly_what_was_recorded(exchanges):
    script = iter([reply for _, reply in exchanges])

    async def all_of(provider):
        async with provider:
            return [await provider.complete(request) for request, _ in exchanges]

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recorded"
        said = asyncio.run(all_of(resolve(ScriptedProvider(lambda request: next(script)), record=path)))
        for _ in range(2):
            assert not exchanges or asyncio.run(all_of(resolve(f"recorded:{path}"))) == said


def record(path, *asked: ModelRequest, answer=lambda request: "recorded") -> None:
    for request in asked:
        ask(resolve(ScriptedProvider(answer), record=path), request)


def test_trials_never_share_an_answer(tmp_path):
    path, numbers = tmp_path / "recorded", iter("ab")
    record(path, a_request(trial=0), a_request(trial=1), answer=lambda request: next(numbers))
    assert [ask(resolve(f"recorded:{path}"), a_request(trial=t)).message.content for t in (1, 0, 1)] == [
        "b",
        "a",
        "b",
    ]


@pytest.mark.parametrize(
    ("asked", "difference"),
    [
        (
            a_request("How cold is it in Hue?"),
            "'How warm is it in Hue?' then, 'How cold is it in Hue?' now",
        ),
        (a_request(trial=3), "the trial: 0 was recorded"),
        (a_request(golden_id="other"), "the golden"),
        (a_request(prompt=replace(PROMPT, system="You sell cars.")), "the system prompt"),
        (a_request(prompt=replace(PROMPT, tools=(WEATHER,))), "delete_account: no longer offered"),
        (
            a_request(prompt=replace(PROMPT, tools=(replace(WEATHER, description="?"), DELETE))),
            "get_weather: description",
        ),
        (
            a_request(prompt=replace(PROMPT, settings=Settings(temperature=1))),
            "settings changed since it was recorded (max_tokens",
        ),
    ],
)
def test_a_miss_says_which_request_and_how_it_differs(tmp_path, asked, difference):
    path = tmp_path / "recorded"
    record(path, a_request(), a_request("Something else entirely", golden_id="z", trial=9))
    with pytest.raises(ProviderError, match="no recorded answer") as caught:
        ask(resolve(f"recorded:{path}"), asked)
    assert difference in str(caught.value) and not caught.value.retryable


def test_secrets_are_not_written_and_are_not_needed_to_replay(tmp_path, monkeypatch):
    path, key = tmp_path / "recorded", "sk-abcdef0123456789abcdef"
    monkeypatch.setenv("MY_API_KEY", "plain words as a key")
    request = a_request(f"use {key} or plain words as a key", prompt=Prompt(f"key: {key}"))
    record(path, request, answer=lambda request: ToolCall("login", {"key": key, "list": [key]}))
    written = "".join(file.read_text() for file in path.rglob("*.json"))
    assert "[secret]" in written and key not in written and "plain words" not in written
    assert ask(resolve(f"recorded:{path}"), request).message.calls[0].arguments["key"] == "[secret]"


def test_an_environment_full_of_our_own_words_does_no_harm(tmp_path, monkeypatch):
    for i, word in enumerate(("assistant", "messages", "golden_id", "arguments")):
        monkeypatch.setenv(f"NUMBER_{i}_KEY", word)
    record(tmp_path / "recorded", a_request(golden_id="g"))
    assert (
        ask(resolve(f"recorded:{tmp_path}/recorded"), a_request(golden_id="g")).message.content == "recorded"
    )


def test_a_missing_or_broken_recording_is_reported_before_the_run(tmp_path):
    assert "no folder of recordings" in asyncio.run(check(f"recorded:{tmp_path}/absent"))[0]
    (tmp_path / "a.json").write_text('{"goldn": "a"}')
    assert "a.json: unknown field 'goldn'" in asyncio.run(check(f"recorded:{tmp_path}"))[0]


def test_errors_are_not_recorded(tmp_path):
    def down(request):
        raise ProviderError("down", kind="server", retryable=True)

    with pytest.raises(ProviderError, match="down"):
        record(tmp_path / "recorded", a_request(), answer=down)
    assert not (tmp_path / "recorded").exists()


def test_recording_a_trial_again_replaces_it(tmp_path):
    path = tmp_path / "recorded"
    for said in ("old", "new"):
        ask(
            resolve(
                ScriptedProvider(lambda request, said=said: ModelReply(Message("assistant", said))),
                record=path,
            ),
            a_request(),
        )
    assert ask(resolve(f"recorded:{path}"), a_request()).message.content == "new"
