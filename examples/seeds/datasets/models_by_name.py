"""Models named once, in pyproject.toml: metrics, simulator and synthesizer need no model, and ask only that server."""

from pathlib import Path

import model_server

from rightcall import ConversationalGolden
from rightcall.deepeval import evaluate
from rightcall.deepeval.metrics import AnswerRelevancyMetric
from rightcall.deepeval.simulator import ConversationSimulator
from rightcall.deepeval.synthesizer import Synthesizer
from rightcall.deepeval.synthesizer.config import StylingConfig
from rightcall.deepeval.test_case import LLMTestCase

url = model_server.start()
Path("pyproject.toml").write_text(f"""
[tool.rightcall.models]
judge = {{model = "openai:qwen3-32b", base_url = "{url}", settings = {{temperature = 0}}}}
writer = {{model = "openai:qwen3-8b", base_url = "{url}", prices = {{input = 0.05, output = 0.2}}}}
default_judge = "judge"
default_user = "writer"
default_generator = "writer"
""")

case = LLMTestCase(input="Where is my order?", actual_output="It left our warehouse this morning.")
assert evaluate(test_cases=[case], metrics=[AnswerRelevancyMetric()]).results[0].passed

simulator = ConversationSimulator(model_callback=lambda input: "It is on its way.")
talks = simulator.simulate([ConversationalGolden(scenario="A user looks for an order.")], max_turns=2)
assert [turn.content for turn in talks[0].turns] == ["Where is my order?", "It is on its way."]

styling = StylingConfig(scenario="a shop", task="finding orders", input_format="one short question")
goldens = Synthesizer(styling_config=styling).generate_goldens_from_scratch(num_goldens=1)
print([golden.input for golden in goldens], "by", sorted(set(model_server.asked)))
assert set(model_server.asked) == {"qwen3-32b", "qwen3-8b"}
assert model_server.asked[:3] == ["qwen3-32b"] * 3  # three votes of the judge
