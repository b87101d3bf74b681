"""`rightcall judge label` on a real pseudo-terminal: one key an answer, stored at once."""

from __future__ import annotations

import json
import os
import pty
import re
import select
import signal
import sys
import time
from pathlib import Path

import pytest

from rightcall.run.judged_run import load_judged_run
from rightcall.run.label_session import LabelSession, LabelSettings, label_index, labels_of
from rightcall.store.address import open_store
from rightcall.store.labels import LabelFolder
from tests.support.judged_example import make_run
from tests.support.patience import SECONDS, wait_until

pytestmark = pytest.mark.stories
FILE = "judging/labels/refund_promised.jsonl"


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    make_run(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Terminal:
    """A process of `rightcall judge label` with a terminal of its own."""

    def __init__(self, *options: str, environment: dict[str, str] | None = None) -> None:
        self.pid, self.handle = pty.fork()
        if self.pid == 0:
            os.environ.update({"COLUMNS": "120", "LINES": "60", "TERM": "dumb"} | (environment or {}))
            command = [sys.executable, "-m", "rightcall.cli.main", "judge", "label", *options]
            os.execv(sys.executable, command)
        self.shown = ""

    def wait_for(self, text: str, after: int = 0) -> int:
        """Read until the text is shown; returns the place behind it."""
        deadline = time.monotonic() + SECONDS
        while (at := self.shown.find(text, after)) < 0:
            assert time.monotonic() < deadline, self.shown
            if not select.select([self.handle], [], [], 0.2)[0]:
                continue
            try:
                self.shown += os.read(self.handle, 65536).decode("utf-8", "replace")
            except OSError:
                raise AssertionError(f"{text!r} was not shown:\n{self.shown}") from None
        return at + len(text)

    def press(self, keys: str) -> None:
        """Press keys one by one, each after the screen that it answers."""
        for key in keys:
            seen = len(self.shown)
            os.write(self.handle, key.encode())
            if key in "pfus":
                self.wait_for("q quit", seen)

    def end(self, keys: str = "q") -> int:
        os.write(self.handle, keys.encode())
        try:
            while data := os.read(self.handle, 65536):
                self.shown += data.decode("utf-8", "replace")
        except OSError:
            pass
        os.close(self.handle)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def rows() -> list[dict]:
    lines = Path(FILE).read_text("utf-8").splitlines() if Path(FILE).is_file() else []
    return [json.loads(line) for line in lines]


def test_keys_are_answers_that_are_stored_at_once_and_a_second_process_continues(folder):
    terminal = Terminal("--by", "ana")
    terminal.wait_for("q quit")
    assert "0 of 48, rate so far is not shown" in terminal.shown
    assert "Rule" in terminal.shown and "promises the refund" in terminal.shown and "Answer" in terminal.shown
    assert "judge says" not in terminal.shown
    terminal.press("pfu")
    assert [row["label"] for row in rows()] == ["pass", "fail", "unsure"]
    os.kill(terminal.pid, signal.SIGKILL)
    os.waitpid(terminal.pid, 0)
    second = Terminal("--by", "ana")
    second.wait_for("q quit", second.wait_for("3 of 48, rate so far is not shown"))
    second.press("p")
    assert second.end() == 0 and "1 case labelled, 44 left" in second.shown
    answered = rows()
    assert len({row["case"]["golden"] for row in answered}) == 4
    assert {row["by"] for row in answered} == {"ana"} and all(
        row["plan"].startswith("chosen/") for row in answered
    )
    assert all(row["seconds"] >= 0 and not row.get("saw_judge") for row in answered)


def test_note_back_skip_and_show_judge(folder):
    terminal = Terminal("--by", "ana", "--show-judge")
    terminal.wait_for("q quit")
    assert "the judge says" in terminal.shown
    at = len(terminal.shown)
    os.write(terminal.handle, b"n")
    terminal.wait_for("note", at)
    os.write(terminal.handle, "unclear – see sk-live_4eC39HqLyjWDarjtT1zdp7dc\r".encode())
    terminal.wait_for("q quit", terminal.wait_for("stored with your answer", at))
    terminal.press("f")
    at = len(terminal.shown)
    terminal.press("b")
    terminal.wait_for("q quit", terminal.wait_for("you answered fail", at))
    terminal.press("p")
    terminal.press("s")
    assert terminal.end() == 0
    first, second = rows()
    assert (first["label"], second["label"], first["case"]) == ("fail", "pass", second["case"])
    assert first["note"].startswith("unclear") and "4eC39HqLyjWDarjtT1zdp7dc" not in first["note"]
    assert second["note"] == first["note"] and first["saw_judge"]


def test_ctrl_c_and_closing_the_terminal_lose_nothing(folder):
    terminal = Terminal("--by", "ana")
    terminal.wait_for("q quit")
    terminal.press("p")
    assert terminal.end("\x03") == 130 and len(rows()) == 1 and "Traceback" not in terminal.shown
    second = Terminal("--by", "ana")
    second.wait_for("q quit")
    second.press("p")
    os.close(second.handle)
    wait_until(lambda: os.waitpid(second.pid, os.WNOHANG)[0] == second.pid)
    wait_until(lambda: len(rows()) == 2)


def test_two_people_label_at_once_and_get_different_cases_and_a_shared_fifth(folder):
    people = [Terminal("--by", name, "--people", "ana,ben", "--n", "10") for name in ("ana", "ben")]
    for terminal in people:
        terminal.wait_for("q quit")
    for answers in range(1, 6):
        for name, terminal in zip(("ana", "ben"), people, strict=True):
            os.write(terminal.handle, b"p")
            wait_until(lambda name=name, n=answers: sum(row["by"] == name for row in rows()) >= n)
            terminal.wait_for("q quit", terminal.wait_for("of 10,", len(terminal.shown)))
    for terminal in people:
        assert terminal.end() == 0 and "left" in terminal.shown
    by = {name: {row["case"]["golden"] for row in rows() if row["by"] == name} for name in ("ana", "ben")}
    assert len(by["ana"]) == len(by["ben"]) >= 5 and len(by["ana"] | by["ben"]) >= 8


def test_hostile_text_is_visible_and_secrets_are_not(folder):
    desk = Path("judging/refund_desk.py")
    hostile = r'return "\x1b[2J\x07clear\u202e sk-live_4eC39HqLyjWDarjtT1zdp7dc [bold]x[/bold]"'
    desk.write_text(
        re.sub(r"return f\"I am sorry.*", lambda match: hostile, desk.read_text("utf-8")), "utf-8"
    )
    import subprocess

    command = [sys.executable, "-m", "rightcall.cli.main", "run", "judging/suite.yaml"]
    subprocess.run(command, capture_output=True, check=False)
    terminal = Terminal("--by", "ana", "--case", "refund-10")
    terminal.wait_for("q quit")
    answer = terminal.shown[terminal.shown.index("Answer") :]
    assert "clear" in answer and "[bold]x[/bold]" in answer
    assert "\x07" not in answer and "\x1b[2J" not in answer and "\u202e" not in answer
    assert "4eC39HqLyjWDarjtT1zdp7dc" not in answer
    assert terminal.end("f") == 0
    assert rows()[-1]["plan"] == "none"


def test_a_key_is_stored_in_time_and_the_store_keeps_an_index(folder):
    with open_store(must_exist=True) as store:
        judged = load_judged_run(store, "last")
        labels = LabelFolder("judging/labels")
        session = LabelSession(store, judged, labels, LabelSettings("ana"))
        took = []
        for case in session.open_cases()[:12]:
            began = time.perf_counter()
            session.answer(
                case, "pass", rule="The answer promises the refund, and names the order that it is for."
            )
            took.append(time.perf_counter() - began)
        index = label_index(store, store.runs.get("last").run.fingerprints)["refund_promised"]
        assert (index.labels, index.labellers) == (12, ("ana",)) and index.file == FILE
        assert len(labels_of(judged, labels).cases) == 12
    assert sorted(took)[6] < 0.25  # 20 ms on a quiet machine; a busy one is not what is tested
