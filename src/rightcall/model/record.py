"""What every type of the model has in common."""

from __future__ import annotations

import msgspec


class Record(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """A frozen value that only knows itself: no clients, handles or caches.

    Unknown fields are refused, because a misspelt field is the commonest bug in a dataset.
    `gc=False`: records hold plain data without cycles, and tracking millions of them costs a fifth of
    the time of reading a file.
    """
