"""Random goldens of both kinds, made of the texts that files are known to lose."""

from __future__ import annotations

from hypothesis import strategies as st

from rightcall.records import ConversationalGolden, Expectations, ExpectedCall, Golden, ToolCall, Turn
from rightcall.records.approval import Approval, Caller

HARD_TEXTS = [
    "", " ", "007", "NA", "null", "~", "true", "NO", "on", "2026-01-01", "1_000", "1e5", "0x1F",
    "1:30", ".nan", "=", '""', '"', '"a"', '"a" ', "'", "a,b", "a;b", "a\nb", "a\r\nb", "a\rb",
    "\n", "line \n  indented\n", "\ttab", " lead", "trail ", "- item", "# no comment",
    "key: value", "&anchor", "*alias", "!tag", "|", ">", "%", "@", "`", "{", "[]", "{}", "---",
    "...", "<<", "?", "Hà Nội, thời tiết hôm nay?",
    "\u660e\u5929\u4e0a\u6d77\u7684\u5929\u6c14\n\u600e\u4e48\u6837\uff1f",
    "\U0001f327\ufe0f\U0001f469\u200d\U0001f469\u200d\U0001f467", "\x00", "\x07", "\x1b", "\x7f",
    "\x85", "\u2028", "\u2029", "\ufeff", "\ufffe", "\ud7ff", "\U0010ffff", "á", "\\n", "=1+1",
    "@SUM(A1)",
]  # fmt: skip
texts = st.sampled_from(HARD_TEXTS) | st.text(st.characters(exclude_categories=["Cs"]), max_size=10)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda v: st.lists(v, max_size=3) | st.dictionaries(texts, v, max_size=3),
    max_leaves=8,
)
objects = st.dictionaries(texts, values, max_size=3)
maybe_text = st.none() | texts
ids = texts.filter(bool)
some_texts = st.lists(texts, max_size=3).map(tuple)
tool_lists = st.none() | st.lists(
    texts | st.just({"name": "f", "inputSchema": {"x": [1.5, None]}}), max_size=2
).map(tuple)
categories = st.sampled_from(["golden", "secondary", "negative"])

expected = st.builds(
    ExpectedCall,
    tool=texts | st.lists(texts, max_size=2).map(tuple) | st.just({"regex": "a|b"}),
    args=st.none() | objects,
    forbidden_args=some_texts,
    required=st.booleans(),
    max=st.none() | st.integers(0, 5),
    weight=st.floats(0, 10),
    notes=objects,
)
plans = st.lists(expected, max_size=2).map(tuple)

approvals = st.none() | st.builds(
    Approval,
    st.sampled_from(["waiting", "approved", "edited", "rejected", "escalated"]),
    message=texts,
    arguments=st.none() | objects,
)
called = st.none() | st.lists(
    st.builds(
        ToolCall, name=texts, arguments=st.none() | objects, output=values, notes=objects, approval=approvals
    ),
    max_size=2,
).map(tuple)
expectations = st.none() | st.builds(Expectations, must=some_texts, must_not=some_texts, model=maybe_text)
labels = st.none() | st.dictionaries(texts, texts, max_size=2)

callers = st.none() | st.builds(Caller, texts | some_texts)

goldens = st.builds(
    Golden,
    input=texts,
    id=ids,
    category=categories,
    tools=tool_lists,
    system=maybe_text,
    context=st.none() | some_texts,
    expected_calls=plans,
    any_of=st.lists(plans, max_size=2).map(tuple),
    forbidden_calls=st.lists(texts | st.just({"regex": "x.*"}), max_size=2).map(tuple),
    no_calls=st.booleans(),
    max_calls=st.none() | st.integers(0, 9),
    max_latency_ms=st.none() | st.floats(0, 1e9),
    output_contains=st.lists(values, max_size=2).map(tuple),
    expected_output=maybe_text,
    name=maybe_text,
    comments=maybe_text,
    tags=some_texts,
    cluster=maybe_text,
    metadata=objects,
    actual_output=maybe_text,
    tools_called=called,
    retrieval_context=st.none() | some_texts,
    expectations=expectations,
    expected_labels=labels,
    custom_columns=labels,
    confirm=some_texts,
    as_=callers,
    source_file=maybe_text,
    token_cost=st.none() | st.floats(0, 10),
    input_token_count=st.none() | st.floats(0, 1e6),
)
turns = st.builds(
    Turn,
    role=st.sampled_from(["user", "assistant"]),
    content=texts,
    expected_calls=st.none() | plans,
    tools_called=called,
    retrieval_context=st.none() | some_texts,
    user_id=maybe_text,
    metadata=objects,
    notes=objects,
)
conversations = st.builds(
    ConversationalGolden,
    scenario=texts,
    id=ids,
    category=categories,
    expected_outcome=maybe_text,
    user_description=maybe_text,
    turns=st.lists(turns, max_size=3).map(tuple),
    tools=tool_lists,
    context=st.none() | some_texts,
    expected_calls=plans,
    tags=some_texts,
    metadata=objects,
    persona=st.none() | objects,
    expectations=expectations,
    custom_columns=labels,
    confirm=some_texts,
    as_=callers,
)
