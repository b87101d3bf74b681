"""The facade: what a program calls and what every command calls. It connects the rooms.

evaluation    evaluate, score_cases, rescore, analyze; run_result: what they return
recorded_scores  score: recorded behaviour against goldens, from files
tool_lint     lint: tool definitions from files, modules, servers or Python
decisions     gate, compare, plan
suite_runs    run_suite
checks        check: is a change safe to ship?
goldens       load_dataset, check_dataset
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.api.checks import acheck as acheck, check as check
    from rightcall.api.decisions import compare as compare, gate as gate, plan as plan
    from rightcall.api.evaluation import (
        aevaluate as aevaluate,
        analyze as analyze,
        ascore_cases as ascore_cases,
        evaluate as evaluate,
        rescore as rescore,
        score_cases as score_cases,
    )
    from rightcall.api.goldens import check_dataset as check_dataset, load_dataset as load_dataset
    from rightcall.api.improvement import improve as improve
    from rightcall.api.lint_sources import read_sources as read_sources
    from rightcall.api.recorded_scores import RecordedScores as RecordedScores, score as score
    from rightcall.api.run_display import RunDisplay as RunDisplay
    from rightcall.api.run_result import ResultSequence as ResultSequence, RunResult as RunResult
    from rightcall.api.suite_runs import arun_suite as arun_suite, run_suite as run_suite
    from rightcall.api.tool_lint import lint as lint, lint_sets as lint_sets
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "checks": "acheck check",
            "decisions": "compare gate plan",
            "evaluation": "aevaluate analyze ascore_cases evaluate rescore score_cases",
            "goldens": "check_dataset load_dataset",
            "improvement": "improve",
            "lint_sources": "read_sources",
            "recorded_scores": "RecordedScores score",
            "run_display": "RunDisplay",
            "run_result": "ResultSequence RunResult",
            "suite_runs": "arun_suite run_suite",
            "tool_lint": "lint lint_sets",
        },
    )
