"""Agents that carry one trial into the next, noticed by their first requests while trials run."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

from rightcall.core.text import visible
from rightcall.records.golden import AnyGolden, request_of
from rightcall.records.skill_refusal import text_leaves

KEEPS_STATE = "requests of this agent grow from trial to trial: it keeps state"
"""How the sentence begins."""

MOST_INPUTS = 64
"""Inputs that are looked for in later requests: what an agent keeps holds the first ones."""
SHORTEST = 12
"""Characters from which an input is not in another trial's request by chance."""
MOST_GOLDENS = 1000
LEAST_REPEATED = 2
"""Repeated trials of goldens, each with another number of messages, that show growth."""


class _Request(NamedTuple):
    golden: str
    own: str
    asked: str
    text: str

    def count(self, words: str) -> int:
        return self.text.count(words)


class StateWatch:
    """Looks at the first requests of trials until one shows that an agent keeps state.

    Either a request holds the input of another golden, or every trial of a golden has another number of messages, and
    these grow with the number of trials. Trials at the same time are heard in any order. An input that is in all
    requests equally often belongs to the agent's prompt. Kept are one request, some inputs, and numbers of messages.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held = ""
        self._first: _Request | None = None
        self._inputs: dict[str, str] = {}
        self._messages: dict[str, set[int]] = {}
        self._trials = 0

    @property
    def sentence(self) -> str:
        """What was noticed; "" for nothing."""
        why = self._held or self._growth()
        return f"{KEEPS_STATE} ({why})" if why else ""

    def look(self, golden: AnyGolden, messages: Any) -> None:
        """Look at the messages of a first request."""
        if self._held:
            return
        fields = [getattr(golden, name) for name in golden.__struct_fields__]
        asked, text = ("\n".join(text_leaves(value)) for value in (fields, messages))
        request = _Request(golden.id, request_of(golden).strip(), asked, text)
        with self._lock:
            self._first = self._first or request
            holder, owner = self._other_input(request, self._first)
            if owner:
                self._held = f"the first request of {visible(holder)} contains the input of {visible(owner)}"
            elif len(self._inputs) < MOST_INPUTS and len(request.own) >= SHORTEST:
                self._inputs.setdefault(golden.id, request.own)
            if isinstance(messages, list):
                self._count(golden.id, len(messages))

    def _other_input(self, request: _Request, first: _Request) -> tuple[str, str]:
        """A golden, and another one whose input its request holds, and not every request; "" for none."""
        is_other = request.golden != first.golden and len(first.own) >= SHORTEST
        held = is_other and first.own in request.text and first.own not in request.asked
        if held and (first.count(first.own) == 1 or request.text == first.text):
            return request.golden, first.golden
        for other, words in self._inputs.items():
            if other in (request.golden, first.golden) or words in request.asked or words in first.asked:
                continue
            if difference := request.count(words) - first.count(words):
                return (request if difference > 0 else first).golden, other
        return "", ""

    def _count(self, golden: str, messages: int) -> None:
        if golden in self._messages or len(self._messages) < MOST_GOLDENS:
            self._messages.setdefault(golden, set()).add(messages)
            self._trials += 1

    def _growth(self) -> str:
        numbers = set[int]().union(*self._messages.values())
        different = sum(map(len, self._messages.values()))
        repeated = different - len(self._messages)
        if (
            different < self._trials
            or repeated < LEAST_REPEATED
            or max(numbers) - min(numbers) < self._trials // 2
        ):
            return ""
        return f"{min(numbers):,} to {max(numbers):,} messages in {self._trials:,} trials"
