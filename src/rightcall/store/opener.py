"""Open a store: the one door in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rightcall.errors import InputError
from rightcall.store.address import DEFAULT, VARIABLE, store_address

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store


def open_store(url: str | os.PathLike[str] | None = None, *, must_exist: bool = False) -> Store:
    """The store at a path or URL; by default the one in `RIGHTCALL_STORE`, or `.rightcall/rightcall.db`.

    Makes it when it is not there, unless `must_exist`: whoever only reads is told what to type instead.
    An older store is brought to this version first (SQLite: with a backup beside it); a newer one is refused.
    """
    address = store_address(url)
    if address.file is not None:
        if must_exist and not address.file.exists():
            raise InputError(address.shown, "there is no store here", _how_to_begin(address.file == DEFAULT))
        if address.file.is_dir():
            raise InputError(address.shown, "a store is a file, and this is a folder")

    from rightcall.store.sql.store import Store  # SQLAlchemy takes a quarter second to import

    return Store(address)


def _how_to_begin(default: bool) -> str:
    if default:
        return f"the first `rightcall run` makes it; name another with --store or {VARIABLE}"
    return "is the path right? the first `rightcall run --store` makes it"
