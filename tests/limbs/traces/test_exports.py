"""One story in the words of each tool: the weather in Hanoi, then a booking that fails."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from rightcall.limbs.traces.reader import load_traces
from rightcall.records.dialects.endings import is_broken_end, stop_of

TRACE = "5b8efff798038103d269b633813fc60c"
START = 1_794_700_800
QUESTION = "Weather in Hanoi, then book two seats"
ANSWER = "31 degrees; the booking failed."
HANOI = {"city": "Hanoi"}
SEATS = {"city": "Hanoi", "seats": 2}
SUNNY = {"celsius": 31}
TOOLS = [
    {"type": "function", "function": {"name": name, "parameters": {"type": "object", "properties": {}}}}
    for name in ("get_weather", "book")
]


def chat_call(name: str, arguments: Any, call_id: str) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"role": "assistant", "content": "", "tool_calls": [{"id": call_id, "type": "function", "function": function}]}  # fmt: skip


ASKED = {"role": "user", "content": QUESTION}
CALLS = [chat_call("get_weather", HANOI, "c1"), chat_call("book", SEATS, "c2")]
RESULTS = [
    {"role": "tool", "tool_call_id": "c1", "content": json.dumps(SUNNY)},
    {"role": "tool", "tool_call_id": "c2", "content": "no seats left"},
]
REQUESTS = [[ASKED], [ASKED, CALLS[0], RESULTS[0]], [ASKED, CALLS[0], RESULTS[0], CALLS[1], RESULTS[1]]]
ANSWERS = [*CALLS, {"role": "assistant", "content": ANSWER}]
STEPS = ["agent", "llm0", "tool0", "llm1", "tool1", "llm2"]


def moment(step: str) -> tuple[int, int]:
    at = STEPS.index(step)
    return START + at, START + (20 if step == "agent" else at + 1)


def otlp(attributes: dict[str, dict[str, Any]], names: dict[str, str]) -> dict[str, Any]:
    spans = []
    for at, step in enumerate(STEPS):
        start, end = moment(step)
        held = [
            {
                "key": key,
                "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value},
            }
            for key, value in attributes[step].items()
        ]
        spans.append({"traceId": TRACE, "spanId": f"{at + 1:016x}", "parentSpanId": f"{1:016x}" if at else "",
                      "name": names.get(step, step), "startTimeUnixNano": f"{start}000000000", "endTimeUnixNano": f"{end}000000000",
                      "status": {"code": 2, "message": "no seats left"} if step == "tool1" else {}, "attributes": held})  # fmt: skip
    return {"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}


NAMES = {"tool0": "get_weather", "tool1": "book"}


def langfuse_sdk() -> Any:
    held: dict[str, dict[str, Any]] = {"agent": {"type": "agent", "input": QUESTION, "output": ANSWER}}
    for i in range(3):
        held[f"llm{i}"] = {"type": "generation", "input": json.dumps({"messages": REQUESTS[i], "tools": TOOLS}),
                           "output": json.dumps(ANSWERS[i]), "model.name": "m", "usage_details": '{"input": 100, "output": 10}'}  # fmt: skip
    held["tool0"] = {"type": "tool", "input": json.dumps(HANOI), "output": json.dumps(SUNNY)}
    held["tool1"] = {
        "type": "tool",
        "input": json.dumps(SEATS),
        "level": "ERROR",
        "status_message": "no seats left",
    }
    return otlp({s: {f"langfuse.observation.{k}": v for k, v in a.items()} for s, a in held.items()}, NAMES)


def langfuse_rows(camel: bool = False) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for at, step in enumerate(STEPS):
        start, end = (f"2026-11-15T00:00:{second - START:02}.000Z" for second in moment(step))
        row: dict[str, Any] = {"id": f"o{at}", "trace_id": "t-1", "parent_observation_id": "o0" if at else None,
                               "name": NAMES.get(step, step), "start_time": start, "end_time": end, "level": "DEFAULT"}  # fmt: skip
        if step == "agent":
            row |= {"type": "AGENT", "input": QUESTION, "output": ANSWER}
        elif step.startswith("llm"):
            i = int(step[-1])
            row |= {"type": "GENERATION", "input": REQUESTS[i], "output": ANSWERS[i], "usage_details": {"input": 100, "output": 10}}  # fmt: skip
        else:
            row |= {
                "type": "TOOL",
                "input": (HANOI, SEATS)[int(step[-1])],
                "output": SUNNY if step == "tool0" else None,
            }
        if step == "tool1":
            row |= {"level": "ERROR", "status_message": "no seats left"}
        rows.append({_camel(key): value for key, value in row.items()} if camel else row)
    return rows


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.title() for word in rest)


def langfuse_api() -> Any:
    return {"id": "t-1", "name": "travel", "sessionId": "s", "input": QUESTION, "output": ANSWER, "observations": langfuse_rows(camel=True)}  # fmt: skip


def laminar() -> Any:
    held: dict[str, dict[str, Any]] = {
        "agent": {"lmnr.span.type": "DEFAULT", "lmnr.span.input": QUESTION, "lmnr.span.output": ANSWER}
    }
    for i in range(3):
        held[f"llm{i}"] = {"lmnr.span.type": "LLM", "lmnr.span.input": json.dumps(REQUESTS[i]), "lmnr.span.output": json.dumps([ANSWERS[i]]),
                           "gen_ai.usage.input_tokens": 100, "gen_ai.usage.output_tokens": 10}  # fmt: skip
    held["tool0"] = {
        "lmnr.span.type": "TOOL",
        "lmnr.span.input": json.dumps(HANOI),
        "lmnr.span.output": json.dumps(SUNNY),
    }
    held["tool1"] = {"lmnr.span.type": "TOOL", "lmnr.span.input": json.dumps(SEATS)}
    return otlp(held, NAMES)


def vercel() -> Any:
    def part(call: dict[str, Any]) -> dict[str, Any]:
        made = call["tool_calls"][0]
        return {"type": "tool-call", "toolCallId": made["id"], "toolName": made["function"]["name"], "input": json.loads(made["function"]["arguments"])}  # fmt: skip

    def message(m: dict[str, Any]) -> dict[str, Any]:
        if m.get("tool_calls"):
            return {"role": "assistant", "content": [part(m)]}
        if m["role"] == "tool":
            return {"role": "tool", "content": [{"type": "tool-result", "toolCallId": m["tool_call_id"], "output": {"type": "text", "value": m["content"]}}]}  # fmt: skip
        return {"role": m["role"], "content": [{"type": "text", "text": m["content"]}]}

    held: dict[str, dict[str, Any]] = {
        "agent": {
            "ai.operationId": "ai.generateText",
            "ai.prompt": json.dumps({"messages": [ASKED]}),
            "ai.response.text": ANSWER,
        }
    }
    for i in range(3):
        held[f"llm{i}"] = {"ai.operationId": "ai.generateText.doGenerate", "ai.model.id": "m", "ai.usage.promptTokens": 100, "ai.usage.completionTokens": 10,
                           "ai.prompt.messages": json.dumps([message(m) for m in REQUESTS[i]])}  # fmt: skip
        if i < 2:
            held[f"llm{i}"]["ai.response.toolCalls"] = json.dumps(
                [part(CALLS[i]) | {"input": json.dumps((HANOI, SEATS)[i])}]
            )
        else:
            held[f"llm{i}"]["ai.response.text"] = ANSWER
    for i, (name, given) in enumerate((("get_weather", HANOI), ("book", SEATS))):
        held[f"tool{i}"] = {"ai.operationId": "ai.toolCall", "ai.toolCall.name": name, "ai.toolCall.id": f"c{i + 1}", "ai.toolCall.args": json.dumps(given)}  # fmt: skip
    held["tool0"]["ai.toolCall.result"] = json.dumps(SUNNY)
    return otlp(held, dict.fromkeys(NAMES, "ai.toolCall"))


def langsmith_tree() -> Any:
    def run(step: str, kind: str, inputs: Any, outputs: Any, **more: Any) -> dict[str, Any]:
        start, end = (f"2026-11-15T00:00:{second - START:02}" for second in moment(step))
        return {"id": step, "name": NAMES.get(step, step), "run_type": kind, "start_time": start, "end_time": end,
                "inputs": inputs, "outputs": outputs, **more}  # fmt: skip

    usage = {"input_tokens": 100, "output_tokens": 10}
    children = [
        run(
            f"llm{i}",
            "llm",
            {"messages": REQUESTS[i]},
            {"choices": [{"message": ANSWERS[i]}], "usage": usage},
        )
        for i in range(3)
    ]
    children.append(run("tool0", "tool", HANOI, {"output": json.dumps(SUNNY)}))
    children.append(run("tool1", "tool", SEATS, None, error="no seats left"))
    return run("agent", "chain", {"messages": [ASKED]}, {"output": ANSWER}, child_runs=children)


def phoenix() -> list[dict[str, Any]]:
    def messages(said: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {"message": {**m, "tool_calls": [{"tool_call": c} for c in m.get("tool_calls", ())]}}
            for m in said
        ]

    held: dict[str, Any] = {"agent": {"input": {"value": QUESTION}}}
    for i in range(3):
        held[f"llm{i}"] = {"llm": {"input_messages": messages(REQUESTS[i]), "output_messages": messages([ANSWERS[i]]),
                                   "token_count": {"prompt": 100, "completion": 10}}}  # fmt: skip
    held["tool0"] = {
        "tool": {"name": "get_weather"},
        "input": {"value": json.dumps(HANOI)},
        "output": {"value": json.dumps(SUNNY)},
    }
    held["tool1"] = {"tool": {"name": "book"}, "input": {"value": json.dumps(SEATS)}}
    rows = []
    for at, step in enumerate(STEPS):
        start, end = (f"2026-11-15T00:00:{second - START:02}+00:00" for second in moment(step))
        rows.append({"name": step, "context": {"trace_id": TRACE, "span_id": f"{at + 1:016x}"}, "parent_id": f"{1:016x}" if at else None,
                     "span_kind": step.rstrip("012").upper(), "start_time": start, "end_time": end,
                     "status_code": "ERROR" if step == "tool1" else "OK", "attributes": held[step]})  # fmt: skip
    return rows


def inspect_log() -> dict[str, Any]:
    def said(m: dict[str, Any]) -> dict[str, Any]:
        calls = [
            {
                "id": c["id"],
                "function": c["function"]["name"],
                "arguments": json.loads(c["function"]["arguments"]),
            }
            for c in m.get("tool_calls", ())
        ]
        failed = m.get("tool_call_id") == "c2"
        return {**m, **({"tool_calls": calls} if calls else {}), **({"error": {"type": "unknown", "message": m["content"]}} if failed else {})}  # fmt: skip

    sample = {"id": "g1", "epoch": 2, "input": QUESTION, "target": "", "messages": [said(m) for m in (*REQUESTS[2], ANSWERS[2])],
              "output": {"choices": [{"stop_reason": "stop"}]}, "model_usage": {"m": {"input_tokens": 300, "output_tokens": 30}}}  # fmt: skip
    return {"version": 2, "status": "success", "eval": {"task": "travel", "model": "m", "run_id": "r1", "created": "2026-11-15T00:00:00+00:00"}, "samples": [sample]}  # fmt: skip


EXPORTS = [langfuse_sdk, langfuse_rows, langfuse_api, laminar, vercel, langsmith_tree, phoenix, inspect_log]


@pytest.mark.parametrize("make", EXPORTS)
def test_every_export_tells_the_same_story(make: Any, tmp_path: Path):
    file = tmp_path / "export.json"
    file.write_text(json.dumps(make()))
    (trace,) = load_traces(file)
    made = trace.trajectory
    assert [(c.name, c.arguments, c.step, c.status) for c in made.calls] == [
        ("get_weather", HANOI, 0, "ok"),
        ("book", SEATS, 1, "error"),
    ]
    assert [c.id for c in made.calls] == ["c1", "c2"]
    assert made.calls[0].output == SUNNY
    assert (trace.input, made.output, made.stop_reason) == (QUESTION, ANSWER, "done")
    assert (made.usage.input_tokens, made.usage.output_tokens) == (300, 30)


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("length", "truncated"),
        ("model_context_window_exceeded", "truncated"),
        ("refusal", "refused"),
        ("content_filter", "filtered"),
        ("content-filter", "filtered"),
        ("guardrail_intervened", "filtered"),
        ("FinishReason.RECITATION", "filtered"),
        ("SAFETY", "filtered"),
        ("end_turn", "done"),
        ("error", "infra_error"),
    ],
)
def test_an_answer_in_a_trace_ended_as_it_would_have_live(finish: str, stop: str, tmp_path: Path):
    assert (stop_of(finish), is_broken_end(finish)) == (
        ("done", True) if stop == "infra_error" else (stop, False)
    )
    export = laminar()
    (last,) = (
        span for span in export["resourceSpans"][0]["scopeSpans"][0]["spans"] if span["name"] == "llm2"
    )
    (output,) = (held["value"] for held in last["attributes"] if held["key"] == "lmnr.span.output")
    choice = {"finish_reason": finish, "message": {"role": "assistant", "content": "It is"}}
    output["stringValue"] = json.dumps({"choices": [choice]})
    (tmp_path / "export.json").write_text(json.dumps(export))
    (trace,) = load_traces(tmp_path / "export.json")
    assert trace.trajectory.stop_reason == stop


def test_rows_of_an_export_may_come_one_a_line_in_any_order(tmp_path: Path):
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in reversed(langfuse_rows())))
    (tmp_path / "b.json").write_text(json.dumps({"data": langfuse_rows()}))
    (one,) = load_traces(tmp_path / "a.jsonl")
    (other,) = load_traces(tmp_path / "b.json")
    assert one.trajectory == other.trajectory


def test_an_eval_file_of_inspect_is_read_with_its_golden_and_trial(tmp_path: Path):
    log = inspect_log()
    with zipfile.ZipFile(tmp_path / "log.eval", "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr(
            "header.json", json.dumps({key: value for key, value in log.items() if key != "samples"})
        )
        out.writestr("samples/g1_epoch_2.json", json.dumps(log["samples"][0]))
        out.writestr("summaries.json", "[]")
    (tmp_path / "log.json").write_text(json.dumps(log))
    (zipped,) = load_traces(tmp_path / "log.eval")
    (plain,) = load_traces(tmp_path / "log.json")
    assert zipped.trajectory == plain.trajectory
    assert (zipped.golden_id, zipped.trial, zipped.agent, zipped.model) == ("g1", 1, "travel", "m")


def test_two_instrumentations_of_one_run_are_one_trajectory(tmp_path: Path):
    """A trace that Langfuse and Laminar both watched: every call once, and a note about the other."""
    both = langfuse_sdk()
    second = laminar()["resourceSpans"][0]["scopeSpans"][0]["spans"]
    for span in second:
        span["spanId"] = "f" + span["spanId"][1:]
        span["parentSpanId"] = span["parentSpanId"] and "f" + span["parentSpanId"][1:]
    both["resourceSpans"][0]["scopeSpans"][0]["spans"] += second
    (tmp_path / "both.json").write_text(json.dumps(both))
    (trace,) = load_traces(tmp_path / "both.json")
    assert [call.name for call in trace.trajectory.calls] == ["get_weather", "book"]
    assert any("second instrumentation" in problem for problem in trace.problems)
