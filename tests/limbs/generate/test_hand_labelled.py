"""How right kept goldens are, by a hundred that were read by hand, by two readers.

Each line has a golden as it was kept, who wrote its request, and whether each reader found its expected calls right.
"""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from rightcall.core.codec import convert
from rightcall.limbs.generate.synthesizer import Synthesizer
from rightcall.limbs.generate.verify import Verifier
from rightcall.records import Golden
from tests.limbs.generate.actors import writer
from tests.limbs.generate.builders import BY_NAME, TOOLS

FILE = Path(__file__).parent / "data" / "hand_labelled.jsonl"
ROWS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]


def goldens(*writers):
    return [convert(row["golden"], Golden, "row") for row in ROWS if row["writer"] in writers]


@pytest.mark.parametrize(("right", "note"), [("right", "note"), ("second_right", "second_note")])
def test_each_reader_found_at_least_95_of_100_kept_goldens_right(right, note):
    assert len(ROWS) == 100
    assert sum(row[right] for row in ROWS) >= 95
    assert all(row[note] for row in ROWS if not row[right])


def test_the_page_tells_what_the_readers_found():
    page = " ".join((Path(__file__).parents[3] / "docs" / "evidence.md").read_text("utf-8").split())
    first, second = (sum(row[name] for row in ROWS) for name in ("right", "second_right"))
    agreed = sum(row["right"] == row["second_right"] for row in ROWS)
    assert f"the first reader found {first} of 100 right, the second {second}; they agree on {agreed}" in page


@pytest.mark.stories
def test_a_writer_that_is_wrong_three_times_in_ten_is_refuted_and_tried_again():
    made = asyncio.run(Synthesizer(writer(21), tools=TOOLS, seed=21).afrom_tools((), 60))
    tried_again = sum(golden.metadata["generated"].get("attempt", 0) > 0 for golden in made.goldens)
    assert tried_again >= 5  # what was refuted at first was written anew


def test_what_was_labelled_still_stands_the_checks_that_need_no_model():
    async def failed():
        found = []
        for golden in goldens(*{row["writer"] for row in ROWS}):
            scores, _ = await Verifier(BY_NAME).verify(golden)
            found += [score.reason for score in scores.values() if not score.passed]
        return found

    assert asyncio.run(failed()) == []
