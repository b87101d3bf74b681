"""Facts about tools that are offered together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from rightcall.lint.confusability.pairs import ToolPair, confusable_pairs
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.lockfile import LockedTool
from rightcall.lint.source.tools import ToolSet

Locked = Mapping[str, LockedTool]
"""The accepted definitions of each tool of a lockfile, by name."""


@dataclass(frozen=True, kw_only=True)
class SetLimits:
    """What rules about a set of tools are told: the providers it is for, a prefix of names, and how much it may be."""

    targets: tuple[str, ...] | None = None
    prefix: str = ""
    max_tools: int = 20
    max_tokens: int = 10_000


class SetFeatures:
    """The tools of one set, and what follows from seeing them side by side.

    `locked` holds the hashes of a lockfile, None without one. `queries` are user requests with the tool that
    answers them.
    """

    def __init__(
        self,
        source: ToolSet,
        config: SetLimits,
        *,
        locked: Locked | None = None,
        queries: Sequence[tuple[str, str]] = (),
    ) -> None:
        targets = frozenset(config.targets) if config.targets is not None else None
        self.name = source.name
        self.tools = [ToolFeatures(tool, targets) for tool in source.tools]
        self.has_skills = any(tool.is_skill for tool in self.tools)
        self.config = config
        self.locked = locked
        self.queries = list(queries)

    @cached_property
    def without_skills(self) -> SetFeatures:
        """The set as rules see it that are not about skills."""
        if not self.has_skills:
            return self
        return self._with_tools([tool for tool in self.tools if not tool.is_skill])

    @cached_property
    def distinct(self) -> SetFeatures:
        """The set with one skill of each name: copies of a skill for several clients are no two to choose from."""
        if not self.has_skills:
            return self
        first = {tool.name: tool for tool in reversed(self.tools)}
        kept = [tool for tool in self.tools if not tool.is_skill or first[tool.name] is tool]
        return self if len(kept) == len(self.tools) else self._with_tools(kept)

    def _with_tools(self, tools: list[ToolFeatures]) -> SetFeatures:
        other = SetFeatures(ToolSet(self.name, ()), self.config, locked=self.locked, queries=self.queries)
        other.tools = tools
        other.has_skills = any(tool.is_skill for tool in tools)
        return other

    @cached_property
    def by_name(self) -> dict[str, ToolFeatures]:
        """Tools by name; of several with one name, the first."""
        first = {tool.name: tool for tool in reversed(self.tools)}
        return {tool.name: first[tool.name] for tool in self.tools}

    @cached_property
    def servers(self) -> frozenset[str]:
        """The servers the tools come from, as far as they say."""
        return frozenset(tool.source.server for tool in self.tools if tool.source.server)

    @cached_property
    def tokens(self) -> int:
        """Estimated tokens of the set in every request."""
        return sum(tool.tokens for tool in self.tools)

    @cached_property
    def targets(self) -> frozenset[str]:
        """Every provider that some tool is meant for."""
        return frozenset().union(*(tool.targets for tool in self.tools))

    @cached_property
    def pairs(self) -> list[ToolPair]:
        """Pairs of similar tools, most similar first."""
        return confusable_pairs(self.tools, self.queries) if len(self.tools) > 1 else []
