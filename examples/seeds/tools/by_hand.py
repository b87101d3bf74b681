"""A dispatcher as articles about tool design write it: errors as JSON with a hint. It stays as it is, and is tested."""

import json

import rightcall as rc

USERS = {"usr_001": {"id": "usr_001", "name": "Alice"}}
TOOLS = [
    {
        "name": "get_user",
        "description": "Look up a user by id, such as usr_001. Use it before anything is changed for a user.",
        "input_schema": {
            "type": "object",
            "properties": {"user_id": {"type": "string", "description": "Id of the user, such as usr_001."}},
            "required": ["user_id"],
        },
    }
]


def execute_tool(name, args):
    if name == "get_user" and args["user_id"] in USERS:
        return json.dumps(USERS[args["user_id"]])
    return json.dumps({"error": "User not found", "hint": "Ask for an id that begins with usr_."})


print(execute_tool("get_user", {"user_id": "alice"}))

model = rc.scripted({"Who is alice?": [rc.ToolCall("get_user", {"user_id": "alice"}), "Which id has she?"]})
agent = rc.Agent(model, tools=TOOLS, execute=execute_tool)
run = rc.evaluate(
    agent, [rc.Golden("Who is alice?", id="alice", expected_calls=[rc.ExpectedCall("get_user")])]
)
(call,) = run.results["alice"].trajectory.calls
print(call.status, call.output["detail"], "-", call.output["hint"])
assert (
    call.status == "error" and run.passed
)  # it was called as expected; that it failed is an error of the tool
