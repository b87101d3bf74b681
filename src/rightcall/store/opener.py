"""Opens a store."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rightcall.errors import InputError
from rightcall.store.address import DEFAULT, VARIABLE, store_address

if TYPE_CHECKING:
    from rightcall.store.sql.store import Store


def open_store(url: str | os.PathLike[str] | None = None, *, must_exist: bool = False) -> Store:
    """The store at a path or URL; by default the one in `RIGHTCALL_STORE`, or `.rightcall/rightcall.db`.

    Creates it if it does not exist, unless `must_exist`: then the error says what to run.
    An older store is migrated first (SQLite: after a backup); a newer one is rejected.
    """
    address = store_address(url)
    if address.file is not None:
        if must_exist and not address.file.exists():
            raise InputError(address.shown, "no store found", _how_to_begin(address.file == DEFAULT))
        if address.file.is_dir():
            raise InputError(address.shown, "is a folder; a store is a file")

    from rightcall.store.sql.store import Store  # SQLAlchemy takes a quarter second to import

    return Store(address)


def _how_to_begin(default: bool) -> str:
    if default:
        return f"the first `rightcall run` creates it; choose another with --store or {VARIABLE}"
    return "check the path; the first `rightcall run --store` creates it"
