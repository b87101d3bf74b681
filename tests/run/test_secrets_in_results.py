"""A key that the model repeats is in no store, row or report."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import rightcall as rc
from rightcall.core.redaction.clean_text import scrubber
from rightcall.providers.scripted import ScriptedProvider
from rightcall.records import Failure, Golden, Message, Score, ToolCall
from rightcall.records.run import CaseResult
from rightcall.records.trajectory import Trajectory
from rightcall.run.case_runner import ResultScrubber
from rightcall.store.address import open_store
from rightcall.tools.idempotency.key_location import run_keys
from rightcall.tools.runtime.errors import ToolError
from rightcall.tools.runtime.toolbox import Toolbox

KEY = "hunter2-hunter2-hunter2"


def test_an_echoed_key_is_scrubbed_from_the_store(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", KEY)
    monkeypatch.chdir(tmp_path)
    said = [ToolCall("f", {"key": f"my {KEY}", KEY: [1]}, id="1")]
    agent = rc.Agent(
        ScriptedProvider(lambda request: said), tools=[{"name": "f", "input_schema": {"type": "object"}}]
    )
    run = rc.evaluate(agent, dataset=[Golden("q", id="a"), Golden("q", id="b", no_calls=True)])
    assert KEY not in repr(run)
    data = b"".join(path.read_bytes() for path in (tmp_path / ".rightcall").iterdir())
    assert KEY.encode() not in data
    with open_store() as store:
        assert KEY not in repr(list(store.runs.results("last", trajectories=True)))


def test_what_looks_like_a_key_is_scrubbed_too_and_the_rest_is_left_alone():
    clean = ResultScrubber()
    message = Message("assistant", "here: sk-abcdefghijklmnop1234")
    result = CaseResult("a", 0, True, 1.0, {}, trajectory=Trajectory((message,), output="fine"))
    scrubbed = clean(result)
    assert scrubbed.trajectory is not None
    assert scrubbed.trajectory.messages[0].content == "here: [secret]"
    assert scrubbed.trajectory.output == "fine"
    assert clean(scrubbed) is scrubbed


def test_a_secret_that_is_a_word_of_ours_breaks_nothing(monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "assistant")
    result = CaseResult("a", 0, True, 1.0, {}, trajectory=Trajectory((Message("assistant", "an assistant"),)))
    scrubbed = ResultScrubber()(result)
    assert scrubbed.trajectory is not None
    assert scrubbed.trajectory.messages[0] == Message("assistant", "an [secret]")


def test_a_new_store_is_its_owners_alone(tmp_path: Path):
    with open_store(tmp_path / "new" / "results.db"):
        modes = {path.name: path.stat().st_mode & 0o777 for path in (tmp_path / "new").iterdir()}
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    assert set(modes.values()) == {0o600}


@pytest.mark.parametrize("kind", ["result", "failure"])
def test_what_a_real_tool_answered_is_stored_with_its_key_without_secrets(kind, tmp_path, monkeypatch):
    """Keys are next to the results, for everyone who shares the store."""
    secret = 'odd"value-0123456789'
    monkeypatch.setenv("MAIL_TOKEN", secret)
    keys = run_keys(tmp_path / "results.db", scrub=scrubber())

    @rc.tool(destructive=True, idempotency="key")
    def send() -> dict:
        """Send a mail."""
        if kind == "failure":
            raise ToolError("conflict", f"refused {secret}", effect="none")
        return {"sent": [{secret: f"with {secret}"}]}

    box = Toolbox([send], execute="real", idempotency=keys)
    call = ToolCall("send", {"idempotency_key": "k"})
    first, again = (asyncio.run(box.invoke(call, box.context(run="r"))) for _ in range(2))
    assert again.replayed and "[secret]" in str(again.result.output) and secret in str(first.result.output)
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert b"value-0123456789" not in stored


@pytest.mark.parametrize(
    "secret", ['quote"in-the-middle', "back\\slash-0123", "schlüssel-wort", "a&b=c d/e?f%20g"]
)
def test_a_secret_is_found_in_json_and_in_an_address_too(secret, monkeypatch):
    from urllib.parse import quote

    monkeypatch.setenv("DB_PASSWORD", secret)
    said = f"{secret} {quote(secret, safe='')}"
    done = Trajectory(output=said, calls=(ToolCall("t", {secret: [said]}),))
    clean = ResultScrubber()(CaseResult("g", 0, True, 1.0, {}, trajectory=done)).trajectory
    assert clean is not None and clean.output == "[secret] [secret]"
    assert clean.calls[0].arguments == {"[secret]": ["[secret] [secret]"]}


CALL = ToolCall("f", {"to": KEY}, id="1")
PLACES = {
    "calls alone": {"trajectory": Trajectory((Message("user", "hello"),), (CALL,))},
    "calls of a message alone": {"trajectory": Trajectory((Message("assistant", "", (CALL,)),))},
    "calls of both": {"trajectory": Trajectory((Message("assistant", "", (CALL,)),), (CALL,))},
    "a result in the calls": {
        "trajectory": Trajectory(
            (Message("assistant", "", (ToolCall("f", id="1"),)),), (ToolCall("f", id="1", output=KEY),)
        )
    },
    "the same reason twice": {"metrics": dict.fromkeys(("call_f1", "overall"), Score(0.0, False, KEY))},
    "one of two reasons": {"metrics": {"call_f1": Score(0.0, False, "x"), "order": Score(0.0, False, KEY)}},
    "an error after the same reason": {
        "metrics": {"call_f1": Score(0.0, False, ""), "order": Score(0.0, False, "", error=KEY)}
    },
    "evidence after the same reason": {
        "metrics": {
            "order": Score(0.0, False, "x"),
            "content": Score(0.0, False, "x", (Failure("wrong_value", actual=KEY),)),
        }
    },
    "the name of a metric": {"metrics": {"order": Score(1.0, True), f"judge({KEY})": Score(1.0, True)}},
    "codes": {"codes": (Failure("wrong_value", actual=KEY),)},
    "the error": {"error": f"failed with {KEY}"},
    "a tag": {"tags": (KEY,)},
}


@pytest.mark.parametrize("place", PLACES)
def test_a_secret_is_found_wherever_it_stands_in_a_result(place, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", KEY)
    fields = {"metrics": {}, **PLACES[place]}
    result = CaseResult("a", 0, False, 0.0, **fields)
    assert KEY not in repr(ResultScrubber()(result))
