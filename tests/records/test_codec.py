"""Decoding errors name the location, the path and the problem in the user's terms."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from rightcall.core.codec import convert, decode, encode, to_plain
from rightcall.core.errors import InputError
from rightcall.records import Golden, Trajectory


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "here: not valid JSON: unexpected end of input; is the file or the line truncated?"),
        (b'{"input": "a"', "here: not valid JSON: unexpected end of input; is the file or the line truncated?"),
        (b'{"input": ?}', "here: not valid JSON at character 11: invalid character"),
        (b"{'input': 1}", "here: not valid JSON at character 2: object keys must be strings"),
        (b'{"input": NaN}', "here: not valid JSON: NaN is not a JSON number; use null or a string"),
        (b'{"input": -Infinity}', "here: not valid JSON: -Infinity is not a JSON number; use null or a string"),
        (b'{"input": "\\ud83d"}', "here: not valid JSON: unpaired surrogate in a string; write the whole character or remove it"),
        (b'{"input": "\xff"}', "here: not valid UTF-8; save the file as UTF-8"),
        (b"[]", "here: the value must be an object, got a list"),
        (b'"{}"', "here: the value must be an object, got a string; was it JSON-encoded twice?"),
        (b"{}", "here: missing required field 'input'"),
        (b'{"input": null}', "here: input must be a string, got null"),
        (b'{"input": true}', "here: input must be a string, got true or false"),
        (b'{"input": "a", "inptu": 1}', "here: unknown field 'inptu'; did you mean 'input'?"),
        (b'{"input": "a", "max_calls": -1}', "here: max_calls must be a whole number >= 0"),
        (b'{"input": "a", "max_calls": 1.5}', "here: max_calls must be a whole number, got a number"),
        (b'{"input": "a", "threshold": 2}', "here: threshold must be a number <= 1.0"),
        (b'{"input": "a", "category": "goldn"}', "here: category must be one of golden, secondary, negative, got 'goldn'; did you mean 'golden'?"),
        (b'{"input": "a", "tags": "x"}', "here: tags must be a list, got a string"),
        (b'{"input": "a", "tags": [1]}', "here: tags[0] must be a string, got a whole number"),
        (b'{"input": "a", "expected_calls": [{"tool": "f"}, {"arg": {}}]}', "here: unknown field 'arg' in expected_calls[1]; did you mean 'args'?"),
        (b'{"input": "a", "expected_calls": [{}]}', "here: missing required field 'tool' in expected_calls[0]"),
        (b'{"input": "a", "any_of": [[{"tool": "f", "argz": 1}]]}', "here: unknown field 'argz' in any_of[0][0]; did you mean 'args'?"),
        (b'{"input": "a", "expected_calls": [{"tool": "f", "args": "{}"}]}', "here: expected_calls[0].args must be an object, got a string; was it JSON-encoded twice?"),
        (b'{"input": "a", "order": "sometimes"}', "here: order must be one of any, strict, got 'sometimes'"),
    ],
)  # fmt: skip
def test_what_does_not_decode_is_reported_in_words(data, message):
    with pytest.raises(InputError) as caught:
        decode(data, Golden, "here")
    assert str(caught.value) == message


def test_plain_values_are_converted_with_the_same_words():
    with pytest.raises(InputError, match=r"f\.yaml:3: input must be a string, got a whole number"):
        convert({"input": 5}, Golden, "f.yaml:3")
    with pytest.raises(InputError, match="unknown field 'latency' in calls"):
        convert({"calls": [{"name": "f", "latency": 1}]}, Trajectory, "x")


def test_depth_without_end_is_refused():
    deep = b'{"input": "a", "metadata": {"x": ' + b"[" * 100_000
    with pytest.raises(InputError, match="nested too deeply"):
        decode(deep, Golden, "here")


@given(st.binary(max_size=40) | st.text(max_size=40).map(lambda text: text.encode("utf-8", "replace")))
def test_no_bytes_make_decoding_crash(data):
    try:
        decode(data, Golden, "here")
    except InputError as error:
        assert str(error).startswith("here: ") and "\n" not in str(error).replace(
            data.decode("utf-8", "replace"), ""
        )


@given(st.text(), st.dictionaries(st.text(), st.text() | st.integers(-(2**63), 2**63 - 1) | st.none()))
def test_a_record_survives_encoding(text, metadata):
    golden = Golden(text.encode("utf-8", "replace").decode(), metadata=_whole(metadata))
    assert decode(encode(golden), Golden, "here") == golden
    assert convert(to_plain(golden), Golden, "here") == golden


def _whole(value):
    """Without halves of surrogate pairs, which JSON in UTF-8 cannot hold."""
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
