"""Random suites with a random broken part: never green by a part that did not work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import rightcall as rc
from rightcall.core.errors import RightCallError
from rightcall.metrics.judged.rubric import Rubric
from rightcall.models.scripted import ScriptedProvider
from tests.support.examples import examples

NUMBER = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}
TOOL = {"name": "get_order", "description": "Gets one order by its number.", "input_schema": NUMBER}


def reply(request: Any) -> Any:
    """A model that calls the tool and then answers, whatever it read."""
    read = any(message.results for message in request.messages)
    return "It was sent." if read else rc.ToolCall("get_order", {"number": 1}, "c")


def fails(error: Exception) -> Callable[..., Any]:
    def mock(number: int) -> Any:
        raise error

    return mock


def loses_service(text: str) -> str:
    raise ConnectionRefusedError(111, "Connection refused")


def agent(**parts: Any) -> rc.Agent:
    return rc.Agent(ScriptedProvider(reply), tools=[TOOL], mode="loop", **parts)


def mocked(function: Any) -> rc.Agent:
    return agent(mocks={"get_order": {"function": function}})


def protected(**keywords: Any) -> rc.Agent:
    rc.tool(name="get_order", **keywords)(lambda number: "sent")
    return agent()


def judge(text: str) -> Rubric:
    return Rubric(ScriptedProvider(lambda request: text), "It is polite.", votes=1, cache="")


WORKS = {"mocks": {"get_order": {"function": lambda number: "sent"}}}
Setup = Callable[[], tuple[Any, dict[str, Any]]]
BROKEN: dict[str, Setup] = {
    **{
        f"mock: {type(error).__name__}": lambda error=error: (mocked(fails(error)), {})  # type: ignore[misc]
        for error in (
            NameError("x"), TypeError("x"), AttributeError("x"), ImportError("x"), KeyError("x"), ValueError("x"),
            OSError("x"), TimeoutError("x"), ConnectionError("x"), RuntimeError("x"), StopIteration("x"),
        )
    },
    "mock: another signature": lambda: (mocked(lambda order: "sent"), {}),
    "mock: no JSON": lambda: (mocked(lambda number: object()), {}),
    "mock: ignored": lambda: (rc.Agent(ScriptedProvider(reply), [TOOL], mode="single_turn", **WORKS), {}),
    "protection: idempotency": lambda: (protected(idempotency="keys"), {}),
    "protection: confirmation": lambda: (protected(confirmation="usr"), {}),
    "protection: deadline": lambda: (protected(timeout_s=0), {}),
    "protection: guard": lambda: (agent(guard="atuo"), {}),
    "judge: no verdict": lambda: (agent(**WORKS), {"metrics": [judge("Well…")]}),
    "judge: nobody measured it": lambda: (agent(**WORKS), {"metrics": [judge('{"verdict": "pass", "reason": "x"}')]}),
    "gate: cannot occur": lambda: (agent(**WORKS), {"gate": {"forbid": ["forbidden_call"]}}),
    "service: dead": lambda: (loses_service, {}),
}  # fmt: skip


def word_of(setup: Setup, goldens: list[rc.Golden], store: Any, trials: int) -> str:
    try:
        tested, options = setup()
        return rc.evaluate(tested, goldens, store=store, trials=trials, **options).verdict.word
    except RightCallError as error:
        return type(error).__name__


def goldens_of(count: int, *, states_words: bool) -> list[rc.Golden]:
    words = {"output_contains": ["sent"]} if states_words else {}
    calls = [rc.ExpectedCall("get_order", {"number": 1})]
    return [rc.Golden(f"Order {n}?", f"g{n}", expected_calls=calls, **words) for n in range(count)]


def test_the_same_suite_with_parts_that_work_passes(tmp_path):
    assert (
        word_of(lambda: (agent(**WORKS), {}), goldens_of(3, states_words=True), tmp_path / "s.db", 1)
        == "PASS"
    )


@pytest.mark.parametrize("part", BROKEN)
@given(count=st.integers(1, 6), trials=st.integers(1, 3), states_words=st.booleans())
@settings(max_examples=examples(40, few=2), deadline=None)
def test_a_part_that_does_not_work_is_never_green(part, tmp_path_factory, count, trials, states_words):
    store = tmp_path_factory.mktemp("run") / "s.db"
    goldens = goldens_of(count, states_words=states_words)
    assert word_of(BROKEN[part], goldens, store, trials) != "PASS"
