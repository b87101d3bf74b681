"""`analyze` explains every failed trial once, the same way every time, and by codes alone."""

from __future__ import annotations

import random

import msgspec
import pytest
from benchmarks.planted import DEFECTS, DOMAINS, hit, planted
from benchmarks.planted_suites.domains import HELD_OUT, TUNED
from benchmarks.planted_suites.missed_defects import mended
from benchmarks.planted_suites.suites import clean_suite

from rightcall.improve.run_analysis import analyze_results
from rightcall.metrics.case_result import result_of
from rightcall.records import ExpectedCall, Golden, Tool, ToolCall, Trajectory
from rightcall.records.safety import Safety

TOOLS = [
    Tool("pay", "Pay a bill.", {"type": "object", "properties": {"amount": {"type": "integer"}}}),
    Tool("look", "Look at the weather in a town."),
]


def results_of(suite, seed="s", **options):
    return suite.run(seed, trials=3, **options)


def analysed(suite, results):
    return analyze_results(suite.tools, suite.goldens, results, system=suite.system)


def of_calls(golden: Golden, *calls: ToolCall):
    trajectory = Trajectory(calls=calls)
    result = result_of(golden, 0, trajectory, {tool.name: tool for tool in TOOLS})
    result = msgspec.structs.replace(result, trajectory=trajectory)
    return analyze_results(TOOLS, [golden], [result])


def test_attempts_on_a_task_are_no_further_evidence_about_its_definitions():
    suite, _ = planted(TUNED[1], ["broad"], "sums", 5)
    results = results_of(suite)
    plain = analysed(suite, results)
    attacked = suite.goldens[0]
    attempts = [
        msgspec.structs.replace(attacked, id=f"{attacked.id}~{n}", safety=Safety("injection"))
        for n in range(30)
    ]
    failed = [msgspec.structs.replace(results[0], golden_id=attempt.id, passed=False) for attempt in attempts]
    analysis = analyze_results(
        suite.tools, [*suite.goldens, *attempts], [*results, *failed], system=suite.system
    )
    assert msgspec.structs.replace(analysis, attempts=0) == plain and analysis.attempts == 30


ALL_DOMAINS = [domain for domains in DOMAINS.values() for domain in domains]


@pytest.mark.parametrize("domain", ALL_DOMAINS, ids=lambda domain: domain.name)
def test_clean_definitions_read_as_they_are_meant(domain):
    assert all(not clean_suite(domain, str(seed)).misread(str(seed)) for seed in range(3))


@pytest.mark.parametrize("name", ["cents", "lookup", "lookup_unexpected"])
def test_what_a_defect_adds_to_a_suite_reads_as_it_is_meant_once_mended(name):
    for domain in ALL_DOMAINS:
        suite, (truth,) = planted(domain, [name], f"mended/{name}", 3)
        assert not mended(suite, truth).misread("m")


@pytest.mark.parametrize("name", DEFECTS)
def test_a_planted_defect_is_named_first_with_its_place(name):
    suite, (truth,) = planted(HELD_OUT[len(name) % 3], [name], f"test/{name}", 7)
    assert hit(analysed(suite, results_of(suite)).findings[0], truth)


def test_a_clean_suite_has_no_stated_finding():
    suite = clean_suite(TUNED[0], "test")
    assert analysed(suite, results_of(suite)).stated == ()


@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
def test_every_failed_trial_is_in_exactly_one_finding(noise):
    suite, _ = planted(TUNED[1], ["broad"], "sums", 5)
    results = results_of(suite, noise=noise)
    found = analysed(suite, results)
    assert sum(one.trials for one in found.findings) == found.failed == sum(not r.passed for r in results)


def test_the_order_of_results_and_goldens_changes_nothing():
    suite, _ = planted(TUNED[2], ["swap"], "order", 5)
    results = results_of(suite, noise=0.1)
    first = msgspec.json.encode(analysed(suite, results))
    random.Random(1).shuffle(results)
    random.Random(2).shuffle(suite.goldens)
    assert msgspec.json.encode(analysed(suite, results)) == first


def test_message_texts_change_nothing():
    suite, _ = planted(TUNED[0], ["unit"], "texts", 5)
    results = results_of(suite, noise=0.1)
    changed = [
        msgspec.structs.replace(
            r,
            codes=tuple(msgspec.structs.replace(f, detail="wrong tool, unit missing") for f in r.codes),
            trajectory=msgspec.structs.replace(r.trajectory, output="I called the wrong tool"),
        )
        for r in results
    ]
    assert analysed(suite, changed) == analysed(suite, results)


def test_a_wrong_tool_with_wrong_arguments_is_one_finding():
    golden = Golden("Pay 5", "g", expected_calls=(ExpectedCall("pay", {"amount": 5}),))
    found = of_calls(golden, ToolCall("look", {"amount": 7, "town": "Rome"}))
    assert [one.trials for one in found.findings] == [1]
    assert found.parameters == ()


def test_a_negative_with_two_calls_is_one_failed_trial():
    golden = Golden("Hello", "g", category="negative", no_calls=True)
    found = of_calls(golden, ToolCall("look"), ToolCall("pay", {"amount": 1}))
    assert (found.failed, sum(one.trials for one in found.findings)) == (1, 1)


def test_a_failed_call_that_was_recovered_is_not_a_finding():
    golden = Golden("Pay 5", "g", expected_calls=(ExpectedCall("pay", {"amount": 5}),), count_failed="final")
    found = of_calls(
        golden, ToolCall("pay", {"amount": 50}, status="error"), ToolCall("pay", {"amount": 5}, status="ok")
    )
    assert found.findings == ()


def test_a_change_holds_the_text_that_stands_there_and_the_new_one():
    suite, (truth,) = planted(HELD_OUT[0], ["unit"], "change", 7)
    (change,) = analysed(suite, results_of(suite)).findings[0].change
    assert change.path == ("input_schema", "properties", truth.parameter, "description")
    assert change.after == f"{change.before}, in minutes"


def test_the_json_form_has_the_documented_fields():
    suite, _ = planted(TUNED[0], ["enum"], "json", 5)
    made = msgspec.to_builtins(analysed(suite, results_of(suite)))
    assert made["format"] == "rightcall/analysis/1"
    finding = made["findings"][0]
    assert {
        "rank",
        "cause",
        "stated",
        "tools",
        "parameters",
        "goldens",
        "won_back",
        "change",
        "evidence",
    } <= finding.keys()
    assert set(finding["change"][0]) == {"tool", "path", "from", "to"}
    assert finding["won_back"]["low"] <= finding["won_back"]["cases"] <= finding["won_back"]["high"]


def test_hostile_names_and_texts_are_data():
    name = "__proto__"
    text = "\x1b[2J<script>alert(1)</script>" + "word " * 200_000
    tools = [Tool(name, text, {"type": "object", "properties": {"constructor": {"type": "string"}}})]
    golden = Golden("Do it {0} %s", "g", expected_calls=(ExpectedCall(name, {"constructor": "x"}),))
    result = result_of(
        golden, 0, Trajectory(calls=(ToolCall(name, {"constructor": text}),)), {name: tools[0]}
    )
    assert analyze_results(tools, [golden], [result]).failed == 1


def test_the_order_of_tools_changes_no_finding():
    suite, _ = planted(TUNED[2], ["swap"], "order", 5)
    results = results_of(suite, noise=0.1)
    first = analysed(suite, results)
    suite.tools.reverse()
    again = analysed(suite, results)
    assert [(f.cause, sorted(f.tools), f.trials) for f in again.stated] == [
        (f.cause, sorted(f.tools), f.trials) for f in first.stated
    ]


def missed(requests: list[str], called: str = "") -> object:
    tools = [
        Tool("find_route", "Find a way."),
        Tool("book_taxi", "Book a taxi to an address. It comes at once."),
        Tool("weather", "Tell the weather in a town."),
    ]
    goldens = [
        Golden(text, f"r{n}", expected_calls=(ExpectedCall("find_route", {}),))
        for n, text in enumerate(requests)
    ]
    goldens += [
        Golden("What is the weather in Rome?", f"w{n}", expected_calls=(ExpectedCall("weather", {}),))
        for n in range(5)
    ]
    offered = {tool.name: tool for tool in tools}
    results = []
    for golden in goldens:
        name = called if golden.id.startswith("r") else "weather"
        trajectory = Trajectory(calls=(ToolCall(name, {}),) if name else ())
        results += [
            msgspec.structs.replace(result_of(golden, trial, trajectory, offered), trajectory=trajectory)
            for trial in range(3)
        ]
    return analyze_results(tools, goldens, results)


VIETNAMESE = [
    "Chỉ đường từ Hà Nội đến Hải Phòng giúp tôi",
    "Đường nào nhanh nhất về nhà lúc này",
    "Làm sao đi đến bệnh viện",
]
UNACCENTED = [
    "Chi duong tu Ha Noi den Hai Phong",
    "Duong nao nhanh nhat ve nha luc nay",
    "Lam sao di den benh vien",
]
CHINESE = ["从北京站到故宫怎么走", "请告诉我去机场最快的路线", "帮我规划去公园的路线"]
ENGLISH = [
    "Show me directions to the airport",
    "Directions home by the shortest path",
    "I need directions to a clinic",
]


@pytest.mark.parametrize("requests", [VIETNAMESE, UNACCENTED, CHINESE])
@pytest.mark.parametrize("called", ["", "book_taxi"])
def test_words_of_another_language_are_not_quoted_in_english_definitions(requests, called):
    finding = missed(requests, called).findings[0]
    said = {word.lower() for text in requests for word in text.split()}
    shown = " ".join(
        [finding.advice, *finding.evidence, *(str(change.after) for change in finding.change)]
    ).lower()
    assert not said & set(shown.replace(",", "").replace(".", "").split())
    assert not any(text in shown for text in requests)


def test_words_of_the_definitions_language_are_quoted():
    assert "directions" in missed(ENGLISH).findings[0].advice


def test_a_pair_in_another_language_is_contrasted_in_the_tools_own_words():
    from rightcall.improve.causes.choices import not_for
    from rightcall.improve.evidence import Evidence

    evidence = Evidence([Tool("book_taxi", "Book a taxi to an address. It comes at once.")])
    assert not_for(evidence, [], "book_taxi") == (
        "Not for what book_taxi does (book a taxi to an address): use book_taxi."
    )


@pytest.mark.parametrize("counted", ["successful", "final"])
def test_a_failure_names_the_call_the_user_sees_also_when_failed_calls_do_not_count(counted):
    golden = Golden("Pay 5", "g", expected_calls=(ExpectedCall("pay", {"amount": 5}),), count_failed=counted)
    calls = ToolCall("pay", {"amount": 50}, status="error"), ToolCall("pay", {"amount": 7}, status="ok")
    result = result_of(golden, 0, Trajectory(calls=calls), {tool.name: tool for tool in TOOLS})
    assert [(f.code, f.call) for f in result.codes] == [("wrong_value", 1)]
