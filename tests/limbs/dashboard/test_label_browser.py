"""Labelling in a real browser: by keyboard, in the dark, on a phone, and without JavaScript."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.limbs.dashboard.test_every_page import FAULTS
from tests.limbs.dashboard.test_label import example, place, rows, store  # noqa: F401  fixtures
from tests.support.judged_example import people_say

pytestmark = pytest.mark.stories


def label_by_key(page, case: str, key: str) -> str:
    """Press a key on a case; returns the next case."""
    page.keyboard.press(key)
    expect(page.locator("input[name=case]")).not_to_have_value(case)
    page.wait_for_load_state("load")  # keys are heard from then on
    return page.locator("input[name=case]").input_value()


def test_cases_are_labelled_by_keyboard(dashboard, visit, place):  # noqa: F811
    page = visit(f"{dashboard}{place}?by=ana", color_scheme="dark", viewport={"width": 400, "height": 800})
    first = page.locator("input[name=case]").input_value()
    faults = page.evaluate(FAULTS)  # the bar of pages is tested with all pages
    assert [fault for fault in faults if "a page is out of sight" not in fault] == []
    second = label_by_key(page, first, "p")
    page.keyboard.press("n")
    page.keyboard.type("not sure what 'may be' means")
    page.keyboard.press("Escape")
    third = label_by_key(page, second, "u")
    page.keyboard.press("b")
    expect(page.locator("input[name=case]")).to_have_value(second)
    expect(page.get_by_text("you answered unsure")).to_be_visible()
    page.wait_for_load_state("load")
    assert label_by_key(page, second, "f") == third
    label_by_key(page, third, "s")
    page.keyboard.press("q")
    page.wait_for_url("**/label?by=ana")
    answers = [(row["case"]["golden"], row["label"], row["note"]) for row in rows()]
    note = "not sure what 'may be' means"
    assert answers == [(first, "pass", ""), (second, "unsure", note), (second, "fail", note)]


def test_without_javascript_the_buttons_do_the_same(dashboard, visit, place):  # noqa: F811
    page = visit(f"{dashboard}{place}?by=ben&n=24", java_script_enabled=False)
    for _ in range(24):
        case = page.locator("input[name=case]").get_attribute("value")
        page.get_by_role("button", name="Pass" if people_say(case) == "pass" else "Fail").click()
    page.get_by_text("Every case of the plan has an answer").wait_for()
    page.get_by_role("link", name="What they say").click()
    page.get_by_text("24 labels: people pass").wait_for()
    assert len(rows()) == 24
