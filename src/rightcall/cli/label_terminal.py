"""Labelling on a terminal: one key an answer, stored before the next case is shown."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import click

from rightcall.cli.output import console
from rightcall.core.operating_system import TerminalKeys
from rightcall.model.label import LabelWord
from rightcall.show.judge_report import KEYS, print_label_case

if TYPE_CHECKING:
    from rightcall.run.label_session import LabelSession

WORDS: dict[str, LabelWord] = {"p": "pass", "f": "fail", "u": "unsure"}


class LabelTerminal:
    """One person at a terminal; another process may label the same run at the same time."""

    def __init__(self, session: LabelSession) -> None:
        self._session, self._out = session, console()
        self._skipped: list[str] = []
        self._answered: list[str] = []
        self._notes: dict[str, str] = {}
        self._keys = TerminalKeys()

    def run(self) -> int:
        """Ask until everything is answered or the labeller quits; returns how many cases were answered."""
        with self._keys:
            case = self._next_case()
            while case is not None:
                case = self._ask(case)
        for name in self._notes:
            self._out.say("[yellow]the note on {} was not stored: it needs an answer[/yellow]", name)
        return len(set(self._answered))

    def _next_case(self) -> str | None:
        open_cases = self._session.open_cases()
        fresh = [case for case in open_cases if case not in self._skipped]
        return fresh[0] if fresh else None

    def _ask(self, case: str) -> str | None:
        """Show a case and do what a key asks for; returns the case to show next, None to end."""
        session = self._session
        question, own = session.question(case), session.own_label(case)
        total = len(session.order)
        print_label_case(
            self._out,
            question,
            done=total - len(session.open_cases()),
            total=total,
            own=own,
            note=self._notes.get(case, ""),
            show_judge=session.settings.show_judge,
        )
        began = time.monotonic()
        while True:
            self._keys.drop()  # what was pressed before this case was shown is no answer to it
            self._out.say("[dim]{}[/dim]", KEYS)
            key = self._keys.read().lower()
            if key in WORDS:
                note = self._notes.pop(case, "")
                seconds = time.monotonic() - began
                session.answer(case, WORDS[key], rule=question.rule, note=note, seconds=seconds)
                self._answered.append(case)
                return self._next_case()
            if key == "n":
                return self._note(case)
            if key == "b":
                return self._back(case)
            if key == "s":
                self._skipped.append(case)
                return self._next_case()
            if key in ("q", "", "\x04"):
                return None

    def _note(self, case: str) -> str:
        """Ask for a note, to be stored with the answer; at once if there is one."""
        try:
            with self._keys.whole_lines():
                text: str = click.prompt("note", default="", show_default=False)
        except click.Abort:
            return case
        own = self._session.own_label(case)
        if own is None:
            self._notes[case] = text
        elif text:
            question = self._session.question(case)
            self._session.answer(case, own.label, rule=question.rule, note=text, saw_judge=own.saw_judge)
        return case

    def _back(self, case: str) -> str:
        """The case that was answered before this one."""
        before = [name for name in self._answered if name != case] or self._session.previous_answers(case)
        if not before:
            return case
        if before[-1] in self._answered:
            self._answered.remove(before[-1])
        return before[-1]
