"""How commands write to the terminal: text, JSON, hints and workflow commands."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from rightcall.core.own_output import OWN
from rightcall.core.redaction.clean_text import without_keys
from rightcall.show.lines import Guarded, inert_json, json_document, tell, without_old_commands

if TYPE_CHECKING:
    from rightcall.show.screen import Screen

__all__ = ["tell"]

P = ParamSpec("P")
T = TypeVar("T")


def console() -> Screen:
    """The terminal. Rich is imported here, at the first output."""
    from rightcall.show.screen import Screen

    return Screen()


def print_next(*commands: str) -> None:
    """Print at most two commands to type next."""
    from rightcall.show.run_screen import NextStep, print_steps

    print_steps(console(), [NextStep(command) for command in commands[:2]])


def store_argument(store_url: str | os.PathLike[str] | None) -> str:
    """` --store URL` as a hint repeats it, without the password; empty for the default store."""
    from rightcall.store.address import store_address

    return f" --store {shlex.quote(store_address(store_url).typed)}" if store_url else ""


def print_json(value: Any) -> None:
    """Print a value as one indented JSON document."""
    print_json_text(json_document(value))


def print_json_line(value: Any) -> None:
    import msgspec

    print_json_text(msgspec.json.encode(value) + b"\n")


def print_json_text(text: bytes) -> None:
    out = OWN.stdout
    out.flush()
    out.buffer.write(inert_json(text))
    out.buffer.flush()


def ask(question: Callable[P, T], *words: P.args, **options: P.kwargs) -> T:
    """The answer to a prompt of click, or the text from its editor."""
    with OWN.joined():
        return question(*words, **options)


def print_painted(text: str) -> None:
    """Print coloured text whose untrusted parts were already made inert; colours are dropped outside a terminal."""
    click.echo(text, nl=False, file=Guarded())  # type: ignore[arg-type]


def in_actions(environment: Mapping[str, str]) -> bool:
    """Whether this process runs in GitHub Actions."""
    return environment.get("GITHUB_ACTIONS") == "true"


def print_commands(lines: Iterable[str], *, err: bool = False) -> None:
    """Print workflow commands for the CI runner; the caller has escaped what they quote."""
    stream = OWN.stderr if err else OWN.stdout
    stream.writelines(f"{without_keys(without_old_commands(line))}\n" for line in lines)


@contextmanager
def step_counter(label: str, noun: str, *, quiet: bool = False) -> Iterator[Callable[[], None] | None]:
    """Count steps of long work on stderr: `replaying: 120 goldens`. None where nobody watches."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rightcall.show.progress import CountProgress

    with CountProgress(label, noun) as progress:
        yield progress.advance
