"""A thread keeps one event loop for its blocking calls, wherever they are made."""

from __future__ import annotations

import asyncio
import random
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest

from rightcall.core import event_loop
from rightcall.core.event_loop import run_apart, run_blocking
from rightcall.core.event_loop.kept_loop import end_with_call
from rightcall.core.event_loop.worker_threads import in_thread

COLOUR: ContextVar[str] = ContextVar("colour", default="none")


async def this_loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


async def answer(value: object, seconds: float = 0.0) -> object:
    await asyncio.sleep(seconds)
    return value


def in_new_thread(function):
    outcome = []
    thread = threading.Thread(target=lambda: outcome.append(function()))
    thread.start()
    thread.join()
    return outcome[0]


async def from_notebook():
    return run_blocking(this_loop())


async def from_worker_thread():
    return await in_thread(lambda: run_blocking(this_loop()))


async def from_lent_loop():
    return await in_thread(lambda: asyncio.get_event_loop().run_until_complete(this_loop()))


DOORS = {
    "this thread": lambda: run_blocking(this_loop()),
    "notebook": lambda: asyncio.run(from_notebook()),
    "inside a call, in a thread": lambda: run_blocking(from_worker_thread()),
    "run_until_complete of a synchronous agent": lambda: run_blocking(from_lent_loop()),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_every_door_leads_to_one_loop(door):
    assert door() is run_blocking(this_loop())
    assert door() is door()


def test_each_thread_keeps_a_loop_of_its_own():
    def two_calls():
        return run_blocking(this_loop()), run_blocking(this_loop())

    first, second = in_new_thread(two_calls)
    assert first is second
    assert first is not run_blocking(this_loop())


def test_a_synchronous_agent_that_calls_asyncio_run_has_what_python_gives_it():
    async def agent():
        return await in_thread(lambda: asyncio.run(this_loop()))

    assert run_blocking(agent()).is_closed()


def test_the_loop_of_a_thread_that_ended_is_closed():
    loop = in_new_thread(lambda: run_blocking(this_loop()))
    in_new_thread(lambda: run_blocking(this_loop()))
    assert loop.is_closed()


def test_many_threads_at_once_get_their_own_results_each_from_one_loop():
    seed = random.randrange(1 << 32)
    print("seed", seed)
    rng = random.Random(seed)
    jobs = [(number, rng.random() / 50, rng.random() < 0.3) for number in range(60)]

    def ask(job):
        number, seconds, fails = job
        try:
            return run_blocking(_one(number, seconds, fails))
        except ValueError as error:
            return error.args[0]

    async def _one(number, seconds, fails):
        loops.add(asyncio.get_running_loop())
        await asyncio.sleep(seconds)
        if fails:
            raise ValueError(-number)
        return number

    loops: set = set()
    with ThreadPoolExecutor(12) as pool:
        answers = list(pool.map(ask, jobs))
    assert answers == [-number if fails else number for number, _, fails in jobs] and len(loops) <= 12


def test_a_call_inside_a_call_that_blocks_the_loop_has_another_one():
    async def outer():
        inner = run_blocking(this_loop())
        return inner, run_blocking(from_worker_thread()), asyncio.get_running_loop()

    inner, of_thread, loop = run_blocking(outer())
    assert inner is not loop and of_thread is inner and run_blocking(outer())[0] is inner


def test_the_context_of_the_caller_is_seen_and_not_changed():
    async def colour():
        before = COLOUR.get()
        COLOUR.set("changed")
        return before

    async def in_notebook():
        COLOUR.set("red")
        return run_blocking(colour()), await in_thread(lambda: asyncio.run(colour())), COLOUR.get()

    COLOUR.set("blue")
    assert run_blocking(colour()) == "blue" and COLOUR.get() == "blue"
    assert asyncio.run(in_notebook()) == ("red", "red", "red")


@pytest.mark.parametrize(
    "error", [ValueError("x"), SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError()]
)
@pytest.mark.parametrize("where", ["here", "notebook", "thread"])
def test_what_a_coroutine_raises_is_raised_where_it_is_waited_for(error, where):
    async def fail():
        await asyncio.sleep(0)
        raise error

    def wait():
        try:
            run_blocking(fail())
        except BaseException as raised:
            return raised

    async def notebook():
        return wait()

    waits = {"here": wait, "notebook": lambda: asyncio.run(notebook()), "thread": lambda: in_new_thread(wait)}
    raised = waits[where]()
    assert raised is error and raised.__context__ is None
    assert run_blocking(answer(1)) == 1


@pytest.fixture(params=["asyncio", "uvloop"])
def any_loop(request, monkeypatch):
    """Both kinds of loops; a command uses uvloop, and tests of commands in this process leave it behind."""
    event_loop.close()
    monkeypatch.setattr(event_loop, "_preferred", [])
    if request.param == "uvloop":
        event_loop.prefer_uvloop()
    yield
    event_loop.close()


@pytest.mark.usefixtures("any_loop")
def test_the_thread_that_calls_runs_the_loop():
    """Agents may have opened things that belong to the caller's thread, such as a SQLite connection."""

    async def thread():
        return threading.current_thread()

    async def thread_of_agent():
        return await in_thread(lambda: asyncio.get_event_loop().run_until_complete(thread()))

    assert run_blocking(thread()) is threading.current_thread()
    assert run_blocking(thread_of_agent()) is threading.current_thread()


@pytest.mark.usefixtures("any_loop")
@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="needs alarms")
def test_what_a_signal_handler_raises_ends_the_call():
    """As time limits of test runners do; asyncio would log the error and lose the wake-up that it interrupts."""

    class LateError(Exception):
        pass

    def on_alarm(number, frame):
        raise LateError

    async def busy():
        loop = asyncio.get_running_loop()

        def spin():
            loop.call_soon(spin)

        spin()
        await asyncio.sleep(1000)

    before = signal.signal(signal.SIGALRM, on_alarm)
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    try:
        with pytest.raises(LateError):
            run_blocking(busy())
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        event_loop.close()
    assert run_blocking(answer(1)) == 1


@pytest.mark.usefixtures("any_loop")
def test_work_that_an_agent_left_in_a_thread_ends_with_the_call():
    outcome = []
    over = threading.Event()

    def agent():
        try:
            asyncio.get_event_loop().run_until_complete(asyncio.sleep(1000))
        except asyncio.CancelledError:
            outcome.append("cancelled")
        try:
            over.wait()
            asyncio.get_event_loop().run_until_complete(asyncio.sleep(0))
        except asyncio.CancelledError:
            outcome.append("refused")
        ended.set()

    async def leaves_it():
        work = asyncio.ensure_future(in_thread(agent))
        await asyncio.sleep(0.05)
        return work

    ended = threading.Event()
    run_blocking(leaves_it())
    over.set()
    assert ended.wait(60)
    assert outcome == ["cancelled", "refused"]


@pytest.mark.usefixtures("any_loop")
def test_threads_start_programs_at_the_same_time():
    async def program():
        process = await asyncio.create_subprocess_exec("true")
        return await process.wait()

    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(lambda _: run_blocking(program()), range(64))] == [0] * 64


def test_work_of_tools_ends_with_the_call_and_what_clients_keep_running_does_not():
    async def start():
        tool, client = (asyncio.create_task(asyncio.sleep(1000)) for _ in range(2))
        end_with_call(tool)
        return tool, client

    tool, client = run_blocking(start())
    assert tool.cancelled() and not client.done()
    event_loop.close()
    assert client.cancelled()
    assert run_blocking(answer(2)) == 2


def test_a_loop_can_be_closed_and_another_begins():
    first = run_blocking(this_loop())
    event_loop.close()
    assert first.is_closed() and run_blocking(this_loop()) is not first


def test_code_that_may_block_runs_apart():
    async def both():
        return run_apart(this_loop()), asyncio.get_running_loop()

    apart, shared = run_blocking(both())
    assert apart is not shared and apart.is_closed()
    assert run_apart(this_loop()) is not shared


def test_cancelling_a_call_in_a_thread_cancels_the_async_code_it_waits_for():
    ended = threading.Event()

    async def slow():
        try:
            await asyncio.sleep(1000)
        finally:
            ended.set()

    async def scenario():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await in_thread(lambda: asyncio.get_event_loop().run_until_complete(slow()), cancel=True)
        await asyncio.to_thread(ended.wait, 10)

    run_blocking(scenario())
    assert ended.is_set()


RAW = {
    "tasks": lambda loop: loop.run_until_complete(
        asyncio.gather(loop.create_task(answer(1)), loop.create_task(answer(2)))
    ),
    "executor": lambda loop: [1, loop.run_until_complete(loop.run_in_executor(None, lambda: 2))],
    "future": lambda loop: (
        future := loop.create_future(),
        loop.call_soon(future.set_result, [1, 2]),
        loop.run_until_complete(future),
    )[2],
    "Runner": lambda loop: _two_runs(),
}


def _two_runs():
    with asyncio.Runner() as runner:
        return [runner.run(answer(1)), runner.run(answer(2))]


@pytest.mark.parametrize("use", RAW.values(), ids=RAW)
def test_the_loop_of_a_thread_can_be_used_as_any_other(use):
    assert list(run_blocking(in_thread(lambda: use(asyncio.get_event_loop())))) == [1, 2]


def test_many_blocking_calls_inside_threads_do_not_wait_for_each_other():
    async def nested(depth):
        if depth:
            await in_thread(lambda: run_blocking(nested(depth - 1)))
        return await asyncio.to_thread(time.sleep, 0.001)

    async def scenario():
        await asyncio.gather(*(nested(3) for _ in range(40)))

    run_blocking(scenario())


def test_threads_that_code_under_test_starts_are_as_elsewhere():
    assert run_blocking(in_thread(lambda: threading.Thread().daemon)) is False
