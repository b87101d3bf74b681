"""A Strands agent in Bedrock AgentCore's runtime, with AWS's distribution of OpenTelemetry.

Usage: python agentcore_export.py OUT.jsonl.gz. What would go to CloudWatch is sent to this machine: spans, and the
conversation as log records, one OTLP JSON request a line.
"""

from __future__ import annotations

import gzip
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

from loopback import QUESTION, SYSTEM, Loopback

AGENT = """
import sys
from bedrock_agentcore.runtime import BedrockAgentCoreApp
from strands import Agent, tool
from strands.models.openai import OpenAIModel

@tool
def get_weather(city: str) -> dict:
    "Weather of a city."
    return {"celsius": 31}

@tool
def book(city: str, seats: int) -> dict:
    "Book seats."
    raise ValueError("no seats left")

app = BedrockAgentCoreApp()

@app.entrypoint
def invoke(payload):
    model = OpenAIModel(client_args={"base_url": sys.argv[1], "api_key": "none"}, model_id="scripted")
    agent = Agent(name="travel", model=model, tools=[get_weather, book], system_prompt=sys.argv[3], callback_handler=None)
    return str(agent(payload["prompt"]))

app.run(port=int(sys.argv[2]))
"""


def main(out: Path) -> None:
    server = Loopback()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {
        **os.environ,
        "AGENT_OBSERVABILITY_ENABLED": "true",
        "OTEL_PYTHON_DISTRO": "aws_distro",
        "OTEL_PYTHON_CONFIGURATOR": "aws_configurator",
        "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
        "OTEL_EXPORTER_OTLP_ENDPOINT": server.url,
        "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{server.url}/v1/traces",
        "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": f"{server.url}/v1/logs",
        "OTEL_METRICS_EXPORTER": "none",
        "OTEL_SERVICE_NAME": "travel",
        "OTEL_RESOURCE_ATTRIBUTES": "service.name=travel",
        "OTEL_BSP_SCHEDULE_DELAY": "200",
        "OTEL_BLRP_SCHEDULE_DELAY": "200",
        "AWS_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "none",
        "AWS_SECRET_ACCESS_KEY": "none",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    instrument = str(Path(sys.executable).with_name("opentelemetry-instrument"))
    program = out.with_suffix(".py")
    program.write_text(AGENT)
    process = subprocess.Popen(
        [instrument, sys.executable, str(program), f"{server.url}/v1", str(port), SYSTEM], env=environment
    )
    try:
        for _ in range(120):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/ping")
                break
            except OSError:
                time.sleep(0.5)
        headers = {
            "content-type": "application/json",
            "X-Amzn-Bedrock-AgentCore-Runtime-Session-Id": "s" * 33,
        }
        body = json.dumps({"prompt": QUESTION}).encode()
        print(
            urllib.request.urlopen(
                urllib.request.Request(f"http://127.0.0.1:{port}/invocations", body, headers)
            ).read()
        )
        time.sleep(3)
    finally:
        program.unlink()
        process.terminate()
        process.wait()
    for path, kind, data in server.received:
        print(path, kind, len(data), file=sys.stderr)
    from google.protobuf.json_format import MessageToJson
    from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

    kinds = {"/v1/traces": ExportTraceServiceRequest, "/v1/logs": ExportLogsServiceRequest}
    lines = [
        MessageToJson(kinds[path].FromString(data), indent=None)
        for path, _, data in server.received
        if path in kinds
    ]
    out.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
