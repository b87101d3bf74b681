"""Digests of first requests: which requests ask a model, what is compared, and what varies by itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rightcall.recording.request_digest import (
    CapturedRequest,
    RequestDigester,
    compare_requests,
    distinct_first_requests,
    read_first_request,
)

CHAT = "https://api.test/v1/chat/completions"
BODY: dict[str, Any] = {
    "model": "m",
    "temperature": 0,
    "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "hi"}],
    "tools": [
        {"type": "function", "function": {"name": name, "parameters": {}}} for name in ("find", "book")
    ],
}


def digested(body: Any = BODY, url: str = CHAT, **headers: str) -> CapturedRequest:
    digester = RequestDigester(lambda text: text.replace("s3cret-key", "[secret]"))
    captured = digester.digest("POST", url, headers, json.dumps(body).encode())
    assert captured is not None
    return captured


def edited(**fields: Any) -> dict[str, Any]:
    return {**BODY, **fields}


def said(system: str = "Be kind.", user: str = "hi") -> dict[str, Any]:
    return edited(messages=[{"role": "system", "content": system}, {"role": "user", "content": user}])


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/chat/completions", {"messages": [{"role": "user", "content": "hi"}]}),
        ("/v1/messages", {"system": "s", "messages": [{"role": "user", "content": "hi"}]}),
        ("/v1/responses", {"input": "hi"}),
        ("/v1beta/models/gemini:generateContent", {"contents": [{"parts": [{"text": "hi"}]}]}),
        ("/model/claude/converse", {"messages": [{"role": "user", "content": [{"text": "hi"}]}]}),
        ("/api/generate", {"prompt": "hi"}),
    ],
)
def test_requests_of_every_wire_format_are_recognised(path, body):
    assert digested(body, f"https://api.test{path}").digests.parts["messages"].exact


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/chat/completions", BODY),
        ("POST", "/v1/embeddings", {"model": "e", "input": "hi"}),
        ("POST", "/v1/moderations", {"input": "hi"}),
        ("POST", "/v1/messages/count_tokens", BODY),
        ("POST", "/tickets", {"input": "hi"}),
        ("POST", "/slack", {"messages": ["hi"]}),
        ("POST", "/v1/chat/completions", [BODY]),
        ("POST", "/v1/chat/completions", {"messages": []}),
    ],
)
def test_other_requests_ask_no_model(method, path, body):
    digester = RequestDigester(lambda text: text)
    assert digester.digest(method, f"https://api.test{path}", {}, json.dumps(body).encode()) is None


def test_bodies_that_are_not_json_ask_no_model():
    for body in (b"", b"{", b"\xff\xfe", b"{" * 5000):
        assert RequestDigester(lambda text: text).digest("POST", CHAT, {}, body) is None


PLACES = {
    "model": edited(model="n"),
    "settings": edited(temperature=1),
    "system": said(system="Be rude."),
    "messages": said(user="bye"),
    "tools (cancel)": edited(tools=[*BODY["tools"], {"type": "function", "function": {"name": "cancel"}}]),
    "tools (1 removed)": edited(tools=BODY["tools"][:1]),
    "tools (their order)": edited(tools=BODY["tools"][::-1]),
}


@pytest.mark.parametrize(("part", "body"), PLACES.items(), ids=list(PLACES))
def test_the_part_that_changed_is_named(part, body):
    assert compare_requests([digested().digests], digested(body)).changed == (part,)


def tool(name: str, text: str) -> dict[str, Any]:
    return {"type": "function", "function": {"name": name, "description": text, "parameters": {}}}


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ([tool("seek", "Finds."), tool("book", "Books.")], "tools (seek)"),
        ([tool("seek", "Seeks."), tool("book", "Books.")], "tools (seek)"),
        ([tool("find", "Seeks."), tool("book", "Books.")], "tools (find)"),
        ([tool("find", "Finds."), tool("book", "Books.") | {"strict": True}], "tools (book)"),
        (
            [tool("find", "Books."), tool("book", "Finds.")],
            "tools (find, book)",
        ),
    ],
)
def test_tools_that_are_new_or_different_are_named(tools, words):
    before = digested(edited(tools=[tool("find", "Finds."), tool("book", "Books.")]))
    assert compare_requests([before.digests], digested(edited(tools=tools))).changed == (words,)


def test_another_address_and_header_are_changes():
    first = [digested().digests]
    assert compare_requests(first, digested(url="https://other.test/v1/chat/completions")).changed == (
        "base URL",
    )
    assert compare_requests(first, digested(**{"OpenAI-Beta": "x"})).changed == ("settings",)


def test_the_place_of_the_system_message_counts():
    moved = edited(messages=BODY["messages"][::-1])
    assert compare_requests([digested().digests], digested(moved)).changed == ("messages",)


@pytest.mark.parametrize(
    "body",
    [edited(user="u-17", seed=3, metadata={"trace": "1"}), dict(reversed(BODY.items()))],
)
def test_what_does_not_affect_the_answer_is_not_compared(body):
    assert compare_requests([digested().digests], digested(body)) == ((), ())


def test_secrets_are_not_part_of_a_digest():
    with_key = said(system="Key: s3cret-key")
    assert digested(with_key).digests == digested(said(system="Key: [secret]")).digests


CLOCKS = [
    ("It is 2026-11-16T09:30:01Z.", "It is 2026-11-17T10:00:59Z."),
    ("Today is Monday, November 16, 2026.", "Today is Tuesday, November 17, 2026."),
    ("Now: 1763285400", "Now: 1763371800"),
    ("Session 3f2b8c1a-9d4e-4f6a-8b7c-0123456789ab", "Session aaaaaaaa-9d4e-4f6a-8b7c-0123456789ab"),
    ("Run 0a1b2c3d4e5f", "Run ffb2c3d4e5f0"),
]


@pytest.mark.parametrize(("one", "other"), CLOCKS)
def test_a_clock_that_differs_between_trials_of_the_baseline_is_masked_and_other_words_are_not(one, other):
    before = [digested(said(system=text)).digests for text in (one, other)]
    assert compare_requests(before, digested(said(system=one))) == ((), ("system",))
    rude = digested(said(system=one + " Be rude."))
    assert compare_requests(before, rude).changed == ("system",)


@pytest.mark.parametrize(("one", "other"), CLOCKS)
def test_with_one_trial_a_clock_cannot_be_told_from_a_change(one, other):
    before = [digested(said(system=one)).digests]
    assert compare_requests(before, digested(said(system=other))).changed == ("system",)


def test_requests_that_vary_by_more_than_clocks_are_never_equal():
    before = [digested(said(user=text)).digests for text in ("hi", "hello")]
    assert compare_requests(before, digested(said(user="hi"))).changed == ("messages",)


def test_a_digest_is_read_back_and_others_are_not():
    first = digested(said(system=CLOCKS[0][0])).digests
    assert read_first_request(str(first)) == first
    assert [read_first_request(text) for text in ("", "3:x", "1:a.b:c")] == [None] * 3


def test_a_baseline_keeps_what_shows_how_requests_vary():
    clocks = [str(digested(said(system=f"It is 10:{minute}.")).digests) for minute in range(10, 30)]
    kept = distinct_first_requests(clocks)
    assert len(kept) == 2 and {*kept} < {*clocks}
    assert distinct_first_requests(["", ""]) == ()
    assert "" in distinct_first_requests(["", clocks[0]])
