"""The pictures of the demo in the README, made from its real output.

python docs/pictures/demo.py      writes demo.svg (the whole story, one act after the other) and cases.svg

Run ids differ every time, so fixed ones are shown; everything else is what the terminal shows.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from rich.text import Text

HERE = Path(__file__).parent
COLUMNS = 100
# width of a character, height of a line, size of the font
CHARACTER = 8.43
LINE = 19
SIZE = 14
MARGIN = 16
BAR = 34
SECONDS_PER_ACT = 6
BACKGROUND = "#16181d"
FOREGROUND = "#d7dae0"
DIM = "#8b919c"
COLORS = {1: "#ff7b72", 2: "#6cc47d", 3: "#e3b341", 6: "#76c7d8"}  # red, green, yellow, cyan of a terminal
SHOW = ("runs", "show")
RUN_IDS = ("260000-000000-000001", "260000-000000-000002")


def main() -> None:
    """Write both pictures."""
    story, cases = demo_output()
    (HERE / "demo.svg").write_text(cast(acts_of(story), "rightcall demo"), "utf-8")
    (HERE / "cases.svg").write_text(cast([cases], "rightcall runs show RUN CASE"), "utf-8")


CASE = "pause-please"
"""What the picture of cases shows."""


def demo_output() -> tuple[str, str]:
    """What `rightcall demo` prints, with colours, and then its first failure before and after the change."""
    with tempfile.TemporaryDirectory() as folder:
        story = _rightcall(folder, "demo")
        before, second = re.findall(r"rightcall compare (\S+) (\S+)", Text.from_ansi(story).plain)[0]
        case = CASE
        cases = "\n\n".join(
            f"$ \x1b[36mrightcall runs show {run} {case}\x1b[0m\n"
            + _head(_rightcall(folder, "runs", "show", run, case))
            for run in (before, second)
        )
    story = re.sub(r"\d+\.\d s\b", "0.1 s", story)
    for run, shown_id in zip((before, second), RUN_IDS, strict=True):
        story, cases = (text.replace(run, shown_id) for text in (story, cases))
    return story, cases


def _head(case: str) -> str:
    """A case up to its transcript."""
    lines = case.splitlines()
    return "\n".join(lines[: next(at for at, line in enumerate(lines) if "transcript" in line)]).rstrip()


def acts_of(story: str) -> list[str]:
    """The opening with the first act, then one text per act."""
    parts = re.split(r"\n(?=\x1b\[1;7m \d \x1b)", story.rstrip("\n"))
    return [f"{parts[0]}\n{parts[1]}", *parts[2:]]


def cast(screens: Sequence[str], title: str) -> str:
    """Screens shown one after the other, for ever; one screen stands still. No font or script is fetched."""
    drawn = [_lines(screen) for screen in screens]
    rows = max(len(lines) for lines in drawn)
    width = COLUMNS * CHARACTER + 2 * MARGIN
    height = BAR + rows * LINE + 2 * MARGIN
    groups = [
        f'<g class="act" style="animation-delay:{number * SECONDS_PER_ACT - len(drawn) * SECONDS_PER_ACT}s">'
        f"{''.join(_row(at, line) for at, line in enumerate(lines))}</g>"
        for number, lines in enumerate(drawn)
    ]
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" role="img">
<title>{escape(title)}</title>
<style>
text {{ font: {SIZE}px ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: {FOREGROUND};
  white-space: pre }}
{_animation(len(drawn))}</style>
<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>
<circle cx="20" cy="17" r="6" fill="#ff5f57"/><circle cx="40" cy="17" r="6" fill="#febc2e"/>
<circle cx="60" cy="17" r="6" fill="#28c840"/>
<text x="50%" y="22" text-anchor="middle" style="fill:{DIM}">{escape(title)}</text>
{chr(10).join(groups)}
</svg>
"""


def _animation(screens: int) -> str:
    if screens == 1:
        return ""
    share = 100 / screens
    return f""".act {{ opacity: 0; animation: act {screens * SECONDS_PER_ACT}s step-end infinite }}
@keyframes act {{ 0% {{ opacity: 1 }} {share:.4g}% {{ opacity: 0 }} }}
@media (prefers-reduced-motion: reduce) {{ .act {{ animation: none }} .act:nth-of-type(2) {{ opacity: 1 }} }}
"""


def _lines(screen: str) -> list[list[Segment]]:
    console = Console(width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="standard")
    return console.render_lines(Text.from_ansi(screen), pad=False)


def _row(at: int, line: list[Segment]) -> str:
    """A row; every piece has its own position, so that the font cannot shift the columns."""
    y = BAR + MARGIN + at * LINE
    column = 0
    pieces = []
    for segment in line:
        if segment.text.strip():
            x = MARGIN + column * CHARACTER
            length = len(segment.text.rstrip()) * CHARACTER
            pieces.append(
                f'<text x="{x:.1f}" y="{y}" textLength="{length:.1f}" xml:space="preserve"{_style(segment.style)}>'
                f"{escape(segment.text.rstrip())}</text>"
            )
        column += segment.cell_length
    return "".join(pieces) + "\n"


def _style(style: Style | None) -> str:
    if style is None:
        return ""
    color = COLORS.get(style.color.number or 0) if style.color else DIM if style.dim else None
    rules = [f"fill:{color}"] if color else []
    rules += ["font-weight:bold"] if style.bold else []
    return f' style="{";".join(rules)}"' if rules else ""


def _rightcall(folder: str, *words: str) -> str:
    environment = os.environ | {"FORCE_COLOR": "1", "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    environment.pop("NO_COLOR", None)
    command = [sys.executable, "-m", "rightcall", *words]
    done = subprocess.run(  # noqa: S603  our own program
        command, cwd=folder, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


if __name__ == "__main__":
    main()
