"""Laminar: what its SDK sends over OTLP. Usage: python laminar_export.py openai|langgraph OUT.pb.gz"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

from lmnr import Laminar, observe
from loopback import Loopback

server = Loopback()
port = int(server.url.rsplit(":", 1)[1])
Laminar.initialize(
    project_api_key="none", base_url="http://127.0.0.1", http_port=port, force_http=True, disable_batch=True
)
if sys.argv[1] == "openai":
    import openai
    import openai_agent

    client = openai.OpenAI(base_url=f"{server.url}/v1", api_key="none")
    tools = {f.__name__: observe(span_type="TOOL")(f) for f in (openai_agent.get_weather, openai_agent.book)}
    print(
        observe(name="travel")(lambda question: openai_agent.run(client, tools, question))(
            openai_agent.QUESTION
        )
    )
else:
    import langgraph_agent

    print(langgraph_agent.run(server.url))
Laminar.flush()
sent = [body for path, _, body in server.received if path.endswith("/traces")]
Path(sys.argv[2]).write_bytes(gzip.compress(b"".join(sent), mtime=0))
