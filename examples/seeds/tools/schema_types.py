"""The more a schema says, the less a model has to guess, and the more a server can reject.

A list says what its items are and how many there may be, a number says its range, a switch says its default. What
the model sends is checked against the schema before the tool runs, and the refusal says what to write instead.
"""

import asyncio

import rightcall as rc

PROCESS_USERS = {
    "name": "process_users",
    "description": "Recalculate the statistics of users after an import. Changes nothing when dry_run is true.",
    "input_schema": {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "user_ids": {
                "type": "array",
                "items": {"type": "string"},
                "maxItems": 100,
                "description": "Ids of users such as usr_001, at most 100 in one call.",
            },
            "dry_run": {"type": "boolean", "default": False, "description": "Only report what would change."},
            "priority": {
                "type": "integer",
                "minimum": 1,
                "maximum": 10,
                "description": "1 is the lowest, 10 the highest.",
            },
        },
        "required": ["user_ids"],
    },
}

only_in_words = {
    "user_ids": {"type": "array", "items": {"type": "string"}, "description": "User ids. Max 100 per call."},
    "dry_run": {"type": "boolean", "description": "If true, only report what would change. Default false."},
    "reason": {"type": "string", "enum": ["import_run", "admin_action"], "description": "Why it is needed."},
}
in_words = {**PROCESS_USERS, "input_schema": {**PROCESS_USERS["input_schema"], "properties": only_in_words}}
found = {finding.code: finding.hint for finding in rc.lint([rc.Tool.read(in_words)]).diagnostics}
print(found["TD321"], found["TD211"], found["TD322"], sep="; ")  # limit, default, values
assert (found["TD321"], found["TD211"]) == ('add "maxItems": 100', 'add "default": false')

toolbox = rc.Toolbox([rc.Tool.read(PROCESS_USERS)])
context = toolbox.context(run="example", task="statistics")


def replied(**arguments):
    """What the model is told about a call with these arguments."""
    return asyncio.run(toolbox.invoke(rc.ToolCall("process_users", arguments, "call_1"), context)).call


for arguments, word in (
    ({"user_ids": "usr_001"}, "user_ids"),  # a text, not a list of texts
    ({"user_ids": ["usr_001"], "priority": 11}, "priority"),  # beyond the maximum
    ({"user_ids": ["usr_001"], "dry_run": "yes"}, "dry_run"),  # a text, not true or false
    ({"user_ids": ["u"] * 101}, "user_ids"),  # too many
    ({"priority": 3}, "user_ids"),  # the one parameter that is required
):
    refused = replied(**arguments)
    print(refused.output["detail"])
    assert refused.output["error"] == "invalid_args" and word in refused.output["detail"]

assert replied(user_ids=["usr_001"], priority=10).status == "ok"
