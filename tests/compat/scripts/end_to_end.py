"""Goldens, an application, test cases, and `evaluate`."""

from deepeval import evaluate
from deepeval.dataset import EvaluationDataset, Golden
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig
from deepeval.metrics import ExactMatchMetric, ToolCorrectnessMetric
from deepeval.test_case import LLMTestCase, ToolCall, ToolCallParams


def refund_agent(request):
    order = request.split()[-1]
    calls = [ToolCall(name="find_order", input_parameters={"id": order})]
    if order.startswith("A"):
        calls.append(ToolCall(name="refund", input_parameters={"id": order, "full": True}))
    return f"Refunded {order}", calls


dataset = EvaluationDataset(
    goldens=[
        Golden(
            input=f"Refund order {order}",
            expected_output=f"Refunded {order}",
            expected_tools=[
                ToolCall(name="find_order", input_parameters={"id": order}),
                ToolCall(name="refund", input_parameters={"id": order, "full": True}),
            ],
        )
        for order in ("A-1", "A-2", "B-3")
    ]
)
for golden in dataset.goldens:
    answer, calls = refund_agent(golden.input)
    dataset.add_test_case(
        LLMTestCase(
            input=golden.input,
            actual_output=answer,
            expected_output=golden.expected_output,
            tools_called=calls,
            expected_tools=golden.expected_tools,
        )
    )
result = evaluate(
    test_cases=dataset.test_cases,
    metrics=[
        ToolCorrectnessMetric(
            threshold=0.7,
            evaluation_params=[ToolCallParams.INPUT_PARAMETERS],
            should_consider_ordering=True,
        ),
        ExactMatchMetric(),
    ],
    hyperparameters={"model": "refund-1"},
    async_config=AsyncConfig(run_async=True, max_concurrent=2),
    display_config=DisplayConfig(print_results=False, show_indicator=False),
    cache_config=CacheConfig(write_cache=False),
)
for found in sorted(result.test_results, key=lambda one: one.input):
    print(
        "RESULT", found.input, found.success, found.actual_output, [data.score for data in found.metrics_data]
    )
