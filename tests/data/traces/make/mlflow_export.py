"""MLflow: `Trace.to_json` of an agent whose model streams. Usage: python mlflow_export.py openai|langgraph OUT.json.gz"""

from __future__ import annotations

import gzip
import sys
import tempfile
from pathlib import Path

import mlflow
from loopback import QUESTION, Loopback

server = Loopback()
mlflow.set_tracking_uri(f"{Path(tempfile.mkdtemp()).as_uri()}")
mlflow.set_experiment("travel")
if sys.argv[1] == "openai":
    import openai
    import openai_agent

    mlflow.openai.autolog()
    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none")
    tools = {
        f.__name__: mlflow.trace(f, span_type="TOOL") for f in (openai_agent.get_weather, openai_agent.book)
    }

    class Streamed:
        """Streams every answer and puts it together, as applications do."""

        def create(self, **request: object) -> object:
            with client.chat.completions.stream(**request) as stream:  # type: ignore[arg-type]
                return stream.get_final_completion()

    class Client:
        class chat:  # noqa: N801
            completions = Streamed()

    print(
        mlflow.trace(openai_agent.run, name="travel", span_type="AGENT")(
            client if "plain" in sys.argv else Client(), tools, QUESTION
        )
    )
else:
    import langgraph_agent

    mlflow.langchain.autolog()
    print(langgraph_agent.run(server.url, streaming=True))
mlflow.flush_trace_async_logging()
trace = mlflow.get_trace(mlflow.get_last_active_trace_id())
Path(sys.argv[2]).write_bytes(gzip.compress(trace.to_json().encode(), mtime=0))
