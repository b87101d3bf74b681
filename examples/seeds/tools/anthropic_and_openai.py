"""Two formats for one tool: `input_schema` or `function.parameters`, a mapping or JSON text, blocks or a message.

RightCall reads definitions and transcripts of either, so an agent built on one SDK is scored like one on the other.
"""

import json

import rightcall as rc

SCHEMA = {
    "type": "object",
    "properties": {"user_id": {"type": "string", "description": "Id of the user, such as usr_001."}},
    "required": ["user_id"],
}
ANTHROPIC = {"name": "get_user", "description": "Look up a user.", "input_schema": SCHEMA}
OPENAI = {
    "type": "function",
    "function": {"name": "get_user", "description": "Look up a user.", "parameters": SCHEMA},
}
assert rc.Tool.read(ANTHROPIC) == rc.Tool.read(OPENAI)
assert rc.Tool.read(ANTHROPIC).write("openai") == OPENAI

USER = {"id": "usr_001", "name": "Alice"}
anthropic_messages = [
    {"role": "user", "content": "Who is usr_001?"},
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "Let me look."},
            {"type": "tool_use", "id": "t1", "name": "get_user", "input": {"user_id": "usr_001"}},
        ],
    },
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": json.dumps(USER)}]},
    {"role": "assistant", "content": [{"type": "text", "text": "It is Alice."}]},
]
openai_messages = [
    {"role": "user", "content": "Who is usr_001?"},
    {
        "role": "assistant",
        "content": "Let me look.",
        "tool_calls": [
            {
                "id": "t1",
                "type": "function",
                "function": {"name": "get_user", "arguments": json.dumps({"user_id": "usr_001"})},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "t1", "content": json.dumps(USER)},
    {"role": "assistant", "content": "It is Alice."},
]

golden = rc.Golden("Who is usr_001?", expected_calls=(rc.ExpectedCall("get_user", {"user_id": "usr_001"}),))
for name, messages in (("anthropic", anthropic_messages), ("openai", openai_messages)):
    trajectory = rc.Trajectory.read(messages)
    verdict = rc.score_trajectory(golden, trajectory)
    print(
        name,
        trajectory.calls[0].name,
        trajectory.calls[0].arguments,
        "passed" if verdict.passed else "failed",
    )
    assert verdict.passed and trajectory.output == "It is Alice."
