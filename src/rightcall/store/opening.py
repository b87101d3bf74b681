"""Open a store: the one door in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rightcall.errors import ConfigError, InputError
from rightcall.store.address import DEFAULT, VARIABLE, shown, sqlite_file, store_url

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store


def open_store(url: str | os.PathLike[str] | None = None, *, must_exist: bool = False) -> Store:
    """The store at a path or URL; by default the one in `RIGHTCALL_STORE`, or `.rightcall/rightcall.db`.

    Makes it when it is not there, unless `must_exist`: whoever only reads is told what to type instead.
    An older store is brought to this version first (SQLite: with a backup beside it); a newer one is refused.
    """
    address = store_url(url)
    file = sqlite_file(address)
    if file is None and address.startswith("sqlite:"):
        raise ConfigError("a store in memory would lose every result; give the path of a file")
    if file is not None:
        if must_exist and not file.exists():
            raise InputError(str(file), "there is no store here", _how_to_begin(file == DEFAULT))
        if file.is_dir():
            raise InputError(str(file), "a store is a file, and this is a folder")

    from rightcall.store.sql.store import Store  # SQLAlchemy takes a quarter second to import

    return Store(address, name=shown(address))


def _how_to_begin(default: bool) -> str:
    if default:
        return f"the first `rightcall run` makes it; name another with --store or {VARIABLE}"
    return "is the path right? the first `rightcall run --store` makes it"
