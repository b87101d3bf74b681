"""The site of the pages: builds without warnings, opens from disk, loads nothing from elsewhere, every link leads somewhere."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lxml import html

from tests.support.browser import chromium

pytestmark = pytest.mark.stories

ROOT = Path(__file__).parents[2]
LOADED = "//script/@src | //img/@src | //iframe/@src | //link[@rel='stylesheet' or @rel='preconnect' or @rel='icon']/@href"


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The site as `make docs` builds it, in a folder for itself."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(ROOT / "docs", folder / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "zensical.toml", folder)
    build = [Path(sys.executable).with_name("zensical"), "build", "--strict"]
    done = subprocess.run(build, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def pages(site) -> dict[Path, html.HtmlElement]:
    found = {path: html.fromstring(path.read_bytes()) for path in site.rglob("*.html")}
    return {path: page for path, page in found.items() if path.name != "404.html"}


def test_every_page_becomes_a_page_of_the_site(site):
    sources = [path.relative_to(ROOT / "docs") for path in (ROOT / "docs").rglob("*.md")]
    assert [path for path in sources if not (site / path.with_suffix(".html")).exists()] == []


def test_opening_a_page_loads_nothing_from_another_host(pages):
    loaded = {str(url) for page in pages.values() for url in page.xpath(LOADED)}
    assert loaded and [url for url in sorted(loaded) if urlsplit(url).netloc] == []


def test_every_link_leads_to_a_page_and_to_a_heading_that_exist(pages):
    ids = {path: {str(one) for one in page.xpath("//@id | //a/@name")} for path, page in pages.items()}
    lost = []
    for path, page in pages.items():
        for link in map(str, page.xpath("//a/@href")):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file() or (
                parts.fragment and unquote(parts.fragment) not in ids.get(target, ())
            ):
                lost.append(f"{path.name}: {link}")
    assert lost == []


def test_every_page_of_the_first_level_is_in_the_navigation():
    config = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))
    named = set(leaves(config["project"]["nav"]))
    pages = {
        str(path.relative_to(ROOT / "docs"))
        for folder in ("", "adapters", "evidence")
        for path in (ROOT / "docs" / folder).glob("*.md")
    }
    assert pages - named == set(), "name them in nav of zensical.toml"


def leaves(nav: object) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, dict):
        yield from leaves(list(nav.values()))
    elif isinstance(nav, list):
        for one in nav:
            yield from leaves(one)


def test_search_works_on_pages_opened_from_disk_without_any_request(site):
    asked: list[str] = []
    with chromium() as browser:
        page = browser.new_page()
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{site.as_uri()}/lint/rules/index.html")
        page.locator(".md-search__button").first.click()
        page.get_by_role("combobox").press_sequentially("confusable pair")
        page.get_by_role("option", name="confusable-pair").first.wait_for()
        assert page.get_by_role("combobox").input_value() == "confusable pair"
        page.close()
    assert {urlsplit(url).scheme for url in asked} <= {"file", "data", "blob", "about"}
