"""One drawing of a case: the same tree as HTML and as JSON, every text of the view in it, and none of it markup."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import rightcall as rc
from rightcall.core.codec import encode
from rightcall.core.errors import InputError
from rightcall.show.case_elements import as_html, calls_drawing, case_drawing, input_drawing, node
from rightcall.show.html import SHORT, shorten_texts
from rightcall.show.text import visible
from rightcall.show.view.case import CaseView, case_view
from rightcall.show.view.run import cases_of
from tests.show.conftest import Made
from tests.support.examples import examples


class Parsed(HTMLParser):
    """The tree that a browser would make of HTML."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.root: list[Any] = ["root", {}]
        self._open = [self.root]
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        made = [tag, {name: value or "" for name, value in attrs}]
        self._open[-1].append(made)
        self._open.append(made)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        self._open[-1].append(data)


def plain(drawing: Any) -> Any:
    """The tree with attributes in one form, and neighbouring texts joined, as a parser joins them."""
    if isinstance(drawing, str):
        return visible(drawing)
    tag, attributes, *children = drawing
    named = {"class": attributes} if isinstance(attributes, str) else attributes
    joined: list[Any] = []
    for child in map(plain, children):
        if isinstance(child, str) and joined and isinstance(joined[-1], str):
            joined[-1] += child
        else:
            joined.append(child)
    return [tag, {name: value for name, value in named.items() if value or name != "class"}, *joined]


def texts(drawing: Any) -> str:
    return drawing if isinstance(drawing, str) else " ".join(map(texts, drawing[2:]))


TEXTS = st.text(
    alphabet=st.sampled_from("ab<>&\"' /\\=!-`\n\u202e\x1b\u00e9") | st.characters(codec="utf-8", exclude_characters="\r\x00"),
    min_size=1,
    max_size=20,
)  # fmt: skip


@given(TEXTS, TEXTS, TEXTS)
@settings(max_examples=examples(400), deadline=None)
def test_html_and_json_are_the_same_tree_whatever_the_text(first, second, attribute):
    drawing = node("div", {"class": "a", "title": attribute}, first, node("pre", "b", second), None, "")
    (parsed,) = Parsed(as_html(drawing)).root[2:]
    assert parsed == plain(json.loads(encode(drawing)))


KNOWN = {"section", "h1", "h2", "h3", "b", "p", "span", "div", "article", "header", "code", "table", "thead", "tbody",
         "tr", "th", "td", "pre", "mark", "details", "summary", "svg", "rect", "root"}  # fmt: skip


@pytest.mark.parametrize("name", ["varied", "hostile", "trials"])
def test_foreign_text_makes_no_element(name: str, request: Any) -> None:
    made: Made = request.getfixturevalue(name)
    drawings = [part for case in cases_of(*made) for part in case_drawing(case_view(*case))]
    assert {tag for part in drawings for tag in _tags(Parsed(as_html(part)).root)} <= KNOWN


def _tags(tree: list[Any]) -> list[str]:
    return [tree[0], *(tag for child in tree[2:] if isinstance(child, list) for tag in _tags(child))]


def test_calls_arguments_messages_and_reasons_are_there(varied: Made) -> None:
    for golden, result in cases_of(*varied):
        view = case_view(golden, result)
        drawn = " ".join(texts(part) for part in case_drawing(view))
        for call in view.calls:
            assert (call.tool or call.expected_tool) in drawn and call.word in drawn
            assert all(note in drawn for note in call.notes)
            assert (call.output or "") in drawn and (call.raw or "") in drawn
            for row in call.arguments:
                assert row.name in drawn and (row.expected or "") in drawn and (row.actual or "") in drawn
                assert row.note in drawn
        for message in view.messages:
            assert message.text in drawn and message.heading in drawn
            assert all(title in drawn and body in drawn for title, body in message.parts)
        assert view.reason in drawn and view.input in drawn
        assert all(score.name in drawn and score.error in drawn for score in view.scores)


def test_observed_calls_compare_nothing(varied: Made) -> None:
    view = next(view for view in (case_view(*case) for case in cases_of(*varied)) if view.calls)
    drawn = texts(calls_drawing(view, observed=True))
    assert "expected" not in drawn and view.calls[0].tool in drawn


def test_an_empty_view_says_so() -> None:
    view = CaseView("g", 0, "passed", "golden", 1.0, "hello", "", (), (), (), (), (), ())
    drawn = " ".join(texts(part) for part in case_drawing(view))
    assert "No tool was called, and none was expected." in drawn and "No transcript was stored." in drawn
    assert len(input_drawing(view)) == 1


def test_endless_words_may_break_and_long_texts_can_be_cut() -> None:
    drawing = node("pre", "text", "x" * 5_000)
    assert drawing[1] == {"class": "text solid"}
    assert len(shorten_texts(drawing, SHORT)[2]) < SHORT + 100 and shorten_texts(drawing, SHORT)[0] == "pre"


def test_a_notebook_shows_a_case_as_the_pages_do(tmp_path) -> None:
    hostile = rc.Golden(
        "look <script>alert(1)</script>", id="a", expected_calls=[rc.ExpectedCall("look", {"x": 1})]
    )
    run = rc.evaluate(
        lambda golden: [rc.ToolCall("look", {"x": "<b>"})], [hostile], trials=2, store=tmp_path / "r.db"
    )
    case = run.case("a")
    page = case._repr_html_()
    assert repr(case) == repr(run.results["a"]) and run.case("a", trial=1).result.trial == 1
    assert "<script>" not in page and "<b>&" not in page and "&lt;b&gt;" in page
    assert page.count("<style>") == 1 and "Expected and actual calls" in page and "data-width" not in page
    assert _tags(Parsed(page.split("</style>")[1].removesuffix("</div>")).root)
    with pytest.raises(InputError, match="has no trial 7"):
        run.case("a", trial=7)
