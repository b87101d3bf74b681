"""Dumps of the real packages' types for `tests/data/spellings`: what an agent that uses them returns.

    python -m venv sdks && sdks/bin/pip install google-genai mistralai cohere ollama autogen-agentchat strands-agents msgspec
    PYTHONPATH=src:. sdks/bin/python -m tests.support.sdk_dumps

They are too many and too large for the environment of the tests. The script builds each object with the package's own
types, checks that RightCall reads its calls, and writes what it dumps, with the version of the package.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.support.spellings import SPELLINGS, Call

FOLDER = Path(__file__).parents[1] / "data" / "spellings"
CALLS = [
    Call("get_weather", {"city": "Hà Nội", "days": None, "units": ["c", 1.5]}, "c1"),
    Call("get_weather", {"city": "Huế"}, "c2"),
    Call("delete_account", {}, "c3"),
]


def google_genai(document: Any) -> Any:
    from google.genai import types

    return types.GenerateContentResponse.model_validate(document)


def mistral(document: Any) -> Any:
    from mistralai.client import models

    return models.ChatCompletionResponse.model_validate({**document, "usage": {}})


def cohere(document: Any) -> Any:
    from cohere.v2.types import V2ChatResponse

    return V2ChatResponse.model_validate(document)


def ollama(document: Any) -> Any:
    import ollama as package

    return package.ChatResponse.model_validate(document)


def autogen(document: Any) -> Any:
    from autogen_agentchat import messages
    from autogen_agentchat.base import TaskResult

    kinds = {item["type"]: getattr(messages, item["type"]) for item in document["messages"]}
    return TaskResult(messages=[kinds[item["type"]].model_validate(item) for item in document["messages"]])


def autogen_core(document: Any) -> Any:
    from autogen_core.models import AssistantMessage

    return [AssistantMessage.model_validate(item) for item in document]


def strands(document: Any) -> Any:
    from strands.agent.agent_result import AgentResult
    from strands.telemetry.metrics import EventLoopMetrics

    return AgentResult("tool_use", document["message"], EventLoopMetrics(), {})


def bedrock(document: Any) -> Any:
    """What botocore makes of the service's reply, by its own description of the service."""
    import botocore.session
    from botocore.parsers import create_parser

    service = botocore.session.get_session().get_service_model("bedrock-runtime")
    shape = service.operation_model("Converse").output_shape
    reply = {"body": json.dumps(document).encode(), "headers": {}, "status_code": 200}
    parsed = create_parser("rest-json").parse(reply, shape)
    return {name: value for name, value in parsed.items() if name != "ResponseMetadata"}


PACKAGES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "google_genai": ("google-genai", google_genai),
    "mistral": ("mistralai", mistral),
    "cohere": ("cohere", cohere),
    "ollama": ("ollama", ollama),
    "autogen": ("autogen-agentchat", autogen),
    "autogen_core": ("autogen-core", autogen_core),
    "strands": ("strands-agents", strands),
    "bedrock": ("botocore", bedrock),
}


def main() -> None:
    from rightcall.agents.callable_agent import as_trajectory
    from rightcall.records.dialects import as_plain

    FOLDER.mkdir(exist_ok=True)
    for name, (package, build) in PACKAGES.items():
        returned = build(SPELLINGS[name].write(CALLS, True))
        found = [(call.name, call.arguments) for call in as_trajectory(returned).calls]
        assert found == [(call.name, call.arguments) for call in CALLS], (name, found)
        dump = {"package": f"{package} {version(package)}", "type": type(returned).__name__,
                "calls": [call._asdict() for call in CALLS], "dump": as_plain(returned, name)}  # fmt: skip
        text = json.dumps(dump, indent=1, ensure_ascii=False, default=str)
        (FOLDER / f"{name}.json").write_text(text + "\n")
        print(name, dump["package"], dump["type"])


if __name__ == "__main__":
    main()
