"""`rightcall generate`: drafts from tools and documents, their review, and what becomes final."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rightcall.datasets.goldens import load_goldens
from rightcall.datasets.review import review_of
from rightcall.limbs.generate.command import generate
from rightcall.store.address import open_store
from tests.support.skills import skill_text, write_skill

TOOLS = Path(__file__).parent / "data" / "tools.json"


def script(folder, *entries):
    path = folder / "script.json"
    path.write_text(json.dumps({"format": "rightcall/script/1", "replies": list(entries)}), encoding="utf-8")
    return f"scripted:{path}"


NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


@pytest.fixture
def drafts(rightcall, tmp_path):
    """Writes as many drafts about refunds, with a scripted model."""
    (tmp_path / "refunds.md").write_text("Refunds are paid within 30 days.", encoding="utf-8")
    marks = {"clarity": 1, "depth": 1, "structure": 1, "relevance": 1, "answerability": 1}

    def generate(count, *options, about="refunds"):
        inputs = [
            {"golden": f"docs-0001-{number}/input", "turns": [{"text": f"What about {word} {about}?"}]}
            for number, word in enumerate(NUMBERS[:count], start=1)
        ]
        answers = [
            {"golden": f"docs-0001-{number}/expected-output", "turns": [{"text": "Yes."}]}
            for number in range(1, 11)
        ]
        model = script(tmp_path, *inputs, *answers, {"turns": [{"text": json.dumps(marks)}]})
        return rightcall(
            "generate", "goldens", "--from", "refunds.md", "--n", count, "--model", model, *options
        )

    return generate


@pytest.mark.stories
def test_goldens_from_tools_run_as_a_dataset(rightcall, tmp_path):
    (tmp_path / "timer.json").write_text(json.dumps([{"name": "set_timer", "description": "Start a timer.", "input_schema": {
        "type": "object", "properties": {"minutes": {"enum": [5]}}, "required": ["minutes"]}}]))  # fmt: skip
    call = {"calls": [{"name": "set_timer", "arguments": {"minutes": 5}}]}
    model = script(tmp_path, {"golden": "0000-one-set_timer/request", "turns": [{"text": "5 minutes please"}]},
                   {"golden": "0000-one-set_timer", "turns": [call]}, {"turns": [{"text": "Hm."}]})  # fmt: skip
    done = rightcall("generate", "goldens", "--tools", "timer.json", "--n", 1, "--model", model)
    assert done.code == 0, done.err
    assert "1 kept" in done.out and "rightcall generate review generated.jsonl" in done.out
    assert rightcall("dataset", "check", "generated.jsonl", "--tools", "timer.json").code == 0


def test_skills_get_requests_that_should_load_them_and_adjacent_ones(rightcall, tmp_path):
    write_skill(tmp_path / "skills", {"SKILL.md": skill_text("forms", "Fill in paper forms.")}, "forms")
    entries = [
        {"golden": f"{at:04}-{kind}-forms/request", "turns": [{"text": f"{NUMBERS[at]} {'papers' * at}"}]}
        for at, kind in enumerate(["one"] * 4 + ["none"] * 4)
    ]
    load = {"calls": [{"name": "forms", "arguments": {}}]}
    solved = [{"golden": f"{at:04}-one-forms", "turns": [load]} for at in range(4)]
    model = script(tmp_path, *entries, *solved, {"turns": [{"text": "Hm."}]})
    done = rightcall("generate", "goldens", "--skills", "skills", "--model", model)
    assert done.code == 0, done.err
    goldens = list(load_goldens("generated.jsonl"))
    assert [[call.tool for call in golden.expected_calls] for golden in goldens] == [["forms"]] * 4 + [[]] * 4
    assert all(golden.judge == "skills" and golden.cluster == "forms" for golden in goldens)


def test_what_exists_is_not_replaced_unless_asked_for(drafts):
    assert drafts(3).code == 0
    again = drafts(3)
    assert again.code == 2 and "generated.jsonl: already exists" in again.err
    assert drafts(3, "-o", "other.jsonl").code == 0


def test_the_summary_for_machines_counts_what_was_kept(drafts):
    assert json.loads(drafts(4, "--json").out)["kept"] == 4


def test_a_scripted_model_writes_from_documents(rightcall, tmp_path):
    (tmp_path / "a.md").write_text("Refunds are paid within 30 days.", encoding="utf-8")
    marks = {"clarity": 1, "depth": 1, "structure": 1, "relevance": 1, "answerability": 1}
    model = script(
        tmp_path,
        {"golden": "docs-0001-1/input", "turns": [{"text": "When are refunds paid?"}]},
        {"golden": "docs-0001-1/expected-output", "turns": [{"text": "Within 30 days."}]},
        {"turns": [{"text": json.dumps(marks)}]},
    )
    done = rightcall("generate", "goldens", "--from", "a.md", "--n", 1, "--model", model, "-o", "out.jsonl")
    assert done.code == 0, done.err
    assert [golden.expected_output for golden in load_goldens("out.jsonl")] == ["Within 30 days."]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("goldens", "--model", "keyword:"), "pass --tools, or --from"),
        (("goldens", "--from", "a.md"), "needs --model"),
        (("goldens", "--tools", "none.json", "--model", "keyword:"), "none.json"),
        (("goldens", "--tools", TOOLS), "needs --model provider:model"),
        (("goldens", "--skills", "s", "--tools", TOOLS, "--model", "keyword:"), "cannot be combined"),
        (("goldens", "--tools", TOOLS, "--model", "nobody:x"), "unknown provider"),
        (("goldens", "--from", "broken.pdf", "--model", "keyword:"), "broken.pdf"),
        (("review", "none.jsonl"), "none.jsonl"),
        (("review", "nowhere", "--finish"), "rightcall.db"),
    ],
)
def test_what_cannot_work_is_one_line_and_exit_code_2(rightcall, tmp_path, words, says):
    (tmp_path / "a.md").write_text("text")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 no")
    done = rightcall("generate", *words)
    assert done.code == 2 and says in done.err and "Traceback" not in done.err


def test_drafts_in_the_store_are_reviewed_and_only_accepted_ones_become_final(rightcall, drafts):
    drafts(6, "-o", "shop")
    names = [row["id"] for row in json.loads(rightcall("generate", "review", "shop", "--json").out)]
    rightcall(
        "generate", "review", "shop", "--accept", names[0], "--accept", names[1], "--comment", "good one"
    )
    rightcall("generate", "review", "shop", "--reject", names[2])
    assert "2 goldens finalized: version 1 of shop" in rightcall("generate", "review", "shop", "--finish").out
    with open_store() as store:
        assert [golden.id for golden in store.datasets.pull("shop")] == names[:2]
        left = [golden.id for golden in store.datasets.pull("shop", finalized=False)]
    assert left == [*names[:2], *names[3:]]


def test_a_second_generation_adds_to_the_draft_and_replaces_nothing(rightcall, drafts):
    for about in ("refunds", "returns"):
        drafts(5, "-o", "shop", about=about)
    rows = json.loads(rightcall("generate", "review", "shop", "--json").out)
    assert len(rows) == 10 and len({row["id"] for row in rows}) == 10


def test_a_draft_may_be_accepted_and_finalized_at_once(rightcall, drafts):
    drafts(4, "-o", "shop")
    assert "none of its 4 goldens are accepted" in rightcall("generate", "review", "shop", "--finish").err
    assert rightcall("generate", "review", "shop", "--accept", "all", "--finish").code == 0


def test_the_terminal_asks_one_by_one_and_keeps_every_decision(drafts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    drafts(4)
    edits = iter(['{"input": "Edited", "no_calls": true}'])
    monkeypatch.setattr(click, "edit", lambda text, **_: next(edits))
    keys = "a\nc\ntoo easy\nr\ne\nq\n"
    done = runner.invoke(generate, ["review", "generated.jsonl", "--author", "Lan"], input=keys)
    assert done.exit_code == 0, done.output
    first, second, third, fourth = load_goldens("generated.jsonl")
    assert (review_of(first).state, review_of(first).author) == ("accepted", "Lan")
    assert (review_of(second).state, review_of(second).comment) == ("rejected", "too easy")
    assert third.input == "Edited" and review_of(third).edited and review_of(third).state == "pending"
    assert third.metadata["generated"]["by"].startswith("rightcall")
    assert review_of(fourth).state == "pending"


def test_an_edit_that_is_not_a_golden_is_reported_and_changes_nothing(drafts, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    drafts(1)
    before = Path("generated.jsonl").read_bytes()
    monkeypatch.setattr(click, "edit", lambda text, **_: '{"inptu": 1}')
    CliRunner().invoke(generate, ["review", "generated.jsonl"], input="e\nq\n")
    assert Path("generated.jsonl").read_bytes() == before
