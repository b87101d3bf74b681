"""Tools about stored runs: list, show, compare, analyze, and changes that a run's failures suggest."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from rightcall.improve.attribution import what_changed
from rightcall.improve.patch import apply_changes, patch_of
from rightcall.improve.run_analysis import analyze_run
from rightcall.improve.run_setup import run_record
from rightcall.limbs.assistant.project import Project
from rightcall.limbs.assistant.reply import first
from rightcall.run.decisions import compare_runs
from rightcall.show.view.case import case_view
from rightcall.show.view.grouped_trials import failed_goldens, golden_row
from rightcall.store.base import RunFilter, StoredRun
from rightcall.tools.definitions.function import tool

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
