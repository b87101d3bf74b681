"""What can be learned from stored runs.

findings         why a run fails: evidence, causes, hypotheses, ranked
proposals        changes worth trying, whom they are meant for (exposure), what they become (patch), what they may not
                 do (leakage)
changes          what changed between two runs, and which flipped goldens that touches (attribution)
tool_evidence    which tools were confused and which parameters filled wrongly, and how often
confusion_count  which tool was called where another was expected; used by reports and the linter
rule_evidence    lint rules ranked by the mistakes made with the tools they flag
fault_effects    what faults changed
changed_tools    how tool definitions changed between runs
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.analysis.attribution import WhatChanged as WhatChanged, what_changed as what_changed
    from rightcall.analysis.changed_tools import changed_at as changed_at, tool_change as tool_change
    from rightcall.analysis.changes import ChangeItem as ChangeItem, run_changes as run_changes
    from rightcall.analysis.confusion_count import confusions as confusions
    from rightcall.analysis.exposure import (
        Exposed as Exposed,
        is_exposed as is_exposed,
        wanted_tool as wanted_tool,
    )
    from rightcall.analysis.fault_effects import FaultReport as FaultReport, fault_report as fault_report
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
    from rightcall.analysis.patch import (
        applied as applied,
        is_longer as is_longer,
        patch_of as patch_of,
        tokens_of as tokens_of,
    )
    from rightcall.analysis.perturb_effect import (
        PerturbEffect as PerturbEffect,
        PositionRate as PositionRate,
    )
    from rightcall.analysis.proposals import (
        Proposal as Proposal,
        proposal_for as proposal_for,
        proposals_of as proposals_of,
        together as together,
    )
    from rightcall.analysis.results_analysis import analyze_results as analyze_results
    from rightcall.analysis.rule_evidence import rule_effects as rule_effects
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
    from rightcall.analysis.said_values import held_values as held_values, still_holds as still_holds
    from rightcall.analysis.stored_analysis import analyze_run as analyze_run, trials_of as trials_of
    from rightcall.analysis.tool_evidence import (
        RunEvidence as RunEvidence,
        queries_of as queries_of,
        seen_in as seen_in,
    )
    from rightcall.analysis.undo import UndoneEffect as UndoneEffect, undone as undone
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "attribution": "WhatChanged what_changed",
            "changed_tools": "changed_at tool_change",
            "changes": "ChangeItem run_changes",
            "confusion_count": "confusions",
            "exposure": "Exposed is_exposed wanted_tool",
            "fault_effects": "FaultReport fault_report",
            "findings": "Analysis RunFinding WonBack analyze_trials",
            "said_values": "held_values still_holds",
            "hypothesis": "ProposedChange",
            "improvement": "ImproveOutcome Improvement ToolEffect Tried",
            "leakage": "refusal",
            "patch": "applied is_longer patch_of tokens_of",
            "perturb_effect": "PerturbEffect PositionRate",
            "proposals": "Proposal proposal_for proposals_of together",
            "results_analysis": "analyze_results",
            "rule_evidence": "rule_effects",
            "run_matrix": "GoldenMatrix TrendPoint golden_matrix group_trend",
            "run_setup": "AgentSetup RunRecord run_record",
            "stored_analysis": "analyze_run trials_of",
            "tool_evidence": "RunEvidence queries_of seen_in",
            "undo": "UndoneEffect undone",
        },
    )
