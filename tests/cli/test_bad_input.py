"""Every bad input, as a user meets it: one line that says where, what and what to do; exit code 2; nothing written."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import asked, did, write_lines

GOLDEN = json.dumps(asked("a"))
DONE = json.dumps(did("a", "Hanoi"))
CALL = '{"golden_id": "a", "calls": [{"name": "get_weather", "arguments": %s}]}'

BAD_GOLDENS = [
    ("truncated JSON", GOLDEN + "\n" + GOLDEN[:-9], "g.jsonl:2: not valid JSON: unexpected end of input; is the file or the line truncated?"),
    ("an array where lines were expected", f"[{GOLDEN}]", "g.jsonl:1: expected one object per line, got a JSON list; rename the file to .json"),
    ("a wrong type", GOLDEN.replace('"a"', "7"), "g.jsonl:1: id must be a string, got a whole number"),
    ("an unknown field", GOLDEN.replace("expected_calls", "expected_cals"), "g.jsonl:1: unknown field 'expected_cals'; did you mean 'expected_calls'?"),
    ("a duplicate id", GOLDEN + "\n" + GOLDEN, "g.jsonl:2: duplicate id 'a', first used on line 1; give each golden its own id"),
    ("arguments that are a JSON string", GOLDEN.replace('{"city": "Hanoi"}', '"{}"'), "g.jsonl:1: expected_calls[0].args must be an object, got a string; was it JSON-encoded twice?"),
    ("NaN", GOLDEN.replace('"Hanoi"', "NaN"), "g.jsonl:1: not valid JSON: NaN is not a JSON number; use null or a string"),
    ("a lone surrogate", GOLDEN.replace("Hanoi", "\\ud83d"), "g.jsonl:1: not valid JSON: unpaired surrogate in a string; write the whole character or remove it"),
    ("a line of ten megabytes", GOLDEN.replace("Hanoi", "x" * 10_000_000), "g.jsonl:1: the line is longer than 8 MiB; is the whole file one line? use the suffix .json for a JSON list"),
    ("an empty file", "", "g.jsonl: the file is empty; was it written completely?"),
    ("a binary file", b"\x7fELF\x00\x01\x02", "g.jsonl: is a binary file, not UTF-8 text"),
    ("a zip file", b"PK\x03\x04\x14\x00", "g.jsonl: is a zip or Office file, not a text file; extract the text from it"),
    ("UTF-16", GOLDEN.encode("utf-16"), "g.jsonl: the text is in UTF-16; save the file as UTF-8"),
    ("another encoding", GOLDEN.replace("Hanoi", "Huế").encode("cp1258", "replace").replace(b"?", b"\xea"), "g.jsonl:1: not valid UTF-8; save the file as UTF-8"),
    ("an order that goes round", json.dumps({"id": "a", "input": "?", "expected_calls": [{"tool": "f", "id": "x", "after": ["x"]}]}), "g.jsonl: golden 'a': expected_calls[0]: 'after' forms a cycle; remove one of the edges"),
    ("a matcher that is none", GOLDEN.replace('"Hanoi"', '{"regex": "("}'), "g.jsonl: golden 'a': expected_calls[0]: '(' is not a valid regular expression, or is too large; see ECMA 262"),
]  # fmt: skip

BAD_TRAJECTORIES = [
    ("truncated JSON", DONE[:-4], "t.jsonl:1: not valid JSON: unexpected end of input; is the file or the line truncated?"),
    ("an array where lines were expected", f"[{DONE}]", "t.jsonl:1: expected one object per line, got a JSON list; rename the file to .json"),
    ("a wrong type", DONE.replace('"a"', "7"), "t.jsonl:1: golden_id must be a string, got a whole number"),
    ("an unknown field", DONE.replace("golden_id", "goldenid"), "t.jsonl:1: unknown field 'goldenid'; did you mean 'golden_id'?"),
    ("a trial twice", "\n".join([json.dumps(did("a", trial=1))] * 2), "t.jsonl:2: duplicate trial 1 of golden 'a', first used on line 1; number the trials of a golden differently"),
    ("a golden id that is in no golden", json.dumps(did("aa", "Hanoi")), "t.jsonl:1: golden_id 'aa' is not in g.jsonl; did you mean 'a'?"),
    ("arguments that are a JSON string", CALL % '"{\\"city\\": 1}"', "t.jsonl:1: calls[0].arguments must be an object, got a string; was it JSON-encoded twice?"),
    ("NaN", CALL % '{"city": NaN}', "t.jsonl:1: not valid JSON: NaN is not a JSON number; use null or a string"),
    ("a lone surrogate", CALL % '{"city": "\\ude00"}', "t.jsonl:1: not valid JSON: unpaired surrogate in a string; write the whole character or remove it"),
    ("neither calls nor messages", '{"golden_id": "a"}', """t.jsonl:1: missing required field 'messages' or 'calls'; write "calls": [] for none"""),
    ("a line of ten megabytes", CALL % json.dumps({"city": "x" * 10_000_000}), "t.jsonl:1: the line is longer than 8 MiB; is the whole file one line? use the suffix .json for a JSON list"),
    ("an empty file", "", "t.jsonl: the file is empty; was it written completely?"),
    ("a binary file", b"\x7fELF\x00\x01\x02", "t.jsonl: is a binary file, not UTF-8 text"),
    ("goldens instead", GOLDEN, "t.jsonl:1: unknown field 'id'; known fields: golden_id, trial, calls, messages, output, usage, latency_ms, stop_reason, error, ledger, state_before, state, lag_ms, dialogue, served_model, given, approvals_seen, answers, cause, unreached"),
]  # fmt: skip


def as_bytes(content: str | bytes) -> bytes:
    return content if isinstance(content, bytes) else content.encode("utf-8")


def refused(done) -> str:
    """The one message of a refusal; nothing else may have been said."""
    assert (done.code, done.out) == (2, "")
    assert re.fullmatch(r"error: [^\n]+\n", done.err), done.err
    return done.err.removeprefix("error: ").rstrip("\n")


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["table", "json"])
@pytest.mark.parametrize(
    ("content", "message"), [c[1:] for c in BAD_GOLDENS], ids=[c[0] for c in BAD_GOLDENS]
)
def test_scoring_refuses_bad_goldens(rightcall, tmp_path, content, message, options):
    (tmp_path / "g.jsonl").write_bytes(as_bytes(content))
    write_lines(tmp_path / "t.jsonl", did("a", "Hue"))
    assert refused(rightcall("score", "g.jsonl", "t.jsonl", *options)) == message


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["table", "json"])
@pytest.mark.parametrize(
    ("content", "message"), [c[1:] for c in BAD_TRAJECTORIES], ids=[c[0] for c in BAD_TRAJECTORIES]
)
def test_scoring_refuses_bad_trajectories(rightcall, tmp_path, content, message, options):
    write_lines(tmp_path / "g.jsonl", asked("a"))
    (tmp_path / "t.jsonl").write_bytes(as_bytes(content))
    assert refused(rightcall("score", "g.jsonl", "t.jsonl", *options)) == message


def test_a_golden_that_nothing_was_recorded_for_is_named(rightcall, tmp_path):
    write_lines(tmp_path / "g.jsonl", *(asked(name) for name in "abcde"))
    write_lines(tmp_path / "t.jsonl", did("a", "Hanoi"))
    message = "g.jsonl: 4 goldens have no trajectory in t.jsonl: 'b', 'c', 'd', …; record them too, or pass --partial"
    assert refused(rightcall("score", "g.jsonl", "t.jsonl", "--json")) == message


def test_folders_and_missing_files_are_refused_by_every_command(rightcall, tmp_path):
    write_lines(tmp_path / "goldens.jsonl", asked("a"))
    (tmp_path / "folder").mkdir()
    for command in (["dataset", "check"], ["list", "tools"]):
        folder = refused(rightcall(*command, "folder"))
        assert folder == "folder: is a folder, not a file; the folder is empty"
        missing = refused(rightcall(*command, "golden.jsonl"))
        assert missing == "golden.jsonl: no such file; did you mean 'goldens.jsonl'?"
    for pair in (("golden.jsonl", "goldens.jsonl"), ("goldens.jsonl", "golden.jsonl")):
        assert (
            refused(rightcall("score", *pair)) == "golden.jsonl: no such file; did you mean 'goldens.jsonl'?"
        )


def test_a_byte_order_mark_and_windows_line_ends_are_read_as_if_they_were_not_there(rightcall, tmp_path):
    for name, lines in (
        ("g.jsonl", [asked("a"), asked("b")]),
        ("t.jsonl", [did("a", "Hanoi"), did("b", "Hue")]),
    ):
        write_lines(tmp_path / name, *lines)
    plain = rightcall("score", "g.jsonl", "t.jsonl", "--json")
    for name in ("g.jsonl", "t.jsonl"):
        text = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"))
    assert rightcall("score", "g.jsonl", "t.jsonl", "--json") == plain


@pytest.mark.parametrize("suffix", ["jsonl", "json", "yaml", "csv"])
@pytest.mark.parametrize("content", [GOLDEN + "\n" + GOLDEN[:-9], GOLDEN + '\n{"inptu": 1}', b"\x00\x01", ""])
def test_a_conversion_that_fails_leaves_what_was_there(rightcall, tmp_path, suffix, content):
    (tmp_path / "in.jsonl").write_bytes(as_bytes(content))
    target = tmp_path / f"out.{suffix}"
    refused(rightcall("dataset", "convert", "in.jsonl", "-o", target))
    assert not target.exists()
    target.write_text("precious")
    refused(rightcall("dataset", "convert", "in.jsonl", "-o", target))
    assert target.read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.jsonl", f"out.{suffix}"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["scor"], "no such command 'scor'; did you mean 'score'?"),
        (["score"], "Missing argument 'GOLDENS'"),
        (["score", "a", "b", "--fast"], "No such option '--fast'"),
        (["dataset", "convert", "a.jsonl"], "Missing option '-o'"),
        (["list", "metrics", "overal"], "unknown metric 'overal'; did you mean 'overall'?"),
    ],
)
def test_wrong_usage_is_said_on_stderr_with_exit_code_2(rightcall, arguments, words):
    done = rightcall(*arguments)
    assert (done.code, done.out) == (2, "") and words in done.err.replace("No such option:", "No such option")
    assert "error: " in done.err and "Error:" not in done.err and "Traceback" not in done.err


def test_the_suffix_says_the_format_and_an_unknown_one_is_refused(rightcall, tmp_path):
    write_lines(tmp_path / "g.jsonl", asked("a"))
    message = refused(rightcall("dataset", "convert", "g.jsonl", "-o", "g.xlsx"))
    assert message.startswith("g.xlsx: cannot infer the format from the suffix '.xlsx'; use one of")
    assert not Path("g.xlsx").exists()


def test_what_a_message_quotes_cannot_steer_the_terminal(rightcall):
    golden = {"id": "\x1b[2J\u202eg", "input": "?"}
    write_lines("g.jsonl", golden, golden)
    write_lines("t.jsonl", {"golden_id": golden["id"], "calls": []})
    done = rightcall("score", "g.jsonl", "t.jsonl")
    assert done.code == 2 and "duplicate id '⟨U+001B⟩[2J⟨U+202E⟩g'" in done.err
