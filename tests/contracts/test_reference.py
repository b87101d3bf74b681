"""Whatever a user can type or read has its entry in the reference: names, commands, options, suite keys, codes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import click
import msgspec
import pytest

import rightcall
from rightcall.core.errors import EXIT_CODES, ProviderErrorKind, RightCallError
from rightcall.core.seam import BUILT_IN
from rightcall.decide.check_result import EXIT_CODES as CHECK_CODES
from rightcall.decide.config import (
    BaselineGate,
    GateKeys,
    JudgePolicy,
    Statistics,
    WorstCaseGate,
)
from rightcall.limbs.attacks.suite_key import AttackSettings
from rightcall.metrics.matching.verdict import WEIGHTINGS, WEIGHTS
from rightcall.records.failure import CODES, Code
from rightcall.run.suite import AgentConfig, UserConfig, suite_type
from rightcall.tools.faults.plan import FAULT_TYPES, Fault
from rightcall.tools.mcp.address import McpAddress
from rightcall.tools.runtime.errors import ERROR_CODES
from rightcall.tools.runtime.mocks import Mock, MockCase, MockError
from rightcall.tools.worlds.base import worlds
from tests.contracts.test_commands import EVERY

DOCS = Path(__file__).parents[2] / "docs"
SECTIONS = {
    "Top level": suite_type(frozenset(BUILT_IN["limbs"])),
    "agent": AgentConfig,
    "user": UserConfig,
    "gate": GateKeys,
    "gate.baseline": BaselineGate,
    "statistics": Statistics,
    "judge": JudgePolicy,
    "attacks": AttackSettings,
    "attacks.worst_case": WorstCaseGate,
    "mocks.NAME": Mock,
    "mocks.NAME.error": MockError,
    "mocks.NAME.cases[]": MockCase,
    "faults[]": Fault,
    "tools.mcp": McpAddress,
}


def section(page: str, title: str, level: int) -> str:
    """The text below a heading, up to the next heading of the same level."""
    text = (DOCS / page).read_text("utf-8")
    mark = "#" * level
    assert f"\n{mark} {title}\n" in text, f"{page} has no entry {title!r}"
    return text.partition(f"\n{mark} {title}\n")[2].partition(f"\n{mark} ")[0]


def keys(kind: type) -> Iterator[str]:
    fields = dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else msgspec.structs.fields(kind)
    yield from (getattr(field, "encode_name", field.name) for field in fields)


@pytest.mark.parametrize("name", rightcall.__all__)
def test_every_public_name_has_an_entry(name):
    assert section("library.md", f"rc.{name}", 3).strip()


@pytest.mark.parametrize("path", [path for path in EVERY if path != "rightcall"])
def test_every_command_has_an_entry_with_every_option(path):
    entry = section("commands.md", path, 3)
    options = [one for one in EVERY[path].params if isinstance(one, click.Option) and not one.hidden]
    assert [name for one in options for name in one.opts if name not in entry] == []


@pytest.mark.parametrize("title", SECTIONS)
def test_every_key_of_a_suite_has_an_entry_with_its_meaning(title):
    rows = section("suite.md", title, 2)
    meanings = {
        row.split(" | ")[0].strip("| `"): row.split(" | ")[-1].strip(" |")
        for row in rows.splitlines()
        if row.startswith("| `")
    }
    assert [key for key in keys(SECTIONS[title]) if not meanings.get(key)] == []


def test_every_word_that_a_key_takes_is_named():
    page = "".join((DOCS / name).read_text("utf-8") for name in ("suite.md", "scoring.md"))
    assert [
        word for word in (*WEIGHTS, *WEIGHTINGS, *worlds(), *FAULT_TYPES) if f"`{word}`" not in page
    ] == []


def test_every_code_has_an_entry():
    assert list(CODES) == list(get_args(Code))
    page = (DOCS / "codes.md").read_text("utf-8")
    codes = [*get_args(Code), *ERROR_CODES, *get_args(ProviderErrorKind), *map(str, EXIT_CODES)]
    assert [code for code in codes if f"| `{code}` |" not in page] == []


def kinds_of_errors(kind: type[RightCallError] = RightCallError) -> Iterator[type[RightCallError]]:
    yield kind
    for inner in kind.__subclasses__():
        yield from kinds_of_errors(inner)


def test_every_exit_code_is_explained():
    used = {kind.exit_code for kind in kinds_of_errors()} | {*CHECK_CODES.values(), 130}
    assert used <= EXIT_CODES.keys()
