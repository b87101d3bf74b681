from __future__ import annotations

import random
from typing import Any

import pytest

from rightcall.core.errors import ConfigError
from rightcall.records import Tool
from rightcall.schema.sample_values import sample_value
from rightcall.tools.definitions.function import tool
from rightcall.tools.definitions.validate import fits
from rightcall.tools.runtime.context import VirtualClock
from rightcall.tools.runtime.toolbox import Toolbox
from tests.tools.helpers import Effects, a_call, invoke, invoke_all

ORDERS = [Tool("get_order"), Tool("poll")]


def shout(**arguments: Any) -> dict:
    return {"shouted": str(arguments["text"]).upper()}


def outputs(mocks: dict[str, Any], *calls: Any) -> list[Any]:
    box = Toolbox(ORDERS, mocks=mocks, clock=VirtualClock())
    return [i.call.output for i in invoke_all(box, *calls)]


def test_a_canned_result_is_always_the_same():
    assert outputs({"poll": {"result": {"n": 1}}}, a_call("poll"), a_call("poll", x=1)) == [{"n": 1}] * 2


def test_results_may_depend_on_the_arguments():
    mock = {
        "cases": [
            {"args": {"id": 17}, "result": {"status": "sent"}},
            {"args": {"id": 18}, "error": {"error": "permission_denied"}},
        ],
        "error": {"error": "not_found", "detail": "no such order"},
    }
    sent, denied, missing, true = outputs(
        {"get_order": mock}, *(a_call("get_order", id=id_) for id_ in (17.0, 18, 19, True))
    )
    assert sent == {"status": "sent"} and denied["error"] == "permission_denied"
    assert missing["detail"] == true["detail"] == "no such order"


def test_a_sequence_gives_one_after_the_other_and_then_the_last_for_good_in_every_trial():
    mock = {"sequence": [{"result": "pending"}, {"error": {"error": "timeout"}}, "done"]}
    box = Toolbox(ORDERS, mocks={"poll": mock})
    for trial in range(2):
        made = invoke_all(box, *(a_call("poll") for _ in range(4)), context=box.context(trial=trial))
        assert [i.error.error if i.error else i.call.output for i in made] == [
            "pending",
            "timeout",
            "done",
            "done",
        ]


def test_a_golden_may_have_its_own_answer():
    box = Toolbox(ORDERS, mocks={"poll": {"result": 1, "goldens": {"special": {"result": 2}}}})
    answers = [invoke(box, a_call("poll"), box.context(task=t)).call.output for t in ("usual", "special")]
    assert answers == [1, 2]


@pytest.mark.parametrize("function", [shout, f"{__name__}:shout"])
def test_a_function_may_answer(function):
    assert outputs({"poll": {"function": function}}, a_call("poll", text="hue")) == [{"shouted": "HUE"}]


def test_one_tool_may_run_for_real_while_the_others_are_mocked():
    effects = Effects()
    other = Effects()
    renamed = tool(name="other")(other.pay.function)
    box = Toolbox([effects.pay, renamed], mocks={"pay": {"real": True}})
    invoke_all(box, a_call("pay", amount=5), a_call("other", amount=5))
    assert (effects.done, other.done) == ([5], [])


@pytest.mark.parametrize(
    ("mocks", "told"),
    [
        ({"pol": {"result": 1}}, "mocks.pol: no such tool 'pol'; did you mean 'poll'?"),
        ({"poll": {"reslt": 1}}, "mocks.poll: unknown field 'reslt'; did you mean 'result'?"),
        (
            {"poll": {"error": {"error": "notfound"}}},
            "unknown error 'notfound'; did you mean 'not_found'? a custom code requires a hint",
        ),
        ({"poll": {"function": "nowhere:f"}}, "function 'nowhere:f' cannot be loaded"),
        ({"poll": {"function": "os"}}, "use the form module:attribute"),
        ({"poll": {"function": "os:sep"}}, "function 'os:sep' is a str, not a function"),
        ({"poll": {"result": 1, "real": True}}, "several answers"),
        ({"poll": {"goldens": {"g": {"error": {"error": "x"}}}}}, "mocks.poll.goldens.g: unknown error 'x'"),
        ({"poll": 3}, "mocks.poll: the value must be an object"),
        ({"poll": [{"id": "a"}]}, "got a list; what the tool returns goes under result: {result: …}"),
        ({"poll": {"id": "a"}}, "; what the tool returns goes under result: {result: …}"),
    ],
)
def test_a_mistake_in_the_mocks_is_reported_before_the_run(mocks, told):
    with pytest.raises(ConfigError) as error:
        Toolbox(ORDERS, mocks=mocks)
    assert told in str(error.value)


def test_every_mistake_is_reported_at_once():
    with pytest.raises(ConfigError) as error:
        Toolbox(ORDERS, mocks={"a": {}, "b": {}})
    assert len(error.value.problems) == 2


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"n": {"type": "integer", "minimum": 3, "maximum": 4}}, "required": ["n"]},
        {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 3},
        {"type": "object", "properties": {"at": {"type": "string", "format": "date-time"}}, "required": ["at", "x"]},
        {"$ref": "#/$defs/node", "$defs": {"node": {"type": "object", "properties": {
            "next": {"$ref": "#/$defs/node"}, "v": {"type": "number", "exclusiveMinimum": 0}}, "required": ["v"]}}},
        {"anyOf": [{"type": "string", "minLength": 9}, {"type": "null"}]},
        {"allOf": [{"properties": {"a": {"const": 1}}}, {"properties": {"b": {"type": "boolean"}}}], "type": "object"},
        {"type": ["integer", "null"], "multipleOf": 5},
        {"type": "string", "maxLength": 2},
    ],
)  # fmt: skip
def test_a_generated_result_fits_its_schema(schema):
    import random

    for seed in range(5):
        assert fits(schema, sample_value(schema, random.Random(seed)), "here")


def test_a_trial_may_offer_fewer_tools_and_bring_its_own():
    box = Toolbox(ORDERS, mocks={"poll": {"result": 1}})
    context = box.context(offered=[Tool("poll"), Tool("brought")])
    polled, hidden, brought = invoke_all(
        box, a_call("poll"), a_call("get_order"), a_call("brought"), context=context
    )
    assert polled.call.output == 1 and brought.outcome == "ok"
    assert hidden.error.error == "unknown_tool" and hidden.error.hint == "use one of: brought, poll"


def test_tools_with_one_name_or_a_broken_schema_are_refused():
    with pytest.raises(ConfigError) as error:
        Toolbox([Tool("a"), Tool("a"), Tool("b", input_schema={"type": "objct"})])
    assert len(error.value.problems) == 2 and "two tools are named 'a'" in error.value.problems[0]


def test_a_schema_that_asks_for_very_much_gets_a_sample_that_fits_into_memory() -> None:
    nested: dict[str, object] = {"type": "null"}
    for _ in range(6):
        nested = {"type": "array", "minItems": 10**9, "items": nested}
    assert len(str(sample_value({"type": "string", "minLength": 10**9}, random.Random(0)))) == 100_000
    wide = {"type": "object", "required": ["a"], "properties": {"a": nested}}
    assert str(sample_value(wide, random.Random(0))).count("None") == 100 * 10 * 2
    assert (
        len(
            sample_value(
                {"type": "array", "minItems": 3, "items": {"type": "array", "minItems": 99, "items": {}}},
                random.Random(0),
            )
        )
        == 3
    )
