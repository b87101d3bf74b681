"""What can be learned from stored runs.

tool_evidence    which tools were confused and which parameters filled wrongly, and how often
confusion_count  which tool was called where another was expected; used by reports and the linter
rule_evidence    lint rules ranked by the mistakes made with the tools they flag
fault_effects    what faults changed
changed_tools    how tool definitions changed between runs
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.analysis.changed_tools import changed_at as changed_at, tool_change as tool_change
    from rightcall.analysis.confusion_count import confusions as confusions
    from rightcall.analysis.fault_effects import fault_report as fault_report
    from rightcall.analysis.rule_evidence import rule_effects as rule_effects
    from rightcall.analysis.tool_evidence import (
        RunEvidence as RunEvidence,
        queries_of as queries_of,
        seen_in as seen_in,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "changed_tools": "changed_at tool_change",
            "confusion_count": "confusions",
            "fault_effects": "fault_report",
            "rule_evidence": "rule_effects",
            "tool_evidence": "RunEvidence queries_of seen_in",
        },
    )
