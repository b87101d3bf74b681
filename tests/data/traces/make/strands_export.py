"""Strands Agents: what its own telemetry sends over OTLP. Usage: python strands_export.py OUT.pb.gz"""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

from loopback import QUESTION, SYSTEM, Loopback

server = Loopback()
os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = server.url
os.environ["OTEL_SERVICE_NAME"] = "travel"

from strands import Agent, tool  # noqa: E402
from strands.models.openai import OpenAIModel  # noqa: E402


@tool
def get_weather(city: str) -> dict:
    """Weather of a city."""
    return {"celsius": 31}


@tool
def book(city: str, seats: int) -> dict:
    """Book seats."""
    raise ValueError("no seats left")


if os.environ.get("AGENT_OBSERVABILITY_ENABLED") != "true":
    from strands.telemetry import StrandsTelemetry

    StrandsTelemetry().setup_otlp_exporter()

model = OpenAIModel(client_args={"base_url": f"{server.url}/v1", "api_key": "none"}, model_id="scripted")
agent = Agent(
    name="travel", model=model, tools=[get_weather, book], system_prompt=SYSTEM, callback_handler=None
)
print(agent(QUESTION))

from opentelemetry import trace  # noqa: E402

trace.get_tracer_provider().force_flush()  # type: ignore[attr-defined]
try:
    from opentelemetry._logs import get_logger_provider

    get_logger_provider().force_flush()  # type: ignore[attr-defined]
except AttributeError:
    pass
for path, kind, body in server.received:
    print(path, kind, len(body), file=sys.stderr)
Path(sys.argv[1]).write_bytes(
    gzip.compress(b"".join(b for p, _, b in server.received if p.endswith("/traces")), mtime=0)
)
