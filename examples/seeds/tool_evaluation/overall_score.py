"""The overall score by the weighting `seed`: 0.3·precision + 0.3·recall + 0.3·parameters + 0.1·content, pass from 0.8.

Precision and recall count tool names; a parameter that is there with a wrong value is worth a half; nothing may be
missing. The default weighting is stricter: it counts a call as right only when all of it is.
"""

from weather import GOLDENS, HANOI

import rightcall as rc

RULES = "seed"
SAID = "The weather in Hanoi is fine."
golden = GOLDENS[0]  # get_weather(city="Hanoi"), and an answer with "Hanoi" and "weather"

CASES = [
    ("as expected", [HANOI], SAID, 1.0, True),
    ("another city", [rc.ToolCall("get_weather", {"city": "Hue"})], SAID, 0.85, True),
    ("no city", [rc.ToolCall("get_weather", {})], SAID, 0.7, False),
    ("another tool", [rc.ToolCall("get_forecast", {"city": "Hanoi", "days": 1})], SAID, 0.1, False),
    ("no call", [], SAID, 0.4, False),
    ("one keyword of two", [HANOI], "It is fine in Hanoi.", 0.95, True),
    ("no call, no keyword", [], "I cannot say.", 0.3, False),
]

for what, calls, answer, score, passes in CASES:
    made = rc.Trajectory(calls=tuple(calls), output=answer, latency_ms=900.0)
    verdict = rc.score_trajectory(golden, made, rules=RULES)
    strict = rc.score_trajectory(golden, made)
    print(
        f"{what:<20} {verdict.score:.2f} {'pass' if verdict.passed else 'FAIL'}   by default {strict.score:.2f}"
    )
    assert (round(verdict.score, 3), verdict.passed) == (score, passes), what
