"""JUnit XML, by the rules CI servers hold it to."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from tests.show.conftest import Made, written
from tests.show.samples import varied_run

SCHEMA = etree.XMLSchema(etree.parse(Path(__file__).with_name("junit.xsd")))


@pytest.mark.parametrize("name", ["demo", "varied", "hostile"])
def test_it_is_valid_by_the_common_schema(name: str, request: pytest.FixtureRequest) -> None:
    SCHEMA.assertValid(etree.fromstring(written("junit", request.getfixturevalue(name))))


def test_each_golden_is_a_test_case_with_its_reason(varied: Made) -> None:
    suite = etree.fromstring(written("junit", varied)).find("testsuite")
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("10", "6", "1")
    failure = suite.find("testcase[@name='other-tool']/failure")
    assert failure.get("message") == "called get_forecast instead of get_weather"
    assert failure.get("type") == "wrong_tool"
    assert "input: Weather in Hanoi" in failure.text


def test_a_provider_that_did_not_answer_is_an_error_not_a_failure(varied: Made) -> None:
    case = etree.fromstring(written("junit", varied)).find(".//testcase[@name='down']")
    assert case.find("failure") is None
    assert case.find("error").get("message") == "503 after 5 tries"


def test_the_run_is_described_by_properties(varied: Made) -> None:
    suite = etree.fromstring(written("junit", varied)).find("testsuite")
    properties = {p.get("name"): p.get("value") for p in suite.iterfind("properties/property")}
    assert properties["run"] == varied[1]
    assert properties["pass_rate"] == "33.3%"


def test_trials_of_a_golden_are_one_test_case(tmp_path: Path) -> None:
    store, run = varied_run(tmp_path, trials=2)
    suite = etree.fromstring(written("junit", (store, run))).find("testsuite")
    store.close()
    assert suite.get("tests") == "10"
    assert suite.find("testcase[@name='silent']/failure").get("message").startswith("2 of 2 trials failed: ")
