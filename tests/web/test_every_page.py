"""Every page at three widths and in two themes: nothing sticks out, nothing is cut off, the console is silent."""

from __future__ import annotations

import shutil

import pytest

from rightcall.report.html import write_html
from rightcall.store import open_store
from tests.web.conftest import running

PAIR, CASE = "before=old&after=new", "id=cancel-00"
PAGES = (
    "/runs",
    "/runs/old",
    "/runs/thrice?outcome=failed",
    "/runs/going",
    f"/runs/old/case?{CASE}",
    "/compare",
    f"/compare?{PAIR}",
    f"/compare/case?{PAIR}&{CASE}",
    "/compare?run=old&run=new&run=going",
    "/over-time",
    "/over-time?suite=shop",
    "/tools?run=old",
    "/drafts",
    "/live",
    "/nowhere",
    "report.html",
)
FAULTS = """() => {
  const faults = [];
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  if (wide > 0) faults.push(`the page is ${wide} px too wide`);
  const shown = (node) => node.getClientRects().length > 0;
  for (const node of document.querySelectorAll("h1, h2, .badge, .verdict, .callout, .figure b, button, .button, td.num, .diff del, .diff ins"))
    if (shown(node) && !node.closest("[hidden]") && node.scrollWidth > node.clientWidth + 1 && getComputedStyle(node).display !== "inline")
      faults.push(`cut off: ${node.tagName}.${node.className} ${node.textContent.trim().slice(0, 60)}`);
  for (const image of document.querySelectorAll("img")) {
    if (!shown(image)) continue;
    const frame = image.closest(".card, main, header").getBoundingClientRect(), box = image.getBoundingClientRect();
    if (box.right > frame.right + 1 && !image.closest(".scroll")) faults.push(`a picture sticks out: ${image.alt}`);
  }
  return faults;
}"""


@pytest.fixture(scope="module")
def site(filled, tmp_path_factory):
    """A dashboard and a report that no test changes."""
    folder = tmp_path_factory.mktemp("site")
    with open_store(shutil.copy(filled, folder / "shop.db")) as store:
        with (folder / "report.html").open("wb") as out:
            write_html(store, "thrice", out)
        with running(store) as address:
            yield lambda path: (folder / path).as_uri() if path.endswith(".html") else address + path


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 900, 1600])
def test_every_page_fits_and_is_silent(browser, site, width, theme):
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
    page, faults = context.new_page(), {}
    said = []
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    for path in PAGES:
        page.goto(site(path), wait_until="load")
        page.locator("[aria-busy=true]").first.wait_for(state="detached")
        found = page.evaluate(FAULTS) + [text for text in said if "404" not in text or path != "/nowhere"]
        said.clear()
        if found:
            faults[path] = found
    context.close()
    assert faults == {}
