"""Where texts can be planted for a golden: what its task reads, and the tools it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rightcall.core.words import name_tokens
from rightcall.model.golden import Golden
from rightcall.model.record import Record
from rightcall.model.safety import Carrier
from rightcall.model.tool import Tool
from rightcall.model.tool_roles import ToolRoles
from rightcall.wings.attacks.goals import task_tools

LISTING_VERBS = frozenset(["list", "search", "find", "query"])


class Site(Record, frozen=True):
    """A carrier and the tool it belongs to; `reads` are further reads, for texts in stages."""

    carrier: Carrier
    tool: str = ""
    path: str = ""
    to: str = ""
    reads: tuple[str, ...] = ()


def sites_of(
    golden: Golden,
    carriers: tuple[Carrier, ...],
    tools: Mapping[str, Tool],
    roles: Mapping[str, ToolRoles],
) -> Iterator[Site]:
    """Every place where a text can be planted that this golden's task meets."""
    task = [name for name in task_tools(golden) if name in tools]
    reads = [name for name in task if roles[name].external]
    every_read = tuple(
        call.tool for call in golden.expected_calls if isinstance(call.tool, str) and call.tool in reads
    )
    calls = [call.tool for call in golden.expected_calls]
    bystanders = [name for name in tools if name not in task]
    for carrier in carriers:
        match carrier:
            case "result":
                yield from (Site(carrier, name, reads=every_read) for name in reads)
            case "name":
                yield from (Site(carrier, name) for name in reads if LISTING_VERBS & set(name_tokens(name)))
            case "error":
                yield from (Site(carrier, name) for name in task[:1])
            case "definition":
                yield from (Site(carrier, name) for name in (*task[:1], *bystanders[:1]))
            case "rug_pull":
                yield from (Site(carrier, name) for name in task[:1])
                # The task must still be possible when the tool has gone: it needs it only once.
                yield from (
                    Site(carrier, name, to=f"{name}_v2") for name in task[:1] if calls.count(name) == 1
                )
            case "shadow":
                yield from (Site(carrier, name, to=f"{name}_assistant") for name in task[:1])
            case "memory":
                yield from (Site(carrier, name) for name in reads[:1])
            case "history" | "user":
                yield Site(carrier)
            case "document":
                if golden.context or golden.retrieval_context:
                    yield Site(carrier)
