"""Text that looks like a call: a model's server that does not parse calls sends them as text, and nothing is called."""

from __future__ import annotations

import re

from rightcall.records.trajectory import Trajectory

NOTICE = (
    "a model's answer contains text that looks like a tool call ({shown}); it counts as text, not as a call."
    " If it was meant as a call, turn on tool calling where the model is served (vLLM: --enable-auto-tool-choice and"
    " --tool-call-parser; llama.cpp: --jinja), or return the call instead of the text"
)
SHAPES = re.compile(
    r"""<\|?tool_calls?\|?> | <function= | <function_calls?> | <invoke\ name= | <\|python_tag\|> | \[TOOL_CALLS\]
      | <[|｜]tool▁calls?▁begin[|｜]> | ```tool_(?:code|call)
      | ["'](?:name|tool|tool_name|function)["']\s*:\s*["'{][^{}]{0,200}
        ["'](?:arguments|args|parameters|tool_input)["']\s*:
      | ["'](?:arguments|args|parameters)["']\s*:\s*\{[^{}]{0,500}\}\s*,\s*["'](?:name|tool|function)["']\s*:
      | \A\s*\[\s*\w+\(\s*(?:\w+\s*=[^()]*)?\)\s*(?:,\s*\w+\([^()]*\)\s*)*\]\s*\Z""",
    re.VERBOSE,
)
"""The formats that open models are trained to write calls in, and a name with arguments as JSON."""
LONGEST = 20_000
"""Characters of an answer that are looked at."""


def call_text_in(text: str) -> str:
    """The beginning of what looks like a call; empty when nothing does."""
    if "<" not in text and "{" not in text and "[" not in text and "`" not in text:
        return ""
    match = SHAPES.search(text[:LONGEST])
    return "" if match is None else " ".join(match.group().split())[:40]


class CallTextWatch:
    """Looks at the answers of a run until one of them looks like a call."""

    def __init__(self) -> None:
        self.notice = ""

    def look(self, trajectory: Trajectory) -> None:
        if self.notice:
            return
        texts = [message.content for message in trajectory.own_messages if not message.calls]
        if not trajectory.calls or not texts:
            texts.append(trajectory.output)
        for text in texts:
            if text and (shown := call_text_in(text)):
                self.notice = NOTICE.format(shown=repr(shown))
                return
