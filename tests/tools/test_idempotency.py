from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from rightcall.core.codec import encode
from rightcall.records import Trajectory
from rightcall.records.open_call import open_calls
from rightcall.tools.definitions.function import tool
from rightcall.tools.idempotency.guard import Idempotency, full_key
from rightcall.tools.idempotency.key_location import sqlite_store
from rightcall.tools.idempotency.store import ClaimRequest, StoreDownError
from rightcall.tools.runtime.context import VirtualClock
from rightcall.tools.runtime.errors import Aborted, ToolError
from rightcall.tools.runtime.toolbox import Toolbox
from tests.tools.helpers import Effects, a_box, a_call, a_dead_owner, invoke, invoke_all, run


def test_the_same_key_and_arguments_are_done_once_and_answered_with_the_same_bytes():
    effects = Effects(idempotency="key")
    first, second = invoke_all(
        a_box(effects.pay), *(a_call("pay", amount=5, idempotency_key="k") for _ in range(2))
    )
    assert effects.done == [5]
    assert encode(first.call.output) == encode(second.call.output)
    assert (first.replayed, second.replayed) == (False, True)


def test_sixteen_threads_with_one_key_have_one_effect(tmp_path: Path):
    effects = Effects(idempotency="key")
    outcomes = []
    start = threading.Barrier(16)

    def caller() -> None:
        box = a_box(effects.pay, store=sqlite_store(tmp_path / "keys.db"))
        start.wait()
        outcomes.append(invoke(box, a_call("pay", amount=5, idempotency_key="k")))

    threads = [threading.Thread(target=caller) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert effects.done == [5]
    others = [o for o in outcomes if o.replayed or (o.error and o.error.error == "in_progress")]
    assert len(others) == 15


def test_the_same_key_with_other_arguments_is_refused_and_changes_nothing():
    effects = Effects(idempotency="key")
    _, other, again = invoke_all(
        a_box(effects.pay),
        a_call("pay", amount=5, idempotency_key="k"),
        a_call("pay", amount=6, idempotency_key="k"),
        a_call("pay", amount=5, idempotency_key="k"),
    )
    assert other.outcome == "rejected" and other.error.error == "idempotency_key_reused"
    assert other.error.effect == "none" and "new idempotency_key" in other.error.hint
    assert again.replayed and effects.done == [5]


def test_defaults_left_out_and_defaults_written_out_are_the_same_operation():
    effects = Effects(idempotency="key")
    _, second = invoke_all(
        a_box(effects.pay),
        a_call("pay", amount=5, idempotency_key="k"),
        a_call("pay", amount=5, note="", info="", idempotency_key="k"),
    )
    assert second.replayed


def test_a_volatile_field_does_not_make_another_operation():
    effects = Effects(idempotency="args", volatile=("info",))
    _, second = invoke_all(
        a_box(effects.pay), a_call("pay", amount=5, info="trace-1"), a_call("pay", amount=5, info="trace-2")
    )
    assert second.replayed and effects.done == [5]


def test_a_refused_call_stores_nothing_and_its_key_works_with_fixed_arguments():
    effects = Effects(idempotency="key")
    wrong, right = invoke_all(
        a_box(effects.pay),
        a_call("pay", amount="much", idempotency_key="k"),
        a_call("pay", amount=5, idempotency_key="k"),
    )
    assert wrong.outcome == "rejected" and right.outcome == "ok" and effects.done == [5]


def test_a_failure_that_may_pass_is_run_again_as_the_second_attempt():
    answers = [ToolError("rate_limited", "slow down", effect="none", retry_after_s=1), {"ok": True}]

    @tool(idempotency="key")
    async def pay() -> Any:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    first, second = invoke_all(a_box(pay), *(a_call("pay", idempotency_key="k") for _ in range(2)))
    assert (first.outcome, second.outcome, second.attempts) == ("failed", "ok", 2)


def test_a_final_failure_is_returned_again_without_running():
    runs = []

    @tool(idempotency="key")
    async def pay() -> Any:
        runs.append(1)
        raise ToolError("not_found", "no such account")

    first, second = invoke_all(a_box(pay), *(a_call("pay", idempotency_key="k") for _ in range(2)))
    assert len(runs) == 1 and second.replayed and second.call.output == first.call.output


def test_a_failure_without_effect_is_not_held_against_equal_arguments():
    answers = [ToolError("not_found", "no such account", effect="none"), {"ok": True}]

    @tool(idempotency="args")
    async def pay() -> Any:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert [i.outcome for i in invoke_all(a_box(pay), a_call("pay"), a_call("pay"))] == ["failed", "ok"]


@pytest.mark.parametrize(
    ("one", "other"),
    [({"task": "a"}, {"task": "b"}), ({"trial": 0}, {"trial": 1}), ({"run": "x"}, {"run": "y"})],
)
def test_two_tasks_trials_or_runs_never_share_a_key(one, other):
    effects = Effects(idempotency="key")
    box = a_box(effects.pay)
    for names in (one, other):
        invoke(box, a_call("pay", amount=5, idempotency_key="k"), box.context(**names))
    assert effects.done == [5, 5]


def test_a_prefix_sent_by_the_model_is_only_text():
    effects = Effects(idempotency="key")
    box = a_box(effects.pay)
    mine = box.context(run="r", task="a")
    other = box.context(run="r", task="b")
    invoke(box, a_call("pay", amount=5, idempotency_key="k"), mine)
    sly = invoke(box, a_call("pay", amount=5, idempotency_key=full_key(mine, "pay", "k")), other)
    assert not sly.replayed and effects.done == [5, 5]
    assert full_key(box.context(task="a/0:pay:x"), "pay", "k") != full_key(
        box.context(task="a"), "pay", "x/0:pay:k"
    )


def test_a_missing_key_is_asked_for():
    reply = invoke(a_box(Effects(idempotency="key").pay), a_call("pay", amount=5)).error
    assert reply.error == "invalid_args" and reply.retry == "fix_args"
    assert reply.hint == "call pay again with 'idempotency_key' given"


@pytest.mark.parametrize("key", ["", "x" * 256, "a\nb", "\x00", 7, None])
def test_a_key_that_is_none_is_refused(key):
    effects = Effects(idempotency="key")
    reply = invoke(a_box(effects.pay), a_call("pay", amount=5, idempotency_key=key)).error
    assert (reply.error, reply.path, effects.done) == ("invalid_args", "idempotency_key", [])


@pytest.mark.parametrize(("later", "replayed", "effects"), [(-1, True, 1), (1, False, 2)])
def test_a_key_is_remembered_until_its_time_to_live_and_not_longer(later, replayed, effects):
    clock = VirtualClock()
    made = Effects(idempotency="key")
    box = a_box(made.pay, clock=clock)
    context = box.context(run="r", task="t")
    call = a_call("pay", amount=5, idempotency_key="k")
    invoke(box, call, context)
    clock.move(24 * 3600 + later)
    assert invoke(box, call, context).replayed is replayed
    assert len(made.done) == effects
    logged = [e for e in context.ledger.entries if e.phase == "key_expired_reuse"]
    assert len(logged) == effects - 1


@pytest.mark.parametrize("jump", [-10_000, 10_000])
def test_a_clock_that_jumps_does_not_cause_a_second_effect(jump):
    clock = VirtualClock()
    effects = Effects(idempotency="key")
    box = a_box(effects.pay, clock=clock)
    call = a_call("pay", amount=5, idempotency_key="k")
    invoke(box, call)
    clock.move(jump)
    assert invoke(box, call).replayed and effects.done == [5]


def started_elsewhere(box: Toolbox, clock: VirtualClock, fingerprint: str, store: Any, owner: str) -> None:
    key = full_key(box.context(run="r", task="t"), "pay", "k")
    store.begin(ClaimRequest(key, fingerprint, owner, clock.now(), lease_s=60))


def fingerprint_of(box: Toolbox, **arguments: Any) -> str:
    from rightcall.tools.runtime.json_values import fingerprint

    return fingerprint("pay", {"amount": 5, "note": "", "info": "", **arguments})


def test_an_operation_in_flight_is_awaited_and_then_reported_as_in_progress():
    clock = VirtualClock()
    store = sqlite_store()
    effects = Effects(idempotency="key")
    box = a_box(effects.pay, store=store, clock=clock)
    started_elsewhere(box, clock, fingerprint_of(box), store, "another machine:1")
    made = invoke(box, a_call("pay", amount=5, idempotency_key="k"))
    assert made.error.error == "in_progress" and made.error.retry == "same_key" and effects.done == []


def test_a_second_caller_gets_the_result_of_the_one_in_flight():
    done = []

    @tool(idempotency="key")
    async def pay() -> dict:
        await asyncio.sleep(0.05)
        done.append(1)
        return {"number": len(done)}

    box = a_box(pay, wait_s=5)

    async def both() -> list:
        context = box.context()
        calls = [a_call("pay", idempotency_key="k") for _ in range(2)]
        return await asyncio.gather(*(box.invoke(call, context) for call in calls))

    first, second = run(both())
    assert done == [1] and first.call.output == second.call.output


def test_a_claim_whose_owner_died_is_unknown_and_never_run_again():
    clock = VirtualClock()
    store = sqlite_store()
    effects = Effects(idempotency="key", check_with="list_payments")
    box = a_box(effects.pay, store=store, clock=clock)
    started_elsewhere(box, clock, fingerprint_of(box), store, a_dead_owner())
    for _ in range(3):
        made = invoke(box, a_call("pay", amount=5, idempotency_key="k"))
        assert (made.outcome, made.error.error, made.error.effect) == (
            "unknown",
            "outcome_unknown",
            "unknown",
        )
        assert made.error.hint.startswith("call list_payments")
        assert "again" not in made.error.hint and made.error.retry == "no"
    assert effects.done == []


@pytest.mark.parametrize(("found", "runs"), [({"paid": 5, "number": 1}, 0), (None, 1)])
def test_a_probe_settles_what_is_unknown(found, runs):
    clock = VirtualClock()
    store = sqlite_store()
    asked = []

    def probe(key: str, arguments: dict) -> Any:
        asked.append((key, arguments["amount"]))
        return found

    effects = Effects(idempotency="key", probe=probe)
    box = a_box(effects.pay, store=store, clock=clock)
    started_elsewhere(box, clock, fingerprint_of(box), store, a_dead_owner())
    first, second = invoke_all(box, *(a_call("pay", amount=5, idempotency_key="k") for _ in range(2)))
    assert first.outcome == "ok" and first.call.output == second.call.output == {"paid": 5, "number": 1}
    assert len(effects.done) == runs and asked == [("r/t/0:pay:k", 5)]


def test_a_probe_that_breaks_leaves_the_outcome_unknown():
    clock = VirtualClock()
    store = sqlite_store()

    def probe(key: str, arguments: dict) -> Any:
        raise ConnectionError

    effects = Effects(idempotency="key", probe=probe)
    box = a_box(effects.pay, store=store, clock=clock)
    started_elsewhere(box, clock, fingerprint_of(box), store, a_dead_owner())
    for _ in range(2):
        assert invoke(box, a_call("pay", amount=5, idempotency_key="k")).outcome == "unknown"
    assert effects.done == []


def test_a_lease_renewed_while_the_tool_works_is_not_taken_over(tmp_path: Path):
    done = []

    async def two_owners() -> list:
        asked_twice = asyncio.Event()

        @tool(idempotency="key", timeout_s=300)
        async def pay() -> dict:
            await asked_twice.wait()
            done.append(1)
            return {}

        boxes = [
            Toolbox(
                [pay],
                execute="real",
                idempotency=Idempotency(sqlite_store(tmp_path / "k.db"), lease_s=0.2, in_flight_wait_s=0.1),
            )
            for _ in range(2)
        ]
        first = asyncio.create_task(boxes[0].invoke(a_call("pay", idempotency_key="k"), boxes[0].context()))
        await asyncio.sleep(0.4)
        second = await boxes[1].invoke(a_call("pay", idempotency_key="k"), boxes[1].context())
        asked_twice.set()
        return [await first, second]

    first, second = run(two_owners())
    assert first.outcome == "ok" and second.error.error == "in_progress" and done == [1]


def test_a_clock_that_jumps_past_the_lease_takes_no_claim_from_its_owner():
    clock = VirtualClock()
    effects = Effects(idempotency="key")

    @tool(idempotency="key", probe=lambda key, arguments: None)
    async def pay(amount: int) -> dict:
        clock.move(61)
        rival = box.context(run="r", task="t")
        told.append(await box.invoke(a_call("pay", amount=amount, idempotency_key="k"), rival))
        effects.done.append(amount)
        return {"paid": amount}

    told: list = []
    box = a_box(pay, clock=clock)
    assert invoke(box, a_call("pay", amount=5, idempotency_key="k")).outcome == "ok"
    assert (told[0].outcome, told[0].error.error, told[0].error.effect) == (
        "unknown",
        "in_progress",
        "unknown",
    )
    assert effects.done == [5]


def test_an_owner_that_lost_its_claim_cannot_write_its_end_and_is_logged_as_late():
    store = sqlite_store()

    @tool(idempotency="key")
    async def pay() -> dict:
        store._connection.execute(
            "UPDATE rightcall_idempotency SET state = 'unknown'"
        )  # as another machine may
        return {}

    box = a_box(pay, store=store)
    context = box.context(run="r", task="t")
    assert invoke(box, a_call("pay", idempotency_key="k"), context).outcome == "unknown"
    assert [e.phase for e in context.ledger.entries] == ["effect", "late_effect", "unanswered"]
    assert open_calls(context.with_evidence(Trajectory())) == []  # the key tells that it happened
    assert len(context.ledger.effects()) == 1 and store.state("r/t/0:pay:k") == "unknown"


def test_an_owner_on_another_machine_is_given_up_only_when_watched_to_be_silent():
    store = sqlite_store()
    store.begin(ClaimRequest("k", "f", "another machine:1", 0.0, lease_s=0.2))
    later = ClaimRequest("k", "f", "mine", 1_000.0, lease_s=0.2)  # the clock has jumped
    assert store.begin(later).verdict == "in_progress"
    assert store.renew("k", "another machine:1", 1, 0.3)  # and it was only the clock
    assert store.begin(later).verdict == "in_progress"
    time.sleep(0.15)
    assert store.begin(later).verdict == "unknown"


def test_without_its_store_nothing_is_run(tmp_path: Path):
    effects = Effects(idempotency="key")
    store = sqlite_store(tmp_path / "keys.db")
    store.close()
    with pytest.raises(Aborted, match="store"):
        invoke(a_box(effects.pay, store=store), a_call("pay", amount=5, idempotency_key="k"))
    assert effects.done == []


def test_a_locked_store_stops_the_agent_before_the_effect(tmp_path: Path):
    import sqlite3

    effects = Effects(idempotency="key")
    box = a_box(effects.pay, store=sqlite_store(tmp_path / "keys.db", busy_s=0.05))
    rival = sqlite3.connect(tmp_path / "keys.db", isolation_level=None)
    rival.execute("BEGIN EXCLUSIVE")
    with pytest.raises(Aborted, match="locked"):
        invoke(box, a_call("pay", amount=5, idempotency_key="k"))
    rival.close()
    assert effects.done == []


def test_a_full_disk_stops_the_agent_before_the_effect(tmp_path: Path):
    effects = Effects(idempotency="key")
    store = sqlite_store(tmp_path / "keys.db")
    pages = store._connection.execute("PRAGMA page_count").fetchone()[0]
    store._connection.execute(f"PRAGMA max_page_count = {pages}")
    box = a_box(effects.pay, store=store)
    context = box.context(run="r", task="t" * 200)
    with pytest.raises(Aborted, match="full"):
        for number in range(10_000):
            invoke(box, a_call("pay", amount=5, idempotency_key=f"{number}-{'x' * 200}"), context)
    assert len(effects.done) == sum(1 for i in context.invocations if i.outcome == "ok")


def test_a_read_only_store_stops_the_agent_before_the_effect(tmp_path: Path):
    import sqlite3

    from rightcall.tools.idempotency.store import IdempotencyStore

    sqlite_store(tmp_path / "keys.db").close()
    connection = sqlite3.connect(f"file:{tmp_path / 'keys.db'}?mode=ro", uri=True, isolation_level=None)
    effects = Effects(idempotency="key")
    box = a_box(effects.pay, store=IdempotencyStore(connection, errors=(sqlite3.Error,), create=False))
    with pytest.raises(Aborted, match="readonly"):
        invoke(box, a_call("pay", amount=5, idempotency_key="k"))
    assert effects.done == []
    connection.close()


@pytest.mark.stories
def test_processes_that_open_a_new_store_at_once_all_succeed(tmp_path: Path):
    script = (
        "import sys; from rightcall.tools.idempotency.key_location import sqlite_store;"
        "print('ready', flush=True); sys.stdin.readline();"
        "print(sqlite_store(sys.argv[1]).state('k'))"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "keys.db")]
    processes = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(6)
    ]
    for process in processes:
        process.stdout.readline()
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    assert [process.communicate(timeout=300)[0] for process in processes] == ["absent\n"] * 6


def test_a_store_that_cannot_be_opened_says_so(tmp_path: Path):
    with pytest.raises(StoreDownError, match="cannot open"):
        sqlite_store(tmp_path / "no" / "such" / "folder.db")


@pytest.mark.parametrize("damage", ["state = 'nonsense'", "result = 'not json'", "result = NULL"])
def test_a_damaged_record_stops_the_agent_and_is_not_run_again(damage):
    store = sqlite_store()
    effects = Effects(idempotency="key")
    box = a_box(effects.pay, store=store)
    call = a_call("pay", amount=5, idempotency_key="k")
    invoke(box, call)
    store._connection.execute(f"UPDATE rightcall_idempotency SET {damage}")
    with pytest.raises(Aborted, match="damaged"):
        invoke(box, call)
    assert effects.done == [5]


@pytest.mark.parametrize(("mode", "effects"), [("args", 1), ("none", 2)])
def test_equal_calls_in_one_turn_are_one_operation_only_when_the_tool_says_so(mode, effects):
    made = Effects(idempotency=mode)
    box = a_box(made.pay)
    turn = [a_call("pay", amount=5), a_call("pay", amount=5)]
    results = run(box.invoke_turn(turn, box.context()))
    assert len(made.done) == effects and [r.call.id for r in results] == [c.id for c in turn]


def test_many_operations_at_once_are_committed_together_and_done_once_each(tmp_path: Path):
    effects = Effects(idempotency="key")
    box = a_box(effects.pay, store=sqlite_store(tmp_path / "keys.db"), wait_s=5)

    async def at_once() -> list:
        context = box.context(run="r", task="t")
        calls = [a_call("pay", amount=n % 50, idempotency_key=str(n % 50)) for n in range(200)]
        return await asyncio.gather(*(box.invoke(call, context) for call in calls))

    made = run(at_once())
    assert sorted(effects.done) == list(range(50))
    assert all(i.outcome == "ok" and i.call.output["paid"] == i.call.arguments["amount"] for i in made)


def test_expired_keys_are_forgotten_and_claims_in_flight_are_not():
    store = sqlite_store()
    store.begin(ClaimRequest("old", "f", "o", 0.0, lease_s=1, ttl_s=10))
    store.begin(ClaimRequest("busy", "f", "o", 0.0, lease_s=1_000, ttl_s=10))
    assert store.prune(100.0) == 1
    assert (store.state("old"), store.state("busy")) == ("absent", "started")


def test_keys_are_made_with_the_first_call() -> None:
    effects = Effects(idempotency="key")
    stores = []

    def keys() -> Idempotency:
        stores.append(sqlite_store())
        return Idempotency(stores[-1])

    box = Toolbox([effects.pay], execute="real", idempotency=keys)
    context = box.context(run="r", task="t")
    assert [tool.name for tool in box.tools] == ["pay"] and not stores
    first, again = (a_call("pay", amount=5, idempotency_key="k") for _ in range(2))
    invoke_all(box, first, again, context=context)
    assert (len(stores), effects.done) == (1, [5])
