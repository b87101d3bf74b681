"""Keeping a case as a golden, by many visitors at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor


def test_of_24_goldens_kept_at_once_all_are_in_the_draft(post, store):
    def keep(number):
        return post("/runs/new/case/golden?id=track-00", {"alias": "kept", "golden_id": f"golden-{number}"})

    with ThreadPoolExecutor(24) as visitors:
        answers = list(visitors.map(keep, range(24)))
    assert {answer.status_code for answer in answers} == {200}
    kept = {golden.id for golden in store.datasets.pull("kept", finalized=False)}
    assert kept == {f"golden-{number}" for number in range(24)}
