"""Review by keyboard in a real browser, in the dark and on a phone."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from rightcall.datasets.review import counts
from tests.show.dashboard.test_browser import arrived
from tests.show.dashboard.test_drafts import DRAFTS

pytestmark = pytest.mark.stories


def test_a_draft_is_reviewed_without_a_mouse(dashboard, visit, store):
    store.datasets.push("mine", DRAFTS, finalized=False)
    page = visit(f"{dashboard}/runs", color_scheme="dark", viewport={"width": 390, "height": 800})
    page.keyboard.press("g")
    page.keyboard.press("f")
    arrived(page, "**/drafts")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    arrived(page, "**/drafts/mine")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    arrived(page, "**/golden?id=timer")
    page.keyboard.press("a")
    arrived(page, "**/golden?id=thanks")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("r")
    arrived(page, "**/golden?id=song")
    page.keyboard.press("u")
    expect(page.locator("[data-row]")).to_have_count(1)
    found = counts(store.datasets.pull("mine", finalized=False))
    assert found == {"pending": 1, "accepted": 1, "rejected": 1}
