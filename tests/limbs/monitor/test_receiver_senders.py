"""Ordinary senders of a receiver while others send what takes long to read."""

from __future__ import annotations

import asyncio
import gzip
import threading

import pytest

from rightcall.limbs.traces.otlp import length
from rightcall.limbs.traces.otlp_receiver import LARGE, MAX_FIELDS, PROTOBUF, request_items
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.unpack import TooLarge
from tests.limbs.monitor.test_receiver_door import GOOD, batch, monitor, suite_receiver
from tests.support.patience import SECONDS

TRACES = "/v1/traces"


@pytest.mark.parametrize("door", ["monitor", "suite"])
def test_a_request_that_takes_long_to_read_keeps_no_other_waiting(tmp_path, monkeypatch, door):
    """The large request is not read before the small one was answered: with one thread for both, neither would be."""
    answered = threading.Event()
    read = request_items

    def slow_for_large(body, *others):
        assert len(body) <= LARGE or answered.wait(SECONDS)
        return read(body, *others)

    monkeypatch.setattr("rightcall.limbs.traces.otlp_receiver.request_items", slow_for_large)

    async def work():
        async with monitor(tmp_path) if door == "monitor" else suite_receiver() as (client, _, _):
            large = gzip.compress(b" " * (LARGE + 1) + b"{}")
            headers = {"content-type": "application/json", "content-encoding": "gzip"}
            first = asyncio.create_task(client.post(TRACES, data=large, headers=headers))
            await asyncio.sleep(0.1)
            small = await asyncio.wait_for(client.post(TRACES, json=batch(GOOD)), SECONDS / 2)
            assert small.status == 200 and not first.done()
            answered.set()
            assert (await first).status == 200

    asyncio.run(work())


NESTED = {
    "fields of a request": lambda content: content,
    "resource spans": lambda content: b"\x0a\x00" * 1200 + content,
    "fields of a resource": lambda content: length(1, length(1, content)),
    "fields of a scope": lambda content: length(1, length(2, content)),
    "fields of a scope's name": lambda content: length(1, length(2, length(1, content))),
    "fields of a span": lambda content: length(1, length(2, length(2, content))),
    "fields of a status": lambda content: length(1, length(2, length(2, length(15, content)))),
    "fields of a value": lambda content: length(1, length(2, length(2, length(9, length(2, content))))),
    "fields of an event": lambda content: length(1, length(2, length(2, length(11, content)))),
}


@pytest.mark.parametrize("place", NESTED)
@pytest.mark.parametrize("field", [b"\x7a\x00", b"\x78\x01"], ids=["message", "number"])
def test_fields_are_counted_wherever_they_are(monkeypatch, place, field):
    monkeypatch.setattr("rightcall.limbs.traces.otlp_receiver.MAX_FIELDS", 1000)
    content = NESTED[place](field * 1200)
    with pytest.raises(TooLarge):
        request_items(content, PROTOBUF, Problems(), False)


def test_an_ordinary_request_of_the_largest_size_has_few_enough_fields():
    spans = b"".join(
        length(2, length(9, length(1, b"k") + length(2, length(1, b"v"))) * 20) for _ in range(100)
    )
    problems = Problems()
    request_items(length(1, length(2, spans)), PROTOBUF, problems, False)
    assert (MAX_FIELDS - problems.fields_left) / 100 * 50_000 < MAX_FIELDS
