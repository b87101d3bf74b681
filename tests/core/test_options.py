"""An option is declared once: a field of a class is seen in click, in Python, in the schema and in the reference."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import Annotated, Literal

import click
import msgspec
import pytest
from click.testing import CliRunner

from rightcall.cli.command_options import DeclaredCommand, GroupedCommand, takes_options
from rightcall.core.event_loop import as_blocking
from rightcall.core.options import SCALE, Option, suite_key, takes


@dataclass(frozen=True, kw_only=True)
class BrewOptions:
    """What replaces settings of a brew."""

    cups: Annotated[int | None, Option("Cups to brew", ge=1, le=12, group=SCALE, default="4")] = None
    beans: Annotated[Sequence[str], Option("Kind of beans", flags=("--bean",))] = ()
    heat: Annotated[Literal["low", "high"], Option("Heat")] = "low"
    strength: Annotated[float | None, Option("Share of coffee", gt=0, lt=1)] = None
    to: Annotated[Path | None, Option("File to write")] = None
    iced: Annotated[bool, Option("With ice")] = False


@dataclass(frozen=True)
class BrewCall(BrewOptions):
    """The parameters of `brew`."""

    water: Annotated[str | Path, Option("Water to use", hidden=True)]
    _: KW_ONLY
    note: Annotated[str, Option("A note for Python alone", hidden=True)] = ""


@takes(BrewCall)
async def abrew(options: BrewCall) -> BrewCall:
    """Brew coffee."""
    return options


brew = as_blocking("brew", abrew)


@click.command("brew", cls=GroupedCommand)
@click.argument("water")
@takes_options(BrewOptions)
def brew_command(water: str, options: BrewOptions) -> None:
    """Brew coffee from WATER."""
    click.echo(f"{water} {options}")


class BrewFile(msgspec.Struct):
    """A file whose keys an option replaces."""

    cups: Annotated[int, suite_key(BrewOptions, "cups")] = 4


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(brew_command, words)
    return done.exit_code, done.output


def test_a_function_has_the_fields_as_parameters():
    parameters = inspect.signature(brew).parameters
    assert [(one.name, one.kind.name) for one in parameters.values()][:2] == [
        ("water", "POSITIONAL_OR_KEYWORD"),
        ("cups", "KEYWORD_ONLY"),
    ]
    assert str(parameters["cups"]) == "cups: 'int | None' = None"
    assert str(parameters["beans"]) == "beans: 'Sequence[str]' = ()"
    assert "- `cups`: Cups to brew [default: 4]" in (brew.__doc__ or "")
    assert brew("tap", cups=3, note="x") == BrewCall("tap", cups=3, note="x")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"cup": 3}, r"brew\(\) got an unexpected argument 'cup'; did you mean 'cups'"),
        ({"zzz": 3}, "unexpected argument 'zzz'; known: water, cups"),
    ],
)
def test_a_misspelt_keyword_says_what_is_known(words, message):
    with pytest.raises(TypeError, match=message.replace("brew", "a?brew")):
        brew("tap", **words)


def test_a_missing_argument_is_named():
    with pytest.raises(TypeError, match=r"brew\(\): missing a required argument: 'water'"):
        brew()


def test_a_command_has_the_fields_as_options_in_groups():
    code, text = run("--help")
    common, scale = text.partition("Common options:")[2].split("Scale:")
    assert (
        code == 0
        and "--cups" in scale
        and "Cups to brew [default: 4]  [1<=x<=12]" in " ".join(scale.split(" "))
    )
    assert "--bean TEXT" in common and "Kind of beans (repeatable)" in common and "note" not in text
    assert "--heat [low|high]" in common and "--to PATH" in common and "--iced" in common


def test_a_command_gets_its_options_as_one_value():
    code, text = run("tap", "--cups", "3", "--bean", "a", "--bean", "b", "--heat", "high", "--iced")
    assert (code, text) == (0, f"tap {BrewOptions(cups=3, beans=('a', 'b'), heat='high', iced=True)}\n")


@pytest.mark.parametrize(
    "words", [("--cups", "13"), ("--strength", "1"), ("--strength", "nan"), ("--heat", "mid")]
)
def test_the_bounds_hold_on_the_command_line(words):
    assert run("tap", *words)[0] == 2


def test_a_suite_key_has_the_bounds_and_the_words_of_its_option():
    (schema,) = msgspec.json.schema(BrewFile)["$defs"].values()
    assert schema["properties"]["cups"] == {
        "type": "integer", "minimum": 1, "maximum": 12, "description": "cups to brew", "default": 4,
    }  # fmt: skip
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'{"cups": 13}', type=BrewFile)


@click.command(cls=DeclaredCommand)
@click.argument("water")
def steep(
    water: str,
    *,
    leaves: Annotated[str, Option("Kind of leaves")],
    minutes: Annotated[int, Option("Minutes to steep", ge=1)] = 3,
) -> None:
    """Steep tea in WATER."""
    click.echo(f"{leaves} for {minutes} minutes in {water}")


def test_a_command_may_declare_its_options_as_parameters():
    done = CliRunner().invoke(steep, ("tap", "--leaves", "oolong"))
    assert (done.exit_code, done.output) == (0, "oolong for 3 minutes in tap\n")
    assert "Minutes to steep  [default: 3; x>=1]" in CliRunner().invoke(steep, ("--help",)).output


@pytest.mark.parametrize("words", [("tap",), ("tap", "--leaves", "oolong", "--minutes", "0")])
def test_a_parameter_without_a_default_is_required_and_bounds_hold(words):
    assert CliRunner().invoke(steep, words).exit_code == 2
