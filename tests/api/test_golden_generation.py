"""`EvaluationDataset.generate_goldens_from_…`: the seed's form."""

from __future__ import annotations

import pytest

import rightcall as rc
from rightcall.core.errors import ConfigError
from rightcall.deepeval.dataset import EvaluationDataset
from rightcall.deepeval.synthesizer import Synthesizer
from rightcall.wings.generate.config import ConversationalStylingConfig, StylingConfig
from tests.wings.generate.builders import TOOLS, Model, plain_writer

MARKS = '{"clarity": 1, "answerability": 1, "depth": 1, "structure": 1, "relevance": 1}'
SITUATION = '{"scenario": "Somebody waits", "user_description": "", "expected_outcome": "is told"}'


def writer():
    def question(request):
        return f"Question {request.golden_id} {len(request.messages[-1].content)}?"

    steps = {"input": question, "situation": SITUATION, "expected-output": "Yes.", "rewrite": "What?"}
    model = Model({**steps, "quality": MARKS})
    return Synthesizer(
        model,
        styling_config=StylingConfig(scenario="shops", task="sells", input_format="short"),
        conversational_styling_config=ConversationalStylingConfig(scenario_context="a shop"),
    )


def generate(dataset, way, folder):
    (folder / "a.md").write_text("Refunds are paid within 30 days.")
    {
        "docs": lambda: dataset.generate_goldens_from_docs(
            document_paths=[str(folder / "a.md")], max_goldens_per_context=1, synthesizer=writer()
        ),
        "contexts": lambda: dataset.generate_goldens_from_contexts(
            contexts=[["Refunds."]], max_goldens_per_context=1, synthesizer=writer()
        ),
        "scratch": lambda: dataset.generate_goldens_from_scratch(num_goldens=1, synthesizer=writer()),
        "goldens": lambda: dataset.generate_goldens_from_goldens(
            max_goldens_per_golden=1, synthesizer=writer()
        ),
    }[way]()


@pytest.mark.parametrize("way", ["docs", "contexts", "scratch", "goldens"])
@pytest.mark.parametrize("first", [rc.Golden("Prices?", id="p"), rc.ConversationalGolden("Prices", id="p")])
def test_generated_goldens_are_added_and_of_the_kind_that_is_there(way, first, tmp_path):
    dataset = EvaluationDataset([first])
    generate(dataset, way, tmp_path)
    assert [type(golden) for golden in dataset.goldens] == [type(first)] * 2
    assert dataset.goldens[1].metadata["generated"]["way"] == way


def test_from_tools_twice_repeats_no_id():
    dataset = EvaluationDataset()
    for _ in range(2):
        dataset.generate_goldens_from_tools(TOOLS, 3, synthesizer=Synthesizer(plain_writer()[0]))
    assert len({golden.id for golden in dataset.goldens}) == 6
    assert all(golden.expected_calls or golden.no_calls for golden in dataset.goldens)


def test_without_a_synthesizer_the_error_says_what_to_give():
    with pytest.raises(ConfigError, match=r'requires a model: Synthesizer\(model="provider:model"\)'):
        EvaluationDataset().generate_goldens_from_contexts([["Refunds."]])
