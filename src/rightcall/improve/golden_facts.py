"""What analysis reads of a golden: the calls it expects, and the words an agent could know a value from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import msgspec

from rightcall.core.errors import InputError
from rightcall.lint.confusability.word_use import reads_as_english, request_words
from rightcall.metrics.matching.expectation import fits, pattern_text
from rightcall.metrics.matching.teamwork import LABELS
from rightcall.records.failure import Failure
from rightcall.records.golden import AnyGolden, request_of


class ExpectedTools(NamedTuple):
    """One expected call: the tools that will do, its arguments, its tool as failures write it.

    `own` calls are of the agent's tools, others of further agents.
    """

    tools: tuple[str, ...]
    args: Mapping[str, Any]
    pattern: str
    own: bool = True


def expected_tools(golden: AnyGolden, offered: Collection[str]) -> list[ExpectedTools]:
    """Every expected call of a golden. A pattern stands for the tools it matches among those offered."""
    calls = golden.expected_calls or next(iter(golden.any_of), ())
    calls = [*calls, *chain.from_iterable(turn.expected_calls or () for turn in golden.turns)]
    return [
        ExpectedTools(
            _tools_that_match(call.tool, offered),
            call.args or {},
            pattern_text(call.tool),
            call.by is None and not (isinstance(call.tool, dict) and LABELS.keys() & call.tool.keys()),
        )
        for call in calls
    ]


def calls_expected(golden: AnyGolden) -> list[tuple[str, Mapping[str, Any]]]:
    """Every expected call of a golden: the first tool that will do, and its arguments."""
    return [(call.tools[0], call.args) for call in expected_tools(golden, ())]


def first_expected_tool(golden: AnyGolden) -> str:
    """The first tool that a golden expects; "" for one that expects no call."""
    return next((tool for tool, _ in calls_expected(golden)), "")


def _tools_that_match(pattern: Any, offered: Collection[str]) -> tuple[str, ...]:
    if isinstance(pattern, str):
        return (pattern,)
    try:
        matches = tuple(filter(fits(pattern), offered))
    except InputError:  # scoring refuses it; a golden may still be counted before
        matches = ()
    return matches or ((pattern_text(pattern),) if isinstance(pattern, dict) else tuple(pattern) or ("",))


def name_tools(
    failures: Sequence[Failure], calls: Sequence[ExpectedTools], likeness: Callable[[str, str], float]
) -> Sequence[Failure]:
    """Failures that name a tool where their golden has a pattern: of several that match, the one most like the call."""
    matching = {call.pattern: call.tools for call in calls if call.tools != (call.pattern,)}
    if not matching:
        return failures

    def named(failure: Failure) -> Failure:
        tools = matching.get(failure.tool)
        if tools is None:
            return failure
        called = failure.actual if failure.code == "wrong_tool" else None
        tool = max(tools, key=lambda name: likeness(name, called)) if isinstance(called, str) else tools[0]
        return msgspec.structs.replace(failure, tool=tool)

    return [named(failure) for failure in failures]


def all_words(golden: AnyGolden, system: str) -> str:
    """Everything the agent may read a value from: request, system prompt, context, turns."""
    parts = [request_of(golden), golden.system or system, *(golden.context or ())]
    return "\n".join([*parts, *(turn.content for turn in golden.turns)])


def is_quotable(golden: AnyGolden) -> bool:
    """Whether a golden's words can be quoted in a definition: by its `metadata.language`, otherwise by their script."""
    language = language_of(golden)
    return language.lower().startswith("en") if language else reads_as_english(request_of(golden))


def language_of(golden: AnyGolden) -> str:
    """The language a golden declares; "" when it declares none."""
    language = golden.metadata.get("language") if isinstance(golden.metadata, dict) else None
    return language if isinstance(language, str) else ""


LOOKED_AT = 200


def typical_goldens(
    ids: Sequence[str], inputs: Callable[[Sequence[str]], Mapping[str, str]] | None
) -> tuple[str, ...]:
    """At most two ids; without the inputs the first and the last."""
    if len(ids) <= 2:
        return tuple(ids)
    requests = inputs(ids[:LOOKED_AT]) if inputs else {}
    if not requests:
        return ids[0], ids[-1]
    words = {golden: frozenset(request_words(text)) for golden, text in requests.items()}
    common = Counter(chain.from_iterable(words.values()))

    likeness = {name: sum(common[word] for word in of) / max(1, len(of)) for name, of in words.items()}
    ordered = sorted(words, key=lambda golden: (-likeness[golden], golden))
    return ordered[0], ordered[-1]
