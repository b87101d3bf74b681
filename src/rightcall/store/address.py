"""Where a store is: a file of SQLite or the URL of a PostgreSQL database."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from rightcall.errors import ConfigError

DEFAULT = Path(".rightcall/rightcall.db")
VARIABLE = "RIGHTCALL_STORE"


def store_url(address: str | os.PathLike[str] | None) -> str:
    """The SQLAlchemy URL of a path or URL; None is the store that the environment names, or the default."""
    text = os.fspath(address) if address is not None else os.environ.get(VARIABLE, "")
    if not text:
        return f"sqlite:///{DEFAULT}"
    scheme, separator, rest = text.partition("://")
    if not separator:
        return f"sqlite:///{text}"
    if scheme == "sqlite":
        return text
    if scheme in ("postgresql", "postgres", "postgresql+psycopg"):
        return f"postgresql+psycopg://{rest}"
    raise ConfigError(
        f"a store cannot be at '{scheme}://…'; give the path of a file (results.db) or a URL such as "
        "postgresql://user@host/database"
    )


def sqlite_file(url: str) -> Path | None:
    """The file of a SQLite URL; None for another engine."""
    path = url.removeprefix("sqlite:///").partition("?")[0]
    return Path(path) if url.startswith("sqlite:///") else None


def shown(url: str) -> str:
    """The address as it may be shown: a path, or a URL without its password."""
    file = sqlite_file(url)
    if file is not None:
        return str(file)
    parts = urlsplit(url)
    if parts.password is None:
        return url
    where = parts.netloc.rpartition("@")[2]
    return parts._replace(netloc=f"{parts.username}:***@{where}").geturl()
