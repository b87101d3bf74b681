"""`rightcall run --save-baseline`: what cannot become a baseline is refused, if possible before it is paid for."""

import json
from pathlib import Path

import pytest


@pytest.fixture
def suite(rightcall):
    """Write a suite of a name, whose agent answers “Hello.”, which a golden expects to contain a word."""

    def write(name: str, word: str = "hello") -> str:
        Path("goldens.jsonl").write_text(
            f'{{"id": "hi", "input": "Hi", "output_contains": ["{word}"]}}\n', "utf-8"
        )
        Path("agent.sh").write_text('cat > asked; echo \'{"output": "hello"}\'', "utf-8")
        agent = '{model: "exec:sh agent.sh"}'
        Path(f"{name}.yaml").write_text(f"name: {name}\ndataset: goldens.jsonl\nagent: {agent}\n", "utf-8")
        return f"{name}.yaml"

    return write


def test_a_file_of_another_suite_is_refused_before_the_agent_is_asked(rightcall, suite):
    rightcall("run", suite("shop"), "--trust", "--save-baseline", "main.jsonl")
    before = Path("main.jsonl").read_bytes()
    Path("asked").unlink()
    done = rightcall("run", suite("bank"), "--trust", "--save-baseline", "main.jsonl")
    assert done.code == 2 and "main.jsonl: is a baseline of suite 'shop', not of 'bank'" in done.err
    assert not Path("asked").exists() and Path("main.jsonl").read_bytes() == before


def test_a_run_in_which_nothing_passed_is_no_baseline(rightcall, suite):
    done = rightcall("run", suite("shop", "goodbye"), "--trust", "--save-baseline", "main.jsonl")
    assert done.code == 2 and "none of its trials passed, so nothing could be worse" in done.err
    assert not Path("main.jsonl").exists()


def test_a_run_in_which_nothing_passed_leaves_an_existing_baseline_as_it_is(rightcall, suite):
    rightcall("run", suite("shop"), "--trust", "--save-baseline", "main.jsonl")
    before = Path("main.jsonl").read_bytes()
    done = rightcall("run", suite("shop", "goodbye"), "--trust", "--save-baseline", "main.jsonl")
    assert done.code == 2 and Path("main.jsonl").read_bytes() == before


def test_several_baseline_files_are_merged_and_shown(rightcall, suite):
    file = suite("shop")
    for name in ("monday.jsonl", "tuesday.jsonl"):
        rightcall("run", file, "--trust", "--save-baseline", name)
    both = ["--baseline", "monday.jsonl", "--baseline", "tuesday.jsonl"]
    done = rightcall("check", file, "--trust", *both, "--json")
    assert json.loads(done.out)["baseline"]["runs"] == 2
    shown = rightcall("runs", "show", "monday.jsonl")
    assert shown.code == 0 and "shop" in shown.out and "1 goldens, 1 trials, 100.0% passed" in shown.out
    assert "is not a baseline" in rightcall("runs", "show", file).err
