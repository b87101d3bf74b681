"""Runs suites: combines datasets, tools and metrics.

suite, suite_plan             suite.yaml, and the plan made from it
named_models, asked_hosts     the models it names, and who asks which host
plan                          everything a run needs, with the selection and order of goldens
preparation                   prepares a plan: every problem found, its agent opened once, nothing spent yet
runner, live_run, sink, run_record  runs a plan; results are on disk before they count
done_cells                    what a resumed run need not run again
backend, case_runner          where trials take place, in this process or elsewhere; secrets are removed
conversations                 the conversations that a golden stands for, and who plays their users
suite_run                     runs of a suite: a plan per model, estimates, faulty and named runs
outcome, decisions, answers   verdicts, ending early, deciding about stored runs, runs in which nothing arrived
recorded_scores, rescorer     score recorded behaviour, or a stored run again
cost_estimate                 what a run would send; definition_cost: what definitions cost in a run
agent_exchange                requests to services and programs, and where their spans are received
inputs, reach                 what reaches the model, what of it changed, which goldens that can reach
agent_sources, watched_inputs, watch_comparison  code of an agent: whether it can be compared, what it reads, what of
                              that changed
baseline_file, baseline_pool  what main did, in a file or out of the store
perturbations/, perturbed_run  harmless changes, paired with clean runs
improvement/                  changes of definitions, tried and proven
suite_check                   the one command of a pull request: check_design, check_trials, check_outcome,
check_notes, check_words, check_record  are its plan, its trials, its result, and what is said and kept of them
package_versions              SDKs and frameworks of agents that are code
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.suite.answers import unanswered_sentence as unanswered_sentence
    from rightcall.suite.asked_hosts import (
        RoleHost as RoleHost,
        role_hosts as role_hosts,
        role_models as role_models,
    )
    from rightcall.suite.backend import (
        Backend as Backend,
        Batch as Batch,
        Cell as Cell,
        InProcess as InProcess,
        LimitedLag as LimitedLag,
        RunWork as RunWork,
        Take as Take,
    )
    from rightcall.suite.base_version import BaseVersion as BaseVersion
    from rightcall.suite.baseline_file import (
        BaselinePool as BaselinePool,
        is_baseline as is_baseline,
        load_baseline as load_baseline,
        merged as merged,
        write_baseline as write_baseline,
    )
    from rightcall.suite.baseline_pool import find_baseline as find_baseline, pooled as pooled
    from rightcall.suite.bisection import bisect_changes as bisect_changes
    from rightcall.suite.case_runner import CaseRunner as CaseRunner, ResultScrubber as ResultScrubber
    from rightcall.suite.conversations import (
        as_user as as_user,
        conversation_problem as conversation_problem,
        conversations_of as conversations_of,
    )
    from rightcall.suite.cost_estimate import (
        CHARACTERS_PER_TOKEN as CHARACTERS_PER_TOKEN,
        EXPECTED_OUTPUT_TOKENS as EXPECTED_OUTPUT_TOKENS,
        CostEstimate as CostEstimate,
        estimate as estimate,
    )
    from rightcall.suite.decisions import (
        RunComparison as RunComparison,
        compare_runs as compare_runs,
        flakiness as flakiness,
        gate_run as gate_run,
    )
    from rightcall.suite.definition_cost import (
        DefinitionCost as DefinitionCost,
        cost_of_definitions as cost_of_definitions,
    )
    from rightcall.suite.editor_schema import suite_schema as suite_schema
    from rightcall.suite.improvement.file_patch import file_patch as file_patch
    from rightcall.suite.improvement.gepa_engine import GepaEngine as GepaEngine
    from rightcall.suite.improvement.options import (
        ImproveOptions as ImproveOptions,
        ProposalTask as ProposalTask,
        proposer as proposer,
    )
    from rightcall.suite.improvement.protocol import improve_plan as improve_plan
    from rightcall.suite.improvement.rewriter import Rewriter as Rewriter
    from rightcall.suite.live_run import Progress as Progress, RunOutcome as RunOutcome
    from rightcall.suite.named_models import suite_models as suite_models
    from rightcall.suite.outcome import nothing_checked as nothing_checked
    from rightcall.suite.perturbations.requests import (
        paraphrased as paraphrased,
        read_paraphrases as read_paraphrases,
        write_paraphrases as write_paraphrases,
    )
    from rightcall.suite.perturbed_run import run_perturbed as run_perturbed
    from rightcall.suite.plan import Plan as Plan, Selection as Selection
    from rightcall.suite.preparation import (
        PlanWarning as PlanWarning,
        Prepared as Prepared,
        preflight as preflight,
        preflight_all as preflight_all,
    )
    from rightcall.suite.reach import input_changes as input_changes
    from rightcall.suite.recorded_scores import (
        score_cases as score_cases,
        score_pairs as score_pairs,
        score_recorded as score_recorded,
    )
    from rightcall.suite.request import (
        EvaluateOptions as EvaluateOptions,
        EvaluateRequest as EvaluateRequest,
        deepeval_options as deepeval_options,
        gate_of as gate_of,
        read_request as read_request,
    )
    from rightcall.suite.rescorer import (
        RescoreShard as RescoreShard,
        RescoreTask as RescoreTask,
        Spread as Spread,
        rescore_run as rescore_run,
    )
    from rightcall.suite.run_record import new_run_id as new_run_id
    from rightcall.suite.runner import run_plan as run_plan
    from rightcall.suite.sink import Sink as Sink, stored_batch as stored_batch
    from rightcall.suite.stored_cases import keep_cases as keep_cases
    from rightcall.suite.suite import Suite as Suite, WorkersConfig as WorkersConfig, load_suite as load_suite
    from rightcall.suite.suite_actions import (
        FILE_MODELS as FILE_MODELS,
        Action as Action,
        actions as actions,
        fingerprint as fingerprint,
        is_code as is_code,
        judge_files as judge_files,
        listen_actions as listen_actions,
        metric_actions as metric_actions,
        record_settings as record_settings,
        recordings_folder as recordings_folder,
        with_record_mode as with_record_mode,
        without_credentials as without_credentials,
    )
    from rightcall.suite.suite_check import CheckOptions as CheckOptions, check_suite as check_suite
    from rightcall.suite.suite_plan import plan_suite as plan_suite
    from rightcall.suite.suite_run import (
        SuiteRun as SuiteRun,
        add_to_baseline as add_to_baseline,
        require_same_setup as require_same_setup,
        run_named as run_named,
        run_with_control as run_with_control,
        stored_outcome as stored_outcome,
        without_faults as without_faults,
    )
    from rightcall.suite.trust import (
        agent_of_run as agent_of_run,
        in_project as in_project,
        require_approval as require_approval,
        require_trust as require_trust,
    )
    from rightcall.suite.watched_inputs import (
        AgentWatch as AgentWatch,
        WatchedInputs as WatchedInputs,
        imports_of as imports_of,
        joined_watches as joined_watches,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "answers": "unanswered_sentence",
            "backend": "Backend Batch Cell InProcess LimitedLag RunWork Take",
            "base_version": "BaseVersion",
            "baseline_file": "BaselinePool is_baseline load_baseline merged write_baseline",
            "baseline_pool": "find_baseline pooled",
            "bisection": "bisect_changes",
            "case_runner": "CaseRunner ResultScrubber",
            "conversations": "as_user conversation_problem conversations_of",
            "cost_estimate": "CHARACTERS_PER_TOKEN CostEstimate EXPECTED_OUTPUT_TOKENS estimate",
            "decisions": "RunComparison compare_runs flakiness gate_run",
            "definition_cost": "DefinitionCost cost_of_definitions",
            "editor_schema": "suite_schema",
            "improvement.file_patch": "file_patch",
            "improvement.gepa_engine": "GepaEngine",
            "improvement.options": "ImproveOptions ProposalTask proposer",
            "improvement.protocol": "improve_plan",
            "improvement.rewriter": "Rewriter",
            "live_run": "Progress RunOutcome",
            "perturbations.requests": "paraphrased read_paraphrases write_paraphrases",
            "perturbed_run": "run_perturbed",
            "outcome": "nothing_checked",
            "plan": "Plan Selection",
            "preparation": "PlanWarning Prepared preflight preflight_all",
            "reach": "input_changes",
            "recorded_scores": "score_cases score_pairs score_recorded",
            "request": "EvaluateOptions EvaluateRequest deepeval_options gate_of read_request",
            "rescorer": "RescoreShard RescoreTask Spread rescore_run",
            "asked_hosts": "RoleHost role_hosts role_models",
            "run_record": "new_run_id",
            "runner": "run_plan",
            "sink": "Sink stored_batch",
            "stored_cases": "keep_cases",
            "suite": "Suite WorkersConfig load_suite",
            "suite_actions": "Action FILE_MODELS actions fingerprint is_code judge_files listen_actions "
            "metric_actions record_settings recordings_folder with_record_mode without_credentials",
            "suite_check": "CheckOptions check_suite",
            "named_models": "suite_models",
            "suite_plan": "plan_suite",
            "suite_run": "SuiteRun add_to_baseline require_same_setup run_named run_with_control stored_outcome "
            "without_faults",
            "trust": "agent_of_run in_project require_approval require_trust",
            "watched_inputs": "AgentWatch WatchedInputs imports_of joined_watches",
        },
    )
