"""The contents of a file of items."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rightcall.files import refuse_other_format


@dataclass(frozen=True)
class Collection:
    """The plural word that names the format (`rightcall/goldens/1`) and the key of the list."""

    name: str
    newest: int = 1

    @property
    def format(self) -> str:
        return f"rightcall/{self.name}/{self.newest}"

    def check_header(self, header: dict[str, Any], where: str) -> None:
        """Reject the header of another kind of file, or of a newer format."""
        if "format" in header:
            refuse_other_format(header["format"], self.name, self.newest, where)


GOLDENS = Collection("goldens")
TRAJECTORIES = Collection("trajectories")
