"""Langfuse: what its SDK sends to its own path. Usage: python langfuse_export.py openai|langgraph OUT.pb.gz"""

from __future__ import annotations

import gzip
import os
import sys
from pathlib import Path

from loopback import Loopback

server = Loopback()
os.environ |= {"LANGFUSE_HOST": server.url, "LANGFUSE_BASE_URL": server.url}
os.environ |= {"LANGFUSE_PUBLIC_KEY": "none", "LANGFUSE_SECRET_KEY": "none"}

from langfuse import get_client, observe  # noqa: E402

if sys.argv[1] == "openai":
    import openai_agent
    from langfuse.openai import OpenAI

    client = OpenAI(base_url=f"{server.url}/v1", api_key="none")
    tools = {f.__name__: observe(as_type="tool")(f) for f in (openai_agent.get_weather, openai_agent.book)}
    print(
        observe(name="travel", as_type="agent")(lambda question: openai_agent.run(client, tools, question))(
            openai_agent.QUESTION
        )
    )
else:
    import langgraph_agent
    from langfuse.langchain import CallbackHandler

    print(langgraph_agent.run(server.url, callbacks=[CallbackHandler()]))
get_client().flush()
print({path for path, _, _ in server.received}, file=sys.stderr)
sent = [body for path, _, body in server.received if path.endswith("/traces")]
Path(sys.argv[2]).write_bytes(gzip.compress(b"".join(sent), mtime=0))
