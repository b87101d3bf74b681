"""The weather agent of the examples here: two tools, three goldens, scripted models in place of real ones."""

from __future__ import annotations

import rightcall as rc

TOOLS = [
    {
        "name": "get_weather",
        "description": "Current weather in a city. Use get_forecast for the days to come.",
        "input_schema": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Name of the city, such as Hanoi."},
                "units": {"type": "string", "enum": ["celsius", "fahrenheit"], "default": "celsius"},
            },
            "required": ["city"],
        },
    },
    {
        "name": "get_forecast",
        "description": "Forecast for a city for the next days. Use get_weather for the weather now.",
        "input_schema": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "Name of the city, such as Hanoi."},
                "days": {"type": "integer", "minimum": 1, "maximum": 7, "description": "How many days."},
            },
            "required": ["city", "days"],
        },
    },
]

GOLDENS = [
    rc.Golden(
        "What's the weather in Hanoi right now?",
        id="T001_current_weather",
        expected_calls=(
            rc.ExpectedCall(
                "get_weather",
                # `units` may be left out; given, it must be one of these.
                {"city": "Hanoi", "units": {"optional": {"one_of": ["celsius", "fahrenheit"]}}},
            ),
        ),
        output_contains=("Hanoi", "weather"),
        max_calls=5,
        max_latency_ms=10_000,
    ),
    rc.Golden(
        "Give me the 5-day forecast for Ho Chi Minh City",
        id="T002_5day_forecast",
        expected_calls=(rc.ExpectedCall("get_forecast", {"city": "Ho Chi Minh City", "days": 5}),),
        max_calls=5,
        max_latency_ms=10_000,
    ),
    rc.Golden(
        "What's the difference between weather and climate?",
        id="T003_no_tool_needed",
        no_calls=True,
        output_contains=("weather", "climate"),
        max_latency_ms=10_000,
    ),
]

HANOI = rc.ToolCall("get_weather", {"city": "Hanoi"})
FORECAST = rc.ToolCall("get_forecast", {"city": "Ho Chi Minh City", "days": 5})
CONFUSED = rc.ToolCall("get_weather", {"city": "Ho Chi Minh City"})
CLIMATE = "Weather is what you see today; climate is what you can expect."


def agent(forecast: rc.ToolCall = FORECAST) -> rc.Agent:
    """The agent under test: it answers all three, with this call for the forecast."""
    answers = {
        "T001_current_weather": [HANOI, "The weather in Hanoi is fine."],
        "T002_5day_forecast": [forecast, "Sunny for five days."],
        "T003_no_tool_needed": [CLIMATE],
    }
    return rc.Agent(
        rc.scripted(answers),
        tools=TOOLS,
        system="You are a weather assistant.",
        mode="loop",
        mocks={"get_weather": {"result": {"celsius": 21}}, "get_forecast": {"result": {"days": 5}}},
    )
