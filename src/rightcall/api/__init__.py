"""The facade: what a program calls and what every command calls. It introduces the rooms to each other.

evaluation    evaluate, score_cases, rescore, and RunResult
recorded      score: recorded behaviour against goldens, from files
tool_lint     lint: tool definitions from files, modules, servers or Python
decisions     gate, compare, plan
goldens       load_dataset, check_dataset
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.api.decisions import compare as compare, gate as gate, plan as plan
    from rightcall.api.evaluation import (
        RunResult as RunResult,
        aevaluate as aevaluate,
        ascore_cases as ascore_cases,
        evaluate as evaluate,
        rescore as rescore,
        score_cases as score_cases,
    )
    from rightcall.api.goldens import check_dataset as check_dataset, load_dataset as load_dataset
    from rightcall.api.lint_sources import read_sources as read_sources
    from rightcall.api.recorded import RecordedScores as RecordedScores, score as score
    from rightcall.api.tool_lint import lint as lint, lint_sets as lint_sets
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "decisions": "compare gate plan",
            "evaluation": "RunResult aevaluate ascore_cases evaluate rescore score_cases",
            "goldens": "check_dataset load_dataset",
            "lint_sources": "read_sources",
            "recorded": "RecordedScores score",
            "tool_lint": "lint lint_sets",
        },
    )
