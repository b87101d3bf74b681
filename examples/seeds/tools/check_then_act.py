"""A tool that checks before it acts needs no key: running it twice has the effect of running it once.

`action_taken` in the result tells the model whether anything changed, so that it does not report a change that did
not happen.
"""

import asyncio

import rightcall as rc

tags = {"usr_001": {"vip"}}


@rc.tool(destructive=False, idempotent=True, resource_key="user_id")
def add_tag_to_user(user_id: str, tag: str) -> dict:
    """Add a tag to a user. A tag that is there already is left as it is.

    Args:
        user_id: The id of the user, such as usr_001.
        tag: The tag to add.
    """
    if tag in tags[user_id]:
        return {"action_taken": False, "detail": f"{user_id} has the tag '{tag}' already"}
    tags[user_id].add(tag)
    return {"action_taken": True, "detail": f"'{tag}' was added to {user_id}"}


toolbox = rc.Toolbox([add_tag_to_user], execute="real")
context = toolbox.context(run="example", task="tagging")


def tagged(tag):
    call = rc.ToolCall("add_tag_to_user", {"user_id": "usr_001", "tag": tag}, "call_1")
    return asyncio.run(toolbox.invoke(call, context)).call.output


for tag, changed in (("beta", True), ("beta", False), ("vip", False)):
    print(tagged_output := tagged(tag))
    assert tagged_output["action_taken"] is changed
assert tags == {"usr_001": {"vip", "beta"}}
