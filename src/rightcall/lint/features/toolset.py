"""Facts about tools that are offered together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from rightcall.lint.baseline import Locked
from rightcall.lint.confusability.pairs import confusable_pairs
from rightcall.lint.features.effects import EFFECTS
from rightcall.lint.features.text import stem
from rightcall.lint.features.tool import ToolFeatures
from rightcall.lint.lazy import lazy

if TYPE_CHECKING:
    from rightcall.lint.confusability.pairs import ToolPair


class SetFeatures:
    """The tools of one set, and what follows from seeing them side by side.

    `locked` holds the hashes of a lockfile, None without one. `prefix` is what a client will put before
    every name, such as `mcp__github__`. `queries` are user requests with the tool that answers them.
    """

    def __init__(
        self,
        tools: Sequence[ToolFeatures],
        *,
        locked: Locked | None = None,
        prefix: str = "",
        queries: Sequence[tuple[str, str]] = (),
        limits: Mapping[str, int] | None = None,
    ) -> None:
        self.tools = list(tools)
        self.locked, self.prefix, self.queries = locked, prefix, list(queries)
        self.limits = {"tools": 20, "tokens": 10_000, **(limits or {})}

    @lazy
    def by_name(self) -> dict[str, ToolFeatures]:
        """Tools by name; of several with one name, the first."""
        tools: dict[str, ToolFeatures] = {}
        for tool in self.tools:
            tools.setdefault(tool.name, tool)
        return tools

    @lazy
    def servers(self) -> frozenset[str]:
        """The servers the tools come from, as far as they say."""
        return frozenset(tool.source.server for tool in self.tools if tool.source.server)

    @lazy
    def tokens(self) -> int:
        """Estimated tokens of the set in every request."""
        return sum(tool.tokens for tool in self.tools)

    @lazy
    def targets(self) -> frozenset[str]:
        """Every provider that some tool is meant for."""
        return frozenset().union(*(tool.targets for tool in self.tools))

    @lazy
    def pairs(self) -> list[ToolPair]:
        """Pairs of similar tools, most similar first."""
        return confusable_pairs(self.tools, self.queries)

    @lazy
    def providers_of(self) -> dict[str, list[str]]:
        """For each noun stem, the tools with it in their name, whatever their verb."""
        names: dict[str, list[str]] = {}
        for tool in self.tools:
            for token in tool.name_tokens:
                if token not in EFFECTS:
                    names.setdefault(stem(token), []).append(tool.name)
        return names

    @lazy
    def prefixes(self) -> Counter[str]:
        """How many names begin with each first token."""
        return Counter(tool.name_tokens[0] for tool in self.tools if tool.name_tokens)
