"""What was passed to a constructor is read back from the object."""

from deepeval.dataset import ConversationalGolden, Golden, Persona
from deepeval.test_case import ConversationalTestCase, LLMTestCase, ToolCall, ToolCallType, Turn

call = ToolCall(
    name="search", description="Finds", reasoning="asked", input_parameters={"q": {"text": "x"}}, output=[1]
)
other = ToolCall(name="fetch", type=ToolCallType.MCP)
golden = Golden(
    input="Hi", expected_output="Hello", context=["a"], retrieval_context=["b"], expected_tools=[call, other],
    tools_called=[other], additional_metadata={"k": 1}, comments="c", name="n", source_file="f",
    custom_column_key_values={"x": "y"}, actual_output="Hey", token_cost=0.5,
)  # fmt: skip
case = LLMTestCase(
    input=golden.input, actual_output="Hey", expected_output=golden.expected_output, context=golden.context,
    retrieval_context=golden.retrieval_context, tools_called=[call], expected_tools=golden.expected_tools,
    metadata=golden.additional_metadata, comments="c", name="n", tags=["t"], token_cost=0.5, input_token_count=7,
    output_token_count=8, completion_time=2.5, custom_column_key_values={"x": "y"},
)  # fmt: skip
talk = ConversationalTestCase(
    scenario="s", expected_outcome="e", chatbot_role="r", context=["a"], name="n", comments="c",
    turns=[Turn(role="user", content="u", user_id="7"), Turn(role="assistant", content="a", tools_called=[call])],
)  # fmt: skip
persona = ConversationalGolden(scenario="s", persona=Persona(name="Lan", characteristics="calm"))


def shown(value):
    if isinstance(value, (list, tuple)):
        return [shown(one) for one in value]
    if hasattr(value, "input_parameters"):
        return shown([value.name, value.type.value, value.description, value.reasoning, value.input_parameters, value.output])  # fmt: skip
    if hasattr(value, "role"):
        return shown([value.role, value.content, value.tools_called])
    return value


OF_GOLDEN = "input expected_output context retrieval_context expected_tools tools_called additional_metadata comments name source_file custom_column_key_values actual_output token_cost"  # fmt: skip
OF_CASE = "input actual_output expected_output context retrieval_context metadata tools_called comments expected_tools token_cost input_token_count output_token_count completion_time flaky multimodal name tags mcp_servers custom_column_key_values expectations expected_labels"  # fmt: skip
OF_TALK = "scenario expected_outcome chatbot_role context name comments turns tags expectations"
for record, names in ((golden, OF_GOLDEN), (case, OF_CASE), (talk, OF_TALK)):
    for name in names.split():
        print("RESULT", type(record).__name__[-8:], name, shown(getattr(record, name)))
print("RESULT", persona.persona.name, persona.persona.characteristics)
