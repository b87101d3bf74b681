"""All tools of a project as one toolbox, served over stdio."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from rightcall.api.goldens import check_dataset, load_dataset
from rightcall.api.suite_run import SuiteRun
from rightcall.api.tool_lint import lint_sets
from rightcall.core.errors import InputError, RightCallError
from rightcall.core.seam import load
from rightcall.files.python_object import is_object_name
from rightcall.limbs.assistant.project import Project
from rightcall.limbs.assistant.reply import first, with_explained_errors
from rightcall.limbs.assistant.run_tools import RunTools, overview
from rightcall.lint.config import LintConfig, find_settings
from rightcall.lint.explain import rule_facts
from rightcall.lint.fixer import fix
from rightcall.lint.rule import find_rule
from rightcall.lint.source.read import read_paths
from rightcall.lint.source.tools import ToolSet
from rightcall.recording.settings import RecordMode
from rightcall.records.run import CaseResult
from rightcall.run.live_run import Progress
from rightcall.run.options import SuiteOptions
from rightcall.run.runner import run_plan
from rightcall.run.suite import load_suite
from rightcall.show.view.grouped_trials import failed_goldens
from rightcall.tools.definitions.function import FunctionTool, tool
from rightcall.tools.mcp.server import report_progress, serve_stdio
from rightcall.tools.runtime.policy import ToolRules
from rightcall.tools.runtime.toolbox import Toolbox

MOST_FINDINGS = 40

Definitions = Annotated[
    str,
    Meta(
        description="File of tool definitions, or a suite, relative to the project: 'tools.json'",
        max_length=500,
    ),
]
FixKind = Literal["safe", "review"]


class DefinitionTools:
    def __init__(self, project: Project) -> None:
        self._project = project

    @tool(read_only=True, open_world=False)
    def lint_definitions(
        self,
        path: Definitions,
        severity: Annotated[
            Literal["error", "warning", "info"],
            Meta(description="Lowest severity to report. Defaults to 'warning'."),
        ] = "warning",
    ) -> dict[str, Any]:
        """Find what makes models choose or fill the tools of a file wrongly, without running anything.

        Use when tool definitions were written or changed. Returns counts by severity, findings with code,
        tool, line, message and hint. Call explain_rule for the reason behind a code
        and propose_fix for a correction.
        """
        report = lint_sets(self._sets(path), LintConfig(**find_settings().fields()))
        severities = ("error", "warning", "info")[: ("error", "warning", "info").index(severity) + 1]
        shown = [
            {
                name: value
                for name in ("code", "severity", "tool", "message", "hint", "file", "line", "fix", "others")
                if (value := getattr(diagnostic, name))
            }
            for diagnostic in report.diagnostics
            if diagnostic.severity in severities
        ]
        return {
            "path": str(self._definitions(path)),
            "counts": report.counts(),
            "tools": len(report.tools),
            "findings": first(shown, MOST_FINDINGS),
        }

    @tool(read_only=True, open_world=False)
    def explain_rule(
        self,
        code: Annotated[
            str,
            Meta(
                description="Code or name of a lint rule: 'TD401', 'destructive-no-warning'", max_length=100
            ),
        ],
    ) -> dict[str, Any]:
        """Explain one lint rule: what it checks, why it matters, a failing and a corrected example, and sources.

        Use when a code that lint_definitions reported is unclear. Returns the rule's facts as fields.
        """
        return rule_facts(find_rule(code))

    @tool(read_only=True, open_world=False)
    def check_dataset(
        self,
        dataset: Annotated[
            str, Meta(description="File of goldens, relative to the project: 'goldens.jsonl'", max_length=500)
        ],
        tools: Annotated[
            str | None,
            Meta(description="File of tool definitions to check arguments against. Defaults to none."),
        ] = None,
    ) -> dict[str, Any]:
        """Find mistakes in goldens before a run: unknown tools, impossible arguments, contradictions.

        Use when goldens were written or changed. Returns the number of goldens and the findings with their lines.
        Runs nothing.
        """
        path = self._project.file(dataset)
        problems = check_dataset(path, tools=self._project.file(tools) if tools else ())
        return {
            "path": str(path),
            "goldens": len(load_dataset(path)),
            "errors": sum(problem.severity == "error" for problem in problems),
            "findings": first(problems, MOST_FINDINGS),
        }

    @tool(read_only=True, open_world=False)
    def propose_fix(
        self,
        path: Definitions,
        kind: Annotated[
            FixKind, Meta(description="'safe' cannot change a meaning, 'review' may. Defaults to 'safe'.")
        ] = "safe",
    ) -> dict[str, Any]:
        """Propose corrections of lint findings in a file of tool definitions, as a diff; no file is changed.

        Use when lint_definitions reported findings. Returns the diff, to be shown to the user, and what it corrects.
        Findings without an automatic correction are left out.
        """
        fix = self._first_fix(path, kind)
        return {
            "path": str(self._definitions(path)),
            "diff": fix.diff if fix else "",
            "corrected": sorted(set(fix.codes)) if fix else [],
        }

    def _definitions(self, source: str) -> Path:
        """The file of definitions that a path names: itself, or the tools of a suite."""
        path = self._project.file(source)
        if path.suffix.lower() not in (".yaml", ".yml", ".json"):
            return path
        try:
            tools = load_suite(path).tools
        except RightCallError:  # not a suite
            return path
        if isinstance(tools, list) or tools is None:
            return path
        if not isinstance(tools, str) or tools.startswith("mcp:") or is_object_name(tools):
            raise InputError(
                source, "its tools are code or a server's", "lint it with `rightcall lint` in a terminal"
            )
        return self._project.file(str(path.parent / tools))

    def _sets(self, source: str) -> list[ToolSet]:
        return read_paths([self._definitions(source)])

    def _first_fix(self, source: str, kind: str) -> Any:
        """The corrections of one kind in a file, or None. A file of many documents is corrected one at a time."""
        config = LintConfig(**find_settings().fields())
        return next(iter(fix(self._sets(source), config=config, suggested=kind == "review")), None)


SuiteFile = Annotated[
    str, Meta(description="Suite file, relative to the project: 'suite.yaml'", max_length=500)
]
LONGEST_RUN_S = 24 * 3600.0
MOST_FAILURES = 10


class SuiteTools:
    def __init__(self, project: Project) -> None:
        self._project = project

    @tool(read_only=False, destructive=False, idempotent=False, open_world=True, timeout_s=LONGEST_RUN_S)
    async def run_suite(
        self,
        suite: SuiteFile,
        model: Annotated[
            str | None, Meta(description="Model to use as 'provider:model'. Defaults to the suite's.")
        ] = None,
        trials: Annotated[
            Annotated[int, Meta(ge=1, le=1000)] | None,
            Meta(description="Trials per golden. Defaults to the suite's."),
        ] = None,
        only: Annotated[
            list[str] | None, Meta(description="Ids, tags or categories of goldens to run. Defaults to all.")
        ] = None,
        replay: Annotated[
            bool, Meta(description="Answer from recordings and call no model. Defaults to false.")
        ] = False,
    ) -> dict[str, Any]:
        """Run a suite, score every call and add the results to the store as a new run.

        Use when definitions or goldens changed and results are wanted. Asks the suite's model, which may cost
        money; replay asks nothing. Refused unless the user started the server with --trust. Returns the run's id and
        verdict and the goldens that failed. Takes as long as the model needs and reports progress.
        """
        path, _ = self._project.suite(suite, model)
        self._project.require_trust(path)
        record: RecordMode | None = "replay" if replay else None
        options = SuiteOptions(trials=trials, only=only or (), record=record, trust=self._project.trust)
        (plan,) = SuiteRun(path, options, (model,) if model else ()).plans()
        loop = asyncio.get_running_loop()

        def watch(progress: Progress, _results: Sequence[CaseResult]) -> None:
            words = f"{progress.done:,} of {progress.planned:,} trials"
            asyncio.run_coroutine_threadsafe(
                report_progress(float(progress.done), float(progress.planned), words), loop
            )

        with self._project.store(must_exist=False) as store:
            outcome = await run_plan(plan, store, watch=watch)
            failed, more = failed_goldens(store, outcome.run.id, MOST_FAILURES)
            return overview(store.runs.get(outcome.run.id)) | {
                "verdict": outcome.verdict.word,
                "sentence": outcome.verdict.sentence,
                "stopped": outcome.stopped,
                "notices": (*outcome.summary.warnings, *outcome.notices),
                "failed": {"items": failed, "more": more},
            }

    @tool(read_only=True, open_world=False, timeout_s=LONGEST_RUN_S)
    async def audit_suite(
        self,
        suite: SuiteFile,
        most: Annotated[
            int, Meta(ge=1, le=50, description="Maximum number of survivors to return. Defaults to 10.")
        ] = 10,
    ) -> dict[str, Any]:
        """Find out which bugs a suite would not notice, and which of its goldens may be wrong.

        Use when goldens were written or changed, or before a pass rate is trusted. Plants bugs in right behaviour and
        scores them with the suite's goldens; asks no model and runs no tool. Returns the catch rate with its interval,
        the most harmful bugs that pass with the change of the golden that would catch each, and doubted goldens.
        Changes nothing.
        """
        path, _ = self._project.suite(suite)
        self._project.require_trust(path)
        audit_overview = load("services", "audit_overview")
        summary: dict[str, Any] = await audit_overview(
            path, store=self._project.store_url, trust=self._project.trust, most=most
        )
        return summary


def project_toolbox(project: Project, *, read_only: bool = False) -> Toolbox:
    """The tools that an assistant gets. With `read_only` those that write or run are neither shown nor callable."""
    holders: list[Any] = [DefinitionTools(project), RunTools(project), SuiteTools(project)]
    tools = [
        _bound(attribute, holder)
        for holder in holders
        for attribute in vars(type(holder)).values()
        if isinstance(attribute, FunctionTool)
    ]
    shown = [bound_tool for bound_tool in tools if bound_tool.tool.annotations.read_only or not read_only]
    return Toolbox(shown, execute="real", rules=ToolRules(read_only=read_only))


async def serve_assistant(folder: Path, store_url: str | None, *, trust: bool, read_only: bool) -> None:
    """Serve the project in a folder over stdio until the client disconnects: `rightcall mcp serve`."""
    toolbox = project_toolbox(Project(folder, store_url, trust), read_only=read_only)
    await serve_stdio(toolbox, "rightcall")


def _bound(function_tool: FunctionTool, holder: Any) -> FunctionTool:
    method = function_tool.function.__get__(holder)
    return dataclasses.replace(function_tool, function=with_explained_errors(method))
