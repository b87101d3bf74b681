"""Random tools and conversations, as far as every spelling can express them."""

from __future__ import annotations

from hypothesis import strategies as st

from rightcall.records import Annotations, Message, Tool, ToolCall, ToolResult

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
words = texts.filter(bool)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(
    scalars | texts, lambda v: st.lists(v, max_size=3) | st.dictionaries(texts, v, max_size=3), max_leaves=6
)
objects = st.dictionaries(texts, values, max_size=4)
hints = st.none() | st.booleans()

plain_tools = st.builds(Tool, name=words, description=texts, input_schema=objects)
full_tools = st.builds(
    Tool,
    name=words,
    description=texts,
    input_schema=objects,
    output_schema=st.none() | objects,
    title=texts,
    annotations=st.builds(Annotations, hints, hints, hints, hints),
)

parsed = st.builds(ToolCall, name=words, arguments=objects, id=texts)
unparsed = st.builds(
    ToolCall, name=words, arguments=st.none(), id=texts, raw=st.sampled_from(["", "{", "[1]", "NaN", "đ"])
)


def results(errors: bool) -> st.SearchStrategy[ToolResult]:
    return st.builds(
        ToolResult, call_id=texts, output=texts, is_error=st.booleans() if errors else st.just(False)
    )


def conversations(
    calls: st.SearchStrategy[ToolCall], *, errors: bool = False
) -> st.SearchStrategy[tuple[Message, ...]]:
    """Users ask; the assistant answers, or calls and is given results, and then answers."""
    asked = st.builds(Message, st.just("user"), words)
    answered = st.builds(Message, st.just("assistant"), words)
    called = st.builds(
        Message, st.just("assistant"), texts, st.lists(calls, min_size=1, max_size=3).map(tuple)
    )
    told = st.builds(
        Message, st.just("tool"), results=st.lists(results(errors), min_size=1, max_size=3).map(tuple)
    )
    step = st.tuples(called, told)
    exchange = st.tuples(asked, st.lists(step, max_size=2), answered).map(
        lambda parts: (parts[0], *(message for pair in parts[1] for message in pair), parts[2])
    )
    return st.lists(exchange, max_size=3).map(lambda found: tuple(m for part in found for m in part))
