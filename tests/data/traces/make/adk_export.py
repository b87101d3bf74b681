"""Google ADK: its own spans over OTLP. Usage: python adk_export.py OUT.pb.gz [raise]

With `raise`, the error of a tool ends the run.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import os
import sys
import urllib.request
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from loopback import QUESTION, SYSTEM, Loopback

server = Loopback()
os.environ["OTEL_SERVICE_NAME"] = "travel"

from google.adk.agents import LlmAgent  # noqa: E402
from google.adk.models import BaseLlm, LlmRequest, LlmResponse  # noqa: E402
from google.adk.runners import InMemoryRunner  # noqa: E402
from google.genai import types  # noqa: E402
from opentelemetry import trace  # noqa: E402
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: E402
from opentelemetry.sdk.trace import TracerProvider  # noqa: E402
from opentelemetry.sdk.trace.export import SimpleSpanProcessor  # noqa: E402

provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(OTLPSpanExporter(f"{server.url}/v1/traces")))
trace.set_tracer_provider(provider)


def as_openai(content: types.Content) -> list[dict[str, Any]]:
    results = [part.function_response for part in content.parts or [] if part.function_response]
    if results:
        return [{"role": "tool", "tool_call_id": r.id, "content": json.dumps(r.response)} for r in results]
    return [
        {
            "role": "assistant" if content.role == "model" else "user",
            "content": "".join(p.text or "" for p in content.parts or []),
        }
    ]


class Scripted(BaseLlm):
    """The server on this machine as a model."""

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        messages = [message for content in llm_request.contents for message in as_openai(content)]
        body = json.dumps({"model": "scripted", "messages": messages}).encode()
        request = urllib.request.Request(f"{server.url}/v1/chat/completions", body)
        reply = json.loads(urllib.request.urlopen(request).read())  # noqa: ASYNC210
        message = reply["choices"][0]["message"]
        parts = [
            types.Part(
                function_call=types.FunctionCall(
                    id=c["id"], name=c["function"]["name"], args=json.loads(c["function"]["arguments"])
                )
            )
            for c in message.get("tool_calls") or []
        ] or [types.Part(text=message["content"])]
        usage = types.GenerateContentResponseUsageMetadata(prompt_token_count=100, candidates_token_count=10)
        yield LlmResponse(content=types.Content(role="model", parts=parts), usage_metadata=usage)


def get_weather(city: str) -> dict[str, int]:
    """Weather of a city."""
    return {"celsius": 31}


def book(city: str, seats: int) -> dict[str, int]:
    """Book seats."""
    raise ValueError("no seats left")


def told(tool: Any, args: Any, tool_context: Any, error: Exception) -> dict[str, str]:
    return {"error": str(error)}


async def main() -> None:
    agent = LlmAgent(
        name="travel",
        model=Scripted(model="scripted"),
        instruction=SYSTEM,
        tools=[get_weather, book],
        on_tool_error_callback=None if "raise" in sys.argv else told,
    )
    runner = InMemoryRunner(agent, app_name="travel")
    session = await runner.session_service.create_session(app_name="travel", user_id="u")
    content = types.Content(role="user", parts=[types.Part(text=QUESTION)])
    async for event in runner.run_async(user_id="u", session_id=session.id, new_message=content):
        if event.is_final_response() and event.content:
            print(event.content.parts[0].text)


with contextlib.suppress(ValueError):
    asyncio.run(main())
provider.force_flush()
Path(sys.argv[1]).write_bytes(gzip.compress(b"".join(body for _, _, body in server.received), mtime=0))
