"""A destructive tool that cannot be called without a token: a model without one cannot delete anything.

The first call does nothing and asks for confirmation. The token goes to the user, not to the model; it is good for this
tool and these arguments alone, and a token that was made up is refused.
"""

import asyncio

import rightcall as rc

accounts = {"usr_001", "usr_002"}


@rc.tool(
    destructive=True,
    resource_key="user_id",
    confirmation="user",
    preview=lambda arguments: "all data is lost",
)
def permanently_delete_account(user_id: str) -> dict:
    """PERMANENTLY delete an account with ALL its data; this cannot be undone. Do NOT use it to log somebody out.

    Args:
        user_id: The id of the user, such as usr_001.
    """
    accounts.discard(user_id)
    return {"deleted": user_id}


toolbox = rc.Toolbox([permanently_delete_account], execute="real")
context = toolbox.context(run="example", task="delete-usr_002")


def replied(**arguments):
    call = rc.ToolCall("permanently_delete_account", arguments, "call_1")
    return asyncio.run(toolbox.invoke(call, context)).call.output


asked = replied(user_id="usr_002")
print(asked["error"], "-", asked["detail"])
assert asked["error"] == "confirmation_required"
assert replied(user_id="usr_002", confirmation_token="made-up")["error"] == "confirmation_invalid"

token = toolbox.confirmation_token(
    rc.ToolCall("permanently_delete_account", {"user_id": "usr_002"}, "call_1"), context
)
assert token not in str(asked)  # the user was shown it, the model was not
assert (
    replied(user_id="usr_001", confirmation_token=token)["error"] == "confirmation_invalid"
)  # another account
assert accounts == {"usr_001", "usr_002"}
print(replied(user_id="usr_002", confirmation_token=token))
assert accounts == {"usr_001"}
