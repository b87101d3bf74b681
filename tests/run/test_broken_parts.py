"""Random suites with a random broken part: never green by a part that did not work."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import rightcall as rc
from rightcall.core.errors import RightCallError
from rightcall.metrics.judged.rubric import Rubric
from rightcall.providers.scripted import ScriptedProvider
from tests.support.examples import examples
from tests.support.missing_answers import cut_off, raise_error, refused

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


def sometimes(broken: Callable[..., Any], works: Callable[..., Any], at: int) -> Callable[..., Any]:
    """A part that is broken once, and works at every other time."""
    times = itertools.count()

    def part(*given: Any, **named: Any) -> Any:
        return (broken if next(times) == at else works)(*given, **named)

    return part


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


PASSES = '{"verdict": "pass", "reason": "x"}'


def broken_judge(at: int, verdict: Callable[..., Any]) -> Rubric:
    answers = sometimes(verdict, lambda request: PASSES, at)
    return Rubric(ScriptedProvider(answers), "It is polite.", votes=1, cache="")


@dataclass(frozen=True)
class BreaksOnce(rc.Metric):
    golden: str

    def measure(self, case: rc.TestCase) -> rc.Score:
        if case.golden.id == self.golden:
            raise KeyError("order")
        return rc.Score.passed_if(True, "")


ONCE: dict[str, Callable[[int], tuple[Any, dict[str, Any]]]] = {
    "mock: NameError": lambda at: (mocked(sometimes(fails(NameError("x")), lambda number: "sent", at)), {}),
    "mock: ValueError": lambda at: (mocked(sometimes(fails(ValueError("x")), lambda number: "sent", at)), {}),
    "mock: no JSON": lambda at: (mocked(sometimes(lambda number: object(), lambda number: "sent", at)), {}),
    "judge: no verdict": lambda at: (agent(**WORKS), {"metrics": [broken_judge(at, lambda request: "Well…")]}),
    "judge: silent": lambda at: (agent(**WORKS), {"metrics": [broken_judge(at, lambda request: raise_error(refused(503)))]}),
    "metric": lambda at: (agent(**WORKS), {"metrics": [BreaksOnce(f"g{at}")]}),
    "service": lambda at: (rc.Agent(sometimes(loses_service, lambda text: [rc.ToolCall("get_order", {"number": 1})], at)), {}),
    "model: 429": lambda at: (rc.Agent(ScriptedProvider(sometimes(lambda request: raise_error(refused(429)), reply, 2 * at)), tools=[TOOL], mode="loop", **WORKS), {}),
    "model: cut off": lambda at: (rc.Agent(ScriptedProvider(sometimes(lambda request: raise_error(cut_off()), reply, 2 * at)), tools=[TOOL], mode="loop", **WORKS), {}),
}  # fmt: skip
"""Parts that are broken for one golden or one call of many."""


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


@pytest.mark.parametrize("part", ONCE)
@given(count=st.integers(2, 40), data=st.data())
@settings(max_examples=examples(40, few=2), deadline=None)
def test_a_part_that_is_broken_once_is_never_green(part, tmp_path_factory, count, data):
    at = data.draw(st.integers(0, count - 1))
    store = tmp_path_factory.mktemp("run") / "s.db"
    goldens = goldens_of(count, states_words=False)
    assert word_of(lambda: ONCE[part](at), goldens, store, 1) != "PASS"
