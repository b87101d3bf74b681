"""One id per task, used as a prefix of every key: a retry of the task repeats none of its effects.

The instructions give the model the prefix. The runtime adds run, task and trial to every key as well, so two tasks
that choose the same key never meet.
"""

import rightcall as rc

sent = []


@rc.tool(destructive=False, idempotency="key")
def send_notification(user_id: str, message: str) -> dict:
    """Send a notification to a user. It cannot be taken back.

    Args:
        user_id: The id of the user, such as usr_001.
        message: What to say.
    """
    sent.append(message)
    return {"success": True}


def model(request):
    """In place of a model: builds its key from the task in its instructions, and repeats itself once."""
    task = request.prompt.system.partition("task ")[2].partition(".")[0]
    call = {"user_id": "usr_001", "message": "Shipped", "idempotency_key": f"{task}_notify_usr_001"}
    return rc.ToolCall("send_notification", call) if request.turn < 2 else "Sent."


def golden(task):
    return rc.Golden(
        "Tell usr_001 that the order has shipped",
        id=task,
        system=f"You are working on task {task}. Begin every idempotency_key with the id of the task.",
        expected_calls=(
            rc.ExpectedCall(
                "send_notification",
                {"user_id": "usr_001", "message": "Shipped", "idempotency_key": {"regex": f"{task}_.+"}},
                max=2,
            ),
        ),
    )


agent = rc.Agent(rc.scripted(model), tools=[send_notification], mode="loop", execute="real")
run = rc.evaluate(agent, [golden("task-1"), golden("task-2")], metrics=["double_effects"])
print(len(sent), "notifications for two tasks with two calls each")
assert run.passed and len(sent) == 2
