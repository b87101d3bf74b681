"""Every reader of text that strangers write takes time in proportion to it: one table of readers and growing texts.

A reader gets 30,000 characters of one fragment. What is linear takes milliseconds, what is not takes minutes, so the
limit of CPU seconds is far from both on any machine.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from rightcall.api.tool_lint import lint
from rightcall.core.errors import RightCallError
from rightcall.core.redaction.clean_text import scrub, without_keys
from rightcall.core.text import one_line, visible
from rightcall.datasets.goldens import load_goldens
from rightcall.datasets.trajectories import load_trajectories
from rightcall.limbs.generate.documents import load_document
from rightcall.limbs.traces.redaction import Redactor
from rightcall.metrics.judged.vote import vote_of
from rightcall.providers.base import ModelReply
from rightcall.recording.mcp.session_file import read_session
from rightcall.records import Message
from rightcall.records.dialects import read_messages
from rightcall.records.dialects.call_text import call_text_in
from rightcall.show.lines import inert, inert_json
from rightcall.show.markdown import code, plain_sentence

pytestmark = [
    pytest.mark.stories,
    pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs a timer of CPU time"),
]

LENGTH = 30_000
CPU_SECONDS = 10.0

FRAGMENTS = (
    *(
        "[x](",
        "[",
        "(",
        "{",
        '"',
        "'",
        "\\",
        "-",
        "#",
        "<",
        "<a ",
        "<!--",
        "`",
        "` ",
        "*a",
        "|",
        "a|",
        "$",
        "%",
        "##[",
    ),
    *(
        "a ",
        "A",
        "a-",
        "a.",
        "a/",
        "a_",
        "1",
        "1.",
        "-1e",
        "a: ",
        "- ",
        "- a: ",
        "&a ",
        "*a ",
        "{a: ",
        "|\n ",
        '"a,',
    ),
    *(
        " ",
        "\n",
        "\r",
        "\t",
        "\r\n",
        "\n ",
        "\u200b",
        "a\u200b",
        "%41",
        "\\u0041",
        "\\n",
        "%3d",
        "::",
        "://",
        "http://",
    ),
    *(
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "private key ",
        "AAAAAAAAAAAAAAAA",
        "QUJD",
        "secret_",
    ),
    *(
        "AAAAAAAAAAAAAAAA\n",
        "password ",
        "password=",
        "token ",
        "key: ",
        "bearer ",
        "basic ",
        "sk-",
        "eyJaaaaaaaa.",
    ),
    *(
        "curl -u ",
        "xox",
        "api_key ",
        '"key": "',
        '{"a":',
        "[[",
        "MTA4",
        "-us",
        "e.g. ",
        "use `",
        "one of ",
        "must ",
    ),
)
TEXTS = {repr(fragment): fragment * (LENGTH // len(fragment)) for fragment in FRAGMENTS} | {
    "backticks, one more each time": "".join("`" * count + "a " for count in range(1, 240)),
    "one tag": "<a " * 10_000 + ">",
    "a key that does not begin": "-----END PRIVATE KEY----- private key " + "QUJD" * 7_000,
    "a key that does not end": "-----BEGIN PRIVATE KEY-----" + ("QUJD" * 16 + "\n") * 460,
}


def file_reader(
    name: str, read: Callable[[Path], Any], content: Callable[[str], str]
) -> Callable[[str, Path], Any]:
    def read_text(text: str, folder: Path) -> Any:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content(text), "utf-8")
        return read(path)

    return read_text


def goldens(path: Path) -> Any:
    return list(load_goldens(path))


def skills(path: Path) -> Any:
    return lint(f"skills:{path.parents[1]}")


def tool_of(text: str) -> dict[str, Any]:
    properties = {"q": {"type": "string", "description": text}}
    return {"name": "find", "description": text, "input_schema": {"type": "object", "properties": properties}}


HEAD = "---\nname: x\ndescription: Does x. Use when x is needed.\n---\n"
READERS: dict[str, Callable[[str, Path], Any]] = {
    "scrubber": lambda text, _: scrub(text),
    "keys": lambda text, _: without_keys(text),
    "redactor of traces": lambda text, _: Redactor(b"key").text(text),
    "terminal": lambda text, _: inert(text),
    "one line of a terminal": lambda text, _: one_line(visible(text), 100),
    "JSON": lambda text, _: inert_json(json.dumps(text).encode()),
    "Markdown": lambda text, _: code(text) + plain_sentence(text),
    "calls in an answer": lambda text, _: call_text_in(text),
    "messages": lambda text, _: read_messages([{"role": "assistant", "content": text}], "m"),
    "verdict of a judge": lambda text, _: vote_of(ModelReply(Message("assistant", text))),
    "definition of a tool": lambda text, _: lint([tool_of(text)]),
    "body of a skill": file_reader("s/x/SKILL.md", skills, lambda text: HEAD + text),
    "front matter": file_reader(
        "s/x/SKILL.md", skills, lambda text: f"---\nname: x\ndescription: {text}\n---\nx"
    ),
    "goldens, CSV": file_reader("g.csv", goldens, lambda text: f"input,tags\n{text}"),
    "goldens, YAML": file_reader("g.yaml", goldens, lambda text: f"- input: {text}"),
    "goldens, JSON": file_reader("g.json", goldens, str),
    "goldens, JSON Lines": file_reader("g.jsonl", goldens, lambda text: json.dumps({"input": text})),
    "trajectories": file_reader(
        "t.jsonl",
        lambda path: list(load_trajectories(path)),
        lambda text: json.dumps({"golden_id": "g", "messages": [{"role": "assistant", "content": text}]}),
    ),
    "recording of a server": file_reader("s.mcp.jsonl", read_session, str),
    "document, Markdown": file_reader("d.md", load_document, str),
}


class SlowError(BaseException):
    """Nothing in between catches it."""


def give_up(*_: object) -> None:
    raise SlowError


@pytest.mark.parametrize("name", READERS)
def test_a_reader_is_linear(name, tmp_path):
    before = signal.signal(signal.SIGVTALRM, give_up)
    slow = []
    try:
        for shape, text in TEXTS.items():
            signal.setitimer(signal.ITIMER_VIRTUAL, CPU_SECONDS)
            try:
                with suppress(RightCallError):
                    READERS[name](text, tmp_path)
            except SlowError:
                slow.append(shape)
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    assert slow == []
