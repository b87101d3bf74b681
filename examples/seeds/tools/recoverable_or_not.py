"""Six kinds of failure: three go back to the model with a hint, three stop the agent.

A tool raises `ToolError` for what the model can deal with and `Abort` for what it must not. What it raises by
accident is masked, so that no stack trace or SQL reaches the model.
"""

import asyncio

import rightcall as rc

KINDS = {
    "wrong input": rc.ToolError(
        "invalid_args", "user_id has the wrong form", hint="use an id such as usr_001"
    ),
    "no such record": rc.ToolError(
        "not_found", "there is no order A-9", hint="call search_orders with the e-mail"
    ),
    "service busy": rc.ToolError(
        "rate_limited", "too many requests", hint="call again in 30 s", retry_after_s=30
    ),
    "no permission": rc.Abort("this needs the role admin"),
    "data would contradict itself": rc.Abort("the order is active and cannot be deleted"),
    "lost database": rc.Abort("the connection to the database is lost", effect="unknown"),
}


@rc.tool(read_only=True)
def look_up(kind: str) -> dict:
    """Fail in the way that is asked for.

    Args:
        kind: Which way.
    """
    raise KINDS[kind]


toolbox = rc.Toolbox([look_up], execute="real")
context = toolbox.context(run="example", task="failures")
outcomes = {}
for kind in KINDS:
    try:
        (made,) = asyncio.run(toolbox.invoke_turn([rc.ToolCall("look_up", {"kind": kind}, kind)], context))
        outcomes[kind] = f"told: {made.call.output['hint']}"
    except rc.Aborted as stop:
        outcomes[kind] = f"stopped: {stop.reason}"
    print(f"{kind:<30} {outcomes[kind]}")

assert [outcome.split(":")[0] for outcome in outcomes.values()] == ["told"] * 3 + ["stopped"] * 3
