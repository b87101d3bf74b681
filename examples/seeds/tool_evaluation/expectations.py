"""What a golden can require of a call: required values, forbidden parameters, a custom check; and when not to call.

Five things are measured for every case: precision and recall of the calls, the accuracy of their parameters, the
time taken, and whether the answer says what it must.
"""

import rightcall as rc

golden = rc.Golden(
    "What's the weather in Hanoi, in metric units?",
    expected_calls=(
        rc.ExpectedCall(
            "get_weather",
            {
                "city": "Hanoi",  # required, with this value
                "units": {"present": True},  # required, with any value
                "days": {"optional": {"range": [1, 7]}},  # looked at only if it is there
            },
            forbidden_args=("api_key",),
        ),
    ),
    output_contains=("Hanoi",),
    max_calls=5,
    max_latency_ms=10_000,
)


def judged(answer="Hanoi: 21 degrees", latency_ms=900.0, **arguments):
    trajectory = rc.Trajectory(
        calls=(rc.ToolCall("get_weather", arguments),), output=answer, latency_ms=latency_ms
    )
    verdict = rc.score_trajectory(golden, trajectory)
    print(
        f"{verdict.score:.2f}", "passed" if verdict.passed else [failure.code for failure in verdict.failures]
    )
    return verdict


assert judged(city="Hanoi", units="celsius").passed
assert judged(city="Hanoi", units="celsius", days=3).passed
assert judged(city="Hue", units="celsius").failures[0].code == "wrong_value"
assert judged(city="Hanoi").failures[0].code == "missing_arg"
assert judged(city="Hanoi", units="celsius", days=30).failures[0].code == "wrong_value"
assert judged(city="Hanoi", units="celsius", api_key="x").score == 0  # forbidden
assert judged(city="Hanoi", units="celsius", latency_ms=12_000.0).failures[0].code == "over_latency"
assert judged(city="Hanoi", units="celsius", answer="21 degrees").failures[0].code == "missing_content"

# Sometimes the right call is none: calling a tool then fails the case with a score of 0.
no_call = rc.Golden("What's the difference between weather and climate?", no_calls=True)
assert rc.score_trajectory(no_call, rc.Trajectory(output="One is long.")).passed
assert not rc.score_trajectory(
    no_call, rc.Trajectory(calls=(rc.ToolCall("get_weather", {"city": "Hanoi"}),))
).passed
