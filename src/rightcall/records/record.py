"""The base class of every type of the model."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Any, Generic, TypeVar

import msgspec

from rightcall.core.declared_values import require_values
from rightcall.records.deepeval import respell_fields

T = TypeVar("T")

Count = Annotated[int, msgspec.Meta(ge=0)]
Amount = Annotated[float, msgspec.Meta(ge=0)]

if TYPE_CHECKING:
    from collections.abc import Sequence

    Several = Sequence
else:

    class Several:
        """A collection in a record: passed as any sequence, stored and decoded as a tuple.

        Type checkers see a `Sequence`, so `Golden(…, expected_calls=[…])` type-checks; msgspec sees `tuple[…, ...]`.
        """

        def __class_getitem__(cls, item: Any) -> Any:
            return tuple[item, ...]


class Record(
    msgspec.Struct,
    frozen=True,
    omit_defaults=True,
    repr_omit_defaults=True,
    forbid_unknown_fields=True,
    gc=False,
):
    """A frozen value that only knows itself: no clients, handles or caches.

    Unknown fields are errors, because a misspelt field is the most common bug in a dataset.
    `gc=False`: records hold plain data without cycles, and tracking millions of them costs a fifth of
    the time of reading a file.
    """

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled without its defaults: msgspec recognizes them by identity, which a pickled copy lacks."""
        fields = ((name, getattr(self, name), default) for name, default in _defaults(type(self)))
        stated = {name: value for name, value, default in fields if value is not default}
        return _unpickle, (type(self), stated)


class Reading(Generic[T]):
    """An attribute of a record that is computed from its fields, and is none itself."""

    def __init__(self, read: Callable[[Any], T]) -> None:
        self._read = read

    def __get__(self, record: object, owner: type | None = None) -> T:
        return self._read(record) if record is not None else self  # type: ignore[return-value]


class Sequenced(msgspec.StructMeta):
    """The type of records whose constructor checks its values and accepts lists for fields stored as tuples."""

    if not TYPE_CHECKING:

        def __call__(cls, *args: Any, **words: Any) -> Any:  # noqa: N805
            return _construct_valid(cls, args, _without_lists(cls, words))


class Spelled(msgspec.StructMeta):
    """The type of records whose constructor also accepts DeepEval's argument names.

    The names are checked only after msgspec has rejected the arguments. Decoding and `structs.replace` bypass
    this, so files and scoring are not slowed down; a constructor call costs a microsecond more, in which its values
    are checked.
    """

    if not TYPE_CHECKING:  # type checkers see the fields of the record

        def __call__(cls, *args: Any, **words: Any) -> Any:  # noqa: N805
            if words.get("expected_calls") == [] and "extra_calls" in cls.__struct_fields__:
                words["expected_calls"] = ()  # an author's empty list says something
                return cls(*args, **words)._without_calls()
            try:
                return _construct_valid(cls, args, _without_lists(cls, words))
            except TypeError:
                pass  # leave the except block, so that a later error is not chained to this one
            return _construct_valid(cls, (), respell_fields(cls, args, words))


_construct = msgspec.StructMeta.__call__


def _construct_valid(cls: Any, args: tuple[Any, ...], words: dict[str, Any]) -> Any:
    """A record from the arguments of its constructor, each of the type that its field declares."""
    record = _construct(cls, *args, **words)
    require_values(cls.__name__, cls, dict(zip(cls.__struct_fields__, args, strict=False)) | words)
    return record


def _unpickle(cls: Any, words: dict[str, Any]) -> Any:
    return _construct(cls, **words)


@cache
def _defaults(cls: Any) -> tuple[tuple[str, Any], ...]:
    return tuple((field.name, field.default) for field in msgspec.structs.fields(cls))


def plain_constructor(kind: type[T]) -> Callable[..., T]:
    """The constructor of a record for callers that already have tuples: it skips the conversion."""
    return partial(_construct, kind)


@cache
def _several(cls: Any) -> frozenset[str]:
    """The fields that are stored as tuples."""
    declared = chain.from_iterable(inspect.get_annotations(base).items() for base in cls.__mro__)
    return frozenset(name for name, annotation in declared if "Several[" in str(annotation))


def _without_lists(cls: Any, words: dict[str, Any]) -> dict[str, Any]:
    """The same arguments with lists converted to tuples where needed."""
    for word, value in words.items():
        if type(value) is list and word in _several(cls):
            words[word] = tuple(tuple(entry) if type(entry) is list else entry for entry in value)
    return words
