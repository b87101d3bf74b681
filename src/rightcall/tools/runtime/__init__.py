"""The runtime: one call from the model's request to its answer.

    pipeline      the stages in the order they happen; the one place to read it
    invocation    the call as it passes from stage to stage; call_outcome: how it ended
    toolbox       Toolbox: the tools of an agent, and where a call enters
    context       what belongs to one trial: its clock, ledger, counters and worlds
    turn          the calls of one turn: reads together, writes in order
    policy        what an agent is permitted to do, and what the runtime repeats where that can do no harm

The stages, in their order; those of `faults` and `idempotency` are in the rooms of that name:

    answer        ensures one outcome and one record for every call
    prepare       parse, resolve, validate, normalise, ask policy and confirmation
    batch         each item of a batch separately
    versions      check, then act, under the lock of a resource
    outcome       what the tool returned or raised, as an outcome
    execute       time limits, and the tool itself, its effect recorded in the ledger

Each stage is `(call, next)`: it does its part, calls `next(call)` or not, and returns how the call
ended. A stage knows nothing about those before it. To add one, write it and list it in `pipeline`.
"""
