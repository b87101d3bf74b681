"""Every cell is in exactly one state, whatever happens to workers."""

import random

from hypothesis import given, strategies as st

from rightcall.limbs.ray.lease import LARGEST_LEASE, LeaseLedger, lease_size, shares
from rightcall.records import Golden


def cells(n):
    return [(Golden(f"do {i}", id=f"g{i}"), 0) for i in range(n)]


def keys(lease):
    return list(lease.cells)


@given(st.integers(0, 60), st.integers(1, 4), st.integers(0, 10_000), st.sets(st.integers(0, 59), max_size=3))
def test_every_cell_is_settled_once_whatever_order_results_losses_and_ends_come_in(n, workers, seed, deadly):
    drawn = random.Random(seed)
    ledger = LeaseLedger(iter(cells(n)))
    settled = []
    condemned = []
    steps = 0
    while not ledger.finished:
        steps += 1
        assert steps < 20_000, "halving does not end"
        worker = drawn.randrange(workers)
        leases = ledger.leases_of(worker)
        out = [key for w in range(workers) for lease in ledger.leases_of(w) for key in lease.cells]
        assert len(out) == len(set(out)) == ledger.out
        assert not set(out) & set(settled)
        if not leases or drawn.random() < 0.3:
            ledger.hand_out(worker, drawn.randint(1, 9))
            continue
        lease = drawn.choice(leases)
        guilty = any(key in lease.cells for lease in leases for key in [(f"g{i}", 0) for i in deadly])
        if (guilty and drawn.random() < 0.5) or drawn.random() < 0.02:
            condemned += [(golden.id, trial) for golden, trial in ledger.lose(worker).condemned]
        elif drawn.random() < 0.2:
            ledger.end(lease.number)
        else:
            harmless = [key for key in lease.cells if int(key[0][1:]) not in deadly]
            some = drawn.sample(harmless, drawn.randint(0, len(harmless)))
            new = ledger.settle(lease.number, some)
            assert new.keys() == set(some)
            settled += some
            assert ledger.settle(lease.number, some) == {}
    assert len(settled) == len(set(settled))
    assert sorted(settled + condemned) == sorted((f"g{i}", 0) for i in range(n))


def test_a_deadly_cell_is_found_by_halving_and_the_others_are_done():
    ledger = LeaseLedger(iter(cells(400)))
    deaths = 0
    done = set()
    condemned = ()
    while not ledger.finished:
        lease = ledger.hand_out(0, 64)
        if ("g123", 0) in lease.cells:
            deaths += 1
            condemned += ledger.lose(0).condemned
        else:
            done |= ledger.settle(lease.number, keys(lease)).keys()
            ledger.end(lease.number)
    assert [golden.id for golden, _ in condemned] == ["g123"]
    assert len(done) == 399
    assert deaths <= 8  # 64 → 32 → 16 → 8 → 4 → 2 → 1 → 1


def test_suspects_go_to_a_worker_that_has_nothing_else():
    ledger = LeaseLedger(iter(cells(40)))
    ledger.hand_out(0, 10)
    busy = ledger.hand_out(1, 10)
    ledger.lose(0)
    assert not ledger.hand_out(1, 10).alone  # it has cells that are not under suspicion
    alone = ledger.hand_out(0, 10)
    assert alone.alone and len(alone.cells) == 5
    assert ledger.hand_out(0, 10) is None
    assert not set(alone.cells) & set(busy.cells)


def test_a_result_of_a_lost_lease_is_refused():
    ledger = LeaseLedger(iter(cells(4)))
    lease = ledger.hand_out(0, 4)
    ledger.lose(0)
    assert ledger.settle(lease.number, [("g0", 0)]) == {}


def test_after_a_stop_nothing_is_handed_out_and_unstarted_cells_are_released():
    ledger = LeaseLedger(iter(cells(10)))
    lease = ledger.hand_out(0, 6)
    ledger.stop()
    ledger.settle(lease.number, [("g0", 0)])
    assert not ledger.finished and ledger.hand_out(1, 3) is None
    ledger.end(lease.number)
    assert ledger.finished


@given(
    st.floats(0, 1e5), st.integers(1, 2000), st.floats(0.1, 10), st.integers(0, 10**7), st.integers(1, 64),
    st.booleans(),
)  # fmt: skip
def test_a_lease_is_never_empty_nor_larger_than_the_rest_or_the_largest(
    rate, at_once, seconds, left, workers, cautious
):
    size = lease_size(
        rate=rate, at_once=at_once, seconds=seconds, left=left, workers=workers, cautious=cautious
    )
    assert 1 <= size <= max(LARGEST_LEASE, at_once)
    assert size <= max(1, left)
    if cautious:
        assert size <= at_once


@given(st.integers(0, 10_000), st.integers(1, 100))
def test_shares_add_up_to_the_whole(whole, workers):
    dealt = shares(whole, workers)
    assert sum(dealt) == whole and len(dealt) == workers and max(dealt) - min(dealt) <= 1
