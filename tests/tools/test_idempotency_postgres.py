"""The same store code on a real PostgreSQL."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Iterator

import pytest

from rightcall.tools.idempotency.key_location import postgres_store
from rightcall.tools.idempotency.store import ClaimRequest, IdempotencyStore, StoreDownError
from rightcall.tools.runtime.context import VirtualClock
from tests.support.postgres import postgres_server
from tests.tools.helpers import Effects, a_box, a_call, a_dead_owner, invoke, invoke_all

numbers = itertools.count()


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with postgres_server() as address:
        yield address


@pytest.fixture
def store(url: str) -> Iterator[IdempotencyStore]:
    opened = postgres_store(url)
    yield opened
    opened.close()


def a_key() -> str:
    return f"k{next(numbers)}"


def test_a_key_goes_through_its_states(store: IdempotencyStore):
    key = a_key()
    one = a_dead_owner().replace("-", "+", 1)  # another machine's
    assert store.begin(ClaimRequest(key, "f", one, 0.0)).verdict == "run"
    assert store.begin(ClaimRequest(key, "f", "two", 1.0)).verdict == "in_progress"
    assert store.begin(ClaimRequest(key, "g", "two", 1.0)).verdict == "reused"
    assert store.renew(key, one, 1, 100.0) and not store.renew(key, "two", 1, 100.0)
    assert store.begin(ClaimRequest(key, "f", "two", 101.0, lease_s=0.1)).verdict == "in_progress"
    time.sleep(0.1)
    assert store.begin(ClaimRequest(key, "f", "two", 101.0, lease_s=0.1)).verdict == "unknown"
    assert not store.finish(key, one, 1, "done", b"late")
    assert store.claim_unknown(ClaimRequest(key, "f", "two", 102.0)) == 2
    assert store.finish(key, "two", 2, "done", b"\x00result")
    claim = store.begin(ClaimRequest(key, "f", "three", 103.0))
    assert (claim.verdict, claim.result, store.state(key)) == ("replay", b"\x00result", "done")
    assert store.begin(ClaimRequest(key, "f", "four", 86_401.0)).expired


def test_calls_are_done_once_and_replayed(store: IdempotencyStore):
    effects = Effects(idempotency="key")
    key = a_key()
    calls = [a_call("pay", amount=5, idempotency_key=key) for _ in range(3)]
    made = invoke_all(a_box(effects.pay, store=store), *calls)
    assert effects.done == [5] and [i.replayed for i in made] == [False, True, True]


def test_eight_threads_with_one_key_have_one_effect(url: str):
    effects = Effects(idempotency="key")
    key = a_key()
    made = []
    start = threading.Barrier(8)

    def caller() -> None:
        store = postgres_store(url)
        start.wait()
        made.append(
            invoke(a_box(effects.pay, store=store, wait_s=5), a_call("pay", amount=5, idempotency_key=key))
        )
        store.close()

    threads = [threading.Thread(target=caller) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert effects.done == [5] and sorted(i.outcome for i in made) == ["ok"] * 8


def test_a_dead_owner_leaves_an_unknown_outcome(store: IdempotencyStore):
    clock = VirtualClock()
    effects = Effects(idempotency="key")
    key = a_key()
    box = a_box(effects.pay, store=store, clock=clock)
    from rightcall.tools.idempotency.guard import full_key
    from rightcall.tools.runtime.json_values import fingerprint

    meaning = fingerprint("pay", {"amount": 5, "note": "", "info": ""})
    store.begin(
        ClaimRequest(
            full_key(box.context(run="r", task="t"), "pay", key), meaning, a_dead_owner(), clock.now()
        )
    )
    assert invoke(box, a_call("pay", amount=5, idempotency_key=key)).error.error == "outcome_unknown"
    assert effects.done == []


def test_an_address_that_does_not_answer_is_reported_without_its_password():
    with pytest.raises(StoreDownError) as error:
        postgres_store("postgresql://me:s3cret@127.0.0.1:9/db?connect_timeout=2")
    assert "s3cret" not in str(error.value)
