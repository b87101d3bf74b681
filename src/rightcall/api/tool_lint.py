"""Tool definitions, linted: from files, modules, servers or Python, sharpened by goldens and stored runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rightcall.api.lint_sources import queries_in, read_sources, seen_in_runs

if TYPE_CHECKING:
    from rightcall.core.errors import InputError
    from rightcall.lint.config import LintConfig
    from rightcall.lint.report import LintReport
    from rightcall.lint.source.tools import ToolSet
    from rightcall.model.tool import Tool


def lint(
    sources: str | Path | Iterable[Any],
    *,
    config: LintConfig | None = None,
    allow_import: bool = False,
    together: bool = False,
    lock: str | Path | None = None,
    baseline: str | Path | None = None,
    goldens: str | Path | None = None,
    runs: Sequence[str] = (),
    store: str | Path | None = None,
    unreadable: list[InputError] | None = None,
) -> LintReport:
    """Find what makes models choose and fill tools wrongly.

    `sources` are paths of files, folders and suites, `mcp:COMMAND`, or tools: functions decorated with `@rc.tool`,
    `rc.Tool`, or definitions in any provider's spelling. `config` chooses rules and targets. With `together` all
    sources are compared as one set. Findings in the file `baseline` are left out; definitions that differ from the
    file `lock` are errors. `goldens` and stored `runs` make findings more precise. Python modules are run only with
    `allow_import`. Files in a folder that cannot be read are added to `unreadable`.
    """
    from rightcall.lint.baseline import read_baseline, without_known
    from rightcall.lint.source.read import tool_set

    paths, tools = _apart(sources)
    missed: list[InputError] = [] if unreadable is None else unreadable
    sets = read_sources(paths, allow_import, missed.append) if paths else []
    sets += [tool_set(definitions_given(tools))] if tools else []
    report = lint_sets(sets, config, together=together, lock=lock, goldens=goldens, runs=runs, store=store)
    if baseline is None:
        return report
    return without_known(report, read_baseline(Path(baseline)), Path(baseline).parent)


def lint_sets(
    sets: Sequence[ToolSet],
    config: LintConfig | None = None,
    *,
    together: bool = False,
    lock: str | Path | None = None,
    goldens: str | Path | None = None,
    runs: Sequence[str] = (),
    store: str | Path | None = None,
) -> LintReport:
    """The same for sets of tools that were read already."""
    import msgspec

    from rightcall.lint.baseline import read_lock
    from rightcall.lint.engine import lint as run_rules
    from rightcall.lint.evidence import LintEvidence
    from rightcall.lint.source.read import joined

    seen = seen_in_runs(runs, None if store is None else str(store))
    report = run_rules(
        joined(list(sets), together=together),
        config=config,
        locked=read_lock(Path(lock)) if lock is not None else None,
        evidence=LintEvidence(
            [each for one in seen for each in one.confusions()],
            [each for one in seen for each in one.misfilled()],
        ),
        queries=queries_in(None if goldens is None else Path(goldens)),
    )
    if not seen:
        return report
    from rightcall.improve.lint_evidence import rule_effects

    return msgspec.structs.replace(report, effects=rule_effects(report, seen))


def _apart(sources: str | Path | Iterable[Any]) -> tuple[list[str], list[Any]]:
    """Paths and tools, which may be given together."""
    given = [sources] if isinstance(sources, str | Path) or callable(sources) else list(sources)
    paths = [str(one) for one in given if isinstance(one, str | Path)]
    return paths, [one for one in given if not isinstance(one, str | Path)]


def definitions_given(tools: Iterable[Any]) -> list[Tool]:
    """Definitions of tools given in Python: functions, `rc.Tool`, worlds, or any provider's spelling."""
    from rightcall.model.dialects import read_tool
    from rightcall.tools.definitions.source import definitions_of

    read = [read_tool(one, f"tools[{i}]") if isinstance(one, dict) else one for i, one in enumerate(tools)]
    return [tool for one in read for tool in definitions_of(one)]
