"""Every blocking call of a process waits for the same event loop, whoever calls and from wherever."""

from __future__ import annotations

import asyncio
import random
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar

import pytest

from rightcall.core import event_loop
from rightcall.core.event_loop import run_apart, run_blocking, shared_loop
from rightcall.core.event_loop.shared_loop import end_with_call
from rightcall.core.event_loop.worker_threads import BorrowedLoop, in_thread

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


async def from_borrowed_loop():
    return await in_thread(lambda: asyncio.get_event_loop().run_until_complete(this_loop()))


async def from_asyncio_run():
    return await in_thread(lambda: asyncio.run(this_loop()))


DOORS = {
    "main thread": lambda: run_blocking(this_loop()),
    "another thread": lambda: in_new_thread(lambda: run_blocking(this_loop())),
    "notebook": lambda: asyncio.run(from_notebook()),
    "inside a call, in a thread": lambda: run_blocking(from_worker_thread()),
    "run_until_complete of a synchronous agent": lambda: run_blocking(from_borrowed_loop()),
    "asyncio.run of a synchronous agent": lambda: run_blocking(from_asyncio_run()),
    "asyncio.run of a synchronous agent in an async program": lambda: asyncio.run(from_asyncio_run()),
}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_every_door_leads_to_one_loop(door):
    assert door() is run_blocking(this_loop())
    assert door() is door()


def test_many_threads_at_once_get_their_own_results_from_one_loop():
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
    assert answers == [-number if fails else number for number, _, fails in jobs] and len(loops) == 1


def test_a_call_inside_a_call_that_blocks_the_loop_has_another_one():
    async def outer():
        inner = run_blocking(this_loop())
        return inner, run_blocking(from_worker_thread()), asyncio.get_running_loop()

    inner, of_thread, loop = run_blocking(outer())
    assert inner is not loop and of_thread is inner and run_blocking(outer())[0] is inner


def test_a_call_that_its_caller_makes_the_loop_wait_for_is_made_on_another(monkeypatch):
    monkeypatch.setattr(shared_loop, "PATIENCE_S", 0.05)

    async def blocks():
        return in_new_thread(lambda: run_blocking(this_loop())), asyncio.get_running_loop()

    other, loop = run_blocking(blocks())
    assert other is not loop and run_blocking(this_loop()) is loop


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
    monkeypatch.setattr(event_loop, "_factory", [])
    if request.param == "uvloop":
        event_loop.prefer_uvloop()
    yield
    event_loop.close()


@pytest.mark.usefixtures("any_loop")
def test_the_caller_runs_the_loop_although_a_worker_thread_waits_for_it_too():
    """Agents may have opened things that belong to the caller's thread, such as a SQLite connection."""

    async def long(started):
        started.set()
        await asyncio.sleep(0.3)
        return threading.current_thread()

    async def thread():
        return threading.current_thread()

    async def leaves_work():
        started = threading.Event()
        work = asyncio.ensure_future(in_thread(lambda: asyncio.run(long(started))))
        await asyncio.to_thread(started.wait)
        return work

    run_blocking(leaves_work())
    assert run_blocking(thread()) is threading.current_thread()
    assert run_blocking(answer(1, 0.01)) == 1


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


@pytest.mark.usefixtures("any_loop")
def test_a_loop_that_other_threads_still_use_can_be_closed():
    over = threading.Event()
    unexpected: list[BaseException] = []

    def calls():
        while not over.is_set():
            loop = BorrowedLoop()
            try:
                while True:
                    assert loop.run_until_complete(answer(3)) == 3
            except asyncio.CancelledError:
                pass
            except BaseException as error:
                if str(error) != "Event loop is closed":
                    unexpected.append(error)

    threads = [threading.Thread(target=calls) for _ in range(2)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)  # threads change within a few instructions, which is where a race would be
    try:
        for thread in threads:
            thread.start()
        for _ in range(300):
            event_loop.close()
    finally:
        sys.setswitchinterval(interval)
        over.set()
        while any(thread.is_alive() for thread in threads):
            event_loop.close()
    assert unexpected == []


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
                await in_thread(lambda: asyncio.run(slow()), cancel=True)
        await asyncio.to_thread(ended.wait, 10)

    run_blocking(scenario())
    assert ended.is_set()


def test_asyncio_run_of_a_synchronous_agent_ends_the_tasks_it_started():
    tasks = []

    async def leaves_a_task():
        tasks.append(asyncio.create_task(asyncio.sleep(1000)))

    run_blocking(in_thread(lambda: asyncio.run(leaves_a_task())))
    assert tasks[0].cancelled()
    original = asyncio.run(this_loop())
    assert original.is_closed(), "elsewhere asyncio.run is as before"


RAW = {
    "tasks": lambda loop: loop.run_until_complete(
        asyncio.gather(loop.create_task(answer(1)), loop.create_task(answer(2)))
    ),
    "executor": lambda loop: [1, loop.run_until_complete(loop.run_in_executor(None, lambda: 2))],
    "run_forever": lambda loop: (loop.call_later(0.01, loop.stop), loop.run_forever(), [1, 2])[2],
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
