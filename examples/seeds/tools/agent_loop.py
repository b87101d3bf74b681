"""The whole flow: offer tools, run the requested calls, return every result, stop at the answer.

One reply may hold several calls; they are run together, and each gets one result under its own id. The model here
is a script; put `rc.Agent("anthropic:claude-sonnet-5", …)` in its place to use a real one.
"""

from typing import Literal

import rightcall as rc

USERS = {"usr_001": {"name": "Alice", "status": "active"}, "usr_002": {"name": "Bob", "status": "inactive"}}


@rc.tool(read_only=True)
def get_user(user_id: str) -> dict:
    """Look up a user by id. Returns the name and the status of the account.

    Args:
        user_id: The id of the user, such as usr_001.
    """
    if user_id not in USERS:
        raise rc.ToolError("not_found", f"there is no user '{user_id}'", hint="use an id such as usr_001")
    return USERS[user_id]


@rc.tool(destructive=False, idempotent=True)
def deactivate_user_session(
    user_id: str, reason: Literal["user_request", "security_incident", "admin_action", "expired"]
) -> dict:
    """End the session of a user, who has to log in again. The account and its data stay as they are.

    Args:
        user_id: The id of the user, such as usr_001.
        reason: Why, for the audit log.
    """
    get_user.function(user_id)
    return {"action": "session_deactivated", "user_id": user_id, "reason": reason}


QUESTION = "Look up usr_001 and log them out: it is a security incident."
both = [
    rc.ToolCall("get_user", {"user_id": "usr_001"}),
    rc.ToolCall("deactivate_user_session", {"user_id": "usr_001", "reason": "security_incident"}),
]
model = rc.scripted({QUESTION: [both, "Alice has been logged out."]})
agent = rc.Agent(model, tools=[get_user, deactivate_user_session], mode="loop", execute="real")
golden = rc.Golden(
    QUESTION,
    expected_calls=tuple(rc.ExpectedCall(call.name, call.arguments) for call in both),
    output_contains=("Alice",),
)
(result,) = rc.evaluate(agent, [golden]).results
trajectory = result.trajectory

for call in trajectory.calls:
    print(call.step, call.name, "->", call.output)
print(trajectory.output)
assert result.passed and trajectory.calls[0].step == trajectory.calls[1].step  # asked for at once
told = [result.call_id for message in trajectory.messages for result in message.results]
assert told == [call.id for call in trajectory.calls]  # as many results as calls, each under its id

# A model that never comes to an end is stopped by a limit, and that is a failure of the agent.
restless = rc.scripted(lambda request: rc.ToolCall("get_user", {"user_id": "usr_002"}))
agent = rc.Agent(restless, tools=[get_user], mode="loop", execute="real", limits=rc.Limits(calls=5))
(stopped,) = rc.evaluate(
    agent, [rc.Golden("Who is Bob?", expected_calls=(rc.ExpectedCall("get_user"),))]
).results
print(stopped.trajectory.stop_reason, "after", len(stopped.trajectory.calls), "calls")
assert not stopped.passed and stopped.trajectory.stop_reason == "limit"
