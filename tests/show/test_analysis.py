"""`analyze` on a terminal: lines are wrapped at its width, below where they begin."""

from __future__ import annotations

import io

from rightcall.improve.findings import Analysis, RunFinding, WonBack
from rightcall.show.analysis import print_analysis
from rightcall.show.screen import Screen

WORDS = "The agent asks for the order again and again although it has it already, and never refunds it. " * 3
FINDING = RunFinding(
    rank=1,
    cause="wrong_tool",
    stated=True,
    tools=("find_order",),
    goldens=("a", "b"),
    what=WORDS.strip(),
    advice="Say in the description when to stop. " * 4,
    won_back=WonBack(2, 1, 3, 10),
    plausibility=0.01,
    trials=4,
    count=2,
    evidence=(WORDS,),
)
ANALYSIS = Analysis("r", 4, 10, 5, (FINDING,), ())


class FakeTerminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(file: io.StringIO) -> list[str]:
    print_analysis(Screen(file=file, width=60), ANALYSIS)
    return [line.rstrip() for line in file.getvalue().splitlines()]


def test_long_lines_are_wrapped_at_the_width_of_a_terminal_and_stay_indented(monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    lines = printed(FakeTerminal())
    start = next(at for at, line in enumerate(lines) if line.startswith("1  The agent asks"))
    assert all(len(line) <= 60 for line in lines)
    assert lines[start + 1].startswith("   ") and not lines[start + 1].startswith("    ")


def test_attempts_of_attacks_are_said_to_be_left_out_also_when_nothing_else_failed():
    out = io.StringIO()
    print_analysis(Screen(file=out), Analysis("r", 0, 10, 5, (), (), attempts=120))
    assert out.getvalue().splitlines() == [
        "0 of 5 goldens fail",
        "  120 goldens with attacks or benign twins not analyzed: see `rightcall runs report`",
    ]


def test_a_line_for_a_file_is_not_wrapped():
    assert f"1  {WORDS.strip()}  2 goldens" in printed(io.StringIO())
