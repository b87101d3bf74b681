"""One number, shown many times: every format says the same."""

from __future__ import annotations

import io
import json
import re

import pytest
from lxml import etree

from rightcall.show.screen import Screen
from rightcall.show.view.run import cases_of
from rightcall.show.whole_run import show_run
from tests.show.conftest import Made, written


def terminal(made: Made) -> str:
    out = io.StringIO()
    show_run(Screen(file=out, width=200), made[0], made[0].runs.get(made[1]), kinds=100)
    return out.getvalue()


@pytest.mark.parametrize("name", ["demo", "varied"])
def test_all_formats_agree_on_what_passed(name: str, request: pytest.FixtureRequest) -> None:
    made = request.getfixturevalue(name)
    total = json.loads(written("json", made))["view"]["summary"]["rows"][-1]
    rate = f"{total['pass_rate']:.1%}"
    score = f"{total['dimensions']['score']:.3f}"
    page = written("html", made).decode()
    assert f'id="pass-rate">{rate}<' in page
    assert f">{score}<" in page
    assert (
        f"**{rate}** passed: {total['passed']} of {total['cases']} cases"
        in written("markdown", made).decode()
    )
    (last,) = (line.split() for line in terminal(made).splitlines() if line.startswith("all "))
    assert rate in last
    assert last[-1] == f"{total['dimensions']['score']:.2f}"
    properties = etree.fromstring(written("junit", made)).find("testsuite/properties")
    assert properties.find("property[@name='pass_rate']").get("value") == rate


@pytest.mark.parametrize("name", ["demo", "varied"])
def test_html_and_json_show_the_same_tools_and_confusion(name: str, request: pytest.FixtureRequest) -> None:
    made = request.getfixturevalue(name)
    view = json.loads(written("json", made))["view"]
    page = written("html", made).decode()
    table = re.search(r'class="matrix[^"]*">.*?</table>', page, re.DOTALL)
    assert table
    shown = [
        int(n.replace(",", ""))
        for n in re.findall(r'<td class="(?:right|wrong)[^>]*>([\d,]+)</td>', table[0])
    ]
    assert sorted(shown) == sorted(n for row in view["confusion"]["counts"] for n in row if n)
    assert sum(shown) == sum(cell["count"] for cell in view["cells"])
    tools = page[page.index('<section id="tools">') :]
    for tool in view["tools"]:
        row = re.search(rf">{re.escape(tool['name'])}</a></td>.*?</tr>", tools, re.DOTALL)
        assert row
        cells = [int(n) for n in re.findall(r'<td class="num[^>]*>(\d+)</td>', row[0])]
        assert cells == [
            tool[k] for k in ("expected", "called", "right", "wrong_arguments", "missed", "surplus")
        ]


def test_json_holds_every_case_as_score_prints_it(varied: Made) -> None:
    document = json.loads(written("json", varied))
    assert document["format"] == "rightcall/report/1"
    assert [case["golden_id"] for case in document["cases"]] == [r.golden_id for _, r in cases_of(*varied)]
    assert set(document["cases"][0]) >= {"golden_id", "trial", "passed", "score", "metrics", "codes"}


def test_the_terminal_shows_hostile_text_without_being_steered(hostile: Made) -> None:
    shown = terminal(hostile)
    assert "\x1b" not in shown and "\u202e" not in shown
    assert len(shown) < 50_000
