"""A golden is a test case without an answer: the input, the expected output, and notes.

Only `input` (or `scenario`) is needed. What an agent did (`actual_output`, `tools_called`, `retrieval_context`) is
filled in when it is evaluated. DeepEval's words and ours may be used side by side.
"""

from rightcall import ConversationalGolden, Golden, ToolCall, Turn

golden = Golden(
    input="Refund order A-7",
    expected_output="The refund has been made.",
    context=["Refunds take 3 days."],
    expected_tools=[ToolCall(name="refund_order", input_parameters={"order_id": "A-7"})],
    additional_metadata={"team": "shop"},
    comments="From a ticket.",
    custom_column_key_values={"priority": "high"},
)
print(golden.expected_calls[0].tool, golden.expected_calls[0].args, golden.metadata, golden.custom_columns)
assert golden.expected_calls[0].args == {"order_id": "A-7"}
assert golden.actual_output is golden.tools_called is golden.retrieval_context is None

conversation = ConversationalGolden(
    scenario="A user asks where the refund is, and was told to wait.",
    expected_outcome="The user learns when the money arrives.",
    user_description="Impatient, writes short sentences.",
    context=["Refunds take 3 days."],
    additional_metadata={"team": "shop"},
    turns=[Turn(role="user", content="Where is my money?"), Turn(role="assistant", content="On its way.")],
)
print(conversation.scenario, len(conversation.turns), "turns so far")
assert conversation.turns[0].role == "user"
