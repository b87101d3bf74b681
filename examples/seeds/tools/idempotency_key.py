"""A tool with effects takes a key: the same key is the same operation, however often it is called.

The first attempt to notify a customer is lost on the way back. The model calls again with the same key, and the
customer is notified once. Without a key the second attempt would have been a second message, or a second payment.
"""

import asyncio

import rightcall as rc

sent = []


@rc.tool(destructive=False, idempotency="key")
def send_notification(user_id: str, message: str) -> dict:
    """Send a notification to a user. It cannot be taken back. Pass the same key again after a timeout.

    Args:
        user_id: The id of the user, such as usr_001.
        message: What to say.
    """
    sent.append((user_id, message))
    return {"success": True}


assert "idempotency_key" in send_notification.tool.input_schema["required"]
toolbox = rc.Toolbox([send_notification], execute="real")
context = toolbox.context(run="example", task="order-123")


def notify(key, message="Your order is on its way"):
    call = rc.ToolCall(
        "send_notification", {"user_id": "usr_001", "message": message, "idempotency_key": key}, "c"
    )
    return asyncio.run(toolbox.invoke(call, context))


first = notify("notify_order_123")
again = notify("notify_order_123")
print(len(sent), "notification sent by two calls; the second was answered from the first:", again.replayed)
assert len(sent) == 1 and again.replayed and not first.replayed

other = notify("notify_order_123", message="Your order is late")  # the key of another operation
print(other.call.output["error"])
assert other.call.output["error"] == "idempotency_key_reused" and len(sent) == 1
assert not notify("notify_order_124").replayed and len(sent) == 2
