"""What an agent that is code sends to its models besides the conversation: instructions, and the tools it offers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from itertools import chain
from typing import Any

import msgspec

from rightcall.core.errors import InputError
from rightcall.recording.canonical import Clean, scrub_value
from rightcall.records.dialects import read_tool
from rightcall.records.record import Record
from rightcall.records.tool import Tool

MOST_LINES = 2_000
LONGEST_LINE = 2_000
FEW = 3
"""Goldens below which a line counts that was sent for one of them alone."""


class HeardSetup(Record, frozen=True):
    """Instructions line by line, and definitions by name, as they were first sent. `texts` are the files of the agent.

    Lines that were sent for one golden alone are no instructions: they are what was looked up for it.
    """

    system: tuple[str, ...] = ()
    tools: tuple[Tool, ...] = ()
    texts: dict[str, str] = {}

    def merge(self, other: HeardSetup) -> HeardSetup:
        """What two parts of a run heard."""
        tools = {tool.name: tool for tool in (*other.tools, *self.tools)}
        lines = tuple(dict.fromkeys((*self.system, *other.system)))
        return HeardSetup(lines, tuple(tools.values()), {**other.texts, **self.texts})


class SetupEar:
    """Collects the setup from requests, whatever thread they come from; equal requests are read once."""

    def __init__(self, clean: Clean) -> None:
        self._clean = clean
        self._lock = threading.Lock()
        self._lines: dict[str, set[str]] = {}
        self._tools: dict[str, Tool] = {}
        self._goldens: set[str] = set()
        self._known: set[tuple[str, str]] = set()

    def hear(self, golden: str, system: Sequence[Any], tools: Sequence[Any]) -> None:
        """A request for a golden."""
        texts = list(chain.from_iterable(_texts(part) for part in system))
        with self._lock:
            self._goldens.add(golden)
            for text in texts:
                if (golden, text) not in self._known:
                    self._known.add((golden, text))
                    self._add_lines(golden, text)
            offered = msgspec.json.encode(tools).decode() if tools else ""
            if offered and ("", offered) not in self._known:
                self._known.add(("", offered))
                read = map(_tool, scrub_value(list(tools), self._clean))
                self._tools |= {tool.name: tool for tool in read if tool and tool.name not in self._tools}

    def _add_lines(self, golden: str, text: str) -> None:
        for line in (line[:LONGEST_LINE] for line in text.splitlines() if line.strip()):
            if line in self._lines or len(self._lines) < MOST_LINES:
                self._lines.setdefault(line, set()).add(golden)

    def setup(self) -> HeardSetup:
        """What was heard so far."""
        with self._lock:
            least = 2 if len(self._goldens) >= FEW else 1
            lines = [line for line, goldens in self._lines.items() if len(goldens) >= least]
            return HeardSetup(tuple(map(self._clean, lines)), tuple(self._tools.values()))


def _texts(part: Any) -> list[str]:
    """The texts of a message or a field of instructions, in any wire format."""
    if isinstance(part, str):
        return [part]
    if isinstance(part, list):
        return list(chain.from_iterable(_texts(item) for item in part))
    if isinstance(part, dict):
        return list(
            chain.from_iterable(_texts(part[name]) for name in ("content", "text", "parts") if name in part)
        )
    return []


def _tool(raw: Any) -> Tool | None:
    """A definition; None for a tool that the provider runs, which has no schema."""
    try:
        return read_tool(raw, "tools")
    except InputError:
        return None
