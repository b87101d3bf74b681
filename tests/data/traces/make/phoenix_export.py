"""Phoenix: a server on this machine, filled by OpenInference over OTLP, and exported by its own client.

Usage: python phoenix_export.py OUT.json.gz
"""

from __future__ import annotations

import gzip
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import openai
import openai_agent
from loopback import Loopback
from openinference.instrumentation import TracerProvider
from openinference.instrumentation.openai import OpenAIInstrumentor
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace.export import SimpleSpanProcessor

server = Loopback()
ports = []
for _ in range(2):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        ports.append(free.getsockname()[1])
environment = {
    **os.environ,
    "PHOENIX_PORT": str(ports[0]),
    "PHOENIX_GRPC_PORT": str(ports[1]),
    "PHOENIX_HOST": "127.0.0.1",
}
environment |= {"PHOENIX_WORKING_DIR": tempfile.mkdtemp(), "PHOENIX_TELEMETRY_ENABLED": "false"}
phoenix = f"http://127.0.0.1:{ports[0]}"
process = subprocess.Popen(
    [str(Path(sys.executable).with_name("phoenix")), "serve"], env=environment, stdout=subprocess.DEVNULL
)
try:
    for _ in range(180):
        try:
            urllib.request.urlopen(f"{phoenix}/healthz")
            break
        except OSError:
            time.sleep(0.5)
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{phoenix}/v1/traces")))
    OpenAIInstrumentor().instrument(tracer_provider=provider)
    tracer = provider.get_tracer("travel")
    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none")
    tools = {f.__name__: tracer.tool(f) for f in (openai_agent.get_weather, openai_agent.book)}

    @tracer.agent(name="travel")
    def travel(question: str) -> str:
        return openai_agent.run(client, tools, question)

    print(travel(openai_agent.QUESTION))
    provider.force_flush()
    time.sleep(4)
    from phoenix.client import Client

    spans = Client(base_url=phoenix).spans.get_spans(project_identifier="default", limit=100)
    frame = Client(base_url=phoenix).spans.get_spans_dataframe(project_identifier="default", limit=100)
finally:
    process.terminate()
    process.wait()
Path(sys.argv[1]).write_bytes(
    gzip.compress(json.dumps([dict(span) for span in spans], default=str).encode(), mtime=0)
)
Path(sys.argv[1]).with_name("phoenix_frame.json.gz").write_bytes(
    gzip.compress(frame.reset_index().to_json(orient="records", date_format="iso").encode(), mtime=0)
)
