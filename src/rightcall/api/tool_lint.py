"""Tool definitions, linted: from files, modules, servers or Python, sharpened by goldens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightcall.api.lint_sources import read_sources
from rightcall.core.options import takes
from rightcall.lint.options import LintCall, LintEvidenceOptions

if TYPE_CHECKING:
    from rightcall.core.errors import InputError
    from rightcall.lint.config import LintConfig
    from rightcall.lint.report import LintReport
    from rightcall.lint.source.tools import ToolSet
    from rightcall.records.tool import Tool


NO_EVIDENCE = LintEvidenceOptions()


@takes(LintCall)
def lint(options: LintCall) -> LintReport:
    """Find definitions that make models choose or fill tools wrongly.

    Findings in the file `baseline` are left out; definitions that differ from the file `lock` are errors. `goldens`
    show which tools are easily confused. Python modules are run only with `allow_import`.
    """
    from rightcall.lint.source.tools import tool_set

    paths, tools = _apart(options.sources)
    unreadable: list[InputError] = [] if options.unreadable is None else options.unreadable
    sets = read_sources(paths, options.allow_import, unreadable.append) if paths else []
    sets += [tool_set(definitions_given(tools))] if tools else []
    return lint_sets(sets, options.config, options)


def lint_sets(
    sets: Sequence[ToolSet], config: LintConfig | None, options: LintEvidenceOptions = NO_EVIDENCE
) -> LintReport:
    """The same for sets of tools that were read already."""
    from rightcall.lint.engine import lint as run_rules
    from rightcall.lint.known_findings import read_baseline, without_known
    from rightcall.lint.lockfile import read_lock
    from rightcall.lint.source.tools import join_sets

    report = run_rules(
        join_sets(list(sets), together=options.together),
        config=config,
        locked=read_lock(Path(options.lock)) if options.lock is not None else None,
        queries=_queries(options),
    )
    if options.baseline is None:
        return report
    return without_known(report, read_baseline(Path(options.baseline)), Path(options.baseline).parent)


def _queries(options: LintEvidenceOptions) -> list[tuple[str, str]]:
    """Requests with the one tool that answers each, from a file of goldens."""
    if options.goldens is None:
        return []
    from rightcall.datasets.goldens import load_goldens
    from rightcall.records.golden import Golden

    return [
        (golden.input, golden.expected_calls[0].tool)
        for golden in load_goldens(options.goldens)
        if isinstance(golden, Golden)
        and len(golden.expected_calls) == 1
        and isinstance(golden.expected_calls[0].tool, str)
    ]


def _apart(sources: str | Path | Iterable[Any]) -> tuple[list[str], list[Any]]:
    """Paths and tools, which may be given together."""
    items = [sources] if isinstance(sources, str | Path) or callable(sources) else list(sources)
    paths = [str(item) for item in items if isinstance(item, str | Path)]
    return paths, [item for item in items if not isinstance(item, str | Path)]


def definitions_given(tools: Iterable[Any]) -> list[Tool]:
    """Definitions of tools in Python: functions, `rc.Tool`, worlds, frameworks' tools, any provider's spelling."""
    from rightcall.tools.definitions.source import definitions_of, tool_entries

    return list(chain.from_iterable(definitions_of(entry) for entry in tool_entries(tools, "tools")))
