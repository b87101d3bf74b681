"""Goldens from tools: plans, requests with and without a model, verification, seeds."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.core.errors import ConfigError
from rightcall.model import Golden, Tool, ToolCall
from rightcall.tools.definitions.validate import is_valid
from rightcall.wings.generate.config import Evolution, EvolutionConfig, VerificationConfig
from rightcall.wings.generate.coverage_count import coverage
from rightcall.wings.generate.plans import WEIGHTS, Schedule, plan_of
from rightcall.wings.generate.synthesizer import Synthesizer
from rightcall.wings.generate.templates import template_request
from rightcall.wings.generate.verify import values_of
from tests.wings.generate.builders import BY_NAME, TOOLS, Model


def made(**options):
    count = options.pop("count", 20)
    return asyncio.run(Synthesizer(tools=TOOLS, **options).afrom_tools((), count))


@given(seed=st.integers(0, 10_000), language=st.sampled_from(["en", "vi", "zh"]))
@settings(max_examples=25, deadline=None)
def test_every_planned_call_fits_its_schema_and_every_request_says_its_values(seed, language):
    for slot in Schedule(TOOLS, seed).take(12):
        plan = plan_of(slot, BY_NAME, seed=seed, language=language)
        assert plan is not None
        assert all(is_valid(BY_NAME[call.tool], call.arguments) for call in plan.calls)
        assert template_request(plan, BY_NAME, seed=seed).strip()


def test_without_a_model_all_kinds_are_made_and_all_tools_covered():
    found = made(count=150, seed=5).goldens
    covered = coverage(found, BY_NAME)
    assert set(covered.kinds) == set(WEIGHTS)
    assert covered.parameters_covered == covered.parameters
    assert covered.choices_covered >= 0.9 * covered.choices
    assert all(
        "template" in golden.tags and golden.metadata["generated"]["model"] == "template" for golden in found
    )


@pytest.mark.parametrize("language", ["en", "vi", "zh"])
def test_every_golden_says_what_should_be_called(language):
    for golden in made(count=60, language=language).goldens:
        assert bool(golden.expected_calls) != golden.no_calls
        assert golden.category == ("negative" if golden.no_calls else "golden")


def test_the_same_seed_gives_the_same_goldens_and_another_gives_others():
    one, same, other = (made(count=30, seed=seed).goldens for seed in (1, 1, 2))
    assert one == same
    assert {golden.input for golden in one} != {golden.input for golden in other}


def test_concurrency_changes_nothing():
    assert made(count=40, max_concurrent=1).goldens == made(count=40, max_concurrent=32).goldens


def test_no_two_goldens_ask_for_the_same_in_nearly_the_same_words():
    found = made(count=300).goldens
    assert len({golden.input.casefold() for golden in found}) == len(found)


@pytest.mark.stories
def test_dropped_goldens_are_planned_again_until_there_are_enough():
    tools = [
        Tool(f"{t.name}_{place}", f"{t.description.rstrip('.')} in the {place} region.", t.input_schema)
        for place in ("northern", "southern", "eastern", "western", "central")
        for t in TOOLS
    ][:50]
    assert len(Synthesizer(seed=1).generate_goldens_from_tools(tools, 1000)) == 1000


def plain_writer():
    """A model that writes a plan's request as templates do, and reads it back perfectly."""
    known: dict[str, list[ToolCall]] = {}

    def write(request):
        index, *_ = request.golden_id.partition("/")[0].split("-")
        slot = next(s for s in Schedule(TOOLS, 0).take(int(index) + 1) if s.index == int(index))
        plan = plan_of(slot, BY_NAME, attempt=request.trial)
        text = template_request(plan, BY_NAME)
        calls = [ToolCall(call.tool, call.arguments) for call in plan.calls] if plan.has_calls else []
        known[text] = calls
        return text

    def solve(request):
        return known.get(request.messages[0].content, []) or "Which one do you mean?"

    return Model({"request": write}, solve), known


def only(*kinds):
    return {kind: weight for kind, weight in WEIGHTS.items() if kind in kinds}


@pytest.mark.stories
def test_a_model_writes_and_solvers_confirm_and_the_golden_says_how_it_came_to_be():
    model, _ = plain_writer()
    found = asyncio.run(
        Synthesizer(model, tools=TOOLS).afrom_tools((), 12, kinds=only("one", "enum", "missing", "none"))
    )
    assert len(found.goldens) == 12 - len(found.dropped) or found.goldens
    golden = found.goldens[0]
    assert golden.metadata["generated"]["model"] == "scripted:test"
    assert golden.metadata["generated"]["verified"]["recovered"] == 1.0
    assert set(golden.metadata["generated"]["prompts"]) == {"request"}
    assert "template" not in golden.tags


def test_the_prompt_tells_the_values_the_language_and_the_style_and_hides_the_tool_names():
    model, _ = plain_writer()
    asyncio.run(Synthesizer(model, tools=TOOLS, language="French").afrom_tools((), 6, kinds=only("one")))
    prompts = model.asked("request")
    assert prompts and all("French" in prompt and "_" not in prompt.replace("«", "") for prompt in prompts)
    assert all("State every value" in prompt for prompt in prompts if "Reword" not in prompt)


def test_what_solvers_do_not_recover_is_dropped_with_the_reason():
    model = Model(
        {"request": "Please play Yesterday at volume 40."},
        lambda request: [ToolCall("set_timer", {"minutes": 3})],
    )
    found = asyncio.run(Synthesizer(model, tools=TOOLS).afrom_tools((), 3, kinds=only("none")))
    assert found.goldens == ()
    assert "recovered by 0 of 2 solvers" in found.dropped[0].reason


def test_a_request_that_leaves_a_value_out_is_dropped_before_any_solver_is_asked():
    model = Model({"request": "Do it now."})
    found = asyncio.run(Synthesizer(model, tools=TOOLS).afrom_tools((), 3, kinds=only("one")))
    assert found.goldens == () and all("does not contain" in one.reason for one in found.dropped)
    assert not any(request.prompt.tools for request in model.requests)


@pytest.mark.parametrize("evolution", [e for e in Evolution if e is not Evolution.MULTICONTEXT])
def test_an_evolution_is_kept_when_it_still_implies_the_same_calls(evolution):
    model, known = plain_writer()

    def evolve(request):
        before = request.messages[-1].content.partition("Message: ")[2].partition("\n")[0]
        known[f"Honestly: {before}"] = known[before]
        return f"Honestly: {before}"

    model._steps["evolve"] = evolve
    maker = Synthesizer(model, tools=TOOLS, evolution_config=EvolutionConfig(1, {evolution: 1.0}))
    golden = asyncio.run(maker.afrom_tools((), 1, kinds=only("one"))).goldens[0]
    assert golden.input.startswith("Honestly: ")
    assert golden.metadata["generated"]["evolutions"] == [evolution.value]
    assert evolution.prompt in golden.metadata["generated"]["prompts"]


def test_an_evolution_that_changes_the_calls_is_taken_back():
    model, _ = plain_writer()
    model._steps["evolve"] = "Something else entirely."
    maker = Synthesizer(model, tools=TOOLS, evolution_config=EvolutionConfig(2))
    golden = asyncio.run(maker.afrom_tools((), 1, kinds=only("one"))).goldens[0]
    assert golden.input != "Something else entirely."
    assert all(one.endswith(": not kept") for one in golden.metadata["generated"]["evolutions"])


def test_goldens_with_calls_become_goldens_with_the_same_tools_and_other_values():
    parents = made(count=20, seed=9).goldens
    parents = [golden for golden in parents if golden.metadata["generated"]["plan"] == "one"]
    found = Synthesizer(tools=TOOLS, seed=3).generate_goldens_from_goldens(parents, 2)
    assert len(found) > len(parents)
    for golden in found:
        parent = next(p for p in parents if p.id == golden.metadata["generated"]["parents"][0])
        assert [call.tool for call in golden.expected_calls] == [call.tool for call in parent.expected_calls]
        assert golden.cluster == parent.id


def test_conversations_have_user_turns_with_calls_of_their_own():
    talks = Synthesizer(tools=TOOLS, language="zh").generate_conversational_goldens_from_tools((), 5, turns=3)
    assert len(talks) == 5
    assert all([turn.role for turn in talk.turns] == ["user"] * 3 for talk in talks)
    assert all(any(turn.expected_calls for turn in talk.turns) for talk in talks)


@pytest.mark.parametrize(
    ("maker", "says"),
    [
        (lambda: Synthesizer().generate_goldens_from_tools([], 3), "no tools"),
        (lambda: Synthesizer(language="fr").generate_goldens_from_tools(TOOLS, 3), "one of en, vi, zh"),
        (lambda: Synthesizer().generate_goldens_from_contexts([["text"]]), "requires a model"),
        (
            lambda: Synthesizer("scripted:x").generate_goldens_from_scratch(3),
            "scenario, task and input_format",
        ),
        (lambda: VerificationConfig(samples=2, agree=3), "agree must be between 1 and samples"),
    ],
)
def test_a_setup_that_cannot_work_is_refused_before_anything_is_asked(maker, says):
    with pytest.raises(ConfigError, match=says):
        maker()


def test_expected_values_are_those_of_the_plan():
    golden = next(g for g in made(count=30).goldens if g.expected_calls and not g.expected_calls[0].after)
    assert isinstance(golden, Golden)
    assert is_valid(BY_NAME[golden.expected_calls[0].tool], values_of(golden.expected_calls[0]))
