from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import date
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import msgspec
import pydantic
import pytest

from rightcall.core.errors import ConfigError
from rightcall.records import Annotations
from rightcall.tools.definitions.behaviour import CallInfo
from rightcall.tools.definitions.function import tool
from tests.tools.helpers import a_box, a_call, invoke

NOT_JSON = object()


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Place:
    city: str
    country: str = "VN"


class Options(TypedDict):
    loud: bool
    times: NotRequired[int]


class Guest(pydantic.BaseModel):
    name: str
    age: int = pydantic.Field(ge=0)


def test_hints_and_docstring_become_the_definition():
    @tool
    def get_weather(city: str, units: Literal["celsius", "fahrenheit"] = "celsius") -> dict:
        """Current weather for a city. Use get_forecast for future days.

        Args:
            city: The city's name.
        """
        return {"city": city, "units": units}

    assert get_weather.tool.name == "get_weather"
    assert get_weather.tool.description == "Current weather for a city. Use get_forecast for future days."
    assert get_weather.tool.input_schema == {
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "The city's name."},
            "units": {"enum": ["celsius", "fahrenheit"], "default": "celsius"},
        },
        "required": ["city"],
        "additionalProperties": False,
    }
    assert get_weather("Hue") == {"city": "Hue", "units": "celsius"}
    assert get_weather.__name__ == "get_weather"


def schema_of_parameter(hint: Any) -> dict[str, Any]:
    def one(value):
        """One."""

    one.__annotations__ = {"value": hint}
    return tool(one).tool.input_schema["properties"]["value"]


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (int, {"type": "integer"}),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (list[str], {"type": "array", "items": {"type": "string"}}),
        (dict[str, int], {"type": "object", "additionalProperties": {"type": "integer"}}),
        (str | None, {"anyOf": [{"type": "string"}, {"type": "null"}]}),
        (Colour, {"enum": ["red", "blue"]}),
        (Literal["b", "a"], {"enum": ["b", "a"]}),
        (list[Literal["b", "a"]], {"type": "array", "items": {"enum": ["b", "a"]}}),
        (date, {"type": "string", "format": "date"}),
        (Annotated[str, "A name."], {"type": "string", "description": "A name."}),
        (Annotated[int, msgspec.Meta(ge=1, le=5)], {"type": "integer", "minimum": 1, "maximum": 5}),
        (list[Annotated[str, "One."]], {"type": "array", "items": {"type": "string", "description": "One."}}),
        (Annotated[int, pydantic.Field(ge=1, description="Many.")],
         {"type": "integer", "minimum": 1, "description": "Many."}),
        (Place, {"type": "object", "required": ["city"],
                 "properties": {"city": {"type": "string"}, "country": {"type": "string", "default": "VN"}}}),
        (Options, {"type": "object", "required": ["loud"],
                   "properties": {"loud": {"type": "boolean"}, "times": {"type": "integer"}}}),
        (Any, {}),
    ],
)  # fmt: skip
def test_every_usual_hint_has_its_schema(hint, schema):
    assert schema_of_parameter(hint) == schema


def test_pydantic_models_are_understood_and_filled():
    @tool(read_only=True)
    async def greet(guests: list[Guest]) -> str:
        return ", ".join(f"{guest.name} ({guest.age})" for guest in guests)

    assert "Guest" in greet.tool.input_schema["$defs"]
    box = a_box(greet)
    assert invoke(box, a_call("greet", guests=[{"name": "Lan", "age": 3}])).call.output == "Lan (3)"
    wrong = invoke(box, a_call("greet", guests=[{"name": "Lan", "age": -3}])).error
    assert wrong.error == "invalid_args" and wrong.path == "guests[0].age"


def test_the_function_gets_the_types_it_asked_for():
    seen = []

    @tool(read_only=True)
    async def go(place: Place, day: date, colour: Colour, options: Options) -> None:
        seen.append((place, day, colour, options))

    made = invoke(
        a_box(go),
        a_call("go", place={"city": "Hue"}, day="2026-03-31", colour="red", options={"loud": True}),
    )
    assert made.outcome == "ok"
    assert seen == [(Place("Hue"), date(2026, 3, 31), Colour.RED, {"loud": True})]


def test_types_defined_next_to_the_function_are_found():
    @dataclass
    class Local:
        n: int

    @tool(read_only=True)
    async def take(local: Local) -> int:
        return local.n

    assert invoke(a_box(take), a_call("take", local={"n": 3})).call.output == 3


def test_the_result_of_a_typed_function_has_a_schema_and_a_plain_dict_promises_nothing():
    @tool
    def where() -> Place:
        return Place("Hue")

    @tool
    def anything() -> dict[str, Any]:
        return {}

    assert where.tool.output_schema["required"] == ["city"] and anything.tool.output_schema is None


def test_keywords_give_annotations_and_behaviour():
    @tool(name="pay_now", title="Pay", destructive=True, open_world=True, idempotency="key", timeout_s=5)
    def pay(amount: int) -> None:
        """Pay."""

    assert pay.tool.annotations == Annotations(destructive=True, idempotent=True, open_world=True)
    assert (pay.tool.name, pay.tool.title, pay.behaviour.timeout_s) == ("pay_now", "Pay", 5)
    assert pay.tool.input_schema["required"] == ["amount", "idempotency_key"]


@pytest.mark.parametrize("own", [None, "", "Order number and day."])
def test_a_model_is_told_how_to_write_a_key_unless_the_author_says_it(own: str | None):
    def pay(amount: int, idempotency_key: str) -> None:
        pass

    pay.__doc__ = f"Pay.\n\nArgs:\n    idempotency_key: {own}" if own else "Pay."
    schema = tool(idempotency="key")(pay if own is not None else lambda amount: None).tool.input_schema
    text = schema["properties"]["idempotency_key"]["description"]
    assert text == own if own else "task_action_resource, such as 'order-123_notify_usr_001'" in text


def test_information_about_the_call_is_given_to_who_asks_and_not_shown_to_the_model():
    @tool(idempotency="key")
    async def pay(amount: int, info: CallInfo) -> dict:
        return {"key": info.key, "attempt": info.attempt, "task": info.task}

    assert "info" not in pay.tool.input_schema["properties"]
    made = invoke(a_box(pay), a_call("pay", amount=1, idempotency_key="k"))
    assert made.call.output == {"key": "r/t/0:pay:k", "attempt": 1, "task": "t"}


def test_any_keyword_may_be_taken_when_the_function_says_so():
    @tool(read_only=True)
    async def free(**anything: Any) -> dict:
        return anything

    assert invoke(a_box(free), a_call("free", x=1)).call.output == {"x": 1}


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: tool(lambda *args: None), "parameter 'args' has no name a model could use"),
        (lambda: tool(lambda x=NOT_JSON: None), "the default of 'x' is not JSON"),
        (lambda: tool(idempotent_key=1)(lambda: None), "unknown keyword 'idempotent_key'"),
        (lambda: schema_of_parameter(object()), "this type has no JSON Schema"),
        (lambda: schema_of_parameter("Nowhere"), "cannot be resolved"),
    ],
)
def test_a_function_that_cannot_be_a_tool_says_why(make, told):
    with pytest.raises(ConfigError, match=told):
        make()


def test_plain_functions_are_tools_too():
    def double(n: int) -> int:
        """Twice a number."""
        return n * 2

    assert invoke(a_box(double), a_call("double", n=4)).call.output == 8
