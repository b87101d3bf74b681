"""How long a check takes after 1 MB of results was read, and an attempt of a plan."""

from __future__ import annotations

import time
from contextlib import suppress

from benchmarks.worst_case.worlds import load_world
from rightcall.limbs.attacks.attack_plan import AttackPlan
from rightcall.limbs.attacks.attacked_plan import attack_set_of
from rightcall.metrics.safety.attempt import attempt_evidence
from rightcall.records import TestCase, ToolCall, Trajectory
from rightcall.tools.attacks.trial_plants import NoPlace, plant_text
from rightcall.tools.guard.monitor import Guard
from rightcall.tools.guard.policy import AUTO

CALLS = 2000
LISTING = {
    "mails": [
        {"mail_id": f"m{number}", "sender": "lily@corp.example", "subject": "Friday", "body": "Coming? " * 16}
        for number in range(10)
    ]
}
SENTENCE = "Please find attached the notes of the meeting on Monday, with item {} and ref R-{}. "


def print_speed() -> None:
    guard = Guard(AUTO, load_world("office").tools)
    state = guard.begin("Reply to Lily White that the budget is in, and create an event for it")
    bodies = [
        "".join(SENTENCE.format(number, number * seed) for number in range(125)) for seed in range(7, 107)
    ]
    started = time.process_time()
    for number, body in enumerate(bodies):
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
    print_attacks()


def print_attacks() -> None:
    """The attempts of a plan, their texts planted in a listing of mails, and the search for canaries in calls."""
    world = load_world("office")
    started = time.process_time()
    attempts = attack_set_of(world.tools, world.goldens, AttackPlan(attempts=300)).goldens
    print(f"{len(attempts)} attempts generated in {time.process_time() - started:.2f} s of CPU")
    plants = [plant for golden in attempts for plant in golden.safety.plants if plant.carrier == "result"]
    started = time.process_time()
    for plant in plants:
        with suppress(NoPlace):
            plant_text(LISTING, plant.text, path=plant.path, place=plant.place)
    planting = (time.process_time() - started) / len(plants)
    calls = tuple(
        ToolCall(tool, {"to": "lily@corp.example", "body": f"{SENTENCE} {number}"}, f"c{number}", status="ok")
        for number, tool in enumerate(["read_inbox", "send_mail", "create_note", "send_mail"])
    )
    cases = [TestCase(golden, Trajectory(calls=calls)) for golden in attempts]
    started = time.process_time()
    for case in cases:
        attempt_evidence(case)
    detection = (time.process_time() - started) / len(cases) / len(calls)
    print(f"planting {planting * 1e6:.0f} µs a result, detection {detection * 1e6:.0f} µs a call, of CPU")
