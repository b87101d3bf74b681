"""`rightcall generate`: drafts from tools and documents, their review, and what becomes final."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from rightcall.datasets.goldens import load_goldens
from rightcall.datasets.review import review_of
from rightcall.store.address import open_store
from rightcall.wings.generate.commands.generate import generate

TOOLS = Path(__file__).parent / "data" / "tools.json"


def script(folder, *entries):
    path = folder / "script.json"
    path.write_text(json.dumps({"format": "rightcall/script/1", "replies": list(entries)}), encoding="utf-8")
    return f"scripted:{path}"


@pytest.mark.parametrize("language", ["en", "vi", "zh"])
def test_goldens_from_tools_need_no_model_and_run_as_a_dataset(rightcall, language):
    done = rightcall("generate", "goldens", "--tools", TOOLS, "--n", 30, "--language", language)
    assert (
        done.code == 0 and "30 kept" in done.out and "rightcall generate review generated.jsonl" in done.out
    )
    assert rightcall("dataset", "check", "generated.jsonl", "--tools", TOOLS).code == 0


def test_what_exists_is_not_replaced_unless_asked_for(rightcall):
    assert rightcall("generate", "goldens", "--tools", TOOLS, "--n", 3).code == 0
    again = rightcall("generate", "goldens", "--tools", TOOLS, "--n", 3)
    assert again.code == 2 and "generated.jsonl: already exists" in again.err
    assert rightcall("generate", "goldens", "--tools", TOOLS, "--n", 3, "--force").code == 0


def test_a_dry_run_asks_nothing_and_says_what_it_would_cost(rightcall, tmp_path):
    done = rightcall(
        "generate",
        "goldens",
        "--tools",
        TOOLS,
        "--n",
        10,
        "--model",
        "openai:gpt-5-mini",
        "--dry-run",
        "--json",
    )
    assert done.code == 0 and json.loads(done.out)["requests_least"] == 30
    assert list(tmp_path.iterdir()) == []


def test_the_summary_for_machines_tells_what_was_dropped_and_what_is_covered(rightcall):
    done = rightcall("generate", "goldens", "--tools", TOOLS, "--n", 40, "--json")
    found = json.loads(done.out)
    assert found["kept"] == 40 and found["coverage"]["calls_by_tool"]["get_weather"] > 0


def test_a_scripted_model_writes_from_documents(rightcall, tmp_path):
    (tmp_path / "a.md").write_text("Refunds are paid within 30 days.", encoding="utf-8")
    marks = {"clarity": 1, "depth": 1, "structure": 1, "relevance": 1, "answerability": 1}
    model = script(
        tmp_path,
        {"golden": "docs-0001-1/input", "turns": [{"text": "When are refunds paid?"}]},
        {"golden": "docs-0001-1/expected-output", "turns": [{"text": "Within 30 days."}]},
        {"turns": [{"text": json.dumps(marks)}]},
    )
    done = rightcall("generate", "goldens", "--from", "a.md", "--per", 1, "--model", model, "-o", "out.jsonl")
    assert done.code == 0, done.err
    assert [golden.expected_output for golden in load_goldens("out.jsonl")] == ["Within 30 days."]
    assert "requests" in done.err  # the cost, before anything was asked


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("goldens",), "pass --tools, or --from"),
        (("goldens", "--from", "a.md"), "need --model"),
        (("goldens", "--tools", "none.json"), "none.json"),
        (("goldens", "--tools", TOOLS, "--language", "fr"), "one of en, vi, zh"),
        (("goldens", "--tools", TOOLS, "--draft", "x", "-o", "y.jsonl"), "cannot be combined"),
        (("goldens", "--tools", TOOLS, "--model", "nobody:x"), "unknown provider"),
        (("goldens", "--from", "broken.pdf", "--model", "keyword:"), "broken.pdf"),
        (("review", "none.jsonl"), "none.jsonl"),
        (("finalize", "nowhere"), "rightcall.db"),
    ],
)
def test_what_cannot_work_is_one_line_and_exit_code_2(rightcall, tmp_path, words, says):
    (tmp_path / "a.md").write_text("text")
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 no")
    done = rightcall("generate", *words)
    assert done.code == 2 and says in done.err and "Traceback" not in done.err


def test_drafts_in_the_store_are_reviewed_and_only_accepted_ones_become_final(rightcall):
    rightcall("generate", "goldens", "--tools", TOOLS, "--n", 6, "--draft", "shop")
    names = [row["id"] for row in json.loads(rightcall("generate", "review", "shop", "--json").out)]
    rightcall(
        "generate", "review", "shop", "--accept", names[0], "--accept", names[1], "--comment", "good one"
    )
    rightcall("generate", "review", "shop", "--reject", names[2])
    assert "2 goldens finalized: version 1 of shop" in rightcall("generate", "finalize", "shop").out
    with open_store() as store:
        assert [golden.id for golden in store.datasets.pull("shop")] == names[:2]
        left = [golden.id for golden in store.datasets.pull("shop", finalized=False)]
    assert left == [*names[:2], *names[3:]]


def test_a_second_generation_adds_to_the_draft_and_replaces_nothing(rightcall):
    for seed in (1, 2):
        rightcall("generate", "goldens", "--tools", TOOLS, "--n", 5, "--seed", seed, "--draft", "shop")
    rows = json.loads(rightcall("generate", "review", "shop", "--json").out)
    assert len(rows) == 10 and len({row["id"] for row in rows}) == 10


def test_a_draft_may_be_finalized_as_it_is(rightcall):
    rightcall("generate", "goldens", "--tools", TOOLS, "--n", 4, "--draft", "shop")
    assert "none of its 4 goldens are accepted" in rightcall("generate", "finalize", "shop").err
    assert rightcall("generate", "finalize", "shop", "--as-is").code == 0


def test_a_golden_by_hand_joins_the_file_accepted(rightcall, tmp_path):
    rightcall("generate", "goldens", "--tools", TOOLS, "--n", 2)
    (tmp_path / "mine.json").write_text('{"id": "mine", "input": "Hello", "no_calls": true}')
    rightcall("generate", "review", "generated.jsonl", "--add", "mine.json")
    assert rightcall("generate", "finalize", "generated.jsonl", "-o", "final.jsonl").code == 0
    assert [golden.id for golden in load_goldens("final.jsonl")] == ["mine"]


def test_the_terminal_asks_one_by_one_and_keeps_every_decision(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runner = CliRunner()
    assert runner.invoke(generate, ["goldens", "--tools", str(TOOLS), "--n", "4"]).exit_code == 0
    edits = iter(['{"input": "Edited", "no_calls": true}'])
    monkeypatch.setattr(click, "edit", lambda text, **_: next(edits))
    keys = "a\nc\ntoo easy\nr\ne\ns\nb\nq\n"
    done = runner.invoke(generate, ["review", "generated.jsonl", "--author", "Lan"], input=keys)
    assert done.exit_code == 0, done.output
    first, second, third, fourth = load_goldens("generated.jsonl")
    assert (review_of(first).state, review_of(first).author) == ("accepted", "Lan")
    assert (review_of(second).state, review_of(second).comment) == ("rejected", "too easy")
    assert third.input == "Edited" and review_of(third).edited and review_of(third).state == "pending"
    assert third.metadata["generated"]["by"].startswith("rightcall")
    assert review_of(fourth).state == "pending"


def test_an_edit_that_is_not_a_golden_is_reported_and_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    CliRunner().invoke(generate, ["goldens", "--tools", str(TOOLS), "--n", "1"])
    before = Path("generated.jsonl").read_bytes()
    monkeypatch.setattr(click, "edit", lambda text, **_: '{"inptu": 1}')
    CliRunner().invoke(generate, ["review", "generated.jsonl"], input="e\nq\n")
    assert Path("generated.jsonl").read_bytes() == before


def test_conversations_from_tools_are_scored_as_conversations(rightcall):
    done = rightcall(
        "generate", "conversations", "--tools", TOOLS, "--n", 4, "--turns", 2, "-o", "talks.jsonl"
    )
    assert done.code == 0
    talks = list(load_goldens("talks.jsonl"))
    assert len(talks) == 4 and all(len(talk.turns) == 2 for talk in talks)
