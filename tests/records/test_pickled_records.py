"""Records that travel between processes are written there as they are here, defaults left out."""

import copy
import pickle

import msgspec
import pytest

from rightcall.agents.limits import Limits
from rightcall.records import (
    CaseResult,
    ConversationalGolden,
    ExpectedCall,
    Golden,
    Message,
    Score,
    Tool,
    ToolCall,
    Trajectory,
    Turn,
    Usage,
)

RECORDS = [
    Tool("search"),
    Tool("search", "Find things", {"type": "object", "properties": {"q": {"type": "string"}}}),
    Golden("Do it", id="g", expected_calls=[ExpectedCall("a", {"n": 1})], tags=["x"]),
    ConversationalGolden(scenario="Refund", id="c", turns=[Turn("user", "hello")]),
    Trajectory(messages=(Message("user", "hi"),), calls=(ToolCall("a", {}),), usage=Usage(1, 2, 0.5)),
    CaseResult("g", 0, True, 1.0, {"x": Score(1.0, True)}),
    Limits(tokens=5),
]


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_a_pickled_record_is_the_same_record(record):
    for again in (pickle.loads(pickle.dumps(record)), copy.deepcopy(record)):
        assert again == record
        assert msgspec.json.encode(again) == msgspec.json.encode(record)
