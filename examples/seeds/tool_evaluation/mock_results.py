"""What tools answer while an agent is evaluated: nothing is executed unless the agent says `execute="real"`.

A mock is a fixed result, or a function that gets the arguments; a tool without one answers in the form its output
schema promises. The loop goes on with these results until the model answers.
"""

from weather import FORECAST, HANOI, TOOLS

import rightcall as rc


def mock_forecast(city, days):
    return {"status": "success", "received": {"city": city, "days": days}}


model = rc.scripted(lambda request: [[HANOI, FORECAST], "Done."][request.turn])
agent = rc.Agent(
    model,
    tools=TOOLS,
    mode="loop",
    mocks={"get_weather": {"result": {"celsius": 21}}, "get_forecast": {"function": mock_forecast}},
)
golden = rc.Golden("?", expected_calls=(rc.ExpectedCall("get_weather"), rc.ExpectedCall("get_forecast")))
(result,) = rc.evaluate(agent, [golden]).results
for call in result.trajectory.calls:
    print(call.name, call.output)
assert result.passed and result.trajectory.calls[0].output == {"celsius": 21}
assert result.trajectory.calls[1].output["received"] == FORECAST.arguments
