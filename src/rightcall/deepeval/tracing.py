"""DeepEval's tracing has no equivalent under its names: importing one says how a test records what the agent did."""

from rightcall.deepeval.names import refuse_names

INSTEAD = (
    "inside a loop over evals_iterator() record what the agent did with dataset.add_test_case(LLMTestCase(…)) or "
    "dataset.evaluate(…), or let RightCall observe the agent: rightcall.observe(agent)"
)
NAMES = """
observe trace update_current_span update_current_trace update_agent_span update_llm_span update_tool_span
update_retriever_span next_span next_agent_span next_llm_span next_tool_span next_retriever_span current_span_context
current_trace_context trace_manager flush_traces a_flush_traces BaseSpan Trace LlmSpanContext AgentSpanContext
evaluate_span evaluate_trace evaluate_thread
"""

__getattr__ = refuse_names(__name__, dict.fromkeys(NAMES.split(), INSTEAD))
