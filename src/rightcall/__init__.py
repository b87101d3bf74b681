"""RightCall: did your agent make the right call?

Importing the package is cheap and has no side effects: each public name is loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.api import (
        RunResult as RunResult,
        acheck as acheck,
        aevaluate as aevaluate,
        analyze as analyze,
        arun_suite as arun_suite,
        ascore_cases as ascore_cases,
        check as check,
        check_dataset as check_dataset,
        compare as compare,
        evaluate as evaluate,
        gate as gate,
        improve as improve,
        lint as lint,
        load_dataset as load_dataset,
        plan as plan,
        rescore as rescore,
        run_suite as run_suite,
        score as score,
        score_cases as score_cases,
    )
    from rightcall.errors import (
        CheckError as CheckError,
        CheckFailed as CheckFailed,
        ConfigError as ConfigError,
        InfrastructureError as InfrastructureError,
        InputError as InputError,
        MissingExtraError as MissingExtraError,
        ProviderError as ProviderError,
        RightCallError as RightCallError,
    )
    from rightcall.executor.agent import (
        Agent as Agent,
    )
    from rightcall.executor.conversation.model_user import UserSetup as UserSetup
    from rightcall.executor.limits import (
        Limits as Limits,
        RunLimits as RunLimits,
    )
    from rightcall.executor.traced_agent import observe as observe
    from rightcall.gate import (
        Verdict as Verdict,
    )
    from rightcall.metrics import read_verdict as read_verdict, score_trajectory as score_trajectory
    from rightcall.metrics.base import (
        Metric as Metric,
    )
    from rightcall.metrics.deepeval import (
        AnswerRelevancyMetric as AnswerRelevancyMetric,
        ArgumentCorrectnessMetric as ArgumentCorrectnessMetric,
        ConversationalGEval as ConversationalGEval,
        ConversationalRelevancyMetric as ConversationalRelevancyMetric,
        ConversationCompletenessMetric as ConversationCompletenessMetric,
        ExactMatchMetric as ExactMatchMetric,
        GEval as GEval,
        JsonCorrectnessMetric as JsonCorrectnessMetric,
        KnowledgeRetentionMetric as KnowledgeRetentionMetric,
        PatternMatchMetric as PatternMatchMetric,
        RoleAdherenceMetric as RoleAdherenceMetric,
        TaskCompletionMetric as TaskCompletionMetric,
        ToolCallParams as ToolCallParams,
        ToolCorrectnessMetric as ToolCorrectnessMetric,
        TurnRelevancyMetric as TurnRelevancyMetric,
    )
    from rightcall.metrics.matching.verdict import (
        CaseVerdict as CaseVerdict,
        ScoringRules as ScoringRules,
    )
    from rightcall.model import (
        Approval as Approval,
        Caller as Caller,
        CaseResult as CaseResult,
        ConversationalGolden as ConversationalGolden,
        ConversationalTestCase as ConversationalTestCase,
        Expectations as Expectations,
        ExpectedCall as ExpectedCall,
        Failure as Failure,
        Golden as Golden,
        LLMTestCase as LLMTestCase,
        Message as Message,
        Score as Score,
        Summary as Summary,
        TestCase as TestCase,
        Tool as Tool,
        ToolCall as ToolCall,
        ToolResult as ToolResult,
        Trajectory as Trajectory,
        Turn as Turn,
        Usage as Usage,
    )
    from rightcall.monitor.monitor import Monitor as Monitor
    from rightcall.store import open_store as open_store
    from rightcall.synthesis import (
        ContextConstructionConfig as ContextConstructionConfig,
        ConversationalStylingConfig as ConversationalStylingConfig,
        Evolution as Evolution,
        EvolutionConfig as EvolutionConfig,
        FiltrationConfig as FiltrationConfig,
        StylingConfig as StylingConfig,
        Synthesizer as Synthesizer,
        VerificationConfig as VerificationConfig,
    )
    from rightcall.synthesis.simulator import ConversationSimulator as ConversationSimulator
    from rightcall.testing.assertion import (
        assert_test as assert_test,
    )
    from rightcall.testing.evaluation_dataset import (
        EvaluationDataset as EvaluationDataset,
    )
    from rightcall.tools import load_tools as load_tools
    from rightcall.tools.definitions import tool as tool
    from rightcall.tools.runtime.errors import (
        Abort as Abort,
        ToolError as ToolError,
    )
    from rightcall.traces.reader import load_traces as load_traces
    from rightcall.traces.trace import Trace as Trace

else:
    _found, __dir__, __all__ = window(
        __name__,
        {
            "api": (
                "RunResult acheck aevaluate analyze arun_suite ascore_cases check check_dataset compare evaluate gate "
                "improve lint load_dataset plan rescore run_suite score score_cases"
            ),
            "store": "open_store",
            "tools": "load_tools",
            "tools.definitions": "tool",
            "metrics": "read_verdict score_trajectory",
            "errors": (
                "CheckError CheckFailed ConfigError InfrastructureError InputError MissingExtraError "
                "ProviderError RightCallError"
            ),
            "executor.agent": "Agent",
            "executor.conversation.model_user": "UserSetup",
            "executor.limits": "Limits RunLimits",
            "executor.traced_agent": "observe",
            "gate": "Verdict",
            "metrics.base": "Metric",
            "metrics.deepeval": (
                "AnswerRelevancyMetric ArgumentCorrectnessMetric ConversationCompletenessMetric "
                "ConversationalGEval ConversationalRelevancyMetric ExactMatchMetric GEval JsonCorrectnessMetric "
                "KnowledgeRetentionMetric PatternMatchMetric RoleAdherenceMetric TaskCompletionMetric "
                "ToolCallParams ToolCorrectnessMetric TurnRelevancyMetric"
            ),
            "metrics.matching.verdict": "CaseVerdict ScoringRules",
            "model": (
                "Approval Caller CaseResult ConversationalGolden ConversationalTestCase Expectations ExpectedCall "
                "Failure Golden LLMTestCase Message Score Summary TestCase Tool ToolCall ToolResult "
                "Trajectory Turn Usage"
            ),
            "monitor.monitor": "Monitor",
            "traces.reader": "load_traces",
            "traces.trace": "Trace",
            "synthesis": (
                "ContextConstructionConfig ConversationalStylingConfig Evolution EvolutionConfig FiltrationConfig "
                "StylingConfig Synthesizer VerificationConfig"
            ),
            "synthesis.simulator": "ConversationSimulator",
            "testing.assertion": "assert_test",
            "testing.evaluation_dataset": "EvaluationDataset",
            "tools.runtime.errors": "Abort ToolError",
        },
    )

    def __getattr__(name: str) -> Any:
        if name not in __all__ and name.endswith(("Metric", "Eval")):  # one of DeepEval's, perhaps
            deepeval = import_module("rightcall.metrics.deepeval")
            if name in deepeval.INSTEAD:
                return deepeval.refused(name)  # says what to write instead
        return _found(name)
