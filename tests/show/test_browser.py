"""report.html in a real browser, from disk."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.show.conftest import Tab

pytestmark = pytest.mark.stories

Pages = dict[str, str]


@pytest.fixture(autouse=True)
def quiet(tab: Tab) -> Any:
    """No test leaves a console error, a dialog or a request to anywhere behind."""
    yield
    assert tab.complaints == []
    assert all(address.startswith(("file:", "data:", "blob:")) for address in tab.requests)


def test_a_failing_case_opens_and_marks_the_argument_that_differs(tab: Tab, pages: Pages) -> None:
    page = tab.open(pages["varied"])
    page.get_by_role("link", name="conversation").first.click()
    row = page.locator(".args tr[data-mark=different]")
    assert row.locator("td.name").inner_text() == "days"
    assert row.locator("pre").all_inner_texts() == ["3", '"3"']
    assert "≠" in row.inner_text()
    card = page.locator(".pair", has=page.locator("tr[data-mark=different]"))
    assert "bad" in (card.get_attribute("class") or "").split()
    assert card.locator("tr:not(.differs) .sign").count() == 0


def test_each_case_has_its_own_url(tab: Tab, pages: Pages) -> None:
    page = tab.open(f"{pages['varied']}#/case/invented/0")
    assert page.locator("#case h1").inner_text().endswith("invented")
    assert "a tool that does not exist" in page.locator(".pair").inner_text()
    assert page.locator("#overview").is_hidden()


def test_trials_of_a_golden_are_one_row_and_one_click_apart(tab: Tab, pages: Pages) -> None:
    page = tab.open(pages["trials"])
    assert page.locator("#list .mark").all_inner_texts() == ["1/3", "3/3"]
    assert page.locator("#found").inner_text() == "2 of 2 goldens, 6 trials in all"
    page.locator("#list a").first.click()
    expect(page.locator(".trials a")).to_have_count(3)
    assert "failed" in page.locator(".trials [aria-current]").inner_text()
    page.locator(".trials a", has_text="passed").click()
    page.locator("#case h1", has_text="passed").wait_for()


def test_an_address_without_a_trial_opens_the_worst_one(tab: Tab, pages: Pages) -> None:
    page = tab.open(f"{pages['trials']}#/case/sometimes")
    assert "failed" in page.locator("#case h1").inner_text()


def test_the_keyboard_is_enough(tab: Tab, pages: Pages) -> None:
    page = tab.open(pages["varied"])
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("days should be")
    expect(page.locator("#list li")).to_have_count(1)
    page.keyboard.press("Enter")
    page.keyboard.press("Enter")
    assert page.locator("#case h1").inner_text().endswith("conversation")
    page.keyboard.press("Escape")
    expect(page.locator("#overview")).to_be_visible()


def test_j_and_k_walk_through_cases(tab: Tab, pages: Pages) -> None:
    page = tab.open(pages["varied"])
    for key in "jjjk":
        page.keyboard.press(key)
    expect(page.locator("#list .selected .id")).to_have_text("chatty")
    page.keyboard.press("Enter")
    page.locator("#case h1", has_text="chatty").wait_for()
    page.keyboard.press("j")
    page.locator("#case h1", has_text="conversation").wait_for()


def test_dark_follows_the_system_and_the_button(tab: Tab, pages: Pages) -> None:
    page = tab.open(pages["demo"])
    background = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(background)
    page.click("#theme")
    dark = page.evaluate(background)
    page.emulate_media(color_scheme="dark")
    assert page.evaluate(background) == dark != light
    page.click("#theme")
    assert page.evaluate(background) == light


@pytest.mark.parametrize("name", ["varied", "hostile", "many"])
@pytest.mark.parametrize("width", [360, 1280])
def test_no_page_is_wider_than_the_screen(tab: Tab, pages: Pages, name: str, width: int) -> None:
    tab.page.set_viewport_size({"width": width, "height": 800})
    page = tab.open(pages[name])
    wide = "document.documentElement.scrollWidth - innerWidth"
    assert page.evaluate(wide) <= 0
    page.locator("#list a").first.click()
    page.locator("#case h1").wait_for()
    assert page.evaluate(wide) <= 0


def test_hostile_text_does_nothing_and_is_all_there(tab: Tab, pages: Pages) -> None:
    page = tab.open(pages["hostile"])
    for number in range(page.locator("#list li").count()):
        page.locator("#list a").nth(number).click()
        page.locator("#case h1").wait_for()
        assert "<script>window.pwned = 1</script>" in page.locator("#case h1").inner_text()
        expect(page.locator("#case script, #case img, #case svg:not(.lane)")).to_have_count(0)
        assert "\u202e" not in page.locator("#case").inner_text() + page.title()
        page.keyboard.press("Escape")
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true })")
    assert page.evaluate("window.pwned === undefined")
    hrefs = page.evaluate("[...document.links].map((a) => a.getAttribute('href'))")
    assert all(href.startswith("#") for href in hrefs)


def test_a_thousand_cases_are_searched_paged_and_opened(tab: Tab, pages: Pages) -> None:
    page = tab.open(pages["many"])
    expect(page.locator("#list li")).to_have_count(15)
    assert "page 1 of 67" in page.locator("#pages").inner_text()
    page.fill("#search", "case-00432")
    expect(page.locator("#list li")).to_have_count(1)
    page.locator("#list a").first.click()
    page.locator("#case h1", has_text="case-00432").wait_for()


def test_it_prints_without_what_only_a_screen_can_use(tab: Tab, pages: Pages) -> None:
    page = tab.open(pages["demo"])
    page.emulate_media(media="print")
    expect(page.locator("#pass-rate")).to_be_visible()
    assert page.locator(".top").is_hidden()
    assert len(page.pdf()) > 10_000
