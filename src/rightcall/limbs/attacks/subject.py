"""What an attack is made from: a suite, or tools alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from rightcall.core.event_loop import run_blocking
from rightcall.files.documents import read_document
from rightcall.files.python_object import is_object_name
from rightcall.records.tool import Tool
from rightcall.records.tool_roles import ToolRoles
from rightcall.run.plan import Plan
from rightcall.run.suite import Suite, load_suite
from rightcall.run.suite_plan import plan_suite
from rightcall.run.trust import require_trust
from rightcall.schema.roles.derivation import toolset_roles
from rightcall.tools.definitions.source import confirmed_tools, definitions_of, open_source

DOCUMENTS = (".yaml", ".yml", ".json")


@dataclass(frozen=True)
class AttackSubject:
    """Tools with their behaviour, and the suite they belong to, if there is one."""

    name: str
    entries: tuple[Any, ...]
    suite: Suite | None = None
    plan: Plan | None = None

    @cached_property
    def tools(self) -> list[Tool]:
        return list(chain.from_iterable(definitions_of(entry) for entry in self.entries))

    @cached_property
    def roles(self) -> dict[str, ToolRoles]:
        """The roles of the tools by name."""
        return toolset_roles(self.tools, confirmed=confirmed_tools(self.entries))


def attack_subject(source: str | Path, *, trust: bool = False) -> AttackSubject:
    """The subject that a suite's file or a source of tools names. A server of tools is started and stopped."""
    name = str(source)
    path = Path(name)
    if not name.startswith("mcp:") and not is_object_name(name) and is_suite_file(path):
        suite = load_suite(path)
        require_trust(path, trust=trust)
        plan = plan_suite(suite, path.parent, overrides={"attacks": "none"})
        return AttackSubject(suite.name, tuple(plan.agent.tools), suite, plan)

    async def read_entries() -> tuple[Any, ...]:
        async with open_source(name) as entries:
            return tuple(entries)

    return AttackSubject(name, run_blocking(read_entries()))


def is_suite_file(path: Path) -> bool:
    """Whether a document is a suite and not tools: it names a dataset and an agent."""
    if path.suffix not in DOCUMENTS or not path.is_file():
        return False
    document = read_document(path)
    return isinstance(document, dict) and {"dataset", "agent"} <= document.keys()
