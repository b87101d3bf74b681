"""Every page at three widths and in two themes: nothing sticks out, nothing is cut off, the console is silent."""

from __future__ import annotations

import shutil
from itertools import product

import pytest

import rightcall as rc
from rightcall.limbs.attacks.attack_plan import AttackPlan
from rightcall.limbs.attacks.attacked_plan import attack_set_of
from rightcall.limbs.dashboard.access import Access
from rightcall.show.html import write_html
from rightcall.store.address import open_store
from tests.limbs.attacks.agents import GOLDENS, WORLDS, agent, faint
from tests.limbs.dashboard import shop
from tests.limbs.dashboard.conftest import running

pytestmark = pytest.mark.stories

PAIR = "before=old&after=new"
CASE = "id=cancel-00"
LONG = "261115-180653-c58f4d-with-a-long-name-of-its-own"
WORD = "W" * 90
PAGES = (
    "/runs",
    "/runs/old",
    "/runs/thrice?outcome=failed",
    "/runs/going",
    "/runs/old/label",
    f"/runs/old/case?{CASE}",
    "/compare",
    f"/compare?{PAIR}",
    f"/compare/case?{PAIR}&{CASE}",
    "/compare?run=old&run=new&run=going",
    "/over-time",
    "/over-time?suite=shop",
    f"/runs/{LONG}",
    f"/compare?run=old&run=new&run=going&run={LONG}",
    "/runs/ATTACKED",
    "/over-time?suite=attacked",
    f"/over-time?suite={WORD}",
    "/nowhere",
    "/runs/nowhere",
    "/compare/case",
    "report.html",
    "report.html#/case/refund-00",
    f"{LONG}.html",
    "attacked.html",
    "empty/runs",
    "empty/compare",
    "empty/over-time",
    "locked/login",
)
REFUSED = ("/nowhere", "/runs/nowhere", "/compare/case")
"""Pages that say what is wrong; the console of the browser mentions their status."""
FAULTS = """() => {
  const faults = [];
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) faults.push(`the page is ${wide} px too wide`);
  const shown = (node) => node.getClientRects().length > 0;
  for (const node of document.querySelectorAll("h1, h2, .badge, .verdict, .callout, .figure b, button, .button, td.num, .diff del, .diff ins"))
    if (shown(node) && !node.closest("[hidden]") && node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== "inline")
      faults.push(`cut off: ${node.tagName}.${node.className} ${node.textContent.trim().slice(0, 60)}`);
  for (const table of document.querySelectorAll("table")) {
    const frame = table.closest(".card, .scroll, main");
    if (shown(table) && frame && table.getBoundingClientRect().right > frame.getBoundingClientRect().right + 1
        && getComputedStyle(frame).overflowX !== "auto") faults.push(`a table sticks out: ${table.innerText.slice(0, 60)}`);
  }
  const crushed = (node) => node.innerText.trim().length > 12 && node.clientWidth < 60;
  for (const cell of document.querySelectorAll("td")) if (shown(cell) && crushed(cell)) faults.push(`a crushed column: ${cell.innerText.slice(0, 60)}`);
  for (const node of document.querySelectorAll(".line > *"))
    if (shown(node) && node.innerText.trim().length > 3 && node.clientWidth && node.clientWidth < 20) faults.push(`letter under letter: ${node.innerText.slice(0, 60)}`);
  for (const cell of document.querySelectorAll("table.cells tbody td:not(:first-child)"))
    if (shown(cell) && getComputedStyle(cell.parentElement).display === "grid" && cell.innerText.trim() && !cell.dataset.label && !cell.querySelector("button")) faults.push(`a number without its label: ${cell.innerText.slice(0, 60)}`);
  for (const cell of document.querySelectorAll("table.stack td.num:not(.end)"))
    if (shown(cell) && getComputedStyle(cell.parentElement).display === "grid" && !cell.dataset.side) faults.push(`a number without its label: ${cell.innerText.slice(0, 60)}`);
  for (const link of document.querySelectorAll("header nav a")) {
    const edge = link.closest("nav").getBoundingClientRect().right;
    if (shown(link) && link.getBoundingClientRect().right > edge + 1) faults.push(`a page is out of sight: ${link.innerText}`);
  }
  for (const image of document.querySelectorAll("img")) {
    if (!shown(image)) continue;
    const frame = image.closest(".card, main, header").getBoundingClientRect(), box = image.getBoundingClientRect();
    if (box.right > frame.right + 1 && !image.closest(".scroll")) faults.push(`a picture sticks out: ${image.alt}`);
  }
  return faults;
}"""


@pytest.fixture(scope="module")
def site(filled, tmp_path_factory):
    """A dashboard, an empty one, a locked one and reports that no test changes; the address of a page."""
    folder = tmp_path_factory.mktemp("site")
    with (
        open_store(shutil.copy(filled, folder / "shop.db")) as store,
        open_store(folder / "empty.db") as empty,
    ):
        add_long_names(store)
        attacked = attacked_run(folder / "shop.db")
        for run, name in (("thrice", "report"), (LONG, LONG), (attacked, "attacked")):
            with (folder / f"{name}.html").open("wb") as out:
                write_html(store, run, out)
        with running(store) as full, running(empty) as bare, running(store, Access("open sesame")) as locked:
            sites = {"": full, "empty": bare, "locked": locked}

            def address(path):
                file, mark, place = path.partition("#")
                if file.endswith(".html"):
                    return (folder / file).as_uri() + mark + place
                first, _, rest = path.partition("/")
                return f"{sites[first]}/{rest}".replace("ATTACKED", attacked)

            yield address


def add_long_names(store):
    """A run with a long id, a long agent, long tags and seven metrics with long names; a suite named by one long word."""
    shop.add_run(store, "word", skill=0.5, seed=8, day=2, name=WORD)
    shop.add_run(
        store, LONG, skill=0.5, seed=7, day=4, agent="openrouter:some-vendor/some-model-with-a-long-name"
    )
    store.runs.tag(LONG, "the last one before the rewrite of all definitions")
    summary = store.runs.get(LONG).run.summary
    names = [f"a_requested_metric_with_a_long_name_{number}" for number in range(7)]
    groups = [summary.overall, *summary.categories.values()]
    for group in groups:
        group.means.update(dict.fromkeys(names, 0.5))
    store.runs.finish(LONG, summary, "FAIL")


def attacked_run(file):
    """The id of a run with attacks, some of which moved the agent."""
    goldens = [*GOLDENS, *attack_set_of(WORLDS, GOLDENS, AttackPlan(attempts=20)).goldens]
    return rc.evaluate(agent(faint(0.3, 3), goldens), goldens, store=file, name="attacked").id


THEMES = ("light", "dark")
WIDTHS = (390, 900, 1600)


def faults_of_pages(browser, site, widths, themes):
    """What is wrong with each page that is opened at the first width and theme, and then shown in all of them."""
    context = browser.new_context(viewport={"width": widths[0], "height": 900}, color_scheme=themes[0])
    page = context.new_page()
    faults = {}
    messages = []
    page.on("console", lambda message: messages.append(message.text))
    page.on("pageerror", lambda error: messages.append(str(error)))
    for path in PAGES:
        page.set_viewport_size({"width": widths[0], "height": 900})
        page.goto(site(path), wait_until="load")
        page.locator("[aria-busy=true]").first.wait_for(state="detached")
        for width, theme in product(widths, themes):
            page.set_viewport_size({"width": width, "height": 900})
            page.emulate_media(color_scheme=theme)
            for fault in page.evaluate(FAULTS) + [text for text in messages if path not in REFUSED]:
                faults.setdefault(f"{path}, {width}, {theme}", []).append(fault)
            messages.clear()
    context.close()
    return faults


def test_every_page_fits_and_is_silent(browser, site):
    assert faults_of_pages(browser, site, WIDTHS, THEMES) == {}


@pytest.mark.nightly
@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_fits_and_is_silent_when_it_is_opened(browser, site, width, theme):
    assert faults_of_pages(browser, site, [width], [theme]) == {}
