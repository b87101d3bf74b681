"""The pages of the rules are what the rules say."""

from __future__ import annotations

import json
import re
import runpy
from pathlib import Path

from rightcall.lint.rule import all_rules

DOCS = Path(__file__).parents[2] / "docs" / "lint"


def test_the_pages_are_up_to_date() -> None:
    wanted = runpy.run_path(str(DOCS / "generate.py"))["pages"]()
    assert {path for path in wanted if path.read_text("utf-8") != wanted[path]} == set()
    assert set((DOCS / "rules").glob("*.md")) == set(wanted)


def test_every_rule_has_a_row_and_a_page_with_readable_examples() -> None:
    index = (DOCS / "rules" / "index.md").read_text("utf-8")
    for rule in all_rules():
        assert f"[{rule.code}]({rule.name}.md)" in index
        page = (DOCS / "rules" / f"{rule.name}.md").read_text("utf-8")
        for example in re.findall(r"```json\n(.*?)\n```", page, flags=re.DOTALL):
            json.loads(example)


def test_the_documented_precision_is_that_of_the_sample() -> None:
    lines = (Path(__file__).parent / "data/precision_sample.jsonl").read_text("utf-8").splitlines()
    sample = [json.loads(line) for line in lines]
    told = (DOCS.parent / "evidence.md").read_text("utf-8")
    assert len(sample) >= 200
    for severity, least in (("error", 0.98), ("warning", 0.9)):
        verdicts = [row["right"] for row in sample if row["severity"] == severity]
        assert sum(verdicts) / len(verdicts) >= least
        assert (
            f"| {severity} | {len(verdicts)} | {sum(verdicts)} | {sum(verdicts) / len(verdicts):.3f} |"
            in told
        )
