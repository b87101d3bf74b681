from __future__ import annotations

import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from rightcall.tools.idempotency.guard import Idempotency
from rightcall.tools.idempotency.key_location import sqlite_store
from rightcall.tools.runtime.context import CallContext, VirtualClock
from rightcall.tools.runtime.toolbox import Toolbox
from tests.support.worlds import Accounts
from tests.tools.helpers import a_call, invoke

USERS = {
    "usr_1": {"name": "Lan", "email": "lan@example.com", "status": "active", "sessions": 2},
    "usr_2": {"name": "Minh", "email": "minh@example.com", "status": "active", "sessions": 0},
}


class Deletion:
    """A toolbox with accounts, and the token that the first call is answered with."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.box = Toolbox([Accounts({"users": USERS})], clock=self.clock)
        self.context = self.box.context(run="r", task="t")

    def call(self, user: str, token: str | None = None, context: CallContext | None = None) -> Any:
        arguments = {"user_id": user} | ({"confirmation_token": token} if token else {})
        return invoke(self.box, a_call("permanently_delete_account", **arguments), context or self.context)

    def token(self, user: str = "usr_1", context: CallContext | None = None) -> str:
        return re.search(r"confirmation_token = '(.*)'", self.call(user, context=context).error.hint)[1]

    def users(self) -> list[str]:
        return list(self.context.state()["accounts"]["users"])


def test_the_first_call_does_nothing_and_shows_what_would_happen():
    deletion = Deletion()
    made = deletion.call("usr_1")
    assert (made.outcome, made.error.error, made.error.effect) == (
        "rejected",
        "confirmation_required",
        "none",
    )
    assert "the account of Lan (lan@example.com) and all its data" in made.error.detail
    assert deletion.users() == ["usr_1", "usr_2"]


def test_the_token_confirms_exactly_what_was_shown():
    deletion = Deletion()
    assert deletion.call("usr_1", deletion.token()).outcome == "ok"
    assert deletion.users() == ["usr_2"]


@pytest.mark.parametrize("how", ["other arguments", "used already", "expired", "other task", "invented"])
def test_a_token_for_anything_else_is_refused(how):
    deletion = Deletion()
    token = deletion.token()
    user = "usr_1"
    context = deletion.context
    if how == "other arguments":
        user = "usr_2"
    elif how == "used already":
        assert deletion.call("usr_1", token).outcome == "ok"
    elif how == "expired":
        deletion.clock.move(601)
    elif how == "other task":
        context = deletion.box.context(run="r", task="other")
    else:
        token = "a.1e99.b"
    before = deletion.users()
    made = deletion.call(user, token, context)
    assert (made.outcome, made.error.error, made.error.effect) == ("rejected", "confirmation_invalid", "none")
    assert deletion.users() == before


def test_a_token_for_the_user_alone_is_not_shown_to_the_model():
    from rightcall.tools.definitions.function import tool
    from tests.tools.helpers import a_box

    @tool(destructive=True, confirmation="user")
    async def wipe() -> dict:
        return {"wiped": True}

    box = a_box(wipe)
    context = box.context(task="t")
    asked = invoke(box, a_call("wipe"), context)
    assert "ask the user" in asked.error.hint and "=" not in asked.error.hint
    token = box.confirmation_token(a_call("wipe"), context)
    assert invoke(box, a_call("wipe", confirmation_token=token), context).call.output == {"wiped": True}


def test_threads_that_come_first_together_share_one_set_of_keys():
    made = []
    together = threading.Barrier(8)

    def keys():
        time.sleep(0.01)  # long enough for every thread to ask
        made.append(Idempotency(sqlite_store()))
        return made[-1]

    box = Toolbox([Accounts({"users": USERS})], idempotency=keys)

    def first(_):
        together.wait()
        return box.confirmations

    with ThreadPoolExecutor(8) as threads:
        assert len({id(tokens) for tokens in threads.map(first, range(8))}) == 1
    assert len(made) == 1
