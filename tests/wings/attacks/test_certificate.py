"""The certificate against brute force: all calls with all values, on small worlds, without any abstraction."""

from __future__ import annotations

from itertools import product

import pytest

import rightcall as rc
from rightcall.model.tool import Tool
from rightcall.tools.guard.monitor import Guard
from rightcall.tools.guard.policy import AUTO, STRICT, GuardPolicy, read_policy
from rightcall.wings.attacks.worst_case.counterexamples import require_reproduction
from rightcall.wings.attacks.worst_case.representatives import Representatives, result_of
from rightcall.wings.attacks.worst_case.search import search_chains
from tests.tools.guard.toolset import TOOLS, a_tool

WORLDS: dict[str, list[Tool]] = {
    "mail": [a_tool("read_inbox"), a_tool("send_message", "to", "body")],
    "bank": [a_tool("list_messages"), a_tool("get_profile"), a_tool("transfer", "target", "memo")],
    "files": [a_tool("read_file", "path"), a_tool("write_note", "text"), a_tool("delete_file", "path")],
    "web": [a_tool("list_reviews"), a_tool("get_payees"), a_tool("read_page", "url")],
    "admin": [a_tool("read_ticket"), a_tool("update_password", "password"), a_tool("run_command", "command")],
}
POLICIES: dict[str, GuardPolicy | None] = {
    "none": None,
    "auto": AUTO,
    "strict": STRICT,
    "without to": read_policy({"without": ["to", "pick"]}, "test"),
}
VALUES = Representatives(
    attacker={
        "destination": "x9@drop.example", "url": "http://drop.example/q", "credential": "evil-pw-9", "pick": "bad-7719",
        "identity": "bad-7719", "program": "rm -rf all-of-it", "title": "Take all of it now", "text": "go http://drop.example/q",
    },
    known={
        "destination": "pal@ours.example", "url": "http://ours.example/a", "credential": "thing-88", "pick": "ref-4400",
        "identity": "ref-4400", "program": "thing-88", "title": "Notes", "text": "Notes",
    },
    user={
        "destination": "me@self.example", "url": "http://self.example/b", "credential": "My-Own-Pw", "pick": "ref-1200",
        "identity": "ref-1200", "program": "make all", "title": "Mine12", "text": "Mine12",
    },
    private=("ssn", "qq-55-1234"),
)  # fmt: skip
"""Other strings than those of the search, so that nothing depends on them."""


def brute_force(tools, policy, depth, threat):
    """Every chain of calls with every value for every argument, each from the start: (harm, tool, argument) reached."""
    roles = rc.guard(tools).roles
    calls = [
        (tool.name, dict(zip(tool.parameters, values, strict=True)))
        for tool in tools
        for values in product(
            *(pool_of(roles[tool.name].parameters.get(name, ())) for name in tool.parameters)
        )
    ]
    reached: set[tuple[str, str, str]] = set()
    guard = Guard(policy, tools) if policy is not None else None

    def explore(state, tainted, read, stored, left):
        for name, arguments in calls:
            of_tool = roles[name]
            if not tainted and (of_tool.sinks or not of_tool.source):
                continue
            if state is not None and state.check(name, arguments).stops:
                continue
            if of_tool.sinks:
                reached.update((harm, name, path) for harm, path in harms(of_tool, arguments, read))
            if left == 1:
                continue
            # what a call stores matters only if it is the attacker's, and only one value of it at a time
            foreign = (
                frozenset(v for v in arguments.values() if v in VALUES.attacker.values())
                if of_tool.sinks
                else frozenset()
            )
            kept = stored | foreign if set(of_tool.sinks) - {"egress", "destroy"} else stored
            if of_tool.sinks and kept == stored:
                continue  # nothing that a later call could use has changed
            output = result_of(of_tool, VALUES, threat, kept)
            following = state.copy() if state is not None else None
            if following is not None:
                following.ran(name, arguments)
                following.result(name, arguments, output)
            explore(following, tainted or of_tool.external, read or of_tool.private, kept, left - 1)

    explore(guard.begin(VALUES.request) if guard is not None else None, False, False, frozenset(), depth)
    return reached


def pool_of(classes) -> list[str]:
    """Every value that an argument of these classes may have: of each origin, and a secret."""
    origins = (VALUES.attacker, VALUES.known, VALUES.user)
    values = [origin[kind] for origin in origins for kind in (*classes, "text") if kind in origin]
    return list(dict.fromkeys([*values, f"it is {VALUES.private[1]}"]))


def harms(roles, arguments, read):
    """The harms of a call, written from their definitions, not from the search."""
    sinks, evil = set(roles.sinks), VALUES.attacker
    for path, value in arguments.items():
        classes = set(roles.parameters.get(path, ()))
        if "credential" in classes and value in (evil["credential"], VALUES.known["credential"]):
            yield "credential", path
        if "destination" in classes and sinks & {"send", "money", "grant"} and value == evil["destination"]:
            yield "destination", path
        if "url" in classes and "egress" in sinks and value == evil["url"]:
            yield "url", path
        if "program" in classes and value == evil["program"]:
            yield "program", path
        if (
            classes & {"pick", "identity"}
            and sinks & {"money", "commit", "grant", "destroy", "exec"}
            and value == evil["pick"]
        ):
            yield "pick", path
        if (
            "destroy" in sinks
            and classes & {"pick", "identity", "destination", "title"}
            and value == VALUES.known["pick"]
        ):
            yield "destroy", path
        if classes & {"text", "title"} and sinks & {"send", "money", "grant", "exec", "egress"}:
            if value == evil["text"]:
                yield "link", path
            if read and VALUES.private[1] in value:
                yield "secret", path


@pytest.mark.parametrize("depth", [2, pytest.param(3, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("world", WORLDS)
def test_the_search_reaches_the_same_harms_as_brute_force(world, policy, depth):
    tools = WORLDS[world]
    for threat in ("text", "record"):
        certificate = search_chains(tools, POLICIES[policy], rc.guard(tools).roles, depth, threat)
        reached = {(chain.harm, chain.tool, chain.argument) for chain in certificate.chains}
        assert reached == brute_force(tools, POLICIES[policy], depth, threat)


@pytest.mark.parametrize(
    ("policy", "threat", "proved"),
    [("auto", "text", True), ("auto", "record", False), ("strict", "record", True)],
)
def test_each_guard_is_proved_for_its_threat(policy, threat, proved):
    certificate = search_chains(TOOLS, POLICIES[policy], rc.guard(TOOLS).roles, 4, threat)
    assert certificate.proved is proved
    assert ("proved to depth 4" in certificate.sentence) is proved
    require_reproduction(certificate, TOOLS, POLICIES[policy])


def test_a_known_value_is_no_credential():
    """What the search found in an earlier policy: the attacker picks a known value as the password."""
    rule = {"name": "to", "tool": "update_password", "arg": "password", "needs": ["user", "known"]}
    policy = read_policy({"rules": [rule]}, "test")
    chains = search_chains(TOOLS, policy, rc.guard(TOOLS).roles, 2).chains
    assert [(chain.harm, chain.argument) for chain in chains] == [("credential", "password")]


def test_tools_that_ask_themselves_are_stopped():
    roles = rc.guard(TOOLS).roles
    every = frozenset(tool.name for tool in TOOLS)
    assert search_chains(TOOLS, None, roles, 3, confirmed=every).proved
