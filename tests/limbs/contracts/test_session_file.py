"""A recording is read as it was written, and one that is cut or doubled is refused with its line."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import pytest
from hypothesis import given, settings

from rightcall.core.errors import InputError
from rightcall.core.redaction.clean_text import scrubber
from rightcall.recording.mcp.session import McpSession, RecordedCall
from rightcall.recording.mcp.session_file import (
    LARGE,
    SessionJournal,
    files_folder,
    read_session,
    write_session,
)
from rightcall.recording.mcp.session_recorder import SessionRecorder
from tests.limbs.contracts.sessions import SHOP, answered, sessions, text
from tests.support.examples import examples


@settings(max_examples=examples(400))
@given(sessions())
def test_a_session_is_read_as_it_was_written(tmp_path_factory, session):
    path = tmp_path_factory.mktemp("s") / "shop.mcp.jsonl"
    write_session(path, session)
    assert read_session(path) == session


def test_keys_are_sorted_and_definitions_are_as_listed(tmp_path):
    write_session(tmp_path / "a", SHOP)
    header, first, *_, last = (tmp_path / "a").read_text("utf-8").splitlines()
    assert list(msgspec.json.decode(header)) == ["address", "format", "lines", "recorded", "server"]
    assert list(msgspec.json.decode(last)) == ["call", "ms", "n", "result"]
    assert first == '{"tool":' + msgspec.json.encode(SHOP.tools[0]).decode() + "}"


def test_every_cut_of_a_recording_is_refused_with_a_line(tmp_path):
    path = tmp_path / "shop.mcp.jsonl"
    write_session(path, SHOP)
    whole = path.read_bytes()
    for length in range(0, len(whole) - 1, 7):
        path.write_bytes(whole[:length])
        with pytest.raises(InputError) as refusal:
            read_session(path)
        assert refusal.value.where.startswith(str(path)) and refusal.value.exit_code == 2
        assert length < 7 or ":" in refusal.value.where.removeprefix(str(path))


LINES = 9  # below the header


@pytest.mark.parametrize(
    ("change", "line", "problem"),
    [
        (lambda lines: [*lines, *lines], 2 + LINES, "a second header"),
        (lambda lines: lines[1:], 1, "not a header"),
        (lambda lines: [lines[0], lines[1], *lines[1:]], 3, "duplicate tool 'get_order'"),
        (lambda lines: [*lines, lines[-1]], 2 + LINES, "after 1 of them"),
        (
            lambda lines: [*lines[:5], *lines[6:]],
            6,
            "call 2 of get_status with these arguments, after 0 of them",
        ),
        (lambda lines: lines[:-1], 1 + LINES, "8 lines follow the header, which says 9"),
        (lambda lines: [lines[0].replace("mcp/1", "mcp/2"), *lines[1:]], 1, "reads up to 1"),
        (lambda lines: [lines[0].replace("mcp/1", "suite/1"), *lines[1:]], 1, "expected a mcp file"),
        (lambda lines: [*lines[:4], lines[4].replace('"ms"', '"mss"'), *lines[5:]], 5, "unknown field 'mss'"),
        (lambda lines: [*lines[:4], '{"note": 1}', *lines[4:]], 5, "neither a definition nor a call"),
        (lambda lines: [*lines[:4], "{", *lines[4:]], 5, "not valid JSON"),
        (lambda lines: [*lines[:4], "[" * 5000, *lines[4:]], 5, "nested too deeply"),
    ],
)
def test_a_recording_that_is_not_whole_is_refused(tmp_path, change, line, problem):
    path = tmp_path / "shop.mcp.jsonl"
    write_session(path, SHOP)
    path.write_text("\n".join(change(path.read_text("utf-8").splitlines())) + "\n", "utf-8")
    with pytest.raises(InputError, match=problem) as refusal:
        read_session(path)
    assert refusal.value.where == f"{path}:{line}"


def test_large_texts_lie_next_to_the_file_and_must_be_there_unchanged(tmp_path):
    path = tmp_path / "a.mcp.jsonl"
    large = "é" * (LARGE + 1)
    tricky = {"$beside": "../../etc/passwd"}
    call = RecordedCall(
        "get_order", {"order": large}, answered(text(large), structuredContent={"own": tricky})
    )
    session = replace(SHOP, calls=(call,))
    write_session(path, session)
    assert path.stat().st_size < 4000 and read_session(path) == session
    (file,) = files_folder(path).iterdir()
    file.write_text("other", "utf-8")
    with pytest.raises(InputError, match="has changed"):
        read_session(path)
    file.unlink()
    with pytest.raises(InputError, match="is missing"):
        read_session(path)
    lines = path.read_text("utf-8").replace(file.name, "../../../etc/passwd")
    path.write_text(lines, "utf-8")
    with pytest.raises(InputError, match="SHA-256"):
        read_session(path)


SECRET = "hunter2-planted-0123456789"


def test_no_secret_reaches_a_file(tmp_path, monkeypatch):
    monkeypatch.setenv("SHOP_API_KEY", SECRET)
    recorder = SessionRecorder(scrubber(), f"shop --key={SECRET}")
    hello = {"serverInfo": {"name": SECRET}, "instructions": f"use {SECRET}", "capabilities": {}}
    tool = {"name": "find", "description": f"key {SECRET}", "inputSchema": {"default": SECRET}}
    large = SECRET + "x" * LARGE
    exchanges = [
        ("initialize", {}, {"result": hello}),
        ("tools/list", {}, {"result": {"tools": [tool]}}),
        ("tools/call", {"name": "find", "arguments": {SECRET: [SECRET]}}, {"result": answered(text(SECRET))}),
        (
            "tools/call",
            {"name": "find", "arguments": {}},
            {"error": {"code": 1, "message": SECRET, "data": [SECRET]}},
        ),
        ("tools/call", {"name": "env", "arguments": {}}, {"result": answered(text(large), failed=True)}),
    ]
    for number, (method, params, reply) in enumerate(exchanges):
        recorder.sent({"id": number, "method": method, "params": params})
        recorder.received({"id": number, **reply})
    session = recorder.session()
    assert isinstance(session, McpSession) and len(session.calls) == 3
    write_session(tmp_path / "a.mcp.jsonl", session)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 2 and not [path for path in files if SECRET.encode() in path.read_bytes()]


def test_what_could_not_be_read_back_is_not_written(tmp_path):
    deep: dict[str, object] = {}
    for _ in range(120):
        deep = {"a": deep}
    path = tmp_path / "shop.mcp.jsonl"
    for session in (
        replace(SHOP, calls=(RecordedCall("get_order", {}, answered(structuredContent=deep)),)),
        replace(SHOP, tools=({"name": "get_order", "inputSchema": deep},)),
        replace(SHOP, tools=({"name": ["get_order"]},)),
        replace(SHOP, tools=({"inputSchema": {}},)),
        replace(SHOP, tools=SHOP.tools[:1] * 2),
    ):
        with pytest.raises(InputError, match="cannot be recorded"):
            write_session(path, session)
    assert not path.exists()


@settings(max_examples=examples(200))
@given(sessions())
def test_an_unfinished_recording_has_each_answered_call_and_no_half_of_one(tmp_path_factory, session):
    path = tmp_path_factory.mktemp("s") / "shop.mcp.jsonl"
    journal = SessionJournal(path)
    settled = [
        replace(
            session, calls=session.calls[:count], changes=tuple(c for c in session.changes if c.calls < count)
        )
        for count in range(len(session.calls) + 1)
    ]
    for number, expected in enumerate(settled[1:], 1):
        seen = tuple(change for change in session.changes if change.calls <= number)
        journal.add(replace(expected, changes=seen))
        assert SessionJournal(path).read() == expected
    if session.calls:
        journal.path.write_bytes(journal.path.read_bytes()[:-9])
        assert SessionJournal(path).read().calls == session.calls[:-1]


def test_a_mark_of_byte_order_is_no_error_and_a_header_without_a_number_of_lines_is(tmp_path):
    path = tmp_path / "shop.mcp.jsonl"
    write_session(path, SHOP)
    whole = path.read_bytes()
    path.write_bytes(b"\xef\xbb\xbf" + whole)
    assert read_session(path) == SHOP
    path.write_bytes(whole.replace(b'"lines":9', b'"lines":"9"'))
    with pytest.raises(InputError, match="lines must be a whole number"):
        read_session(path)
