"""Every displayed number, computed once for terminal, JSON, Markdown, JUnit and HTML.

    run        RunView of a stored run, streamed: run_view, or RunTally for results that arrive one by one
    summary    by category and over all; rate: a share with its n and interval
    tools      per tool, and the cells of the confusion matrix, laid out
    spread     quantiles and histogram of latency, cost, score; pass^k and simulated users
    failures   grouped by code, with examples
    grouped_trials  the trials of a golden in one row, failures first
    messages   the transcript of a case, in the turns of a conversation
    case       one case: scores, rules, its time; calls: arguments side by side; case_names: its name
    case_context  the request of a case, its golden in other runs, the command that reruns it
    call_pairs which actual call answers which expected one

To show something new: a struct and its computation in the file of its subject, and a field in `RunView` or `CaseView`.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.report.view.calls import ArgumentRow as ArgumentRow, CallView as CallView, Mark as Mark
    from rightcall.report.view.case import (
        Bar as Bar,
        CaseView as CaseView,
        FailedCase as FailedCase,
        FailedCases as FailedCases,
        ScoreLine as ScoreLine,
        case_view as case_view,
        input_of as input_of,
        outcome_of as outcome_of,
        reason_of as reason_of,
    )
    from rightcall.report.view.case_context import (
        PastTrials as PastTrials,
        golden_history as golden_history,
        model_request as model_request,
        rerun_command as rerun_command,
        system_prompt as system_prompt,
    )
    from rightcall.report.view.case_names import (
        CaseName as CaseName,
        case_name as case_name,
        case_title as case_title,
        names_of as names_of,
        stored_names as stored_names,
    )
    from rightcall.report.view.failures import (
        TITLES as TITLES,
        Example as Example,
        FailureGroup as FailureGroup,
    )
    from rightcall.report.view.grouped_trials import (
        GoldenRow as GoldenRow,
        failures_first as failures_first,
        golden_row as golden_row,
        golden_rows as golden_rows,
        titled as titled,
    )
    from rightcall.report.view.messages import MessageView as MessageView
    from rightcall.report.view.run import (
        RunTally as RunTally,
        RunView as RunView,
        cases_of as cases_of,
        run_view as run_view,
    )
    from rightcall.report.view.spread import Bin as Bin, Spread as Spread, UserRow as UserRow
    from rightcall.report.view.summary import (
        DIMENSIONS as DIMENSIONS,
        CodeRow as CodeRow,
        GroupRow as GroupRow,
        ShownRate as ShownRate,
        SummaryView as SummaryView,
        pass_rate as pass_rate,
        rate as rate,
        run_rate as run_rate,
        summary_view as summary_view,
        verdict_sentence as verdict_sentence,
    )
    from rightcall.report.view.tools import (
        INVENTED as INVENTED,
        NO_CALL as NO_CALL,
        ConfusionCell as ConfusionCell,
        ConfusionMatrix as ConfusionMatrix,
        ToolRow as ToolRow,
        confusion_of as confusion_of,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "calls": "ArgumentRow CallView Mark",
            "case": "Bar CaseView FailedCase FailedCases ScoreLine case_view input_of outcome_of reason_of",
            "case_names": "CaseName case_name case_title names_of stored_names",
            "case_context": "PastTrials golden_history model_request rerun_command system_prompt",
            "failures": "Example FailureGroup TITLES",
            "grouped_trials": "GoldenRow failures_first golden_row golden_rows titled",
            "messages": "MessageView",
            "run": "RunTally RunView cases_of run_view",
            "spread": "Bin Spread UserRow",
            "summary": (
                "CodeRow DIMENSIONS GroupRow ShownRate SummaryView pass_rate rate run_rate summary_view "
                "verdict_sentence"
            ),
            "tools": "ConfusionCell ConfusionMatrix INVENTED NO_CALL ToolRow confusion_of",
        },
    )
