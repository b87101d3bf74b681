"""One scripted model server for a whole process: a journal is told apart by the name of the model it asks for.

Agents that are made inside a test need no fixture for it, and no test has threads of its own because of it.
"""

from __future__ import annotations

import atexit
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from tests.limbs.adapters.model_server import model_server
from tests.limbs.adapters.script import Journal


@dataclass
class _Board(Journal):
    """Notes each request in the journal of its model."""

    journals: dict[str, Journal] = field(default_factory=dict)

    def note(self, sent: Any) -> None:
        self.journals[sent["model"]].note(sent)


@dataclass(frozen=True)
class Served:
    """The server's address and the model under which it writes into one journal."""

    address: str
    model: str


def served(journal: Journal) -> Served:
    """Where the scripted model is that notes its requests in a journal."""
    address, board = _running()
    model = f"scripted-{id(journal)}"
    board.journals[model] = journal
    return Served(address, model)


@cache
def _running() -> tuple[str, _Board]:
    board = _Board()
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(model_server(board)), board
