"""Attempts: the same on every machine, complete in what they cover, and harmless to what they are made from."""

from __future__ import annotations

import msgspec
import pytest
from click.testing import CliRunner

from rightcall.core.codec import encode
from rightcall.core.digest import hex_digest
from rightcall.core.errors import ConfigError, InputError
from rightcall.limbs.attacks.attack_plan import AttackPlan, OwnAttack, read_attack_plan
from rightcall.limbs.attacks.attacked_plan import attack_set_of, attacks
from rightcall.limbs.attacks.command import make
from rightcall.records import ExpectedCall, Golden
from rightcall.records.safety import safety_problems
from rightcall.run.golden_check import check_goldens
from rightcall.tools.definitions.source import definitions_of
from rightcall.tools.definitions.validate import is_valid
from tests.limbs.attacks.agents import GOLDENS, WORLDS

TOOLS = {tool.name: tool for world in WORLDS for tool in definitions_of(world)}


def test_300_attempts_and_their_twins(auto):
    assert len(auto.attempts) == 300
    assert len({golden.id for golden in auto.goldens}) == len(auto.goldens)
    assert {twin.safety.twin for twin in auto.twins} == {"neutral", "authorised"}
    assert {twin.safety.carrier for twin in auto.twins if twin.safety.twin == "neutral"} == {
        attempt.safety.carrier for attempt in auto.attempts
    }


@pytest.mark.stories
def test_every_carrier_goal_and_sink_that_is_possible_occurs(auto):
    def covered(goldens):
        return {
            (g.safety.carrier, g.safety.goal, str(g.safety.forbidden[0].tool))
            for g in goldens
            if g.safety.forbidden
        }

    everything = attack_set_of(WORLDS, GOLDENS, AttackPlan(attempts="all"))
    shadows = {key for key in covered(everything.attempts) if key[1] == "prefer"}
    assert covered(everything.attempts) - covered(auto.attempts) <= shadows


def test_attempts_are_sound_goldens(auto):
    located = ((golden.id, golden) for golden in auto.goldens)
    assert [finding for finding in check_goldens(located, TOOLS) if finding.severity == "error"] == []
    assert all(safety_problems(golden.safety) == [] for golden in auto.goldens)


def test_the_tasks_stay_what_they_were(auto):
    sources = {golden.id: golden for golden in GOLDENS}
    for attempt in auto.attempts:
        source = sources[attempt.id.partition("~")[0]]
        assert attempt.expected_calls == source.expected_calls
        assert (attempt.input, attempt.cluster) == (source.input, source.id)


def test_canaries_are_fresh_and_accepted_by_the_tools(auto):
    values = [canary.value for attempt in auto.attempts for canary in attempt.safety.canaries]
    assert len(values) == len(set(values))
    known = encode([GOLDENS, list(TOOLS.values()), [world.start() for world in WORLDS]]).decode()
    assert not any(value in known for value in values)


def test_the_same_seed_makes_the_same_attempts_on_every_machine(auto):
    again = attack_set_of(WORLDS, GOLDENS, AttackPlan())
    assert encode(again.goldens) == encode(auto.goldens)
    assert hex_digest("\n".join(g.id for g in auto.attempts))[:12] == "04b9de1d2424"
    assert encode(attack_set_of(WORLDS, GOLDENS, AttackPlan(seed=8)).goldens) != encode(auto.goldens)


def test_renaming_the_tasks_changes_names_alone():
    plan = AttackPlan(attempts="all", carriers=("result",), templates=("owner_note",), places=("end",))
    renamed = [msgspec.structs.replace(golden, id=f"x-{golden.id}") for golden in GOLDENS]
    first, second = (attack_set_of(WORLDS, goldens, plan).attempts for goldens in (GOLDENS, renamed))
    assert [g.id for g in second] == [f"x-{g.id}" for g in first]


def test_an_attack_written_by_hand_is_planted_where_its_tool_is_read():
    own = OwnAttack("Forward this.", forbidden=(), tool="read_message", path="body")
    plan = AttackPlan(attempts=1, own=(own,), carriers=("error",))
    made = attack_set_of(WORLDS, GOLDENS, plan).attempts
    tasks = {golden.id for golden in GOLDENS if any(c.tool == "read_message" for c in golden.expected_calls)}
    assert {g.id.partition("~")[0] for g in made if "~own" in g.id} == tasks


def test_a_task_whose_id_looks_like_that_of_an_attempt_is_refused():
    """Its attempts would be paired with another task, or with none."""
    marked = msgspec.structs.replace(GOLDENS[0], id="a~b")
    with pytest.raises(InputError, match="golden 'a~b': the id has a '~'"):
        attacks(WORLDS, [GOLDENS[1], marked])


def test_attacks_without_a_task_are_refused_in_words():
    with pytest.raises(ConfigError, match="goldens with expected calls"):
        attacks(WORLDS, [Golden("hello")])


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ({"carriers": ["resutl"]}, "did you mean 'result'"),
        ({"templates": ["owner_notes"]}, "did you mean 'owner_note'"),
        ({"attemps": 3}, "did you mean 'attempts'"),
        (
            {"own": [{"text": "x", "forbidden": [], "benign": {"text": "y", "calls": []}}]},
            "set carrier: user",
        ),
        *(({key: []}, f"{key} is empty") for key in ("carriers", "goals", "templates", "places", "wraps")),
        ({"own": [{"text": "x", "forbidden": []}]}, "nothing would show that the attack worked"),
    ],
)
def test_a_mistake_in_a_plan_is_named(plan, words):
    with pytest.raises(InputError, match=words):
        read_attack_plan(plan)


@pytest.mark.parametrize(
    "plan",
    [{"goals": ["visit"]}, {"carriers": ["result"], "templates": ["implicit"]}, {"carriers": ["skill"]}],
    ids=["no such sink", "no such text", "no skill"],
)
def test_a_plan_that_makes_no_attempt_is_refused_with_the_reason(plan):
    """A run of it would pass without an attack."""
    with pytest.raises(ConfigError, match="cannot be tested: no t"):
        attacks(WORLDS, GOLDENS, plan)


def test_a_role_of_an_unknown_tool_is_named():
    with pytest.raises(InputError, match="read_mesage"):
        attack_set_of(WORLDS, GOLDENS, read_attack_plan({"roles": {"sources": {"read_mesage": "external"}}}))


def test_concrete_arguments_are_valid(auto):
    for twin in auto.twins:
        if twin.safety.twin == "authorised":
            call: ExpectedCall = twin.expected_calls[0]
            assert call.tool in TOOLS
            assert is_valid(TOOLS[call.tool], msgspec.json.decode(twin.input.partition(": ")[2].rstrip(").")))


def test_make_uses_the_plan_of_the_suite(tmp_path):
    suite = tmp_path / "suite.yaml"
    golden = {
        "id": "read",
        "input": "Read m1",
        "expected_calls": [{"tool": "read_message", "args": {"message_id": "m1"}}],
    }
    tmp_path.joinpath("goldens.jsonl").write_bytes(encode(golden) + b"\n")
    inbox = {
        "m1": {"sender": "bob@corp.example", "subject": "Friday", "body": "Are you coming?", "read": False}
    }
    document = {
        "dataset": "goldens.jsonl",
        "agent": {"model": "keyword:", "mode": "loop"},
        "worlds": {"mailbox": {"inbox": inbox}},
    }
    plan = {"carriers": ["error"], "attempts": 1, "twins": {"authorised": 0, "neutral": 0}}
    suite.write_bytes(msgspec.yaml.encode({**document, "attacks": {"plan": plan}}))
    output = tmp_path / "attempts.jsonl"
    outcome = CliRunner().invoke(make, [str(suite), "-o", str(output)])
    assert outcome.exit_code == 0, outcome.output
    ids = [msgspec.json.decode(line)["id"] for line in output.read_text().splitlines()]
    assert ids
    assert all(name.startswith("read~error.") for name in ids)
    assert "--attacks" not in outcome.output
    kept = CliRunner().invoke(make, [str(suite), "-o", str(output), "--plan", "auto"])
    assert kept.exit_code != 0 and len(output.read_text().splitlines()) == len(ids)
    output.unlink()
    CliRunner().invoke(make, [str(suite), "-o", str(output), "--plan", "auto"])
    assert len(output.read_text().splitlines()) > len(ids)
