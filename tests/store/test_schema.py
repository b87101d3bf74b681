"""A store of another version is refused in a sentence, before anything in it is touched."""

from __future__ import annotations

import pytest
from sqlalchemy import text, update

from rightcall.core.errors import InputError
from rightcall.store.address import open_store
from rightcall.store.sql import tables


@pytest.mark.parametrize("version", ["0", "9999"])
def test_a_store_of_another_version_is_refused_in_a_sentence(version, stores):
    url = stores.url(empty=True)
    with stores.open(url).write_transaction() as connection:
        connection.execute(text("UPDATE rightcall_version SET version_num = :v"), {"v": version})
        connection.execute(update(tables.about).values(value="99.1"))
    with pytest.raises(
        InputError, match=rf"has version {version} \(written by RightCall 99.1\).*runs export"
    ):
        open_store(url)
