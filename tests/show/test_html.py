"""report.html as a file: its size, and that nothing foreign is markup. Browser tests are in test_browser.py."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from rightcall.core.errors import MissingExtraError
from rightcall.show.html import html_environment
from tests.show.conftest import Made, written, written_anew
from tests.show.samples import many_cases


@pytest.mark.stories
def test_a_thousand_cases_with_long_transcripts_stay_under_two_megabytes(many: Made) -> None:
    page = written("html", many)
    assert len(page) < 2_000_000
    assert page.count(b'id="piece-') == 20


@pytest.mark.nightly
def test_five_thousand_cases_with_long_transcripts_stay_under_ten_megabytes(tmp_path: Path) -> None:
    store, run = many_cases(tmp_path, 5000, 1400)
    page = written_anew("html", (store, run))
    store.close()
    assert len(page) < 10_000_000
    assert page.count(b'id="piece-') == 100


def test_nothing_is_fetched_from_anywhere(demo: Made) -> None:
    page = written("html", demo).decode()
    addresses = set(re.findall(r"(?:src|href)=[\"']?([^\"' >]+)", page))
    assert all(address.startswith(("#", "data:")) for address in addresses)
    assert not re.search(r"@import|url\((?!data:)", page)


def test_foreign_text_is_never_markup(hostile: Made) -> None:
    page = written("html", hostile).decode()
    assert len(page) < 1_000_000  # a megabyte of text was cut, many times
    assert "<script>window" not in page
    assert "<img" not in page
    assert "\u202e" not in page
    assert "\x1b" not in page
    assert not re.search(r"<[^>]+\son(?:load|error|click)\s*=", page)


def test_only_the_scripts_of_the_report_itself_may_run(demo: Made) -> None:
    page = written("html", demo).decode()
    policy = re.search(r'Content-Security-Policy" content="([^"]+)"', page)
    assert policy
    assert "unsafe" not in policy[1]
    assert "default-src &#39;none&#39;" in policy[1]


def test_the_same_run_gives_the_same_bytes(varied: Made) -> None:
    assert written("html", varied) == written_anew("html", varied)


def test_a_missing_package_says_what_to_install(demo: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r'pip install "rightcall\[web\]"'):
        written_anew("html", demo)


@pytest.mark.parametrize(
    ("sentence", "shown"),
    [
        ("run `a <b>` and `c`", "run <code>a &lt;b&gt;</code> and <code>c</code>"),
        ("one ` alone <i>", "one ` alone &lt;i&gt;"),
        ("", ""),
    ],
)
def test_what_a_sentence_has_in_backticks_is_code(sentence: str, shown: str) -> None:
    page = html_environment().from_string("{{ sentence|with_code }}")
    assert page.render(sentence=sentence) == shown
