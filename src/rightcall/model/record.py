"""What every type of the model has in common."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec


class Record(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True, gc=False):
    """A frozen value that only knows itself: no clients, handles or caches.

    Unknown fields are refused, because a misspelt field is the commonest bug in a dataset.
    `gc=False`: records hold plain data without cycles, and tracking millions of them costs a fifth of
    the time of reading a file.
    """


class Spelled(msgspec.StructMeta):
    """The type of records whose constructor also takes DeepEval's words for the same things.

    The words are looked at only when msgspec has refused the arguments. Decoding and `structs.replace` never come by
    here, so files and scoring cost what they did; a call of the constructor costs a fifth of a microsecond more.
    """

    if not TYPE_CHECKING:  # type checkers see the fields of the record

        def __call__(cls, *args: Any, **words: Any) -> Any:  # noqa: N805
            try:
                return _construct(cls, *args, **words)
            except TypeError:
                pass  # and out of here: an error below is about the words, not about this one
            from rightcall.model.deepeval import respelled  # only for words that are not ours

            return _construct(cls, **respelled(cls, args, words))


_construct = msgspec.StructMeta.__call__
