"""The ledger of a trial, and of a server that never ends."""

from rightcall.tools.runtime.context import Ledger


def test_a_server_forgets_old_entries_and_keeps_their_numbers():
    ledger = Ledger()
    for number in range(1, 31):
        ledger.add("effect", "send", key=f"k{number}")
        ledger.keep_last(10)
    assert [entry.effect_id for entry in ledger.entries] == list(range(21, 31))
    assert ledger.knows("k30") and not ledger.knows("k1")
