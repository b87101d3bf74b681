"""The runtime: one call from the model's request to its answer.

    pipeline      the stages in the order they happen; the one place to read it; the short stages themselves:
                  one outcome and one record for every call, each item of a batch, versions of a resource
    invocation    the call as it passes from stage to stage; the calls of one turn: reads together, writes in order
    call_outcome  how it ended, with its result as JSON
    toolbox       Toolbox: the tools of an agent, and where a call enters
    context       what belongs to one trial: its clock, ledger, counters and worlds
    policy        what an agent is permitted to do, what is approved, and what stops it

The stages, in their order; those of `faults` and `idempotency` are in the rooms of that name:

    prepare       parse, resolve, validate, normalise, ask for permissions and confirmation
    call_record   what the tool returned or raised, as an outcome
    execute       time limits, and the tool itself, its effect recorded in the ledger; or a recording instead of it

Each stage is `(call, next)`: it does its part, calls `next(call)` or not, and returns how the call
ended. A stage knows nothing about those before it. To add one, write it and list it in `pipeline`.

    bound_tool   a tool in a toolbox, and the ways to run one: the function, a mock, a world, a generated answer
    errors       the error contract: what a model reads when a call fails, and what to do next
    json_values  JSON values
    mocks        mocks: canned results for tools, so that a suite has no side effects
"""
