"""The schema tells a model what to send; the server still validates it, as for any client.

Wrong types, missing fields, texts that are too long: each is refused before the tool runs, with the field, what was
found and what to do. Extra arguments, a number as text and a null are no exception.
"""

import asyncio

import rightcall as rc

SEND_NOTIFICATION = {
    "name": "send_notification",
    "description": "Send a notification to a user. The same key is the same operation and safe to repeat.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "user_id": {"type": "string", "minLength": 1, "description": "Id such as usr_001."},
            "message": {"type": "string", "maxLength": 1000, "description": "At most 1,000 characters."},
            "idempotency_key": {
                "type": "string",
                "minLength": 1,
                "maxLength": 128,
                "description": "Such as notify_order_123.",
            },
        },
        "required": ["user_id", "message", "idempotency_key"],
    },
}
GOOD = {"user_id": "usr_001", "message": "Hello", "idempotency_key": "notify_order_123"}
toolbox = rc.Toolbox([rc.Tool.read(SEND_NOTIFICATION)])
context = toolbox.context(run="example", task="validation")


def outcome(arguments):
    return asyncio.run(toolbox.invoke(rc.ToolCall("send_notification", arguments, "call_1"), context)).call


for change in (
    {"user_id": ""},
    {"user_id": 17},
    {"user_id": None},
    {"message": "x" * 1001},
    {"idempotency_key": ""},
    {"idempotency_key": "k" * 129},
    {"urgent": True},
):
    refused = outcome(GOOD | change)
    print(refused.output["detail"][:80])
    assert refused.output["error"] == "invalid_args" and next(iter(change)) in refused.output["detail"]
assert outcome({"message": "Hello"}).status == "error"
assert outcome(GOOD).status == "ok"
