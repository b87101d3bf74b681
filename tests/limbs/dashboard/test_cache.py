"""What is worked out once."""

from __future__ import annotations

import threading
import time

import pytest

from rightcall.limbs.dashboard.views import Cache


def test_a_value_is_made_once_however_many_ask_at_the_same_time():
    cache = Cache(10)
    made = []

    def make():
        time.sleep(0.05)
        made.append(1)
        return "value"

    threads = [threading.Thread(target=lambda: cache.get("key", make)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]


def test_the_oldest_value_makes_room():
    cache = Cache(2)
    for key in "abca":
        cache.get(key, lambda key=key: key)
    assert [cache.has_key(key) for key in "abc"] == [True, False, True]


def test_what_failed_is_tried_again():
    cache = Cache(2)
    with pytest.raises(ZeroDivisionError):
        cache.get("key", lambda: 1 / 0)
    assert cache.get("key", lambda: 7) == 7
