"""Scores out, read back by the official package; protobuf in, compared with it."""

import base64
import json

from benchmarks.otlp_spans import RunSpan, spans_request
from google.protobuf.json_format import MessageToDict, ParseDict
from hypothesis import given, settings, strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from rightcall.limbs.traces.otlp import json_items, protobuf_items
from rightcall.limbs.traces.problems import Problems
from rightcall.limbs.traces.run_export import Evaluation, logs_request
from rightcall.records import Score
from tests.limbs.traces.samples import FOLDER
from tests.support.examples import examples


def attributes(record):
    return {a.key: getattr(a.value, a.value.WhichOneof("value")) for a in record.attributes}


def test_a_score_is_an_event_of_its_span_that_the_official_decoder_reads():
    scores = [
        Evaluation(
            "order", Score(0.5, False, "wrong order"), "ab" * 16, "cd" * 8, attributes={"rightcall.trial": 2}
        ),
        Evaluation("judge", Score.broken("judge_down: no answer")),
    ]
    document = json.loads(logs_request(scores, str, now=5))
    for record in document["resourceLogs"][0]["scopeLogs"][0][
        "logRecords"
    ]:  # the decoder takes ids in base64
        for name in {"traceId", "spanId"} & record.keys():
            record[name] = base64.b64encode(bytes.fromhex(record[name])).decode()
    request = ParseDict(document, ExportLogsServiceRequest())
    first, second = request.resource_logs[0].scope_logs[0].log_records
    assert (first.event_name, first.trace_id.hex(), first.span_id.hex(), first.time_unix_nano) == (
        "gen_ai.evaluation.result",
        "ab" * 16,
        "cd" * 8,
        5,
    )
    assert attributes(first) == {
        "gen_ai.evaluation.name": "order", "gen_ai.evaluation.score.value": 0.5, "gen_ai.evaluation.score.label": "fail",
        "gen_ai.evaluation.explanation": "wrong order", "rightcall.trial": 2,
    }  # fmt: skip
    assert (second.severity_text, attributes(second)["error.type"]) == ("WARN", "judge_down")
    assert "gen_ai.evaluation.score.value" not in attributes(second)


def test_spans_of_a_run_are_read_by_the_official_decoder_and_by_ours():
    data = spans_request(
        [
            RunSpan(
                "ab" * 16,
                "cd" * 8,
                "rightcall.trial",
                1,
                9,
                failed=True,
                attributes={"a": 1, "b": 0.5, "c": "x"},
            )
        ]
    )
    span = ExportTraceServiceRequest.FromString(data).resource_spans[0].scope_spans[0].spans[0]
    assert (span.name, span.status.code, attributes(span)) == (
        "rightcall.trial",
        2,
        {"a": 1, "b": 0.5, "c": "x"},
    )
    (ours,) = protobuf_items(data, Problems())
    assert (ours.name, ours.status, ours.attributes) == (
        "rightcall.trial",
        "error",
        {"a": 1, "b": 0.5, "c": "x"},
    )


def test_protobuf_is_read_as_the_official_package_reads_it():
    data = (FOLDER / "otlp_genai_pydantic_ai.pb").read_bytes()
    official = MessageToDict(ExportTraceServiceRequest.FromString(data))
    assert list(protobuf_items(data, Problems())) == list(json_items(official, Problems()))


VALUES = st.one_of(
    st.text(max_size=20), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.floats(allow_nan=False)
)


@settings(max_examples=examples(100), deadline=None)
@given(st.dictionaries(st.text(min_size=1, max_size=10), VALUES, max_size=5), st.text(max_size=20))
def test_any_attributes_written_by_the_official_package_come_back(held, name):
    request = ExportTraceServiceRequest()
    span = (
        request.resource_spans.add()
        .scope_spans.add()
        .spans.add(name=name, trace_id=b"t" * 16, span_id=b"s" * 8)
    )
    for key, value in held.items():
        pair = span.attributes.add(key=key)
        kind = {bool: "bool_value", int: "int_value", float: "double_value", str: "string_value"}[type(value)]
        setattr(pair.value, kind, value)
    (read,) = protobuf_items(request.SerializeToString(), Problems())
    assert (read.name, read.attributes) == (name, held)
