"""How results are shown to people and machines.

    view/       every displayed number, computed once from a stored run
    text        foreign text, safe to look at; numbers: how numbers are written
    lines       all output to terminals and logs; screen: with colours and tables
    terminal    tables; columns: tables for any width; progress: the progress bar; rows: JSON Lines
    run_screen  a stored run in the terminal; case_screen: one of its cases
    formats     html, markdown, junit, json: each a file of that name
    charts      Vega-Lite specs, drawn as SVG; html_cases: cases inside report.html
    notebook    tables and progress in notebooks, columns for data frames
    github      step summary and annotations; production: rates of checks on live traces

To add a format: a file with `write_<format>(store, run, out) -> RunView`, and its suffixes in `formats.py`.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.report.analysis import print_analysis as print_analysis
    from rightcall.report.calls import calls_difference as calls_difference
    from rightcall.report.case_screen import print_case as print_case, print_case_calls as print_case_calls
    from rightcall.report.charts import (
        CONFIG as CONFIG,
        SCHEMA as SCHEMA,
        Spec as Spec,
        histogram as histogram,
        to_svg as to_svg,
    )
    from rightcall.report.check_ci import (
        check_annotations as check_annotations,
        check_junit as check_junit,
        check_sarif as check_sarif,
        code_quality as code_quality,
    )
    from rightcall.report.check_comment import (
        check_markdown as check_markdown,
        check_marker as check_marker,
        check_summary as check_summary,
    )
    from rightcall.report.columns import print_columns as print_columns
    from rightcall.report.comparison import (
        print_changes as print_changes,
        print_comparison as print_comparison,
        print_matrix as print_matrix,
        print_trend as print_trend,
        print_undone as print_undone,
    )
    from rightcall.report.extra_metrics import AskedMetrics as AskedMetrics
    from rightcall.report.formats import FORMATS as FORMATS, format_of as format_of, writer_of as writer_of
    from rightcall.report.github import in_actions as in_actions, publish as publish
    from rightcall.report.improvement import print_improvement as print_improvement
    from rightcall.report.lines import (
        Guarded as Guarded,
        InertOutput as InertOutput,
        discard as discard,
        inert as inert,
        inert_json as inert_json,
        tell as tell,
        without_old_commands as without_old_commands,
    )
    from rightcall.report.notebook import (
        NotebookProgress as NotebookProgress,
        result_columns as result_columns,
        results_html as results_html,
        run_html as run_html,
    )
    from rightcall.report.numbers import (
        FILTERS as FILTERS,
        count as count,
        duration as duration,
        interval as interval,
        percent as percent,
    )
    from rightcall.report.production import (
        CALIBRATION as CALIBRATION,
        CheckRate as CheckRate,
        VersionChange as VersionChange,
        check_rates as check_rates,
        rates_of as rates_of,
        version_changes as version_changes,
    )
    from rightcall.report.progress import ProgressState as ProgressState, RunProgress as RunProgress
    from rightcall.report.pull_request import PullRequest as PullRequest
    from rightcall.report.robustness import (
        print_fault_report as print_fault_report,
        print_perturbations as print_perturbations,
    )
    from rightcall.report.rows import write_outcome as write_outcome, write_rows as write_rows
    from rightcall.report.run_screen import print_run as print_run, print_verdict as print_verdict
    from rightcall.report.screen import Screen as Screen
    from rightcall.report.terminal import (
        Watcher as Watcher,
        clean as clean,
        print_model_table as print_model_table,
        print_summary as print_summary,
    )
    from rightcall.report.text import (
        json_text as json_text,
        one_line as one_line,
        shown_text as shown_text,
        visible as visible,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "analysis": "print_analysis",
            "calls": "calls_difference",
            "case_screen": "print_case print_case_calls",
            "charts": "CONFIG SCHEMA Spec histogram to_svg",
            "check_ci": "check_annotations check_junit check_sarif code_quality",
            "check_comment": "check_markdown check_marker check_summary",
            "columns": "print_columns",
            "comparison": "print_changes print_comparison print_matrix print_trend print_undone",
            "extra_metrics": "AskedMetrics",
            "formats": "FORMATS format_of writer_of",
            "github": "in_actions publish",
            "improvement": "print_improvement",
            "lines": "Guarded InertOutput discard inert inert_json tell without_old_commands",
            "notebook": "NotebookProgress result_columns results_html run_html",
            "numbers": "FILTERS count duration interval percent",
            "production": "CALIBRATION CheckRate VersionChange check_rates rates_of version_changes",
            "progress": "ProgressState RunProgress",
            "pull_request": "PullRequest",
            "robustness": "print_fault_report print_perturbations",
            "rows": "write_outcome write_rows",
            "run_screen": "print_run print_verdict",
            "screen": "Screen",
            "terminal": "Watcher clean print_model_table print_summary",
            "text": "json_text one_line shown_text visible",
        },
    )
