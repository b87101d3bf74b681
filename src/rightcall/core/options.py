"""Options declared once: a field of a dataclass with its type, default and help.

    @dataclass(frozen=True, kw_only=True)
    class RunOptions:
        trials: Annotated[int | None, Option("Trials per golden", ge=1, le=100_000, group=SCALE)] = None

From such a class are derived the keywords of a Python function (`takes`), the options of a command with their groups
and completion (`cli/command_options.py`), the bounds and description of a suite key (`suite_key`), and reference pages.
A command that nothing else shares its options with declares them as its parameters, in the same words.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
import types
from collections.abc import Callable, Iterator
from functools import cache, wraps
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    ParamSpec,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from rightcall.core.errors import suggestion

if TYPE_CHECKING:
    import msgspec

P = ParamSpec("P")
Options = TypeVar("Options")
T = TypeVar("T")

COMMON = "Common options"
SELECTION = "What to run"
SCALE = "Scale"
CI = "CI"
"""The groups of options in `--help`."""
MOST_TRIALS = 100_000
MOST_AT_ONCE = 10_000


@dataclasses.dataclass(frozen=True)
class Option:
    """What an option means. `flags` spell it on the command line [default: `--name`].

    `default` replaces a default of
    None in the help text. `alone` is the value of a flag that is typed without one. `hidden` options are Python
    keywords alone, those not `is_python` the command's. `envvar` is the environment variable that a secret may come
    from. `writes` says what a file that the option names is: a document, which users edit and nothing replaces, or a
    report, which is made again each time.
    """

    help: str
    flags: tuple[str, ...] = ()
    group: str = COMMON
    metavar: str | None = None
    ge: float | None = None
    gt: float | None = None
    le: float | None = None
    lt: float | None = None
    default: str = ""
    alone: str = ""
    hidden: bool = False
    is_python: bool = True
    envvar: str | None = None
    writes: Literal["", "document", "report"] = ""

    @property
    def text(self) -> str:
        """The help with the default that the type cannot state."""
        return f"{self.help} [default: {self.default}]" if self.default else self.help


StoreOption = Annotated[
    str | Path | None,
    Option(
        "Result store: a file or PostgreSQL URL",
        flags=("--store",),
        metavar="URL",
        default=".rightcall/rightcall.db",
    ),
]
JsonOption = Annotated[bool, Option("Output JSON", flags=("--json",), is_python=False)]
TrustOption = Annotated[
    bool, Option("Trust the folder of the suite, which can start programs and import modules", group=CI)
]
ConcurrencyOption = Annotated[
    int | None, Option("Maximum concurrent cases", group=SCALE, ge=1, le=MOST_AT_ONCE)
]
TrialsOption = Annotated[int | None, Option("Trials per golden", ge=1, le=MOST_TRIALS)]


@dataclasses.dataclass(frozen=True)
class DeclaredOption:
    """An option with its name, type and default."""

    name: str
    kind: Any
    default: Any
    option: Option
    keyword_only: bool

    @property
    def required(self) -> bool:
        return self.default is dataclasses.MISSING

    @property
    def types(self) -> tuple[Any, ...]:
        """The members of its type, without None."""
        is_union = get_origin(self.kind) in (Union, types.UnionType)
        kinds = get_args(self.kind) if is_union else (self.kind,)
        return tuple(kind for kind in kinds if kind is not type(None))


@cache
def options_of(options: Any) -> tuple[DeclaredOption, ...]:
    """The options of a class or of a function's parameters, in the order of their declaration.

    Fields and parameters without an `Option` are left out.
    """
    return tuple(_declarations(options))


def _declarations(options: Any) -> Iterator[DeclaredOption]:
    hints = get_type_hints(options, include_extras=True)
    fields = dataclasses.fields(options) if dataclasses.is_dataclass(options) else _parameters(options)
    for field in fields:
        if get_origin(hints[field.name]) is Annotated:
            kind, *notes = get_args(hints[field.name])
            option = next((note for note in notes if isinstance(note, Option)), None)
            if option is not None:
                make = field.default_factory
                default = field.default if make is dataclasses.MISSING else make()
                yield DeclaredOption(field.name, kind, default, option, keyword_only=bool(field.kw_only))


def _parameters(function: Callable[..., Any]) -> Iterator[dataclasses.Field[Any]]:
    for name, parameter in inspect.signature(function).parameters.items():
        is_required = parameter.default is inspect.Parameter.empty
        field: Any = dataclasses.field(
            default=dataclasses.MISSING if is_required else parameter.default, kw_only=True
        )
        field.name = name
        yield field


def option_of(options: Any, name: str) -> DeclaredOption:
    """One option: that of a class with this name, or an annotated type under this name."""
    if get_origin(options) is Annotated:
        kind, option = get_args(options)
        return DeclaredOption(name, kind, False if kind is bool else None, option, keyword_only=True)
    return next(declared for declared in options_of(options) if declared.name == name)


def suite_key(options: Any, name: str) -> msgspec.Meta:
    """The constraint and the description of a suite key that an option replaces."""
    option = option_of(options, name).option
    words = option.help[:1].lower() + option.help[1:]
    return described(words, ge=option.ge, gt=option.gt, le=option.le, lt=option.lt)


def described(text: str, **bounds: Any) -> msgspec.Meta:
    """The description of a key that a file may have, with its bounds."""
    import msgspec

    return msgspec.Meta(
        description=text, **{name: bound for name, bound in bounds.items() if bound is not None}
    )


def takes(options: Callable[P, Options]) -> Callable[[Callable[[Options], T]], Callable[P, T]]:
    """A decorator: the function's parameters are the fields of a class, which it gets as one value."""

    def decorate(function: Callable[[Options], T]) -> Callable[P, T]:
        name = function.__name__
        declared = [option for option in options_of(options) if option.option.is_python]
        signature = _signature(declared, function)

        @wraps(function)
        def call(*args: P.args, **keywords: P.kwargs) -> T:
            __tracebackhide__ = True
            for word in keywords.keys() - signature.parameters.keys():
                hint = suggestion(word, signature.parameters) or f"known: {', '.join(signature.parameters)}"
                raise TypeError(f"{name}() got an unexpected argument '{word}'; {hint}")
            try:
                signature.bind(*args, **keywords)
            except TypeError as error:
                raise TypeError(f"{name}(): {error}") from None
            return function(options(*args, **keywords))

        del call.__wrapped__  # its one parameter is not what a caller passes
        call.__signature__ = signature  # type: ignore[attr-defined]
        keyword_list = "\n".join(f"- `{option.name}`: {option.option.text}" for option in declared)
        call.__doc__ = f"{inspect.cleandoc(function.__doc__ or '')}\n\n{keyword_list}"
        return call

    return decorate


def _signature(declared: list[DeclaredOption], function: Callable[..., Any]) -> inspect.Signature:
    kinds = {True: inspect.Parameter.KEYWORD_ONLY, False: inspect.Parameter.POSITIONAL_OR_KEYWORD}
    parameters = [
        inspect.Parameter(
            option.name,
            kinds[option.keyword_only],
            default=inspect.Parameter.empty if option.required else option.default,
            annotation=type_text(option.kind),
        )
        for option in sorted(declared, key=lambda option: option.keyword_only)
    ]
    return inspect.Signature(parameters, return_annotation=inspect.signature(function).return_annotation)


def type_text(kind: Any) -> str:
    """A type as a program writes it."""
    return re.sub(r"\b(?:[a-z_]\w*\.)+(?=\w)", "", inspect.formatannotation(kind))
