"""Errors that no other arguments can fix stop the agent: a missing permission, data that must not be touched.

`Abort` ends the run of that case. The call still gets a result, so the transcript stays valid for every provider,
and the model is not asked again.
"""

import rightcall as rc

ACTIVE_ORDERS = {"usr_001": 2, "usr_002": 0}
accounts = {"usr_001", "usr_002"}


def deleting_as(role):
    """The tool for somebody who has this role."""

    @rc.tool(destructive=True)
    def delete_account(user_id: str) -> dict:
        """Delete an account and ALL its data. This cannot be undone.

        Args:
            user_id: The id of the user, such as usr_001.
        """
        if role != "admin":
            raise rc.Abort(f"delete_account needs the role admin, this is {role}")
        if ACTIVE_ORDERS[user_id]:
            raise rc.Abort(f"{user_id} has {ACTIVE_ORDERS[user_id]} open orders")
        accounts.discard(user_id)
        return {"deleted": user_id}

    return delete_account


def ended(role, user_id):
    """What became of a request to delete this account."""
    model = rc.scripted(
        lambda request: "Done." if request.turn else rc.ToolCall("delete_account", {"user_id": user_id})
    )
    agent = rc.Agent(model, tools=[deleting_as(role)], mode="loop", execute="real")
    golden = rc.Golden(f"Delete {user_id}", expected_calls=(rc.ExpectedCall("delete_account"),))
    (result,) = rc.evaluate(agent, [golden]).results
    print(
        role,
        user_id,
        "->",
        result.trajectory.stop_reason,
        result.trajectory.error or result.trajectory.output,
    )
    return result.trajectory


assert "needs the role admin" in ended("support", "usr_002").error
assert "2 open orders" in ended("admin", "usr_001").error
assert accounts == {"usr_001", "usr_002"}  # nothing was deleted
assert ended("admin", "usr_002").stop_reason == "done" and accounts == {"usr_001"}
