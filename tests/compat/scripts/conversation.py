"""A conversation as a test case, and a custom metric of its turns."""

from deepeval import evaluate
from deepeval.dataset import ConversationalGolden, EvaluationDataset
from deepeval.evaluate import DisplayConfig
from deepeval.metrics import BaseConversationalMetric
from deepeval.test_case import ConversationalTestCase, ToolCall, Turn


class AnsweredMetric(BaseConversationalMetric):
    def __init__(self, threshold=1.0):
        self.threshold = threshold

    def measure(self, test_case: ConversationalTestCase, *args, **kwargs):
        asked = [turn for turn in test_case.turns if turn.role == "user"]
        answered = [turn for turn in test_case.turns if turn.role == "assistant" and turn.content]
        self.score = min(1.0, len(answered) / len(asked))
        self.reason = f"{test_case.scenario}, {test_case.chatbot_role}: {len(answered)} of {len(asked)}"
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case, *args, **kwargs):
        return self.measure(test_case)

    def is_successful(self):
        return self.success

    @property
    def __name__(self):
        return "Answered"


def talk(golden, turns):
    return ConversationalTestCase(
        scenario=golden.scenario,
        expected_outcome=golden.expected_outcome,
        chatbot_role="a clerk",
        turns=turns,
    )


dataset = EvaluationDataset(
    goldens=[
        ConversationalGolden(scenario="Refund", expected_outcome="refunded"),
        ConversationalGolden(scenario="Complaint", expected_outcome="calmed"),
    ]
)
refund = ToolCall(name="refund", input_parameters={"id": "A-1"})
both = [
    talk(dataset.goldens[0], [
        Turn(role="user", content="Refund A-1"),
        Turn(role="assistant", content="Done.", tools_called=[refund]),
    ]),
    talk(dataset.goldens[1], [
        Turn(role="user", content="It broke!"),
        Turn(role="assistant", content="I am sorry."),
        Turn(role="user", content="And now?"),
    ]),
]  # fmt: skip
print("RESULT", [turn.tools_called[0].input_parameters for turn in both[0].turns if turn.tools_called])
display = DisplayConfig(print_results=False, show_indicator=False)
result = evaluate(test_cases=both, metrics=[AnsweredMetric()], display_config=display)
for found in sorted(result.test_results, key=lambda one: one.metrics_data[0].reason):
    print(
        "RESULT",
        found.success,
        found.conversational,
        found.metrics_data[0].score,
        found.metrics_data[0].reason,
    )
