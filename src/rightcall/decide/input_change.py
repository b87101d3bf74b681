"""One difference between the inputs of a baseline and those of a candidate."""

from __future__ import annotations

from typing import Literal

from rightcall.core.text import first_names, pluralize
from rightcall.records.record import Record

ChangeKind = Literal[
    "tool_changed", "tool_renamed", "tool_added", "tool_removed", "tool_order", "mock", "tool_code", "world", "user",
    "system", "model", "base_url", "mode", "settings", "limits", "faults", "code", "variable", "first_request",
    "metrics", "goldens", "version",
]  # fmt: skip
EVERYTHING: frozenset[ChangeKind] = frozenset(
    (
        "system", "model", "base_url", "mode", "settings", "limits", "faults", "code", "variable", "user", "version",
    )
)  # fmt: skip
"""Changes that affect every golden."""


class InputChange(Record, frozen=True):
    """One change: its kind, the tool, world or file that changed, and what about it.

    `before` is a renamed tool's old name, `about` are the tools that act on a world.
    """

    kind: ChangeKind
    name: str = ""
    detail: str = ""
    before: str = ""
    about: tuple[str, ...] = ()

    @property
    def reaches_everything(self) -> bool:
        return self.kind in EVERYTHING

    @property
    def tools(self) -> tuple[str, ...]:
        if self.kind == "world":
            return self.about
        about = ("tool_changed", "tool_renamed", "tool_added", "tool_removed", "mock", "tool_code")
        return tuple(filter(None, (self.name, self.before))) if self.kind in about else ()

    @property
    def words(self) -> str:
        """As a line of a list."""
        words_of_kind = {
            "tool_changed": f"tool {self.name} changed",
            "tool_renamed": f"tool {self.before} is now called {self.name}",
            "tool_added": f"tool {self.name} is new",
            "tool_removed": f"tool {self.name} is gone",
            "tool_order": "the order of the tools changed",
            "mock": f"the mock of {self.name} changed",
            "tool_code": f"the code of {self.name} changed",
            "world": f"the initial state of {self.name} changed",
            "user": "the simulated user changed",
            "system": "the system prompt changed",
            "code": f"{self.name} changed",
            "variable": f"environment variable {self.name} changed",
            "first_request": f"the first request of {self.name} changed",
            "version": f"{self.name} changed",
        }.get(self.kind, f"{self.kind.replace('_', ' ')} changed")
        return f"{words_of_kind} ({self.detail})" if self.detail else words_of_kind


class ComparedInputs(Record, frozen=True, omit_defaults=False):
    """What was compared with the baseline without asking a model: names of files and of environment variables that the
    agent's code reads, and the number of goldens whose first request was captured. `same_meaning` are files with
    another text of the same meaning, `products` those that the agent writes itself, which are not compared. Nor are the
    answers of `services`, the hosts that the agent asked besides its model's.
    """

    files: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    first_requests: int = 0
    same_meaning: tuple[str, ...] = ()
    products: tuple[str, ...] = ()
    services: tuple[str, ...] = ()

    @property
    def edits(self) -> str:
        """`helper.py changed, but not in meaning`; "" when no file did."""
        return f"{first_names(self.same_meaning, 3)} changed, but not in meaning" if self.same_meaning else ""

    @property
    def words(self) -> str:
        """`compared: 7 files, 2 variables`; "" when nothing was compared."""
        parts = (
            (len(self.files), "file"),
            (len(self.variables), "variable"),
            (self.first_requests, "first request"),
        )
        named = ", ".join(pluralize(number, what) for number, what in parts if number)
        products = f"not {first_names(self.products, 3)}, which the agent writes" if self.products else ""
        return "; ".join(filter(None, [f"compared: {named}" if named else "", products]))
