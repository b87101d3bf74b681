from __future__ import annotations

import re
from pathlib import Path

import msgspec
import yaml

from rightcall.records.dialects import read_tool
from rightcall.tools.faults.plan import FAULT_TYPES, read_plan
from rightcall.tools.runtime.errors import ERROR_CODES

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "tools-that-cannot-hurt.md").read_text(encoding="utf-8")
FAULTS = (DOCS / "faults.md").read_text(encoding="utf-8")


def blocks(language: str, page: str = PAGE) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)


def test_the_page_does_what_it_says():
    names = {"__name__": "page"}
    for block in blocks("python"):
        exec(compile(block, "tools-that-cannot-hurt.md", "exec"), names)


def test_its_definitions_and_its_plan_are_readable():
    names = [read_tool(raw, "page").name for raw in msgspec.json.decode(blocks("json")[0])]
    assert names == ["delete_user", "delete_account"]
    assert len(read_plan(yaml.safe_load(blocks("yaml", FAULTS)[0]), "page").faults) == 2


def test_every_error_and_every_fault_is_on_its_page():
    assert [name for name in ERROR_CODES if f"`{name}`" not in PAGE] == []
    assert [name for name in FAULT_TYPES if f"`{name}`" not in FAULTS] == []
