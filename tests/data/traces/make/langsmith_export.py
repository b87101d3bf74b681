"""LangSmith: the runs that its client posts. Usage: python langsmith_export.py openai|langgraph OUT.json.gz"""

from __future__ import annotations

import gzip
import json
import os
import sys
from pathlib import Path
from typing import Any

from loopback import Loopback

server = Loopback()
os.environ |= {"LANGSMITH_TRACING": "true", "LANGSMITH_ENDPOINT": server.url, "LANGSMITH_API_KEY": "none"}
os.environ["LANGSMITH_DISABLE_RUN_COMPRESSION"] = "true"

import langsmith  # noqa: E402

if sys.argv[1] == "openai":
    import openai
    import openai_agent
    from langsmith.wrappers import wrap_openai

    client = wrap_openai(openai.OpenAI(base_url=f"{server.url}/v1", api_key="none"))
    tools = {
        f.__name__: langsmith.traceable(run_type="tool")(f)
        for f in (openai_agent.get_weather, openai_agent.book)
    }
    print(
        langsmith.traceable(run_type="chain", name="travel")(
            lambda question: openai_agent.run(client, tools, question)
        )(openai_agent.QUESTION)
    )
else:
    import langgraph_agent

    print(langgraph_agent.run(server.url))
langsmith.run_trees.get_cached_client().flush()


def parts(kind: str, body: bytes) -> list[tuple[str, Any]]:
    """The named JSON parts of a multipart body."""
    boundary = kind.split("boundary=")[1].strip('"').encode()
    found = []
    for piece in body.split(b"--" + boundary)[1:-1]:
        head, _, data = piece.partition(b"\r\n\r\n")
        name = head.split(b'name="')[1].split(b'"')[0].decode()
        found.append((name, json.loads(data.strip())))
    return found


runs: dict[str, dict[str, Any]] = {}
for path, kind, body in server.received:
    if "multipart" in path:
        for name, value in parts(kind, body):
            _, run, *field = name.split(".")
            runs.setdefault(run, {}).update(
                {field[0]: value} if field else {k: v for k, v in value.items() if v is not None}
            )
    elif path.endswith("/batch"):
        batch = json.loads(body)
        for run in (*batch.get("post", ()), *batch.get("patch", ())):
            runs.setdefault(run["id"], {}).update({k: v for k, v in run.items() if v is not None})
Path(sys.argv[2]).write_bytes(gzip.compress(json.dumps(list(runs.values())).encode(), mtime=0))
print(len(runs), [p for p, _, _ in server.received][:4], file=sys.stderr)
