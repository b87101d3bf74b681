"""Causes as they look in small, real suites: patterns of tools, skipped lookups, scales, open lists, forbidden calls."""

from __future__ import annotations

import re

import msgspec
import pytest

from rightcall.improve.causes.cases import _GUIDANCE
from rightcall.improve.run_analysis import analyze_results
from rightcall.improve.units import states_unit, unit_said, units_of
from rightcall.metrics.case_result import result_of
from rightcall.records import ExpectedCall, Golden, Tool, ToolCall, Trajectory
from rightcall.records.tool import Annotations


def tool(name: str, description: str, /, destructive: bool = False, **parameters: str) -> Tool:
    properties = {key: {"type": "string", "description": text} for key, text in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": [*parameters]}
    return Tool(name, description, schema, annotations=Annotations(destructive=destructive or None))


TOOLS = [
    tool("delete_account", "Removes the account of a user.", destructive=True, email="Email of the account"),
    tool("pause_account", "Removes an account of the user.", email="Email of the account"),
    tool("find_customer", "Find a customer by name.", name="Full name"),
    tool(
        "update_address",
        "Change the address of a customer.",
        customer_id="Id of the customer",
        address="Street",
    ),
    tool("refund_order", "Refund an order.", order="Number of the order"),
    tool("ship_order", "Ship an order.", order="Number", method="How it is sent, such as 'standard'"),
]
TOOLS[4].input_schema["properties"]["amount"] = {"type": "number", "description": "How much to refund"}


def golden(name: str, asked: str, *calls: tuple, **fields) -> Golden:
    return Golden(asked, name, expected_calls=tuple(ExpectedCall(*call) for call in calls), **fields)


def analysed(cases, trials: int = 3, tools=TOOLS, system: str = ""):
    """The analysis of goldens whose every trial makes the same calls."""
    by_name = {tool.name: tool for tool in tools}
    results = []
    for one, calls in cases:
        for trial in range(trials):
            trajectory = Trajectory(calls=tuple(ToolCall(*call) for call in calls))
            scored = result_of(one, trial, trajectory, by_name)
            results.append(msgspec.structs.replace(scored, trajectory=trajectory))
    return analyze_results(tools, [one for one, _ in cases], results, system=system)


def mails(count: int) -> list[str]:
    return [f"user{number}@example.com" for number in range(count)]


def passing(count: int):
    """Goldens that pass, so that failures are not everything there is."""
    for number in range(count):
        order = f"A-{number}"
        call = ("ship_order", {"order": order, "method": "standard"})
        yield golden(f"ok-{number}", f"Ship {order} as standard", call), [call]


def test_a_pattern_of_tools_is_resolved_against_the_tools_that_are_offered():
    pattern = {"regex": "(pause|suspend)_account"}
    cases = [
        (
            golden(f"p-{at}", f"Pause the account {mail}", (pattern, {"email": mail})),
            [("delete_account", {"email": mail})],
        )
        for at, mail in enumerate(mails(4))
    ]
    found = analysed([*cases, *passing(6)])
    assert found.findings[0].cause == "confusable_pair"
    assert found.findings[0].tools == ("delete_account", "pause_account")
    assert found.findings[0].trials == 12


def test_forbidden_deletions_are_a_finding_in_ten_goldens_and_stand_first():
    forbidden = [
        (golden(f"p-{at}", f"Pause the account {mail}", ("pause_account", {"email": mail}), forbidden_calls=("delete_account",)),
         [("delete_account", {"email": mail})])
        for at, mail in enumerate(mails(2))
    ]  # fmt: skip
    units = [
        (golden(f"r-{at}", f"Ship order A-{at} by {word}", ("ship_order", {"order": f"A-{at}", "method": "express"})),
         [("ship_order", {"order": f"A-{at}", "method": word})])
        for at, word in enumerate(["fast mail"] * 8)
    ]  # fmt: skip
    found = analysed([*forbidden, *units])
    first = found.findings[0]
    assert (first.cause, first.stated, first.danger, first.dangerous) == (
        "confusable_pair",
        True,
        "forbidden call",
        6,
    )


@pytest.mark.parametrize("forbids", [True, False])
def test_a_dangerous_tool_is_kept_for_requests_that_ask_for_it_and_the_other_is_the_default(forbids):
    fields = {"forbidden_calls": ("delete_account",)} if forbids else {}
    pauses = [
        (golden(f"p-{at}", f"Pause the account {mail}", ("pause_account", {"email": mail}), **fields),
         [("delete_account", {"email": mail})])
        for at, mail in enumerate(mails(4))
    ]  # fmt: skip
    deletes = [
        (golden(f"d-{at}", f"Delete the account {mail} for good", ("delete_account", {"email": mail})),
         [("delete_account" if at else "pause_account", {"email": mail})])
        for at, mail in enumerate(mails(3))
    ]  # fmt: skip
    first = analysed([*pauses, *deletes, *passing(6)]).findings[0]
    added = {change.tool: change.after.removeprefix(change.before).strip() for change in first.change}
    assert added == {
        "delete_account": "Only for requests that mention delete, good: otherwise use pause_account.",
        "pause_account": "Not for requests that mention delete, good: use delete_account.",
    }


@pytest.mark.parametrize("expects_lookup", [True, False])
def test_an_id_that_no_message_contains_is_a_missing_lookup(expects_lookup):
    cases = []
    for at, name in enumerate(("Ana Silva", "Ben Okafor", "Chloe Dubois", "Dmitri Orlov")):
        update = ("update_address", {"customer_id": f"C-48{at}1", "address": "1 Mill Street"})
        lookup = ("find_customer", {"name": name})
        asked = f"Change the address of {name} to 1 Mill Street"
        guess = [("update_address", {"customer_id": "C-1001", "address": "1 Mill Street"})]
        cases.append((golden(f"a-{at}", asked, *([lookup] if expects_lookup else []), update), guess))
    first = analysed([*cases, *passing(6)]).findings[0]
    assert (first.cause, first.tools, first.parameters) == (
        "missing_lookup",
        ("update_address",),
        ("customer_id",),
    )
    assert "find_customer" in str(first.change[0].after) and first.stated


@pytest.mark.parametrize("expected", [lambda cents: cents, lambda cents: {"number": cents, "abs": 1}])
def test_a_factor_of_a_hundred_names_cents(expected):
    cases = []
    for at, cents in enumerate((1250, 999, 4300, 780)):
        wanted = ("refund_order", {"order": f"A-{at}", "amount": expected(cents)})
        asked = f"Refund {cents / 100:.2f} euros for order A-{at}"
        cases.append(
            (
                golden(f"r-{at}", asked, wanted),
                [("refund_order", {"order": f"A-{at}", "amount": cents / 100})],
            )
        )
    first = analysed([*cases, *passing(6)]).findings[0]
    assert (first.cause, first.parameters) == ("unit_missing", ("amount",))
    assert "passed in euros" in first.what and "cents" in first.what
    assert first.change[0].after == "How much to refund, in cents"


def test_an_enum_is_the_values_of_goldens_and_description_and_is_to_be_completed():
    cases = []
    for at in range(6):
        value, said = (
            ({"one_of": ["locker", "pickup"]}, "a locker near me"),
            ("overnight", "the night mail"),
        )[at % 2]
        wanted = ("ship_order", {"order": f"A-{at}", "method": value})
        cases.append(
            (
                golden(f"s-{at}", f"Ship order A-{at} by {said}", wanted),
                [("ship_order", {"order": f"A-{at}", "method": said})],
            )
        )
    first = analysed(cases).findings[0]
    assert (first.cause, first.parameters) == ("enum_missing", ("method",))
    assert first.change[0].after == ["locker", "overnight", "pickup", "standard"]
    assert "complete this list" in first.advice


def test_values_that_nobody_said_are_an_unknown_list_where_few_values_stand_in_many_goldens():
    cases = []
    for at in range(12):
        value = ("locker", "overnight", "pickup")[at % 3]
        wanted = ("ship_order", {"order": f"A-{at}", "method": value})
        guess = ("bathroom", f"A-{at}", "garage", "high")[at % 4]
        cases.append(
            (
                golden(f"s-{at}", f"Ship order A-{at}, {value}", wanted),
                [("ship_order", {"order": f"A-{at}", "method": guess})],
            )
        )
    bare = [*TOOLS[:5], tool("ship_order", "Ship an order.", order="Number", method="How it is sent")]
    first = analysed(cases, tools=bare).findings[0]
    assert (first.cause, first.parameters) == ("enum_missing", ("method",))
    assert first.change[0].after == ["locker", "overnight", "pickup"]


def test_one_value_is_no_list():
    cases = [
        (golden(f"s-{at}", f"Ship A-{at} by night mail", ("ship_order", {"order": f"A-{at}", "method": "overnight"})),
         [("ship_order", {"order": f"A-{at}", "method": "night mail"})])
        for at in range(6)
    ]  # fmt: skip
    bare = [*TOOLS[:5], tool("ship_order", "Ship an order.", order="Number", method="How it is sent")]
    findings = analysed(cases, tools=bare).findings
    assert all(not finding.change for finding in findings if finding.cause == "enum_missing")


@pytest.mark.parametrize(
    "prompt",
    [
        "Call a tool only when the request needs one.", "If nothing fits, call no tool.", "Do not use any tools for smalltalk.",
        "Only use the tools if the user asks for it.", "Use tools only when necessary.", "Answer directly if you can.",
    ],
)  # fmt: skip
def test_a_prompt_that_says_when_to_call_nothing_is_not_told_that_it_does_not(prompt):
    questions = [
        (Golden(f"What is a refund, question {at}?", f"q-{at}", category="negative", no_calls=True), [("find_customer", {"name": "x"})])
        for at in range(4)
    ]  # fmt: skip
    assert _GUIDANCE.search(prompt)
    for finding in analysed([*questions, *passing(6)], system=prompt).findings:
        assert "Nothing says when" not in finding.advice
        assert finding.cause != "no_abstention_guidance" or finding.plausibility < 0.5


def test_texts_have_no_holes():
    """No finding of any planted defect has an unfilled part, two spaces, or an example that is missing."""
    from benchmarks.planted import DEFECTS, planted
    from benchmarks.planted_suites.domains import TUNED

    hole = re.compile(r"…|\bUNIT\b|\bTOOL\b|such as[ .,]*$|such as \.|: \.|  |\(\)|\bNone\b|, ,")
    for at, name in enumerate(DEFECTS):
        suite, _ = planted(TUNED[at % 3], [name], f"holes/{name}", 4)
        results = suite.run("h", trials=2, noise=0.1)
        for finding in analyze_results(suite.tools, suite.goldens, results, system=suite.system).findings:
            for text in (finding.what, finding.advice, *finding.evidence):
                assert text and not hole.search(text), (name, finding.cause, text)


@pytest.mark.parametrize(
    ("value", "text", "unit"),
    [(2, "Snooze for 2 hours", "hours"), (12.5, "Refund 12.50 euros", "euros"), (12.5, "Refund €12.50", "euros"),
     (3, "a bag of 3kg", "kilograms"), (3, "3 bags", ""), (5, "in 5 minutes or 7 hours", "minutes"), ("5", "5 hours", "")],
)  # fmt: skip
def test_the_unit_of_a_request_is_the_one_after_its_number(value, text, unit):
    assert unit_said(value, text) == unit


@pytest.mark.parametrize(
    ("pair", "said", "context", "units"),
    [((120, 2), "hours", "", ("minutes", "hours")), ((2, 120), "minutes", "", ("hours", "minutes")),
     ((1250, 12.5), "euros", "amount", ("cents", "euros")), ((1250, 12.5), "", "amount", ("cents", "whole units")),
     ((0.15, 15), "", "discount rate", ("a fraction of 1", "percent")), ((3000, 3), "kilograms", "", ("grams", "kilograms")),
     ((5000, 5), "", "timeout", ("milliseconds", "seconds")), ((5, 3), "", "", ("", ""))],
)  # fmt: skip
def test_the_factor_between_values_names_the_unit(pair, said, context, units):
    assert units_of([pair], said, context) == units


def test_a_text_states_a_unit_only_as_a_word():
    assert (
        states_unit("How long, in minutes")
        and states_unit("amount cents")
        and not states_unit("Minute details of it"[8:])
    )
    assert not states_unit("How much to refund")


def confused_by_code(golden: Golden):
    """An agent of code: its definitions are its own, and no suite names them."""
    return [ToolCall("delete_account", {"email": "a@example.com"})] if "Pause" in golden.input else []


def test_without_definitions_the_calls_speak_and_nothing_is_said_about_texts(tmp_path):
    import rightcall as rc

    goldens = [
        golden(f"p-{at}", f"Pause account {at}", ("pause_account",), forbidden_calls=("delete_account",))
        for at in range(4)
    ]
    goldens += [Golden(f"Hello {at}", f"h-{at}", category="negative", no_calls=True) for at in range(6)]
    run = rc.evaluate(confused_by_code, goldens, trials=3, store=tmp_path / "s.db", progress=False)
    analysis = rc.analyze(run)
    first = analysis.findings[0]
    assert (analysis.known, first.cause, first.danger) == (False, "confusable_pair", "forbidden call")
    assert not any(finding.change or finding.lint for finding in analysis.findings)
    assert first.tools == ("delete_account", "pause_account") and first.stated


def test_a_notebook_shows_findings_with_their_danger_and_escapes_what_models_wrote(tmp_path):
    import rightcall as rc

    goldens = [golden("g", "<b>Pause</b>", ("pause_account",), forbidden_calls=("delete_account",))]
    run = rc.evaluate(confused_by_code, goldens, trials=3, store=tmp_path / "s.db", progress=False)
    page = rc.analyze(run)._repr_html_()
    assert "DANGER forbidden call in 3 trials" in page and "confusable_pair" in page
    assert "3 of 3 trials failed" in page and "<b>Pause" not in page


def test_codes_that_users_never_say_are_a_list():
    from benchmarks.planted import hit, planted
    from benchmarks.planted_suites.unseen_domains import VETERINARY

    suite, (truth,) = planted(VETERINARY, ["enum"], "codes", 3)
    finding = analyze_results(suite.tools, suite.goldens, suite.run("s", trials=3)).findings[0]
    assert hit(finding, truth) and "the goldens show only R2" in finding.advice
