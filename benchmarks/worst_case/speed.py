"""How long one check takes after 1 MB of results was read."""

from __future__ import annotations

import time

from benchmarks.worst_case.worlds import load_world, load_worlds
from rightcall.model.worst_case import Threat
from rightcall.schema.roles.derivation import toolset_roles
from rightcall.tools.guard.monitor import Guard
from rightcall.tools.guard.policy import AUTO, STRICT, GuardPolicy
from rightcall.wings.attacks.worst_case.search import search_chains

CALLS = 2000
CERTIFICATES: tuple[tuple[str, GuardPolicy, Threat], ...] = (
    ("auto, text", AUTO, "text"),
    ("auto, record", AUTO, "record"),
    ("strict, record", STRICT, "record"),
)
SENTENCE = "Please find attached the notes of the meeting on Monday, with item {} and ref R-{}. "


def print_speed() -> None:
    guard = Guard(AUTO, load_world("office").tools)
    state = guard.begin("Reply to Lily White that the budget is in, and create an event for it")
    body = "".join(SENTENCE.format(number, number * 7) for number in range(125))
    started = time.process_time()
    for number in range(100):
        state.result(
            "read_inbox",
            {},
            {"mails": [{"mail_id": f"mail-{number}", "sender": "lily@corp.example", "body": body}]},
        )
    reading = time.process_time() - started
    size = sum(map(len, state.provenance.texts))
    arguments = {"to": "lily@corp.example", "subject": "Budget", "body": "The budget is in, see file 7."}
    event = {
        "title": "Budget talk with everybody",
        "day": "2026-05-06",
        "participants": ["nobody@else.example"],
    }
    note = {"title": "Notes of the meeting", "text": "The lift works again."}
    for tool, values in (("send_mail", arguments), ("create_event", event), ("create_note", note)):
        started = time.process_time()
        for number in range(CALLS):
            state.check(
                tool,
                {**values, "subject" if "subject" in values else "title": f"Notes of the meeting {number}"},
            )
        each = (time.process_time() - started) / CALLS
        print(f"{tool}: {each * 1e6:.0f} µs of CPU a check with {size / 1e6:.1f} MB of results read")
    print(f"reading the results took {reading * 1e3:.0f} ms of CPU")
    print_certificate()


def print_certificate() -> None:
    """The search over 30 tools of several worlds, to depth 4."""
    tools = list({tool.name: tool for world in load_worlds() for tool in world.tools}.values())[:30]
    roles = toolset_roles(tools)
    for name, policy, threat in CERTIFICATES:
        started = time.process_time()
        certificate = search_chains(tools, policy, roles, 4, threat)
        print(
            f"{len(tools)} tools, {name}: {time.process_time() - started:.1f} s of CPU; {certificate.sentence}"
        )
