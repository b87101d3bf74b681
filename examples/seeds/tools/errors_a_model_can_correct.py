"""A failure the model can correct is a reply, not an exception: what happened, and what to do next.

The model asks for "alice", is told where ids come from, and asks again with the right one. A reply without the hint
would have left it guessing.
"""

import rightcall as rc

USERS = {"usr_001": "alice"}


@rc.tool(read_only=True)
def list_users() -> dict:
    """List the ids and names of all users."""
    return USERS


@rc.tool(read_only=True)
def get_user(user_id: str) -> dict:
    """Look up a user by id; list_users gives the ids.

    Args:
        user_id: The id of the user, such as usr_001.
    """
    if user_id not in USERS:
        raise rc.ToolError(
            "not_found",
            f"there is no user '{user_id}'",
            hint="call list_users to find the id, such as usr_001",
        )
    return {"id": user_id, "name": USERS[user_id]}


def model(request):
    """In place of a model: does what the hint of the last reply says."""
    if not request.turn:
        return rc.ToolCall("get_user", {"user_id": "alice"})
    reply = request.messages[-1].results[0]
    if reply.is_error:
        assert "usr_001" in str(reply.output)
        return rc.ToolCall("get_user", {"user_id": "usr_001"})
    return "alice is usr_001."


agent = rc.Agent(rc.scripted(model), tools=[list_users, get_user], mode="loop", execute="real")
golden = rc.Golden(
    "Who is alice?",
    expected_calls=(rc.ExpectedCall("get_user", {"user_id": "usr_001"}),),
    count_failed="final",  # of repeated attempts the last one counts
)
(result,) = rc.evaluate(agent, [golden]).results
first, second = result.trajectory.calls
print(first.output)
print(second.output)
assert {
    "error",
    "detail",
    "hint",
} <= first.output.keys()  # no stack trace, no SQL: nothing to "fix" but the call
assert first.status == "error" and second.status == "ok" and result.passed
