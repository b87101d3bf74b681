"""One call from start to end, with exactly one outcome: the stages, in the order they happen.

Each is `(call, next)`, in the file it is imported from. Nothing can happen before the arguments are valid, and nothing
is run before its key is committed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from rightcall.tools.attacks.call_stage import plant_in_call
from rightcall.tools.faults.inject import PlannedFaults
from rightcall.tools.idempotency.guard import Idempotency
from rightcall.tools.runtime.answer import Answers
from rightcall.tools.runtime.batch import Batches
from rightcall.tools.runtime.call_outcome import Invocation
from rightcall.tools.runtime.execute import deadline, perform
from rightcall.tools.runtime.invocation import ActiveCall, Stage, chain_stages
from rightcall.tools.runtime.outcome import Outcomes
from rightcall.tools.runtime.policy import RuntimeRetries, ToolRules
from rightcall.tools.runtime.prepare import Preparer
from rightcall.tools.runtime.recorded_call import recorded_call
from rightcall.tools.runtime.versions import Versions


def pipeline(
    preparer: Preparer,
    idempotency: Idempotency,
    rules: ToolRules,
    faults: PlannedFaults | None,
    *,
    plants: bool = False,
) -> Callable[[ActiveCall], Awaitable[Invocation]]:
    """The stages of a call, in order; those with nothing to do are left out."""
    stages: list[Stage | None] = [
        Answers(rules.strict, rules.mark_replayed),  # every call has exactly one outcome
        preparer,  # parse, resolve, validate, normalise, policy, confirmation
        plant_in_call if plants else None,  # an attacker's error, or his text in a copy of the result
        faults.deliver if faults else None,  # lose the key, deliver twice
        RuntimeRetries(rules.retries) if rules.retries.most else None,  # where that can do no harm
        Batches(faults.arm if faults else None),  # each item separately from here on
        recorded_call,  # of a real tool: from here on a replay runs nothing
        idempotency.once,  # claim the key, or answer from its record
        deadline,  # the following stages run to completion, even if no longer awaited
        idempotency.record,  # record how the attempt ended, early or late
        Versions(rules.strict),  # check, then act, under the lock of the resource
        Outcomes(rules.strict),  # a result or an exception becomes an outcome
        faults.strike if faults else None,  # refuse, delay, lose the answer, damage the result
    ]
    # At the end `perform` runs the tool and records its effect in the ledger, whatever happens to its answer.
    return chain_stages([stage for stage in stages if stage is not None], perform)
