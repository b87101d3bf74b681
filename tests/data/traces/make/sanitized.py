"""Exports without anything about the machine they were made on, as small files of JSON.

Usage: python sanitized.py FOLDER EXPORT... with OTLP in protobuf (.pb.gz), JSON (.json.gz) or lines of it (.jsonl.gz).
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path
from typing import Any

MACHINE = re.compile(
    r"(?:host|process|os|code|telemetry\.sdk|net|server|url|http|user_agent|thread|runtime)[._].*"
)
STACK = re.compile(r"\s*Traceback \(most recent call last\)[\s\S]*?(?=\n\w*(?:Error|Exception)\b|$)")
PATHS = re.compile(r"(?:/tmp|/root|/home|/work|/usr)(?:/[\w.@+-]+)+")
SOURCE = re.compile(r"mlflow\.(?:source|git|user|databricks).*|LANGSMITH_.*|revision_id")
DROPPED = {
    "exception.stacktrace",
    "revision_id",
    "runtime",
    "langsmith.span.runtime",
    "hostname",
    "user",
    "environment",
}
OMITTED = re.compile(r"<(?:openai\.)?\w+ object at 0x[0-9a-f]+>|NOT_GIVEN")


def clean(value: Any) -> Any:
    if isinstance(value, str):
        return PATHS.sub("/path", STACK.sub("", value))
    if isinstance(value, list):
        return [clean(item) for item in value if not _names_machine(item)]
    if isinstance(value, dict):
        return {name: clean(held) for name, held in value.items() if not _is_dropped(name, held)}
    return value


def _is_dropped(name: str, value: Any) -> bool:
    """Whether a field tells of the machine, or is a parameter that was not given."""
    if name in DROPPED or SOURCE.fullmatch(name):
        return True
    return isinstance(value, str) and len(value) < 100 and bool(OMITTED.search(value))


def _names_machine(item: Any) -> bool:
    """Whether an attribute of OTLP, which is `{"key": …, "value": …}`, describes the machine."""
    name = item.get("key") if isinstance(item, dict) and "value" in item else None
    return isinstance(name, str) and (name in DROPPED or bool(MACHINE.fullmatch(name)))


def main(folder: Path, exports: list[Path]) -> None:
    for export in exports:
        data = gzip.decompress(export.read_bytes())
        name = export.name
        if name.endswith(".pb.gz"):
            from google.protobuf.json_format import MessageToDict
            from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

            name = name.replace(".pb.gz", ".json.gz")
            lines = [MessageToDict(ExportTraceServiceRequest.FromString(data))]
        else:
            lines = [
                json.loads(line) for line in (data.splitlines() if name.endswith(".jsonl.gz") else [data])
            ]
        text = "\n".join(json.dumps(clean(line)) for line in lines)
        (folder / name).write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
