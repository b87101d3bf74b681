"""Each matcher: what it accepts, what it refuses, what it says of a missing argument, and how it is misspelt."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, strategies as st

from rightcall.core.errors import InputError, MatcherBroke
from rightcall.metrics.case_result import score_trajectory
from rightcall.metrics.matching import compile
from rightcall.metrics.matching.base import MISSING, Scope
from rightcall.metrics.matching.compile import KINDS, compile_matcher, matcher_key
from rightcall.metrics.matching.expectation import missing_content
from rightcall.records import ToolCall
from rightcall.run.golden_check import check_goldens
from tests.metrics.builders import a_golden, a_trajectory, judged

FOUND = ToolCall("find", {}, output={"orders": [{"id": 7}, {"id": 8}]}, step=0)
SCOPE = Scope(
    calls=[FOUND, ToolCall("pay", {}, step=1)],
    tool_of={"f": "find".__eq__},
)

ACCEPTED = [
    ({"exact": {"a": 1, "b": [1.0]}}, [{"b": [1], "a": 1.0}], [{"a": 1}, {"a": True, "b": [1]}, [], None]),
    ({"exact": "é"}, ["é", "e\u0301"], ["e", "É", "é "]),
    ({"exact": 1}, [1, 1.0], [True, "1", 2, None]),
    ({"number": 10}, [10, 10.0], [10.001, "10", True, math.nan, None]),
    ({"number": {"value": 10, "abs": 0.5}}, [10, 9.5, 10.5], [9.4, 10.6, math.inf]),
    ({"number": -10, "rel": 0.1}, [-10, -11, -9], [-11.1, 10]),
    ({"number": {"value": 10, "abs": 0.1, "rel": 0.2}}, [12], [12.1]),
    ({"text": "Hà Nội", "ignore": ["case", "accents", "space"]}, ["ha noi", "HANOI", "Hà  Nội"], ["Ha-Noi", 7, None]),
    ({"text": "a-b", "ignore": "punctuation"}, ["ab", "a.b"], ["a b"]),
    ({"text": {"value": "ＡＢ", "nfkc": True}}, ["AB"], ["ab"]),
    ({"text": "x"}, ["x"], ["X", " x"]),
    ({"regex": "[A-Z]{3}"}, ["VND"], ["VND ", "xVND", "vnd", 5]),
    ({"regex": "(?i)yes|no"}, ["YES", "no"], ["yesno", "nope"]),
    ({"one_of": ["C", {"regex": "cel.*"}]}, ["C", "celsius"], ["F", "c"]),
    ({"any_of": [1, 2]}, [1, 2.0], [3, True]),
    ({"contains": "noi"}, ["Hanoi", ["noi"]], ["HaNoi", ["Hanoi"], 5]),
    ({"contains": 2}, [[1, 2.0]], [[True], 2, "2"]),
    ({"icontains": "NOI"}, ["Hanoi", ["noi"]], ["Hue", ["Hanoi"]]),
    ({"set": [1, 2]}, [[2, 1], [1, 2, 2]], [[1], [1, 2, 3], [], 1]),
    ({"multiset": [1, 1, 2]}, [[2, 1, 1]], [[1, 2], [1, 2, 2], [1, 1, 2, 2]]),
    ({"superset_of": ["a"]}, [["b", "a"], ["a"]], [[], ["b"], "a"]),
    ({"subset_of": ["a", "b"]}, [[], ["b"], ["a", "b"]], [["c"], ["a", "a"], "a"]),
    ({"multiset": [{"range": [1, 2]}, {"range": [2, 9]}]}, [[2, 1], [9, 2]], [[1, 1]]),
    ({"object": {"a": {"type": "integer"}, "b": {"optional": 1}}}, [{"a": 3}, {"a": 3, "b": 1}], [{"a": 3, "c": 0}, {"b": 1}, []]),
    ({"items": [1, {"any": True}]}, [[1, "x"]], [[1], ["x", 1], [1, 2, 3]]),
    ({"date": "2026-03-01"}, ["2026-03-01", "1 March 2026", "March 1st, 2026", "2026年03月01日", "2026-03-01T00:00:00"], ["2026-03-02", "2026-03-01T10:00:00", "03/01/2026", "soon", 20260301]),
    ({"date": "2026-03-01T10:00:00+07:00"}, ["2026-03-01T03:00:00Z", "2026-03-01 10:00:00+07:00"], ["2026-03-01T10:00:00Z", "2026-03-01"]),
    ({"range": [1, 7]}, [1, 7, 3.5], [0, 7.1, "3", True, math.nan]),
    ({"range": {"min": 1}}, [1, math.inf], [0.9]),
    ({"range": {"max": 1}}, [-5, 1], [1.1]),
    ({"type": "integer"}, [1, 1.0], [1.5, "1", True, None]),
    ({"type": ["string", "null"]}, ["", None], [0, [], {}]),
    ({"type": "number"}, [1, 1.5], [True, math.nan]),
    ({"schema": {"type": "string", "format": "email"}}, ["a@b.co"], ["a", 5]),
    ({"present": True}, [0, None, "", []], []),
    ({"absent": True}, [], [0, None, ""]),
    ({"any": True}, [0, None, "x"], []),
    ({"optional": {"number": 5}}, [5], [6, None]),
    ({"default": 10}, [10, 10.0], [11, None]),
    ({"ref": {"call": "f", "path": "orders.1.id"}}, [8, 8.0], [7, "8"]),
    ({"ref": "f", "path": "orders[-1].id"}, [8], [7]),
    ({"ref": "f", "path": "orders.9.id"}, [], [8, None]),
    ({"not": "admin"}, ["user", None, 5], ["admin"]),
    ({"not": {"one_of": [1, 2]}}, [3], [1, 2]),
    ({"all": [{"contains": "a"}, {"contains": "b"}]}, ["ab"], ["a", "b", ""]),
]  # fmt: skip

SATISFIED_WHILE_ABSENT = {"absent", "any", "optional", "default"}

MISSPELT = [
    ({"number": "5"}, "matcher 'number' needs a number for value, got string"),
    ({"number": {"abs": 1}}, "matcher 'number' needs a value"),
    ({"number": {"value": 5, "tolerance": 1}}, "matcher 'number' has no option 'tolerance'"),
    ({"number": 5, "abs": -1}, "matcher 'number' needs a number for abs that is not negative"),
    ({"text": 5}, "matcher 'text' needs a string, got integer"),
    ({"text": "a", "ignore": ["colour"]}, "matcher 'text': ignore must be a list of accents, case, punctuation, space, got ['colour']"),
    ({"regex": "("}, "'(' is not a valid regular expression"),
    ({"regex": 5}, "matcher 'regex' needs a string, got integer"),
    ({"one_of": "a"}, "matcher 'one_of' needs a list, got string"),
    ({"any_of": {}}, "matcher 'any_of' needs a list, got object"),
    ({"set": 1}, "matcher 'set' needs a list"),
    ({"multiset": None}, "matcher 'multiset' needs a list, got null"),
    ({"superset_of": "a"}, "matcher 'superset_of' needs a list"),
    ({"subset_of": "a"}, "matcher 'subset_of' needs a list"),
    ({"items": "a"}, "matcher 'items' needs a list"),
    ({"all": {"contains": "a"}}, "matcher 'all' needs a list"),
    ({"object": [1]}, "matcher 'object' needs an object of matchers, got array"),
    ({"date": "03/04/2026"}, "matcher 'date' cannot read '03/04/2026'"),
    ({"range": [1]}, "matcher 'range' needs [low, high] or {min, max} in numbers"),
    ({"range": ["a", "b"]}, "matcher 'range' needs [low, high]"),
    ({"range": {}}, "matcher 'range' needs [low, high]"),
    ({"type": "int"}, "matcher 'type' must be a list of array, boolean, integer, null, number, object, string, got"),
    ({"schema": {"type": "nonsense"}}, "the schema cannot be used"),
    ({"schema": "string"}, "matcher 'schema' needs a JSON Schema, got string"),
    ({"schema": {"$ref": "https://example.com/x.json"}}, "other documents are never fetched"),
    ({"ref": {"call": "g"}}, "matcher 'ref' names the expected call 'g', which does not exist"),
    ({"ref": 5}, "matcher 'ref' needs an object"),
    ({"optional": {"number": "x"}}, "matcher 'number' needs a number"),
    ({"not": {"regex": "["}}, "is not a valid regular expression"),
]  # fmt: skip


def kind(spec) -> str:
    return str(matcher_key(spec))


@pytest.mark.parametrize(("spec", "accepted", "refused"), ACCEPTED, ids=[str(row[0]) for row in ACCEPTED])
def test_a_matcher_accepts_and_refuses(spec, accepted, refused):
    matcher = compile_matcher(spec, SCOPE)
    assert [value for value in accepted if matcher.score(value, 1) != 1.0] == []
    assert [value for value in refused if not 0.0 <= matcher.score(value, 1) < 1.0] == []


@pytest.mark.parametrize("spec", [row[0] for row in ACCEPTED], ids=str)
def test_a_missing_argument_satisfies_only_matchers_that_say_so(spec):
    expected = 1.0 if kind(spec) in SATISFIED_WHILE_ABSENT else 0.0
    assert compile_matcher(spec, SCOPE).score(MISSING, 1) == expected


@pytest.mark.parametrize(("spec", "message"), MISSPELT, ids=[str(row[0]) for row in MISSPELT])
def test_a_misspelt_matcher_is_refused_with_what_it_needs(spec, message):
    with pytest.raises(InputError) as caught:
        compile_matcher(spec, SCOPE)
    assert message in str(caught.value)


def test_every_matcher_is_in_the_tables():
    assert {kind(row[0]) for row in ACCEPTED} == set(KINDS)
    takes_anything = {"exact", "contains", "icontains", "present", "absent", "any", "default"}
    assert {kind(row[0]) for row in MISSPELT} == set(KINDS) - takes_anything


@pytest.mark.parametrize("spec", [row[0] for row in ACCEPTED], ids=str)
def test_a_matcher_describes_what_it_wants(spec):
    words = compile_matcher(spec, SCOPE).describe()
    assert words and "object at 0x" not in words and "\n" not in words


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(.*)*\\1x", "(?=(a+))a*b", "(x+x+)+y"])
def test_a_hostile_pattern_does_not_hang(pattern):
    assert compile_matcher({"regex": pattern}, SCOPE).score("a" * 5000 + "!", 0) == 0.0


def test_a_pattern_that_would_fill_the_memory_is_refused():
    with pytest.raises(InputError, match="too large"):
        compile_matcher({"regex": "(((x{1000}){1000}){1000}){1000}"}, SCOPE)


def test_partial_credit_shows_how_near_a_list_is():
    assert compile_matcher({"multiset": [1, 2]}, SCOPE).score([1, 3], 0) == 0.5
    assert compile_matcher({"items": [1, 2, 3, 4]}, SCOPE).score([1, 2, 0, 4], 0) == 0.75
    assert compile_matcher({"object": {"a": 1, "b": 2}}, SCOPE).score({"a": 1}, 0) == 0.5


@pytest.mark.parametrize("value", [{"number": 1, "text": "x"}, {"regex": "x", "other": 1}, {"name": "x"}, {}])
def test_an_object_that_is_not_a_matcher_is_taken_literally(value):
    assert matcher_key(value) is None and compile_matcher(value, SCOPE).score(value, 0) == 1.0


def test_a_matcher_of_another_package_does_not_change_what_built_in_options_mean(monkeypatch):
    monkeypatch.setattr(compile, "plugin_kinds", lambda: {"ignore": KINDS["exact"]})
    assert matcher_key({"text": "Hue", "ignore": ["case"]}) == "text"
    assert matcher_key({"ignore": 1}) == "ignore"


def test_a_python_function_is_a_matcher_and_gives_0_or_1():
    def even(value):
        return value % 2 == 0

    matcher = compile_matcher(even, SCOPE)
    assert [matcher.score(value, 0) for value in (2, 3)] == [1.0, 0.0]
    assert matcher.describe() == "accepted by even"


@pytest.mark.parametrize("value", [None, 1, 0.7, math.nan, "no", [], {}])
def test_a_python_function_must_return_a_bool(value):
    with pytest.raises(MatcherBroke, match=r"returned .*, not a bool; return True or False"):
        compile_matcher(lambda v: value, SCOPE).score("x", 0)


VACUOUS = [
    {"all": []}, {"one_of": []}, {"any_of": ()}, {"superset_of": []}, {"contains": ""}, {"icontains": ""},
    {"range": [None, None]}, {"range": {"min": None}}, {"range": [2, 1]}, {"type": []}, {"schema": {}},
    {"number": 1, "abs": math.inf}, {"not": {"all": []}},
    {"optional": {"one_of": []}}, {"items": [{"any_of": []}]}, {"object": {"a": {"contains": ""}}},
]  # fmt: skip


@pytest.mark.parametrize("spec", VACUOUS, ids=str)
def test_a_matcher_that_checks_nothing_is_refused(spec):
    with pytest.raises(InputError):
        compile_matcher(spec, SCOPE)
    golden = a_golden({"tool": "a", "args": {"x": spec}})
    (finding,) = check_goldens([("g.jsonl:3", golden)], {})
    assert (finding.severity, finding.where) == ("error", "g.jsonl:3")
    assert finding.message.startswith("expected_calls[0].args.x: matcher")


def test_an_answer_that_must_contain_nothing_in_particular_is_refused():
    golden = a_golden({"tool": "a"}, output_contains=["31", ""])
    with pytest.raises(InputError, match="'icontains' with an empty text checks nothing"):
        score_trajectory(golden, a_trajectory("a", output="31"))
    (finding,) = check_goldens([("g.jsonl:3", golden)], {})
    assert finding.severity == "error" and finding.message.startswith("output_contains[1]: matcher")


def test_a_value_from_a_later_or_concurrent_call_is_not_a_reference():
    wanted = [{"tool": "find", "id": "f"}, {"tool": "pay", "args": {"order": {"ref": "f", "path": "id"}}}]
    find = {"name": "find", "arguments": {}, "output": {"id": 5}, "status": "ok"}
    pay = {"name": "pay", "arguments": {"order": 5}}
    assert judged(wanted, [find | {"step": 0}, pay | {"step": 1}]).passed
    together = judged(wanted, [find | {"step": 0}, pay | {"step": 0}])
    before = judged(wanted, [pay | {"step": 0}, find | {"step": 1}])
    for verdict in (together, before):
        assert [failure.code for failure in verdict.failures] == ["hallucinated_ref"]


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
tame = [row[0] for row in ACCEPTED]


@given(spec=st.sampled_from(tame), value=json_values)
def test_no_value_makes_a_matcher_crash_or_leave_0_to_1(spec, value):
    assert 0.0 <= compile_matcher(spec, SCOPE).score(value, 1) <= 1.0


@given(value=json_values)
def test_an_exact_matcher_accepts_itself_unless_it_holds_nan(value):
    assert compile_matcher({"exact": value}, SCOPE).score(value, 0) == (0.0 if "nan" in repr(value) else 1.0)


@pytest.mark.parametrize(
    ("item", "answer", "is_there"),
    [
        ({"regex": "[0-9]+ degrees"}, "It is 31 degrees in Hue.", True),
        ({"regex": "^31"}, "It is 31 degrees.", False),
        ({"not": {"regex": "[0-9]+"}}, "It is 31 degrees.", False),
        ({"any_of": [{"regex": "3.\\b"}]}, '{"city":"Hue","degrees":31}', True),
        ('said "hi"', '{"note":"He said \\"hi\\"."}', True),
        ({"not": {"contains": 'said "hi"'}}, '{"note":"He said \\"hi\\"."}', False),
        ({"regex": "one\\ntwo 😀"}, '["one\\ntwo \\ud83d\\ude00"]', True),
        ("a\\b", "{a\\b is no JSON", True),
    ],
)
def test_content_is_looked_for_in_the_text_of_an_answer(item, answer, is_there):
    assert (missing_content([item], answer, SCOPE) == []) is is_there
