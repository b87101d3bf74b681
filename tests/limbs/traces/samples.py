"""The samples of real instrumentations, and what each must become."""

import json
from pathlib import Path
from typing import Any

from rightcall.limbs.traces.reader import load_traces
from rightcall.limbs.traces.trace import Trace

FOLDER = Path(__file__).parents[2] / "data" / "traces"
EXPECTED: dict[str, Any] = json.loads((FOLDER / "expected.json").read_text())
OTLP_JSON = [name for name in EXPECTED if name.endswith(".json") and name != "mlflow_trace.json"]


def as_expected(trace: Trace) -> dict[str, Any]:
    made = trace.trajectory
    calls = []
    for call in made.calls:
        shown = {
            name: getattr(call, name) for name in ("name", "arguments", "id", "step", "status", "output")
        }
        calls.append(shown | ({"raw": call.raw} if call.raw is not None else {}))
    return {
        "calls": calls,
        "output": made.output,
        "input_tokens": made.usage.input_tokens,
        "output_tokens": made.usage.output_tokens,
    }


def read(*paths: Path) -> list[dict[str, Any]]:
    return [as_expected(trace) for trace in load_traces(*paths)]


def expected(name: str) -> list[dict[str, Any]]:
    return [{key: value for key, value in item.items() if key != "problems"} for item in EXPECTED[name]]
