"""A dataset is a list of goldens, single-turn or conversational. The first one decides which."""

from rightcall import ConversationalGolden, Golden
from rightcall.deepeval.dataset import EvaluationDataset

dataset = EvaluationDataset(goldens=[Golden(input="What is your name?")])
dataset.add_golden(Golden(input="Nice."))
print(dataset, dataset.multi_turn)
assert len(dataset) == 2 and not dataset.multi_turn

conversations = EvaluationDataset(
    goldens=[
        ConversationalGolden(
            scenario="A frustrated user asks for a refund.", expected_outcome="They reach a person."
        )
    ]
)
conversations.add_golden(
    ConversationalGolden(
        scenario="The user says thanks for being put through to a person.",
        expected_outcome="The thanks are answered.",
    )
)
print(conversations, conversations.multi_turn)
assert conversations.multi_turn

try:
    dataset.add_golden(ConversationalGolden(scenario="A refund."))
except TypeError as error:
    print(error)
else:
    raise AssertionError("two kinds in one dataset")
assert EvaluationDataset().goldens == []  # an empty one is fine to begin with
