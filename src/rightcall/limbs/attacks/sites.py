"""Where texts can be planted for a golden: what its task reads, and the tools it is shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from rightcall.core.codec import encode_as
from rightcall.core.words import name_tokens
from rightcall.limbs.attacks.goals import task_tools
from rightcall.records.call import ToolCall
from rightcall.records.expected_call import ExpectedCall
from rightcall.records.golden import Golden
from rightcall.records.record import Record
from rightcall.records.safety import DESCRIPTION, Carrier
from rightcall.records.skill_load import SkillIndex
from rightcall.records.tool import Tool
from rightcall.records.tool_roles import ToolRoles
from rightcall.tools.definitions.source import definitions_of
from rightcall.tools.worlds.base import World

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
    skills: Mapping[str, Tool],
    served: Collection[str],
) -> Iterator[Site]:
    """Every place where a text can be planted that this golden's task meets.

    `served` are the skills whose descriptions the agent is handed by the tool `load_skill`.
    """
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
            case "skill":
                yield from _skill_sites(golden, skills, served)
            case "history" | "user":
                yield Site(carrier)
            case "document":
                if golden.context or golden.retrieval_context:
                    yield Site(carrier)


def keeps_texts(entries: Iterable[object], roles: Mapping[str, ToolRoles]) -> bool:
    """Whether one of the worlds stores a text in one session that another can read: a memory."""
    for world in (entry for entry in entries if isinstance(entry, World)):
        own = [roles[tool.name] for tool in definitions_of(world) if tool.name in roles]
        stores = any(tool.sinks and tool.parameters_of("text", "title") for tool in own)
        if stores and any(tool.source for tool in own):
            return True
    return False


def _skill_sites(golden: Golden, skills: Mapping[str, Tool], served: Collection[str]) -> Iterator[Site]:
    """The bodies of the skills that a task loads, their descriptions, and the scripts that it reads."""
    index = SkillIndex(skills)
    for name in skills:
        if not any(_loads(call, name, index) for call in golden.expected_calls):
            continue
        yield Site("skill", name)
        if name in served:
            yield Site("skill", name, DESCRIPTION)
        arguments = b" ".join(encode_as(call.args, repr) for call in golden.expected_calls)
        plain = arguments.decode().replace("\\", "")  # a pattern escapes dots
        yield from (Site("skill", name, path) for path in sorted(index.files[name]) if path in plain)


def _loads(call: ExpectedCall, skill: str, index: SkillIndex) -> bool:
    names = (call.tool,) if isinstance(call.tool, str) else tuple(call.tool)
    if skill in names:
        return True
    load = index.skill_call(ToolCall(names[0], call.plain_arguments)) if names else None
    return load is not None and load.skill == skill and not load.file
