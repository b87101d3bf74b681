"""Producing many goldens: stored as they finish, resumed after a kill, ended by budgets, errors apart from drops."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from rightcall.agents.limits import RunLimits
from rightcall.agents.model_retries import Patience
from rightcall.core.errors import ConfigError, ProviderError
from rightcall.limbs.generate.config import StylingConfig
from rightcall.limbs.generate.synthesizer import Synthesizer
from rightcall.providers.base import ModelReply
from rightcall.records import Message, Usage
from rightcall.store.address import open_store
from tests.limbs.generate.builders import GOOD, Model
from tests.limbs.generate.kill_worker import COUNT, hash_of

STYLING = StylingConfig("people", "answers", "a question")


def distinct(request):
    return f"Tell me about {hash_of(request.golden_id)} please"


def maker(store=None, **options):
    steps = {"input": distinct, "quality": GOOD} | options.pop("steps", {})
    return Synthesizer(Model(steps), styling_config=STYLING, store=store, **options)


@pytest.mark.stories
def test_a_killed_generation_continues_without_asking_again_for_what_was_stored(tmp_path):
    store = tmp_path / "g.db"
    log = tmp_path / "asked.log"
    command = [sys.executable, "-m", "tests.limbs.generate.kill_worker", str(store), str(log)]
    worker = subprocess.Popen(command, cwd=Path(__file__).parents[3])
    while not log.exists() or len(log.read_text().splitlines()) < COUNT // 3:
        assert worker.poll() is None
        time.sleep(0.05)
    worker.kill()
    worker.wait()
    with open_store(store) as opened:
        run = opened.runs.get("last")
        stored = {result.golden_id for result in opened.runs.results(run.id)}
    before = Counter(log.read_text().splitlines())
    done = subprocess.run(
        [*command, run.id], cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True
    )
    again = Counter(log.read_text().splitlines()) - before
    assert stored and done.stdout.strip() == str(COUNT)
    assert not {f"{name}/input" for name in stored} & set(again)


def test_resuming_gives_the_same_goldens_as_never_stopping(tmp_path):
    whole = asyncio.run(maker().afrom_scratch(12)).goldens
    with open_store(tmp_path / "g.db") as store:
        limited = maker(store, limits=RunLimits(tokens=1), max_concurrent=1, steps={"input": paid})
        first = asyncio.run(limited.afrom_scratch(12))
        assert first.stopped and len(first.goldens) < 12
        rest = asyncio.run(maker(store, resume=first.run_id, steps={"input": paid}).afrom_scratch(12))
    assert [golden.id for golden in rest.goldens] == [golden.id for golden in whole]


def paid(request):
    return ModelReply(Message("assistant", distinct(request)), Usage(10, 10, 0.01))


def test_a_generation_that_would_not_be_the_same_is_not_resumed(tmp_path):
    with open_store(tmp_path / "g.db") as store:
        first = asyncio.run(
            maker(store, limits=RunLimits(tokens=1), max_concurrent=1, steps={"input": paid}).afrom_scratch(5)
        )
        with pytest.raises(ConfigError, match="seed changed"):
            asyncio.run(maker(store, resume=first.run_id, seed=5).afrom_scratch(5))


def test_usage_and_cost_add_up_over_all_requests():
    found = asyncio.run(maker(steps={"input": paid}).afrom_scratch(4))
    assert found.usage.input_tokens == 40 and found.usage.cost_usd == pytest.approx(0.04)


def test_a_model_that_fails_is_an_error_and_no_dropped_golden():
    def flaky(request):
        if "0002" in request.golden_id:
            raise ProviderError("the server is down", kind="server")
        return distinct(request)

    found = asyncio.run(maker(steps={"input": flaky}, patience=Patience(attempts=1)).afrom_scratch(3))
    assert [error.id for error in found.errors] == ["scratch-0002"]
    assert all(one.id != "scratch-0002" for one in found.dropped)


def test_near_duplicates_are_dropped_and_replaced():
    def repetitive(request):
        return (
            "What time is it?"
            if "0001" in request.golden_id or "0002" in request.golden_id
            else distinct(request)
        )

    found = asyncio.run(maker(steps={"input": repetitive}).afrom_scratch(4))
    assert len(found.goldens) == 4
    assert [(one.id, one.reason) for one in found.dropped] == [
        ("scratch-0002", "nearly repeats scratch-0001")
    ]


def test_progress_counts_what_is_on_disk(tmp_path):
    seen = []
    with open_store(tmp_path / "g.db") as store:
        asyncio.run(
            maker(store, watch=lambda progress: seen.append((progress.done, progress.kept))).afrom_scratch(5)
        )
    assert seen[-1] == (5, 5)
