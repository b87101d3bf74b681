"""Fault injection: what breaks, where and how often, and how the agent copes.

plan       fault plans, decided by a seed and written down before the run
inject     applies a plan to each call; `corrupt` changes results
tool_list  the list of tools as the model sees it
measures   what an agent did when tools failed, from the ledger and the calls
recovery   which calls only recover from faults

To add a fault, add a name to `plan.FaultType` with its phase, and its case in `inject` or `corrupt`.
"""

from typing import TYPE_CHECKING

from rightcall.window import window

if TYPE_CHECKING:
    from rightcall.tools.faults.measures import (
        FaultPair as FaultPair,
        FaultSummary as FaultSummary,
        blind_retries as blind_retries,
        claims_success as claims_success,
        double_effects as double_effects,
        effects_unrecorded as effects_unrecorded,
        fault_summary as fault_summary,
        fired_faults as fired_faults,
        in_plain_words as in_plain_words,
        lost_effects as lost_effects,
        verified_before_retry as verified_before_retry,
    )
    from rightcall.tools.faults.plan import (
        FaultPlan as FaultPlan,
        load_plan as load_plan,
        read_plan as read_plan,
    )
    from rightcall.tools.faults.recovery import (
        repeated_attempts as repeated_attempts,
        verifying_reads as verifying_reads,
    )
else:
    __getattr__, __dir__, __all__ = window(
        __name__,
        {
            "measures": (
                "FaultPair FaultSummary blind_retries claims_success double_effects effects_unrecorded fault_summary "
                "fired_faults in_plain_words lost_effects verified_before_retry "
            ),
            "plan": "FaultPlan load_plan read_plan",
            "recovery": "repeated_attempts verifying_reads",
        },
    )
