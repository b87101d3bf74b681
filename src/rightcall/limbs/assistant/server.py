"""All tools of a project as one toolbox, served over stdio."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from rightcall.api.suite_run import SuiteRun
from rightcall.api.tool_lint import lint_sets
from rightcall.core.errors import InputError, RightCallError
from rightcall.files.python_object import is_object_name
from rightcall.improve.attribution import what_changed
from rightcall.improve.improvement import apply_changes, patch_of
from rightcall.improve.run_analysis import analyze_run
from rightcall.improve.run_setup import run_record
from rightcall.limbs.assistant.boundary import Project, first, with_explained_errors
from rightcall.lint.config import LintConfig, find_settings
from rightcall.lint.source.read import read_paths
from rightcall.recording.library import RecordMode
from rightcall.records.run import CaseResult
from rightcall.run.decisions import compare_runs
from rightcall.run.live_run import Progress
from rightcall.run.options import SuiteOptions
from rightcall.run.runner import run_plan
from rightcall.run.suite import load_suite
from rightcall.show.view.case import case_view
from rightcall.show.view.grouped_trials import failed_goldens, golden_row
from rightcall.store.base import RunFilter, StoredRun
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
        tool, line, message and hint.
        """
        report = lint_sets(read_paths([self._definitions(path)]), LintConfig(**find_settings().fields()))
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
        path = self._project.file(suite)
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


RunName = Annotated[
    str, Meta(description="Run: an id or its prefix, 'last', 'last~1', a tag or a git branch", max_length=200)
]
MOST_CHANGES = 20


class RunTools:
    def __init__(self, project: Project) -> None:
        self._project = project

    @tool(read_only=True, open_world=False)
    def list_runs(
        self,
        limit: Annotated[
            int, Meta(ge=1, le=50, description="Maximum number of runs to return. Defaults to 10.")
        ] = 10,
    ) -> dict[str, Any]:
        """List the newest stored runs of the project with their ids, verdicts and pass rates.

        Use when the id of a run is needed. Returns runs, the newest first.
        """
        with self._project.store() as store:
            return {"runs": [overview(run) for run in store.runs.page(RunFilter(), limit=limit)]}

    @tool(read_only=True, open_world=False)
    def show_run(
        self,
        run: RunName = "last",
        failures: Annotated[
            int, Meta(ge=0, le=50, description="Maximum number of failed goldens to return. Defaults to 10.")
        ] = 10,
    ) -> dict[str, Any]:
        """Show one run: its verdict, counts by failure code, and the goldens that did not pass with the reason.

        Use when a run is known and its failures are not. Returns the golden ids to pass to show_case.
        """
        with self._project.store() as store:
            stored_run = store.runs.get(self._project.run_name(run))
            failed, more = failed_goldens(store, stored_run.id, failures)
        summary = stored_run.run.summary
        return overview(stored_run) | {
            "reason": summary.reason if summary else "",
            "warnings": summary.warnings if summary else (),
            "codes": summary.codes if summary else {},
            "failed": {"items": failed, "more": more},
        }

    @tool(read_only=True, open_world=False)
    def show_case(
        self,
        golden_id: Annotated[
            str, Meta(description="A golden's id, as show_run returned it", max_length=1000)
        ],
        run: RunName = "last",
        trial: Annotated[
            Annotated[int, Meta(ge=0)] | None,
            Meta(description="Trial number. Defaults to the first that did not pass."),
        ] = None,
    ) -> dict[str, Any]:
        """Show one golden of a run: its input, expected and actual calls side by side, failures and messages.

        Use when show_run does not say enough about a failure. Returns one trial, long texts cut.
        """
        with self._project.store() as store:
            stored_run = store.runs.get(self._project.run_name(run))
            stored = store.runs.case(stored_run.id, golden_id)
            record = run_record(store, stored_run)
        result = stored.trial(trial)
        view = case_view(stored.golden, result, {tool.name: tool for tool in record.tools})
        return {
            "run": stored_run.id,
            "trials": golden_row(golden_id, stored.results),
            "golden": stored.golden,
            "case": view,
        }

    @tool(read_only=True, open_world=False)
    def compare_runs(
        self,
        baseline: RunName,
        candidate: RunName = "last",
        margin: Annotated[
            float, Meta(ge=0, lt=1, description="Largest acceptable drop. Defaults to 0.")
        ] = 0.0,
    ) -> dict[str, Any]:
        """Compare two stored runs golden by golden: better, worse or undecided, which goldens flipped, and why.

        Use when a suite ran before and after a change. Returns the change with its interval and p-value,
        fixed and broken goldens, and what differs between the set-ups of both runs.
        """
        names = self._project.run_name(baseline), self._project.run_name(candidate)
        with self._project.store() as store:
            (comparison,) = compare_runs(store, names[0], [names[1]], margin=margin)
            changed = what_changed(
                store, store.runs.get(comparison.baseline), store.runs.get(comparison.candidate)
            )
        compared = comparison.comparison
        return {
            "baseline": comparison.baseline,
            "candidate": comparison.candidate,
            "change": compared.change,
            "sentence": compared.sentence,
            "before": compared.rate_a,
            "after": compared.rate_b,
            "difference": compared.difference,
            "interval": [compared.low, compared.high],
            "p": compared.p,
            "fixed": first(compared.fixed, MOST_CHANGES),
            "broken": first(compared.broken, MOST_CHANGES),
            "what_changed": {
                "sentence": changed.sentence,
                "items": first(changed.items, MOST_CHANGES),
                "flips": first(changed.flips, MOST_CHANGES),
            },
        }

    @tool(read_only=True, open_world=False)
    def analyze_failures(
        self,
        run: RunName = "last",
        findings: Annotated[
            int, Meta(ge=1, le=20, description="Maximum number of findings to return. Defaults to 5.")
        ] = 5,
    ) -> dict[str, Any]:
        """Explain why a run fails: causes with evidence, the tools they concern, and a proposed change with a diff.

        Use when several goldens fail. Returns findings, the surest first. Changes are proposals that nothing
        has proven: when one was made, run the suite again and compare_runs. Changes nothing itself.
        """
        with self._project.store() as store:
            stored = store.runs.get(self._project.run_name(run))
            analysis = analyze_run(store, stored.id)
            record = run_record(store, stored)
        items = []
        for finding in analysis.findings:
            after, system = apply_changes(finding.change, record.tools, record.system)
            items.append(
                {
                    "cause": finding.cause,
                    "place": finding.place,
                    "beyond_chance": finding.stated,
                    "what": finding.what,
                    "advice": finding.advice,
                    "evidence": finding.evidence[:3],
                    "goldens": first(finding.goldens, 5),
                    "diff": patch_of(record.tools, record.system, after, system) if finding.change else "",
                }
            )
        return {
            "run": analysis.run,
            "failed": analysis.failed,
            "trials": analysis.trials,
            **({"note": analysis.attempts_note} if analysis.attempts else {}),
            "findings": first(items, findings),
        }


def overview(stored: StoredRun) -> dict[str, Any]:
    return {
        "run": stored.id,
        "name": stored.run.name,
        "agent": stored.run.agent,
        "started_at": stored.run.started_at,
        "finished": stored.finished,
        "verdict": stored.verdict,
        "results": stored.results,
        "passed": stored.passed,
        "errors": stored.errors,
        "unchecked": stored.unchecked,
        "pass_rate": stored.pass_rate if stored.judged else None,
        "tags": stored.tags,
    }


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
