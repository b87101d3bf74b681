"""`with`: what functions and classes of the user get besides the text, in one turn and in many, observed or not."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

import rightcall as rc
from rightcall.agents.limits import Limits
from rightcall.core.errors import ConfigError

GOLDEN = rc.Golden("Balance?", id="one", tags=("vip",), expected_calls=[rc.ExpectedCall("look_up")])
TALK = rc.ConversationalGolden(
    "Asks twice.", id="talk", turns=[rc.Turn("user", "Balance?"), rc.Turn("user", "And now?")]
)


@pytest.fixture(autouse=True)
def own_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@dataclass
class Bank:
    customer: str = "nobody"
    asked: list[str] = field(default_factory=list)

    def answer(self, text: str) -> str:
        self.asked.append(text)
        return f"{self.customer}: {len(self.asked)}"


def bank_of(labels: dict[str, Any]) -> Bank:
    return Bank(f"{labels['id']} {labels['tags']}")


def function(question: str, bank: Bank) -> str:
    return bank.answer(question)


async def with_history(bank: Bank, question: str, history: list[Any]) -> str:
    return bank.answer(question)


class Support:
    def __init__(self, bank: Bank, limit: int = 1) -> None:
        self.bank = bank

    async def __call__(self, question: str) -> str:
        return self.bank.answer(question)


def answers(agent: Any, golden: Any, **values: Any) -> list[str]:
    (case,) = rc.evaluate(rc.Agent(agent, with_=values), [golden]).results
    return [message.content for message in case.trajectory.messages if message.role == "assistant"] or [
        case.trajectory.output
    ]


@pytest.mark.parametrize("agent", [function, with_history, Support])
@pytest.mark.parametrize(
    ("value", "customer"),
    [(bank_of, "ID TAGS"), (Bank, "nobody"), ({"customer": "Ann"}, "Ann"), (Bank("Bob"), "Bob")],
)
def test_a_value_is_made_once_for_each_trial(agent, value, customer):
    for golden, count in ((GOLDEN, 1), (TALK, 2)):
        name = customer.replace("ID", golden.id).replace("TAGS", str(list(golden.tags)))
        assert answers(agent, golden, bank=value) == [f"{name}: {turn + 1}" for turn in range(count)]


def test_an_observed_function_gets_its_values():
    from pydantic_ai import Agent
    from pydantic_ai.models.test import TestModel

    async def ask(question: str, bank: Bank) -> str:
        await Agent(TestModel()).run(question)
        return bank.answer(question)

    agent = rc.Agent(rc.observe(ask, via="pydantic_ai"), with_={"bank": bank_of})
    results = [*rc.evaluate(agent, [GOLDEN]).results, *rc.evaluate(agent, [TALK]).results]
    assert [case.trajectory.output for case in results] == ["one ['vip']: 1", "talk []: 2"]


@pytest.mark.parametrize(
    ("agent", "values", "problem"),
    [
        (function, {}, r"function\(question, bank\) needs .* with: \{bank: MODULE:FUNCTION\}"),
        (Support, {}, r"Support\(bank, limit\) needs 'bank', .* with: \{bank: MODULE:FUNCTION\}"),
        (function, {"bank": Bank, "banks": 1}, "with.banks: function takes no 'banks'; did you mean 'bank'"),
        (Support, {"bank": Bank, "question": 1}, "takes no 'question'; it takes bank, limit"),
        (Support, {"bank": 7}, "with.bank must be a Bank, got 7"),
        (Support(Bank()), {"bank": Bank}, "takes no 'bank'"),
    ],
)
def test_what_is_wrong_with_a_value_is_an_error_before_anything_is_asked(agent, values, problem):
    with pytest.raises(ConfigError, match=problem):
        answers(agent, GOLDEN, **values)


ENDED: list[str] = []


def opened(labels: dict[str, Any]) -> Iterator[Bank]:
    bank = bank_of(labels)
    yield bank
    ENDED.append(f"{bank.customer}, asked {len(bank.asked)}")


async def opened_in_the_task(labels: dict[str, Any]) -> AsyncIterator[Bank]:
    task = asyncio.current_task()
    async with asyncio.timeout(60):  # ends in the task in which it began, or raises
        for bank in opened(labels):
            yield bank
    assert asyncio.current_task() is task


@pytest.mark.parametrize("value", [opened, opened_in_the_task])
@pytest.mark.parametrize("agent", [function, Support, rc.observe(function, via="openai")])
def test_the_code_after_a_yield_runs_when_the_trial_ends(agent, value):
    ENDED.clear()
    for golden in (GOLDEN, TALK):
        answers(agent, golden, bank=value)
    assert ENDED == ["one ['vip'], asked 1", "talk [], asked 2"]


def test_the_code_after_a_yield_runs_when_the_agent_failed():
    def failing(question: str, bank: Bank) -> str:
        raise ValueError(bank.answer(question))

    ENDED.clear()
    answers(failing, GOLDEN, bank=opened)
    assert ENDED == ["one ['vip'], asked 1"]


def test_an_error_after_a_yield_ends_the_run_with_its_place():
    def broken() -> Iterator[Bank]:
        yield Bank()
        raise ValueError("it is still open")

    with pytest.raises(
        ConfigError, match=r"with.bank: .*broken \(.*\.py:\d+\) raised ValueError: it is still"
    ):
        answers(function, GOLDEN, bank=broken)


def test_the_code_after_a_yield_runs_when_the_agent_never_ends():
    ended = threading.Event()
    hangs = threading.Event()

    def opened_until_the_end() -> Iterator[Bank]:
        yield Bank()
        ended.set()

    def hanging(question: str, bank: Bank) -> str:
        hangs.wait()
        return ""

    agent = rc.Agent(hanging, with_={"bank": opened_until_the_end}, limits=Limits(seconds=0.1))
    (case,) = rc.evaluate(agent, [GOLDEN]).results
    hangs.set()
    assert case.trajectory.stop_reason == "limit"
    assert ended.is_set()


class Desk:
    def __init__(self) -> None:
        self.bank = Bank()

    async def connect(self, address: str) -> None:
        self.bank.customer = address

    async def answer(self, question: str) -> str:
        return self.bank.answer(question)


async def connected() -> AsyncIterator[Desk]:
    desk = Desk()
    await desk.connect("Ann")
    yield desk


@pytest.mark.parametrize(("value", "customer"), [(connected, "Ann"), (Desk, "nobody"), ({}, "nobody")])
def test_a_method_of_a_class_gets_its_object_from_with(value, customer):
    assert answers(Desk.answer, TALK, self=value) == [f"{customer}: 1", f"{customer}: 2"]


def test_a_method_without_its_object_and_a_class_that_cannot_be_called_say_what_to_write():
    with pytest.raises(
        ConfigError, match=r"Desk.answer\(self, question\) needs 'self', .* with: \{self: MODULE"
    ):
        answers(Desk.answer, GOLDEN)
    with pytest.raises(
        ConfigError, match=r"name the method that gets the text \(Desk.connect, Desk.answer\)"
    ):
        answers(Desk, GOLDEN)


class Ledger:
    """Usable only in the thread in which it was opened, as a connection of SQLite is."""

    def __init__(self) -> None:
        self.rows = sqlite3.connect(":memory:")
        self.rows.execute("CREATE TABLE asked (text)")

    def note(self, text: str) -> str:
        self.rows.execute("INSERT INTO asked VALUES (?)", (text,))
        return str(self.rows.execute("SELECT count(*) FROM asked").fetchone()[0])


def opened_ledger() -> Iterator[Ledger]:
    ledger = Ledger()
    yield ledger
    ledger.rows.close()


def clerk(question: str, ledger: Ledger) -> str:
    return ledger.note(question)


async def async_clerk(question: str, ledger: Ledger) -> str:
    return ledger.note(question)


class Clerk:
    def __init__(self, ledger: Ledger | None = None) -> None:
        self.ledger = ledger or Ledger()

    def __call__(self, question: str) -> str:
        return self.ledger.note(question)


class AsyncClerk(Clerk):
    async def __call__(self, question: str) -> str:  # type: ignore[override]
        return self.ledger.note(question)


@pytest.mark.parametrize("values", [{"ledger": Ledger}, {"ledger": opened_ledger}, {}])
@pytest.mark.parametrize("agent", [clerk, async_clerk, Clerk, AsyncClerk])
def test_what_a_trial_opens_is_used_in_the_thread_in_which_it_was_opened(agent, values):
    if not values and not isinstance(agent, type):
        pytest.skip("a function opens nothing before it is called")
    goldens = [rc.Golden(f"Balance {number}?") for number in range(20)]
    results = rc.evaluate(rc.Agent(agent, with_=values), goldens).results
    assert {case.trajectory.output for case in results} == {"1"}
    assert answers(agent, TALK, **values) == ["1", "2"]
