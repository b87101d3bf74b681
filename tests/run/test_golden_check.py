"""What `dataset check` finds: a clean golden gives nothing, a faulty one exactly its fault."""

from __future__ import annotations

import pytest

from rightcall.core import codec
from rightcall.improve.dataset_quality import DatasetCounts
from rightcall.metrics.matching.literal_objects import literal_objects
from rightcall.records import ConversationalGolden, ExpectedCall, Golden, Tool
from rightcall.run.golden_check import check_goldens

TOOLS = {
    tool.name: tool
    for tool in (
        Tool("get_weather", input_schema={
            "type": "object", "required": ["city"], "additionalProperties": False,
            "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}},
        }),
        Tool("search", input_schema={"type": "object", "properties": {"q": {}}, "additionalProperties": True}),
        Tool("log_out", input_schema={"type": "object", "properties": {}}, roles=["admin"]),
    )
}  # fmt: skip

WEATHER = {"tool": "get_weather", "args": {"city": "Hanoi"}}


def golden(*expected, **fields) -> Golden:
    return codec.convert({"input": "?", "id": "g", "expected_calls": expected, **fields}, Golden, "a test")


def found(*goldens) -> list[str]:
    placed = ((f"g.jsonl:{line}", golden) for line, golden in enumerate(goldens, 1))
    return [
        f"{finding.severity} {finding.code} {finding.message}" for finding in check_goldens(placed, TOOLS)
    ]


CLEAN = [
    golden(WEATHER),
    golden({"tool": "get_weather"}),
    golden({"tool": ["get_weather", "search"], "args": {"city": {"regex": "H.*"}}, "extra_args": "ignore"}),
    golden({"tool": {"regex": "get_.*"}}),
    golden({"tool": "search", "args": {"anything": 1}}),
    golden({"tool": "get_weather", "args": {"city": "x", "days": {"range": [1, 3]}}}),
    golden({"tool": "get_weather", "args": {"days": 2}, "extra_args": "ignore"}),
    golden({"tool": "search", "args": {"q": {"exact": {"regex": "x"}}}}),
    golden({"tool": "search", "id": "s"}, {"tool": "get_weather", "args": {"city": {"ref": "s"}}, "after": ["s"]}),
    golden(WEATHER, no_calls=False, max_calls=1),
    golden(no_calls=True),
    golden(category="negative"),
    golden(category="negative", forbidden_calls=["log_out"]),
    golden(any_of=[[WEATHER], [{"tool": "search"}]]),
    golden(extra_calls="allow", max_calls=3),
    golden({"tool": "mine", "args": {"x": 1}}, tools=[{"name": "mine", "input_schema": {"type": "object", "properties": {"x": {}}}}]),
]  # fmt: skip

FAULTY = [
    (golden({"tool": "get_wether"}), "error unknown_tool expected_calls[0].tool: no such tool 'get_wether'"),
    (golden({"tool": {"regex": "post_.*"}}), "error unknown_tool expected_calls[0].tool: no tool matches /post_.*/"),
    (golden(WEATHER, forbidden_calls=["delete"]), "error unknown_tool forbidden_calls[0]: no such tool 'delete'"),
    (golden(WEATHER, tools=["get_weather", "gone"]), "error unknown_tool tools[1]: no such tool 'gone'"),
    (golden(WEATHER, tools=["search"]), "error unknown_tool expected_calls[0].tool: no such tool 'get_weather'"),
    (golden(any_of=[[WEATHER], [{"tool": "serch"}]]), "error unknown_tool any_of[1][0].tool: no such tool 'serch'"),
    (golden({"tool": "get_weather", "args": {"city": "x", "unit": "C"}}), "error unknown_argument expected_calls[0]: get_weather has no parameter 'unit'"),
    (golden({"tool": "get_weather", "forbidden_args": ["town"]}), "error unknown_argument expected_calls[0]: get_weather has no parameter 'town'"),
    (golden({"tool": "get_weather", "args": {"city": 5}}), "error invalid_value expected_calls[0].args.city: "),
    (golden({"tool": "get_weather", "args": {"city": {"exact": 5}}}), "error invalid_value expected_calls[0].args.city: "),
    (golden({"tool": "get_weather", "args": {"city": "x", "days": 0}}), "error invalid_value expected_calls[0].args.days: "),
    (golden({"tool": "get_weather", "args": {"days": 2}}), "error required_argument expected_calls[0]: get_weather requires city, which is not expected, so a valid call fails"),
    (golden({"tool": "get_weather", "args": {"city": {"regex": "("}}}), "error bad_matcher expected_calls[0].args.city: '(' is not a valid regular expression"),
    (golden({"tool": "search", "args": {"q": {"ref": "x"}}}), "error bad_matcher expected_calls[0].args.q: matcher 'ref' names the expected call 'x', which does not exist"),
    (golden({"tool": {"regex": "("}}), "error bad_matcher expected_calls[0].tool: '(' is not a valid regular expression"),
    (golden({"tool": {"pattern": "x"}}), "error bad_matcher expected_calls[0].tool: tool must be a name"),
    (golden({"tool": "/get_.*/"}), "error bad_matcher expected_calls[0].tool: '/get_.*/' is compared as a name"),
    (golden({"tool": "get_*"}), "error bad_matcher expected_calls[0].tool: 'get_*' is compared as a name"),
    (golden({"tool": "search", "args": {"q": {"regex": "x", "flags": "i"}}}), "warning literal_object expected_calls[0].args.q: read as a literal object, though 'regex' is a matcher (unknown option: flags)"),
    (golden({"tool": "search", "after": ["x"]}), "error bad_order expected_calls[0].after: no expected call has the id 'x'"),
    (golden({"tool": "search", "id": "a", "after": ["a"]}), "error bad_order expected_calls[0]: 'after' forms a cycle"),
    (golden({"tool": "search", "id": "a"}, {"tool": "log_out", "id": "a"}), "error duplicate_id expected_calls: the id 'a' is used twice"),
    (golden({"tool": "search", "after": ["w"]}, {"tool": "log_out", "id": "w"}, order="strict"), "error contradiction expected_calls[0] must come after expected_calls[1], but order is strict"),
    (golden(WEATHER, no_calls=True), "error contradiction no_calls is true, but calls are expected"),
    (golden(WEATHER, max_calls=0), "error contradiction 1 calls are expected, but max_calls is 0"),
    (golden(WEATHER, category="negative"), "error contradiction a negative golden must not expect calls"),
    (golden(WEATHER, forbidden_calls=["get_weather"]), "error contradiction expected_calls[0]: get_weather is both expected and forbidden"),
    (golden(WEATHER, forbidden_calls=[{"regex": "get_.*"}]), "error contradiction expected_calls[0]: get_weather is both expected and forbidden"),
    (golden({"tool": "search", "min": 3, "max": 2}), "error contradiction expected_calls[0]: max 2 is less than min 3"),
    (golden({"tool": "get_weather", "args": {"city": "x"}, "forbidden_args": ["city"]}), "error contradiction expected_calls[0]: city is both expected and forbidden"),
    (golden(WEATHER, input=" "), "warning empty_input input is empty"),
    (golden(), "warning unchecked the golden states no check, so it is unchecked"),
    (golden(category="golden"), "warning no_expectation nothing is expected, so any call fails the golden"),
    (golden(**{"as": {"role": "admim"}}), "warning unknown_role as: no tool has the role 'admim'"),
    (golden(**{"as": {"role": ""}}), "error no_roles as: the role is empty"),
    (golden(**{"as": {"role": []}}), "error no_roles as: the role is empty"),
    (golden(category="secondary"), "warning no_expectation a secondary golden is graded by F1, but expects no calls"),
]  # fmt: skip


@pytest.mark.parametrize("clean", CLEAN, ids=repr)
def test_a_clean_golden_gives_no_finding(clean):
    assert found(clean) == []


@pytest.mark.parametrize(("faulty", "expected"), FAULTY, ids=[row[1][:70] for row in FAULTY])
def test_a_faulty_golden_gives_exactly_its_fault(faulty, expected):
    (finding,) = found(faulty)
    assert finding.startswith(expected)


def test_an_id_used_twice_is_found_at_the_second_place():
    assert found(golden(WEATHER), golden(WEATHER)) == [
        "error duplicate_id the id 'g' is already used at g.jsonl:1"
    ]


def test_without_tools_only_what_goldens_say_of_themselves_is_checked():
    unknown = golden({"tool": "who_knows", "args": {"x": {"regex": "("}}})
    findings = list(check_goldens([("here", unknown)], {}))
    assert [finding.code for finding in findings] == ["bad_matcher"]


def test_turns_of_a_conversation_are_checked_too():
    talk = codec.convert(
        {
            "scenario": "s",
            "id": "c",
            "turns": [{"role": "user", "content": "?", "expected_calls": [{"tool": "serch"}]}],
        },
        ConversationalGolden,
        "a test",
    )
    assert found(talk) == ["error unknown_tool turns[0].expected_calls[0].tool: no such tool 'serch'"]


def test_the_bundled_suite_is_clean():
    from rightcall.cli.demo_suites import FOLDER
    from rightcall.datasets.goldens import numbered_goldens
    from rightcall.tools.definitions.source import load_tools

    tools = {tool.name: tool for tool in load_tools(FOLDER / "tools.json")}
    goldens = ((str(line), golden) for line, golden in numbered_goldens(FOLDER / "goldens.jsonl"))
    assert list(check_goldens(goldens, tools)) == []


def test_a_tool_pattern_without_its_regex_is_counted_and_not_a_crash():
    golden = Golden("q", id="g", expected_calls=(ExpectedCall({}),))
    counts = DatasetCounts()
    counts.add(golden)
    assert counts.statistics().tools == {"//": 1}


AMOUNT = {"type": "number"}
RANGE = {"type": "object", "properties": {"min": AMOUNT, "max": AMOUNT}}
PAY = {
    "amount": AMOUNT,
    "limits": RANGE,
    "order": {"type": "object", "properties": {"lines": {"type": "array"}}},
    "note": {},
}
MISSPELT = [
    ({"amount": {"approx": 37.77, "tolerance": 0.1}}, "error", 'did you mean {"number":37.77,"abs":0.1}?'),
    ({"amount": {"gte": 3}}, "error", 'did you mean {"range":{"min":3}}?'),
    ({"note": {"approx": 37.77, "tolerance": 0.1}}, "error", 'did you mean {"number":37.77,"abs":0.1}?'),
    ({"note": {"oneOf": ["a", "b"]}}, "warning", 'did you mean {"one_of":["a","b"]}?'),
    ({"order": {"lines": [{"aprox": 3, "tolerence": 1}]}}, "error", 'did you mean {"number":3,"abs":1}?'),
    ({"note": {"items": [{"approx": 3, "delta": 1}]}}, "error", 'did you mean {"number":3,"abs":1}?'),
    (
        {"order": {"lines": [{"number": 3, "abs": 1}]}},
        "warning",
        'write {"object": {…}} or {"items": […]} around it',
    ),
]


def hints(args, **properties):
    definition = {"name": "pay", "input_schema": {"type": "object", "properties": properties}}
    placed = [("g", golden({"tool": "pay", "args": args}, tools=[definition] if properties else None))]
    return [(f.severity, f.hint) for f in check_goldens(placed, {}) if f.code != "unknown_tool"]


@pytest.mark.parametrize(("args", "severity", "hint"), MISSPELT, ids=repr)
def test_a_misspelt_matcher_is_found_at_any_depth_with_the_right_spelling(args, severity, hint):
    assert hints(args, **PAY) == [(severity, hint)]


@pytest.mark.parametrize(
    "args",
    [
        {"limits": {"min": 1, "max": 5}},
        {"note": {"type": "invoice", "value": 3}},
        {"order": {"lines": [{"name": "x", "value": 3}]}},
        {"note": {"exact": {"approx": 3, "tolerance": 1}}},
        {"amount": {"range": {"min": 1, "max": 5}}},
    ],
    ids=repr,
)
def test_an_object_that_the_schema_describes_or_that_is_no_matcher_is_literal(args):
    assert hints(args, **PAY) == []


def test_misspelt_matchers_are_found_without_definitions():
    assert hints({"amount": {"approx": 37.77, "tolerance": 0.1}}) == [
        ("error", 'did you mean {"number":37.77,"abs":0.1}?')
    ]


@pytest.mark.parametrize("word", ["similar", "rubric", "semantic"])
def test_no_hint_names_a_matcher_that_does_not_exist(word):
    """Words of other tools for what a judged metric does here: their goldens are objects, and nothing is suggested."""
    assert not [
        item for item in literal_objects({"q": {word: "a greeting"}}, "args") if "did you mean" in item.hint
    ]
