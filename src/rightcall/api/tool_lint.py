"""Tool definitions, linted: from files, modules, servers or Python, sharpened by goldens and stored runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    from rightcall.model.tool import Tool
    from rightcall.run.tool_evidence import RunEvidence


NO_EVIDENCE = LintEvidenceOptions()


@takes(LintCall)
def lint(options: LintCall) -> LintReport:
    """Find definitions that make models choose or fill tools wrongly.

    Findings in the file `baseline` are left out; definitions that differ from the file `lock` are errors. `goldens` and
    stored `runs` make findings more precise. Python modules are run only with `allow_import`.
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
    from rightcall.lint.report import LintEvidence
    from rightcall.lint.source.tools import join_sets

    seen = _run_evidence(options)
    report = run_rules(
        join_sets(list(sets), together=options.together),
        config=config,
        locked=read_lock(Path(options.lock)) if options.lock is not None else None,
        evidence=LintEvidence(
            [confusion for evidence in seen for confusion in evidence.confusions()],
            [mistake for evidence in seen for mistake in evidence.misfilled()],
        ),
        queries=_queries(options),
    )
    if options.baseline is None:
        return report
    return without_known(report, read_baseline(Path(options.baseline)), Path(options.baseline).parent)


def _run_evidence(options: LintEvidenceOptions) -> list[RunEvidence]:
    """What stored runs show about tools."""
    if not options.runs:
        return []
    from rightcall.run.tool_evidence import read_evidence
    from rightcall.store.address import open_store

    with open_store(options.store, must_exist=True) as store:
        return [read_evidence(store, run) for run in options.runs]


def _queries(options: LintEvidenceOptions) -> list[tuple[str, str]]:
    """Requests with the tool that answers them, from a file of goldens."""
    if options.goldens is None:
        return []
    from rightcall.datasets.goldens import load_goldens
    from rightcall.run.tool_evidence import queries_of

    return queries_of(list(load_goldens(options.goldens)))


def _apart(sources: str | Path | Iterable[Any]) -> tuple[list[str], list[Any]]:
    """Paths and tools, which may be given together."""
    items = [sources] if isinstance(sources, str | Path) or callable(sources) else list(sources)
    paths = [str(item) for item in items if isinstance(item, str | Path)]
    return paths, [item for item in items if not isinstance(item, str | Path)]


def definitions_given(tools: Iterable[Any]) -> list[Tool]:
    """Definitions of tools in Python: functions, `rc.Tool`, worlds, frameworks' tools, any provider's spelling."""
    from rightcall.tools.definitions.source import definitions_of, tool_entries

    return [tool for entry in tool_entries(tools, "tools") for tool in definitions_of(entry)]
