"""The public names, each with its home: what editors, mypy and, at run time, `rightcall/__init__.py` read."""

from rightcall.agents.agent import Agent as Agent
from rightcall.agents.limits import Limits as Limits
from rightcall.agents.observed.observed_agent import observe as observe
from rightcall.api.decisions import check as check, compare as compare, gate as gate, trend as trend
from rightcall.api.evaluation import (
    aevaluate as aevaluate,
    analyze as analyze,
    evaluate as evaluate,
    rescore as rescore,
    score_cases as score_cases,
)
from rightcall.api.goldens import load_dataset as load_dataset
from rightcall.api.guards import guard as guard
from rightcall.api.improvement import improve as improve
from rightcall.api.recorded_scores import score as score
from rightcall.api.run_result import RunResult as RunResult
from rightcall.api.suite_run import run_suite as run_suite
from rightcall.api.testing.assertion import assert_test as assert_test
from rightcall.api.tool_lint import lint as lint
from rightcall.core import errors as errors
from rightcall.limbs.attacks.attacked_plan import attacks as attacks
from rightcall.limbs.attacks.worst_case.suite_replay import worst_case as worst_case
from rightcall.limbs.audit.suite_audit import audit as audit
from rightcall.limbs.monitor.monitor import Monitor as Monitor
from rightcall.limbs.traces.reader import load_traces as load_traces
from rightcall.metrics.base import Metric as Metric
from rightcall.metrics.case_result import score_trajectory as score_trajectory
from rightcall.providers.scripted import scripted as scripted
from rightcall.records import (
    Caller as Caller,
    ConversationalGolden as ConversationalGolden,
    ConversationalTestCase as ConversationalTestCase,
    ExpectedCall as ExpectedCall,
    Golden as Golden,
    Message as Message,
    Score as Score,
    TestCase as TestCase,
    Tool as Tool,
    ToolCall as ToolCall,
    Trajectory as Trajectory,
    Turn as Turn,
)
from rightcall.stats.judged_rate import judged_rate as judged_rate
from rightcall.stats.label_plan import label_plan as label_plan
from rightcall.tools.definitions.function import tool as tool
from rightcall.tools.definitions.source import load_tools as load_tools
from rightcall.tools.runtime.errors import Abort as Abort, Aborted as Aborted, ToolError as ToolError
from rightcall.tools.runtime.toolbox import Toolbox as Toolbox
