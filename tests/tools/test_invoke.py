from __future__ import annotations

import asyncio
import math
import threading
import time
from dataclasses import dataclass
from datetime import date
from typing import Any, TypedDict

import pytest

from rightcall.core.codec import encode
from rightcall.records import Annotations, Message, Tool, ToolCall
from rightcall.records.dialects import SPELLINGS
from rightcall.tools.definitions.function import tool
from rightcall.tools.runtime.context import VirtualClock
from rightcall.tools.runtime.errors import ERROR_CODES, Abort, Aborted, ToolError
from rightcall.tools.runtime.mocks import MockPlan
from rightcall.tools.runtime.policy import ToolRules
from rightcall.tools.runtime.toolbox import Toolbox
from tests.support.patience import SECONDS, wait_until
from tests.tools.helpers import Effects, a_box, a_call, invoke, invoke_all, run

SECRET = "password=hunter2"


@tool(read_only=True)
async def look(city: str, days: int = 1) -> dict:
    """Look at the weather."""
    return {"city": city, "days": days}


def test_a_valid_call_is_ok_and_returns_its_result():
    made = invoke(a_box(look), a_call("look", city="Hue", days=2.0))
    assert made.outcome == "ok" and made.call.status == "ok"
    assert made.result.output == {"city": "Hue", "days": 2} and not made.result.is_error
    assert made.call.arguments == {"city": "Hue", "days": 2.0} and made.call.latency_ms is not None


def test_an_unknown_tool_is_refused_with_the_nearest_name():
    reply = invoke(a_box(look), a_call("lok")).error
    assert reply.error == "unknown_tool" and "did you mean 'look'?" in reply.hint


def test_arguments_that_were_no_json_are_refused():
    made = invoke(a_box(look), ToolCall("look", None, "c1", raw='{"city": "Hu'))
    assert (made.outcome, made.error.error) == ("rejected", "invalid_json")
    assert '{"city": "Hu' in made.error.detail


def test_every_problem_is_reported_with_what_to_write_instead():
    reply = invoke(a_box(look), a_call("look", town="Hue", days="3")).error
    assert reply.error == "invalid_args" and reply.retry == "fix_args" and reply.effect == "none"
    assert "'city' is required" in reply.detail and "unknown parameter 'town'" in reply.detail
    assert "days = 3" in reply.hint


def test_no_more_than_five_problems_are_reported():
    reply = invoke(a_box(look), a_call("look", **{f"x{n}": 1 for n in range(20)})).error
    assert reply.detail.count(";") == 5 and "16 more" in reply.detail


@pytest.mark.parametrize(
    "city", [math.nan, "\ud800", 10**5_000, {"a": {"b": [math.inf]}}], ids=["nan", "surrogate", "huge", "inf"]
)
def test_what_is_not_json_is_refused_and_the_reply_can_still_be_written(city):
    made = invoke(a_box(look), a_call("look", city=city))
    assert made.error.error == "invalid_args"
    encode(made.result)


def test_deep_and_large_arguments_are_answered_not_feared():
    deep: Any = "x"
    for _ in range(2_000):
        deep = {"a": deep}
    assert invoke(a_box(look), a_call("look", city=deep)).error.error == "invalid_args"
    assert invoke(a_box(look), a_call("look", city="x" * 10_000_000)).error.error == "result_malformed"
    assert invoke(a_box(look), a_call("look", city="x", days=10**40)).call.output["days"] == 10**40


@pytest.mark.parametrize(
    ("read_only", "outcome", "error"), [(True, "failed", "timeout"), (False, "unknown", "outcome_unknown")]
)
def test_a_read_that_times_out_has_failed_and_a_write_is_unknown(read_only, outcome, error):
    @tool(read_only=read_only, timeout_s=0.01, check_with="list_payments")
    async def slow() -> None:
        await asyncio.sleep(10)

    made = invoke(a_box(slow), a_call("slow"))
    assert (made.outcome, made.error.error) == (outcome, error)
    if outcome == "unknown":
        assert made.error.retry == "no" and "again" not in made.error.hint
        assert made.error.hint.startswith("call list_payments first")


def test_a_thread_that_ends_after_its_deadline_is_written_into_the_ledger():
    late = threading.Event()

    @tool(timeout_s=0.01)
    def slow() -> dict:
        late.wait(SECONDS)
        return {}

    box = a_box(slow)
    context = box.context()
    assert invoke(box, a_call("slow"), context).outcome == "unknown"
    assert context.ledger.effects() == ()
    late.set()
    wait_until(context.ledger.effects)
    assert [e.phase for e in context.ledger.effects()] == ["late_effect"]


def test_a_hanging_tool_does_not_keep_the_loop_from_ending():
    never = threading.Event()

    @tool(timeout_s=0.01)
    def hang() -> None:
        never.wait(SECONDS)

    started = time.monotonic()
    invoke(a_box(hang), a_call("hang"))
    never.set()
    assert time.monotonic() - started < SECONDS / 2


class Forecast(TypedDict):
    celsius: float


@tool(read_only=True)
async def forecast() -> Forecast:
    """Forecast."""
    return {"celsius": "warm"}  # type: ignore[typeddict-item]


@tool(destructive=True)
async def book() -> Forecast:
    """Book."""
    return {"celsius": "warm"}  # type: ignore[typeddict-item]


@pytest.mark.parametrize(("made", "outcome", "effect"), [(forecast, "failed", "none"), (book, "ok", "done")])
def test_a_result_that_does_not_fit_its_schema_is_reported_with_what_was_done(made, outcome, effect):
    done = invoke(a_box(made), a_call(made.name))
    assert (done.outcome, done.error.error, done.error.effect) == (outcome, "result_malformed", effect)
    assert "celsius must be a number" in done.error.detail
    if effect == "done":
        assert "do not repeat it" in done.error.hint


@pytest.mark.parametrize("result", [object(), math.nan, "x" * 2_000_000, {"a": {1: {2, 3}}, "b": object()}])
def test_a_result_that_cannot_be_shown_is_malformed_and_the_effect_is_done(result):
    @tool(destructive=True)
    async def act() -> Any:
        return result

    made = invoke(a_box(act), a_call("act"))
    assert (made.error.error, made.error.effect, made.outcome) == ("result_malformed", "done", "ok")


@dataclass
class Point:
    x: int
    on: date


def test_rich_results_become_plain_json():
    @tool(read_only=True)
    async def where() -> Any:
        return {"at": Point(1, date(2026, 3, 31)), "tags": {"a"}}

    made = invoke(a_box(where), a_call("where"))
    assert made.call.output == {"at": {"x": 1, "on": "2026-03-31"}, "tags": ["a"]}


@tool(read_only=True)
async def broken() -> None:
    """Broken."""
    raise RuntimeError(f"SELECT * FROM users -- {SECRET}")


def test_an_unexpected_exception_is_masked():
    made = invoke(a_box(broken), a_call("broken"))
    told = encode(made.call.output).decode()
    assert made.error.error == "internal_error" and made.outcome == "failed"
    assert SECRET not in told and "SELECT" not in told and "Traceback" not in told


def test_an_unexpected_exception_in_a_write_leaves_its_outcome_unknown():
    @tool
    async def act() -> None:
        raise KeyError(SECRET)

    made = invoke(a_box(act), a_call("act"))
    assert (made.outcome, made.error.error, made.error.effect) == ("unknown", "internal_error", "unknown")
    assert SECRET not in str(made.call.output)


def test_in_strict_mode_it_stops_the_agent_and_only_the_operator_learns_why():
    with pytest.raises(Aborted, match="hunter2") as stop:
        invoke(a_box(broken, rules=ToolRules(strict=True)), a_call("broken"))
    (made,) = stop.value.invocations
    assert made.outcome == "aborted" and SECRET not in str(made.call.output)


def breaking(*args: Any) -> Any:
    raise KeyError(SECRET)


def refusing(*args: Any) -> Any:
    raise ToolError("not_found", "no such account", "look it up")


@pytest.mark.parametrize("part", ["preview", "current_version"])
@pytest.mark.parametrize(("does", "error"), [(breaking, "internal_error"), (refusing, "not_found")])
def test_what_breaks_around_a_tool_is_an_answer_too_and_the_tool_is_not_run(part, does, error):
    behaviour: dict[str, Any] = {
        "preview": {"preview": does, "confirmation": "preview"},
        "current_version": {"current_version": does, "version_parameter": "note"},
    }[part]
    effects = Effects(idempotency="args", **behaviour)
    made = invoke(a_box(effects.pay), a_call("pay", amount=5))
    assert (made.error.error, made.error.effect, effects.done) == (error, "none", [])
    assert made.outcome in ("failed", "rejected") and SECRET not in str(made.call.output)


@pytest.mark.parametrize("code", ERROR_CODES)
def test_a_tool_may_answer_with_every_error_of_the_contract_and_each_has_a_next_step(code):
    @tool(read_only=True)
    async def act() -> None:
        raise ToolError(code, "it did not work")

    output = invoke(a_box(act), a_call("act")).call.output
    assert output["error"] == code and output["detail"] == "it did not work" and output["hint"]
    assert {"effect", "retry"} <= output.keys()


def test_an_error_outside_the_contract_is_a_mistake_of_the_tools_author():
    with pytest.raises(ValueError, match="did you mean 'not_found'"):
        ToolError("notfound", "x")  # type: ignore[arg-type]


def test_abort_stops_the_agent_and_every_call_of_the_turn_has_its_result():
    @tool(destructive=True)
    async def wipe() -> None:
        raise Abort("the ledger does not add up")

    effects = Effects()
    box = a_box(look, wipe, effects.pay)
    turn = [a_call("look", city="x"), a_call("wipe"), a_call("pay", amount=1)]
    with pytest.raises(Aborted, match="does not add up") as stop:
        run(box.invoke_turn(turn, box.context()))
    made = stop.value.invocations
    assert [i.call.id for i in made] == [call.id for call in turn]
    assert [i.outcome for i in made] == ["ok", "aborted", "aborted"] and effects.done == []


@pytest.mark.parametrize("spelling", ["native", "anthropic", "openai", "openai_responses"])
def test_a_transcript_cut_by_an_abort_is_valid_in_every_wire_format(spelling):
    @tool(destructive=True)
    async def wipe() -> None:
        raise Abort("stop")

    box = a_box(look, wipe)
    turn = (a_call("look", city="x"), a_call("wipe"), a_call("nope"))
    with pytest.raises(Aborted) as stop:
        run(box.invoke_turn(turn, box.context()))
    results = tuple(i.result for i in stop.value.invocations)
    asked = Message("assistant", "", calls=turn)
    dialect = SPELLINGS[spelling]
    wire = dialect.write_messages([Message("user", "go"), asked, Message("tool", results=results)])
    back = dialect.read_messages(wire, "here")
    assert [r.call_id for m in back for r in m.results] == [c.id for c in turn]


def test_what_may_change_something_is_refused_where_only_reading_is_allowed():
    effects = Effects()
    box = a_box(look, effects.pay, rules=ToolRules(read_only=True))
    made = invoke(box, a_call("pay", amount=5))
    assert (made.outcome, made.error.error, effects.done) == ("rejected", "permission_denied", [])
    assert invoke(box, a_call("look", city="a")).outcome == "ok"


def flaky(*failures: ToolError, **keywords: Any) -> tuple[Any, list[int]]:
    runs: list[int] = []

    @tool(**keywords)
    async def act() -> dict:
        runs.append(1)
        if len(runs) <= len(failures):
            raise failures[len(runs) - 1]
        return {"ok": True}

    return act, runs


def test_without_being_asked_the_runtime_repeats_nothing():
    act, runs = flaky(ToolError("upstream_error", "x", retry="same_key"), read_only=True)
    assert invoke(a_box(act), a_call("act")).outcome == "failed" and len(runs) == 1


def test_cancelling_in_the_middle_marks_writes_as_unknown_and_leaves_nothing_running():
    started = asyncio.Event

    async def scenario() -> Any:
        going = started()

        @tool(destructive=True, idempotency="key", resource_key="account")
        async def pay(account: str) -> None:
            going.set()
            await asyncio.sleep(30)

        box = a_box(pay, look)
        context = box.context(run="r", task="t")
        turn = [
            a_call("pay", account="a", idempotency_key="k"),
            a_call("pay", account="b", idempotency_key="l"),
        ]
        task = asyncio.create_task(box.invoke_turn(turn, context))
        await going.wait()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        again = await box.invoke(a_call("pay", account="a", idempotency_key="k"), context)
        return context, again, len(asyncio.all_tasks())

    context, again, tasks = run(scenario())
    assert [i.outcome for i in context.invocations] == ["unknown", "unknown", "unknown"]
    assert again.error.error == "outcome_unknown" and tasks == 1


def test_tools_are_not_run_for_real_unless_asked():
    effects = Effects()
    made = invoke(Toolbox([effects.pay], clock=VirtualClock()), a_call("pay", amount=5))
    assert made.outcome == "ok" and effects.done == []


def test_blocking_async_and_generator_functions_are_all_tools():
    @tool
    def blocking() -> str:
        return threading.current_thread().name

    @tool
    def letters():
        yield from ("a", "b")

    @tool
    async def numbers():
        yield 1
        yield 2

    made = invoke_all(a_box(blocking, letters, numbers), *map(a_call, ("blocking", "letters", "numbers")))
    assert [i.call.output for i in made] == ["rightcall-work", "ab", [1, 2]]


def test_a_definition_without_code_answers_as_its_output_schema_says():
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    defined = Tool("count", output_schema=schema, annotations=Annotations(read_only=True))
    made = invoke(Toolbox([defined], mocks=MockPlan({}, [])), a_call("count"))
    assert isinstance(made.call.output["n"], int)


@pytest.mark.parametrize(("schema", "error"), [({}, None), ({"required": ["city"]}, "invalid_json")])
def test_empty_argument_text_is_no_arguments_unless_the_tool_requires_some(schema, error):
    tool = Tool("now", input_schema={"type": "object", "properties": {"city": {}}, **schema})
    made = invoke(a_box(tool), ToolCall("now", None, "c1", raw=""))
    assert (made.error and made.error.error) == error
