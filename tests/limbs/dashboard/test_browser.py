"""The dashboard as people use it, in a real browser. A test fails when the console is not silent."""

from __future__ import annotations

import threading

import pytest
from playwright.sync_api import expect

from rightcall.store.base import ResultFilter
from tests.limbs.dashboard.test_run import dangerous_goldens
from tests.store.builders import a_result

pytestmark = pytest.mark.stories


@pytest.fixture
def wrong_value(store):
    """The id of a case of the old run that passed a wrong value."""
    return next(store.runs.results("old", ResultFilter(code="wrong_value"), limit=1)).golden_id


def chosen(page):
    return page.locator(".here a.row").first


def arrived(page, address):
    """The page is there and its keys work."""
    page.wait_for_url(address)
    page.wait_for_selector("html[data-ready]")


def test_find_a_run_open_a_failing_case_see_the_argument(dashboard, visit, wrong_value):
    page = visit(dashboard)
    page.get_by_label("Search runs").fill("old")
    page.keyboard.press("Enter")
    expect(page.locator("[data-row]")).to_have_count(1)
    page.locator("a.row").click()
    page.get_by_role("link", name="Wrong argument value").click()
    page.locator("#cases").get_by_role("link", name=wrong_value, exact=True).click()
    marked = page.locator("tr.differs").first
    expect(marked).to_be_visible()
    background = "getComputedStyle(document.querySelector('tr.differs td')).backgroundColor"
    plain = "getComputedStyle(document.querySelector('.pair header')).backgroundColor"
    assert page.evaluate(background) != page.evaluate(plain)
    expect(marked.locator("mark")).to_be_visible()


def test_compare_two_runs_picked_in_the_list(dashboard, visit):
    page = visit(f"{dashboard}/runs")
    expect(page.get_by_role("button", name="Compare", exact=True)).to_be_disabled()
    for run in ("old", "new"):
        page.get_by_label(f"Pick run {run} to compare").check()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_role("link", name="Fixed").click()
    page.locator("a.row").first.click()
    expect(page.get_by_label("before").get_by_text("failed", exact=True).first).to_be_visible()
    expect(page.get_by_label("after").get_by_text("passed", exact=True).first).to_be_visible()
    expect(page.locator(".transcript")).to_have_count(2)


def test_dark_follows_the_system_and_the_button_wins(dashboard, visit):
    page = visit(f"{dashboard}/runs", color_scheme="dark")
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    page.get_by_label("Dark or light").click()
    assert page.evaluate(background) != dark
    page.reload()
    assert page.evaluate(background) != dark
    page.keyboard.press("d")
    assert page.evaluate(background) == dark


def test_everything_by_keyboard(dashboard, visit, store):
    page = visit(f"{dashboard}/runs")
    page.keyboard.press("?")
    expect(page.get_by_role("heading", name="Keyboard")).to_be_visible()
    expect(page.get_by_role("button", name="Close")).to_be_focused()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("old")
    page.keyboard.press("Enter")
    arrived(page, "**/runs?text=old*")
    page.keyboard.press("j")
    expect(chosen(page)).to_be_focused()
    page.keyboard.press("Enter")
    arrived(page, "**/runs/old")
    for _ in range(3):
        page.keyboard.press("j")
    page.keyboard.press("k")
    dangerous = dangerous_goldens(store, "old")
    listed = store.runs.goldens_page("old", ResultFilter(), limit=3, dangerous=dangerous)
    second, third = (golden.golden_id for golden in listed[1:])
    expect(chosen(page)).to_have_text(second)
    page.keyboard.press("Enter")
    arrived(page, "**/case?*")
    page.keyboard.press("]")
    expect(page.get_by_role("heading", level=1)).to_contain_text(third)
    arrived(page, "**/case?*")
    page.keyboard.press("u")
    arrived(page, "**/runs/old")
    page.keyboard.press("g")
    page.keyboard.press("c")
    page.wait_for_url("**/compare")


def test_two_runs_are_picked_and_compared_by_keyboard(dashboard, visit):
    page = visit(f"{dashboard}/runs?name=shop&state=finished")
    for key in "jxjxc":
        page.keyboard.press(key)
    page.wait_for_url("**/compare?*")
    expect(page.get_by_role("heading", name="Before and after")).to_be_visible()


def test_a_run_in_progress_moves_by_itself_and_ends(dashboard, visit, store):
    page = visit(f"{dashboard}/runs/going?text=fresh")
    expect(page.locator("[data-live-text=results]")).to_have_text("39")
    store.runs.resume("going").add([a_result("fresh", passed=False)])
    expect(page.locator("[data-live-text=results]")).to_have_text("40")
    expect(page.locator("#cases a.row")).to_have_text("fresh")
    store.runs.finish("going", None, "PASS", early=True)
    expect(page.locator("h1 .badge")).to_have_text("pass")


def test_a_large_run_is_added_up_while_the_page_is_there(dashboard, visit, monkeypatch):
    monkeypatch.setattr("rightcall.limbs.dashboard.views.AT_ONCE", 10)
    page = visit(f"{dashboard}/runs/old")
    expect(page.get_by_role("heading", name="Expected and called")).to_be_visible()
    expect(page.get_by_text("Summarizing")).to_have_count(0)


def test_nothing_is_wider_than_a_phone(dashboard, visit):
    page = visit(f"{dashboard}/runs", viewport={"width": 360, "height": 740})
    case = "id=cancel-00"
    pair = "before=old&after=new"
    for path in (
        "/runs",
        "/runs/old",
        f"/runs/old/case?{case}",
        f"/compare?{pair}",
        "/compare",
        f"/compare/case?{pair}&{case}",
        "/over-time",
        "/over-time?suite=shop",
    ):
        page.goto(dashboard + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path


def test_a_chart_takes_the_colours_of_the_theme_and_the_width_of_the_page(dashboard, visit):
    page = visit(f"{dashboard}/over-time?suite=shop", color_scheme="light")
    colour = "getComputedStyle(document.querySelector('.chart .grid')).stroke"
    light = page.evaluate(colour)
    page.keyboard.press("d")
    assert page.evaluate(colour) != light
    expect(page.locator(".over-time.for-screens svg")).to_be_visible()
    page.set_viewport_size({"width": 360, "height": 740})
    expect(page.locator(".over-time.for-screens svg")).to_be_hidden()
    expect(page.locator(".over-time.for-phones svg")).to_be_visible()


def test_the_token_in_a_link_lets_in_and_the_form_too(locked, visit):
    page = visit(f"{locked}/?token=open+sesame")
    page.wait_for_url("**/runs")
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()
    page.get_by_role("button", name="Log out").click()
    page.get_by_label("Token").fill("open sesame")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Runs")).to_be_visible()


def test_printing_leaves_out_what_cannot_be_used_on_paper(dashboard, visit):
    page = visit(f"{dashboard}/runs/old/case?id=cancel-00", color_scheme="dark")
    page.emulate_media(media="print")
    expect(page.locator(".top")).to_be_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_many_visitors_at_once_are_all_answered(dashboard):
    import httpx2

    answers = []

    def ask(path):
        answers.append(httpx2.get(dashboard + path, timeout=300).status_code)

    paths = ["/runs", "/runs/old", "/over-time?suite=shop", "/compare?run=old&run=new"] * 4
    threads = [threading.Thread(target=ask, args=(path,)) for path in paths]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [200] * len(paths)
