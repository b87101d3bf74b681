"""Expected calls proposed from a run: what most trials did, as drafts that decide nothing before a person accepts."""

import rightcall as rc
from rightcall.deepeval.dataset import EvaluationDataset

PROMPTS = [rc.Golden("Weather in Hanoi?", id="weather"), rc.Golden("Book a table", id="table")]
DID = {
    "weather": [{"city": "Hanoi", "day": day} for day in ("today", "now", "16 November")],
    "table": [{"seats": 2}, {"seats": 4}, None],
}


def agent(golden):
    arguments = DID[golden.id].pop()
    tool = "get_weather" if golden.id == "weather" else "book_table"
    return [] if arguments is None else [rc.ToolCall(tool, arguments)]


run = rc.evaluate(agent, PROMPTS, trials=3, concurrency=1)
found = run.expected_drafts()
for golden in found.goldens:
    print(golden.id, [(call.tool, call.args) for call in golden.expected_calls], golden.metadata["proposal"])
for golden in found.split:
    print(golden.golden_id, golden.reason, dict(golden.behaviours))

# Trials agree on the city and not on the day, which is left open. Two of three booked a table; the seats are disputed.
weather, table = sorted(found.goldens, key=lambda golden: golden.id, reverse=True)
assert weather.expected_calls[0].args == {"city": "Hanoi"} and table.expected_calls[0].args == {}
assert weather.metadata["proposal"]["left_open"] == ["get_weather.day"]


def right(golden):
    return [rc.ToolCall("get_weather", {"city": "Hanoi"})]


# What an agent did is not what it should do: an unreviewed draft is refused, an accepted one decides.
try:
    rc.evaluate(right, [weather])
except rc.errors.ConfigError as error:
    print(error)
else:
    raise AssertionError("an unreviewed draft was run")
dataset = EvaluationDataset([weather])
dataset.review(weather.id, "accepted", author="Lan")
assert rc.evaluate(right, dataset).passed
