"""Versions of a dataset in the store. A draft is not pulled until it is pushed as final."""

import rightcall as rc
from rightcall import ConversationalGolden, Golden
from rightcall.deepeval.dataset import EvaluationDataset

dataset = EvaluationDataset([Golden(input="What is your name?")])
dataset.push(alias="My dataset")
dataset.add_golden(Golden(input="What can you do?"))
dataset.push(alias="My dataset", finalized=False)

pulled = EvaluationDataset()
pulled.pull(alias="My dataset")
print("final:", len(pulled))
assert len(pulled) == 1  # the draft stays out of the way

pulled.pull(alias="My dataset", finalized=False)
print("draft:", len(pulled))
assert len(pulled) == 2

# Conversations are kept in the same way.
conversations = EvaluationDataset([ConversationalGolden(scenario="A refund.")])
conversations.push(alias="Conversations")
pulled = EvaluationDataset()
pulled.pull(alias="Conversations")
assert pulled.multi_turn

try:
    pulled.pull(alias="My datset")
except rc.errors.RightCallError as error:
    print(error)
    assert "My datset" in str(error)
