"""What can be learned from stored runs.

run_analysis     why a run fails: streamed from the store, or from results in memory
findings         the result: symptoms and evidence, causes, hypotheses, ranked
proposals        changes worth trying, where each can act, what they become (patch), what they may not do (leakage)
changes          what changed between two runs, and which flipped goldens that touches (attribution)
tool_evidence    which tools were confused and which parameters filled wrongly, and how often; used by reports and lint
lint_evidence    lint rules ranked by the mistakes made with the tools they flag
robustness       what faults and harmless changes did to a run
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.analysis.argument_kind import held_values as held_values, still_holds as still_holds
    from rightcall.analysis.attribution import WhatChanged as WhatChanged, what_changed as what_changed
    from rightcall.analysis.changes import (
        ChangeItem as ChangeItem,
        changed_at as changed_at,
        run_changes as run_changes,
        tool_change as tool_change,
    )
    from rightcall.analysis.findings import (
        Analysis as Analysis,
        RunFinding as RunFinding,
        WonBack as WonBack,
        analyze_trials as analyze_trials,
    )
    from rightcall.analysis.hypothesis import ProposedChange as ProposedChange
    from rightcall.analysis.improvement import (
        Improvement as Improvement,
        ImproveOutcome as ImproveOutcome,
        ToolEffect as ToolEffect,
        Tried as Tried,
    )
    from rightcall.analysis.leakage import refusal as refusal
    from rightcall.analysis.lint_evidence import rule_effects as rule_effects
    from rightcall.analysis.patch import (
        UndoneEffect as UndoneEffect,
        applied as applied,
        is_longer as is_longer,
        patch_of as patch_of,
        tokens_of as tokens_of,
        undone as undone,
    )
    from rightcall.analysis.proposals import (
        Exposed as Exposed,
        Proposal as Proposal,
        is_exposed as is_exposed,
        proposal_for as proposal_for,
        proposals_of as proposals_of,
        together as together,
        wanted_tool as wanted_tool,
    )
    from rightcall.analysis.robustness import (
        FaultReport as FaultReport,
        PerturbEffect as PerturbEffect,
        PositionRate as PositionRate,
        fault_report as fault_report,
    )
    from rightcall.analysis.run_analysis import (
        analyze_results as analyze_results,
        analyze_run as analyze_run,
        trials_of as trials_of,
    )
    from rightcall.analysis.run_matrix import (
        GoldenMatrix as GoldenMatrix,
        TrendPoint as TrendPoint,
        golden_matrix as golden_matrix,
        group_trend as group_trend,
    )
    from rightcall.analysis.run_setup import (
        AgentSetup as AgentSetup,
        RunRecord as RunRecord,
        run_record as run_record,
    )
    from rightcall.analysis.tool_evidence import (
        RunEvidence as RunEvidence,
        confusions as confusions,
        queries_of as queries_of,
        seen_in as seen_in,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "argument_kind": "held_values still_holds",
            "attribution": "WhatChanged what_changed",
            "changes": "ChangeItem changed_at run_changes tool_change",
            "findings": "Analysis RunFinding WonBack analyze_trials",
            "hypothesis": "ProposedChange",
            "improvement": "ImproveOutcome Improvement ToolEffect Tried",
            "leakage": "refusal",
            "lint_evidence": "rule_effects",
            "patch": "UndoneEffect applied is_longer patch_of tokens_of undone",
            "proposals": "Exposed Proposal is_exposed proposal_for proposals_of together wanted_tool",
            "robustness": "FaultReport PerturbEffect PositionRate fault_report",
            "run_analysis": "analyze_results analyze_run trials_of",
            "run_matrix": "GoldenMatrix TrendPoint golden_matrix group_trend",
            "run_setup": "AgentSetup RunRecord run_record",
            "tool_evidence": "RunEvidence confusions queries_of seen_in",
        },
    )
