"""What the vendors' SDKs send for a conversation is what RightCall sends, and their clients are refused by name."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # its import would fetch the table of prices

import pytest

import rightcall as rc
from rightcall.core.errors import ConfigError
from rightcall.providers.base import ModelRequest, Prompt, Settings
from rightcall.providers.resolver import resolve
from rightcall.records import Message
from tests.providers import strict
from tests.providers.loopback import json_server
from tests.providers.samples import CONVERSATION, DELETE, WEATHER, ask

Json = dict[str, Any]
SYSTEM = "You are a weather assistant."
PROMPT = Prompt(SYSTEM, (WEATHER, DELETE), Settings(temperature=0, max_tokens=256, tool_choice="required"))
CALLS = [("c1", "get_weather", {"city": "Huế"}), ("c2", "get_weather", {"city": "北京"})]


def google(url: str) -> Any:
    from google import genai
    from google.genai import types

    declarations: Any = [
        types.FunctionDeclaration(
            name=tool.name, description=tool.description, parameters_json_schema=tool.input_schema
        )
        for tool in PROMPT.tools
    ]
    called: Any = [
        types.Part(function_call=types.FunctionCall(id=i, name=name, args=args)) for i, name, args in CALLS
    ]
    outputs: list[Json] = [{"celsius": 31}, {"error": "no such city"}]
    answered: Any = [
        types.Part(function_response=types.FunctionResponse(id=i, name=name, response=output))
        for (i, name, _), output in zip(CALLS, outputs, strict=True)
    ]
    contents: Any = [
        types.Content(role="user", parts=[types.Part(text="Compare Huế with 北京")]),
        types.Content(role="model", parts=[types.Part(text="Looking."), *called]),
        types.Content(role="user", parts=answered),
        types.Content(role="user", parts=[types.Part(text="And now?")]),
    ]
    config = types.GenerateContentConfig(
        system_instruction=SYSTEM,
        temperature=0,
        max_output_tokens=256,
        seed=3,
        tools=[types.Tool(function_declarations=declarations)],
        tool_config=types.ToolConfig(
            function_calling_config=types.FunctionCallingConfig(mode=types.FunctionCallingConfigMode.ANY)
        ),
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    client = genai.Client(api_key="k", http_options=types.HttpOptions(base_url=url))
    return client.models.generate_content(model="some-model", contents=contents, config=config)


def mistral(url: str) -> Any:
    from mistralai.client import Mistral

    calls = [
        {"id": i, "type": "function", "function": {"name": name, "arguments": _json(args)}}
        for i, name, args in CALLS
    ]
    messages: Any = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": "Compare Huế with 北京"},
        {"role": "assistant", "content": "Looking.", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": _json({"celsius": 31})},
        {"role": "tool", "tool_call_id": "c2", "content": "no such city"},
        {"role": "user", "content": "And now?"},
    ]
    tools: Any = [
        {
            "type": "function",
            "function": {"name": t.name, "description": t.description, "parameters": t.input_schema},
        }
        for t in PROMPT.tools
    ]
    return Mistral(api_key="k", server_url=url).chat.complete(
        model="some-model",
        messages=messages,
        tools=tools,
        tool_choice="any",
        temperature=0,
        max_tokens=256,
        random_seed=3,
    )


def amazon(url: str) -> Any:
    client = bedrock_client(url)
    uses = [{"toolUse": {"toolUseId": i, "name": name, "input": args}} for i, name, args in CALLS]
    results = [
        {"toolResult": {"toolUseId": "c1", "content": [{"json": {"celsius": 31}}]}},
        {"toolResult": {"toolUseId": "c2", "content": [{"text": "no such city"}], "status": "error"}},
    ]
    return client.converse(
        modelId="some-model",
        system=[{"text": SYSTEM}],
        messages=[
            {"role": "user", "content": [{"text": "Compare Huế with 北京"}]},
            {"role": "assistant", "content": [{"text": "Looking."}, *uses]},
            {"role": "user", "content": [*results, {"text": "And now?"}]},
        ],
        inferenceConfig={"temperature": 0, "maxTokens": 256},
        toolConfig={
            "tools": [
                {
                    "toolSpec": {
                        "name": t.name,
                        "description": t.description,
                        "inputSchema": {"json": t.input_schema},
                    }
                }
                for t in PROMPT.tools
            ],
            "toolChoice": {"any": {}},
        },
    )


def bedrock_client(url: str) -> Any:
    from botocore.session import Session

    return Session().create_client(
        "bedrock-runtime",
        region_name="us-east-1",
        endpoint_url=url,
        aws_access_key_id="AKIDEXAMPLE",
        aws_secret_access_key="secret",
    )


def _json(value: Any) -> str:
    import msgspec

    return msgspec.json.encode(value).decode()


def without_defaults(body: Json) -> Json:
    """A body without what the SDKs add and that says nothing: nulls, streaming off. Google takes both spellings."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            kept = {
                "parametersJsonSchema" if key == "parameters_json_schema" else key: plain(part)
                for key, part in value.items()
                if key not in ("stream", "prefix", "index")
            }
            return {key: part for key, part in kept.items() if part is not None}
        if isinstance(value, list):
            return [plain(part) for part in value]
        return float(value) if isinstance(value, int) and not isinstance(value, bool) else value

    return dict(plain(body))


@pytest.mark.parametrize(
    ("model", "sdk", "reader", "base"),
    [
        ("gemini:some-model", google, strict.gemini, ""),
        ("mistral:some-model", mistral, strict.mistral, "/v1"),
        ("bedrock:some-model", amazon, strict.bedrock, ""),
    ],
)
def test_the_sdk_and_rightcall_send_the_same_body_to_the_same_path(
    model: str, sdk: Callable[[str], Any], reader: Callable[[Json], Json], base: str
) -> None:
    with json_server(lambda body: reader(without_defaults(body))) as server:
        sdk(server.url)
        provider = resolve(model, base_url=server.url + base)
        reply = ask(provider, ModelRequest(PROMPT, CONVERSATION, seed=3))
    theirs, ours = map(without_defaults, server.bodies)
    assert ours == theirs
    assert server.paths[0] == server.paths[1]
    assert reply.message == Message("assistant", "All done.")


def test_requests_to_bedrock_are_signed_as_its_sdk_signs_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_REGION", "us-east-1")
    monkeypatch.delenv("AWS_BEARER_TOKEN_BEDROCK", raising=False)
    with json_server(strict.bedrock) as server:
        monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url)
        amazon(server.url)
        ask(resolve("bedrock:some-model"), ModelRequest(PROMPT, CONVERSATION))
        ask(resolve("bedrock:some-model", base_url=server.url.replace("127.0.0.1", "localhost")))
    theirs, ours, elsewhere = (headers.get("authorization", "") for headers in server.headers)
    scope = "/us-east-1/bedrock/aws4_request"
    assert theirs.startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/") and scope in theirs
    assert ours.startswith("AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/") and scope in ours
    assert elsewhere == ""  # credentials go to no server that was merely written


def clients() -> list[tuple[Any, str]]:
    import cohere
    from google import genai
    from mistralai.client import Mistral

    return [
        (genai.Client(api_key="k"), "name the model, gemini:MODEL"),
        (Mistral(api_key="k"), "name the model, mistral:MODEL"),
        (cohere.ClientV2(api_key="k"), "name the model, openai:MODEL@https://api.cohere.ai/compatibility/v1"),
        (bedrock_client("http://127.0.0.1:9"), "name the model, bedrock:MODEL"),
    ]


@pytest.mark.parametrize("position", range(4))
def test_clients_that_cannot_be_used_are_refused_by_name(position: int) -> None:
    client, told = clients()[position]
    with pytest.raises(ConfigError, match=told):
        resolve(client, model="m")
    with pytest.raises(ConfigError, match=told):
        rc.evaluate(rc.Agent(client, model_name="m", tools=[]), [rc.Golden("hi", category="negative")])
