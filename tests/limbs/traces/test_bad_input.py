"""Files that are broken, hostile or not traces: one line that says so, or counted; never a traceback."""

import contextlib
import copy
import gzip
import json
import random
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from rightcall.core.errors import InputError
from rightcall.limbs.traces.reader import load_traces
from rightcall.limbs.traces.trace import Trace, candidate_id, shown_trace_id
from rightcall.records.trajectory import Trajectory
from tests.limbs.traces.samples import FOLDER
from tests.support.examples import examples


def refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        list(load_traces(path))
    return str(caught.value)


def test_a_file_of_no_known_kind_names_its_keys(tmp_path: Path):
    (tmp_path / "x.json").write_text('{"a": 1, "b": 2, "c": 3}')
    assert "unknown trace format (keys: a, b, c); known: OTLP JSON or protobuf, MLflow, LangSmith" in refused(
        tmp_path / "x.json"
    )


@pytest.mark.parametrize(
    "content",
    [b"", b"\n", b"\x00\x01\x02", b"{", b"[1, 2]", b"hello", b"\xff\xfe{", b'{"resourceSpans": NaN}'],
)
def test_other_content_is_refused_in_one_line(content: bytes, tmp_path: Path):
    (tmp_path / "x.json").write_bytes(content)
    assert "\n" not in refused(tmp_path / "x.json")


def test_half_a_line_is_refused_with_its_number_or_counted(tmp_path: Path):
    lines = (FOLDER / "otlp_collector_file.jsonl").read_bytes().splitlines(keepends=True)
    file = tmp_path / "cut.jsonl"
    file.write_bytes(lines[0] + lines[1][:100] + b"\n" + lines[2])
    assert "cut.jsonl:2: not valid JSON" in refused(file)
    (trace,) = load_traces(file, skip_bad=True)
    assert "1 line could not be read" in trace.problems


BOMB = """
import re, sys
from pathlib import Path
from rightcall.core.errors import InputError
from rightcall.limbs.traces.reader import load_traces
try:
    list(load_traces(sys.argv[1]))
except InputError as error:
    print(error)
print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""


@pytest.mark.stories
def test_a_zip_bomb_is_refused_within_100_mb(tmp_path: Path):
    with gzip.open(tmp_path / "bomb.gz", "wb") as out:
        out.write(b'{"resourceSpans": "')
        for _ in range(300):
            out.write(b" " * 2**20)
    with zipfile.ZipFile(tmp_path / "bomb.eval", "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("header.json", b"{" + b" " * (200 * 2**20) + b"}")
    for name in ("bomb.gz", "bomb.eval"):
        done = subprocess.run(
            [sys.executable, "-c", BOMB, tmp_path / name], capture_output=True, text=True, check=True
        )
        said, megabytes = done.stdout.splitlines()
        assert "decompresses to" in said
        assert int(megabytes) < 100


WORDS = st.sampled_from(["gen_ai.operation.name", "execute_tool", "chat", "invoke_agent", "gen_ai.tool.name", "a", "", "{}", "[", "TOOL", "openinference.span.kind",
                         "gen_ai.output.messages", "gen_ai.input.messages", "gen_ai.tool.call.arguments", "llm.output_messages.0.message.tool_calls", "mlflow.spanType",
                         "langfuse.observation.type", "ai.operationId", "lmnr.span.type", "traceloop.span.kind", '[{"role":"assistant","parts":[{"type":"tool_call"}]}]'])  # fmt: skip
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda x: st.lists(x, max_size=3) | st.dictionaries(WORDS, x, max_size=3),
    max_leaves=8,
)
VALUE = (
    ANY.map(lambda v: {"stringValue": v})
    | ANY.map(lambda v: {"kvlistValue": v})
    | ANY.map(lambda v: {"intValue": v})
    | ANY
)
IDS = st.sampled_from(["0000000000000001", "0000000000000002", "0000000000000003", "", "zz"]) | ANY
SPAN = st.fixed_dictionaries(
    {"traceId": st.just("5b8efff798038103d269b633813fc60c") | ANY, "spanId": IDS, "parentSpanId": IDS, "name": ANY,
     "startTimeUnixNano": ANY, "endTimeUnixNano": ANY, "status": ANY, "events": ANY,
     "attributes": st.lists(st.fixed_dictionaries({"key": WORDS, "value": VALUE}), max_size=6) | ANY}
)  # fmt: skip


@settings(max_examples=examples(150), deadline=None)
@given(spans=st.lists(SPAN, max_size=8))
def test_no_spans_however_odd_break_the_importer(spans, tmp_path_factory):
    file = tmp_path_factory.mktemp("odd") / "x.json"
    file.write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}))
    for trace in load_traces(file, calls="all"):
        trace.golden()


@settings(max_examples=examples(100), deadline=None)
@given(
    st.binary(max_size=200)
    | st.binary(max_size=60).map(lambda b: (FOLDER / "otlp_genai_pydantic_ai.pb").read_bytes()[:2000] + b)
)
def test_bytes_that_are_not_protobuf_are_refused_or_read(data):
    from rightcall.limbs.traces.otlp import WireError, protobuf_items
    from rightcall.limbs.traces.problems import Problems

    with contextlib.suppress(WireError):
        list(protobuf_items(data, Problems()))


def test_a_million_deep_and_a_thousand_wide_do_not_hang(tmp_path: Path):
    chain = [
        {
            "traceId": "5b8efff798038103d269b633813fc60c",
            "spanId": f"{i:016x}",
            "parentSpanId": f"{i + 1:016x}",
            "name": "x",
            "startTimeUnixNano": i,
        }
        for i in range(1, 5000)
    ]
    (tmp_path / "x.json").write_text(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": chain}]}]}))
    (trace,) = load_traces(tmp_path / "x.json")
    assert any("none from a model or a tool" in problem for problem in trace.problems)


ODD: list[Any] = [None, 5, True, [], {}, "", "²", "--5", "{", 1e308, 10**30, [[]], ["user", 5], {"role": 5}, {"lc": 1, "kwargs": {"content": [5]}},
                  {"kwargs": 5, "args": []}, {"output": 5, "kwargs": {}}, [{"type": "tool_call"}], "\x00"]  # fmt: skip


@pytest.mark.parametrize("name", ["real/mlflow_openai.json.gz", "real/langsmith_langgraph.json.gz", "real/laminar_openai.json.gz", "real/traceloop_openai.json.gz", "real/openinference_anthropic.json.gz"])  # fmt: skip
def test_real_exports_with_odd_values_anywhere_are_read_or_refused(name: str, tmp_path: Path):
    document = json.loads(gzip.decompress((FOLDER / name).read_bytes()))
    draw = random.Random(name)
    places = list(places_in(document))
    for _ in range(40):
        changed = with_value(document, draw.choice(places), draw.choice(ODD))
        (tmp_path / "odd.json").write_text(json.dumps(changed))
        with contextlib.suppress(InputError):
            for trace in load_traces(tmp_path / "odd.json"):
                trace.golden()


def places_in(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Where values are, in JSON inside texts too."""
    yield place
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from places_in(value[key], (*place, key))
    elif isinstance(value, str) and value[:1] in ("{", "["):
        with contextlib.suppress(ValueError):
            yield from places_in(json.loads(value), (*place, INSIDE))


INSIDE = object()


def with_value(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    if not place:
        return new
    if place[0] is INSIDE:
        return json.dumps(with_value(json.loads(value), place[1:], new))
    changed = copy.copy(value)
    changed[place[0]] = with_value(value[place[0]], place[1:], new)
    return changed


@given(
    ids=st.lists(
        st.sampled_from(["{:032x}", "support-2026-11-15-{}", "0192f0c1-aaaa-7{:03x}-8000-00000000"]),
        min_size=1,
    )
)
def test_two_traces_never_share_the_id_of_a_golden_nor_the_id_they_are_found_by(ids):
    """Ids of 64 bits are padded with zeros, those of some exports begin alike."""
    known = {form.format(number + 1) for number, form in enumerate(ids)}
    assert len({candidate_id(Trace(one, Trajectory())) for one in known}) == len(known)
    assert all(one.startswith(shown_trace_id(one)) for one in known)
    assert candidate_id(Trace("7d2f8a3c9b1e4f60" + "1" * 16, Trajectory())) == "t-7d2f8a3c9b1e4f60"
