"""Conversations: turns are made for each scenario, and a metric looks at each answer in them."""

from llm_app import JUDGE, your_llm_app

from rightcall import ConversationalGolden, ConversationalTestCase, Turn
from rightcall.deepeval import evaluate
from rightcall.deepeval.dataset import EvaluationDataset
from rightcall.deepeval.metrics import ConversationalRelevancyMetric


def generate_turns(scenario: str) -> list[Turn]:
    """In place of a simulated user: two questions about the scenario, each with the application's answer."""
    questions = ["What is your name?", "What can you do?" if "capable" in scenario else "Why?"]
    return [
        turn
        for question in questions
        for turn in (
            Turn(role="user", content=question),
            Turn(role="assistant", content=your_llm_app(question)),
        )
    ]


dataset = EvaluationDataset(
    goldens=[
        ConversationalGolden(scenario="A user wonders what the assistant is capable of."),
        ConversationalGolden(scenario="A user wants to know why."),
    ]
)
for golden in dataset.goldens:
    dataset.add_test_case(
        ConversationalTestCase(scenario=golden.scenario, turns=generate_turns(golden.scenario))
    )

metric = ConversationalRelevancyMetric(model=JUDGE, threshold=0.7, votes=1, cache="")
run = evaluate(test_cases=dataset.test_cases, metrics=[metric])
for case, result in zip(dataset.test_cases, run.results, strict=True):
    print(case.golden.scenario, result.metrics[metric.name].value)
assert [result.passed for result in run.results].count(True) == 1
