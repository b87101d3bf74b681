"""Why cases fail: derived from the codes of each case, never from the text of a message.

Codes say whether the tool, an argument or the whole call was wrong, and name both. That points at what to change:
the descriptions of two tools that are taken for each other, or the schema of a parameter that is filled wrongly.
"""

from collections import defaultdict

from weather import GOLDENS, TOOLS

import rightcall as rc

GROUPS = {
    "wrong tool": ("wrong_tool", "unknown_tool", "unexpected_call"),
    "not called": ("no_call", "missing_call"),
    "parameters": ("wrong_value", "wrong_type", "missing_arg", "extra_arg", "schema_violation"),
}
ADVICE = {
    "wrong tool": "say in both descriptions when to use the other tool",
    "not called": "say in the description for which requests the tool is meant",
    "parameters": "describe the parameter, with an example and the values it may have",
}
answers = {
    "T001_current_weather": [rc.ToolCall("get_weather", {"city": "Ha Noi"}), "The weather in Hanoi is fine."],
    "T002_5day_forecast": [rc.ToolCall("get_weather", {"city": "Ho Chi Minh City"}), "Sunny."],
    "T003_no_tool_needed": "Weather is today, climate is always.",
    "T004_tomorrow": "It will rain.",
}
tomorrow = rc.Golden(
    "Will it rain in Hue tomorrow?", id="T004_tomorrow", expected_calls=(rc.ExpectedCall("get_forecast"),)
)
run = rc.evaluate(rc.Agent(rc.scripted(answers), tools=TOOLS, mode="loop"), [*GOLDENS, tomorrow])

found = defaultdict(list)
for result in run.results:
    for failure in result.codes:
        for group, codes in GROUPS.items():
            if failure.code in codes:
                found[group].append((result.golden_id, failure.tool, failure.parameter, failure.actual))

for group, cases in found.items():
    print(f"{group}: {len(cases)}; {ADVICE[group]}")
    for golden_id, tool, parameter, actual in cases:
        print(f"   {golden_id}: {tool} {parameter} {actual or ''}")

assert {group: [case[0] for case in cases] for group, cases in found.items()} == {
    "parameters": ["T001_current_weather"],
    "wrong tool": ["T002_5day_forecast"],
    "not called": ["T004_tomorrow"],
}
assert run.summary.codes["wrong_tool"] == 1

# Nothing failed, nothing to explain.
fine = rc.evaluate(lambda golden: [rc.ToolCall("get_forecast", {"city": "Hue", "days": 1})], [tomorrow])
assert fine.passed and not fine.summary.codes
