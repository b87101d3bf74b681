"""The address of a store, as its parts take it."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import msgspec


class Address(msgspec.Struct, frozen=True):
    """A file, or the URL of a server's database; one of the two is set."""

    file: Path | None = None
    url: str = ""

    @property
    def shown(self) -> str:
        """The address for display: a path, or a URL without its password."""
        parts = urlsplit(self.url)
        if self.file is not None or parts.password is None:
            return str(self.file or self.url)
        where = parts.netloc.rpartition("@")[2]
        return parts._replace(netloc=f"{parts.username}:***@{where}").geturl()

    @property
    def typed(self) -> str:
        """The address as typed for `--store`, without its password."""
        return self.shown.replace("postgresql+psycopg://", "postgresql://", 1)
