"""Agents that carry one trial into the next, noticed by their first requests while trials run."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

from rightcall.core.text import visible
from rightcall.records.golden import AnyGolden, request_of
from rightcall.records.skill_load import text_leaves

KEEPS_STATE = "requests of this agent grow from trial to trial: it keeps state"
"""How the sentence begins."""

MOST_INPUTS = 64
"""Inputs that are looked for in later requests: what an agent keeps holds the first ones."""
SHORTEST = 12
"""Characters from which an input is not in another trial's request by chance."""


class _Request(NamedTuple):
    golden: str
    own: str
    asked: str
    text: str

    def count(self, words: str) -> int:
        return self.text.count(words)


class StateWatch:
    """Looks at the first requests of trials until one shows that an agent keeps state.

    It does if a request holds the input of another golden. Trials at the same time are heard in any order. An input
    that is in all requests equally often belongs to the agent's prompt. Kept are one request and some inputs.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held = ""
        self._first: _Request | None = None
        self._inputs: dict[str, str] = {}

    @property
    def sentence(self) -> str:
        """What was noticed; "" for nothing."""
        return f"{KEEPS_STATE} ({self._held})" if self._held else ""

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
