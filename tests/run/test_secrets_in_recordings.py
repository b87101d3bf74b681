"""Recordings of agents that are Python functions hold no secret: outputs, arguments, results, errors, keys of objects."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

import rightcall as rc
from rightcall.core.redaction.clean_text import HIDDEN, scrubber
from rightcall.recording.canonical import scrub_value
from rightcall.recording.library import Recordings, RecordSettings
from rightcall.records import Golden, Message, ToolCall, Trajectory

SECRET = "correct-horse-battery-9"
CODED = base64.b64encode(f"me:{SECRET}".encode()).decode()
SPLIT = f"{SECRET[:9]}\n{SECRET[9:]} {SECRET[:5]}\\n{SECRET[5:]}"


def calling(text: str) -> Trajectory:
    call = ToolCall("f", {"key": text, text: [text]}, id="1", output={"got": text}, status="ok")
    return Trajectory((Message("assistant", text, (call,)),), (call,), text)


def failing(text: str) -> Trajectory:
    raise ValueError(f"no access with {text}")


AGENTS = {
    "text": lambda text: text,
    "calls": lambda text: [{"name": "f", "arguments": {"key": text}}],
    "trajectory": calling,
    "error": failing,
    "error of a trajectory": lambda text: Trajectory(stop_reason="agent_error", error=f"refused {text}"),
}


@pytest.mark.parametrize("spelling", [SECRET, CODED, SPLIT], ids=["plain", "base64", "two lines"])
@pytest.mark.parametrize("level", ["requests", "trajectory"])
@pytest.mark.parametrize("kind", AGENTS)
def test_no_recording_of_a_python_agent_holds_a_secret(tmp_path: Path, monkeypatch, kind, level, spelling):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHOP_API_KEY", SECRET)

    def agent(golden: Golden):
        return AGENTS[kind](f"key {spelling} end")

    recordings = Recordings(RecordSettings("auto", level=level), tmp_path / "recordings")
    rc.evaluate(
        rc.Agent(agent, tools=[{"name": "f", "input_schema": {"type": "object"}}], recordings=recordings),
        dataset=[Golden("q", id="a")],
    )
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    for text in (SECRET, CODED[3:-3], SECRET[9:]):
        assert text.encode() not in written
    if kind not in ("error", "error of a trajectory"):  # failures are not always recorded
        assert b"[secret]" in b"".join(
            path.read_bytes() for path in (tmp_path / "recordings").rglob("*.json")
        )


@pytest.mark.parametrize("value", ["hunter2hunter2", 'two "words"\nand a line'])
def test_a_field_whose_name_says_so_holds_a_secret(value):
    clean = scrubber()
    record = {"user": {"password": value, "name": "Bob"}, "page": {"token": "next-page"}}
    assert scrub_value(record, clean) == {
        "user": {"password": HIDDEN, "name": "Bob"},
        "page": {"token": "next-page"},
    }
    definition = {"properties": {"password": {"type": "string", "description": "Its password"}}}
    assert scrub_value(definition, clean) == definition
