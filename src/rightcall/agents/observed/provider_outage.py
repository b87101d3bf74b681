"""How an agent ended that an exception ended: by an outage of its model's provider or of a service, which says nothing
about it, by a request that the provider declines, or by its own code.

Frameworks wrap what a client raises, so the whole chain of causes is read. An outage is

- an error of a model client or a framework's model class with a status that asks to try again (408, 409, 425, 429) or
  says that the server failed (5xx),
- an error that such a client raises only when its server cannot be reached,
- a timeout (of Python, httpx, aiohttp, requests) raised inside such a client,
- a lost connection, to whatever server, that nothing caught.

A request that the server declines is none. What its status means is the same as for a model that is asked here: with
400 or 422 the request is the agent's, with 401, 403 or 404 the setup is broken, and there is no answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from traceback import walk_tb
from typing import Any
from urllib.parse import urlsplit

import msgspec

from rightcall.agents.model_retries import stop_of_problem
from rightcall.core.codec import encode
from rightcall.core.errors import InfrastructureError, ProviderError
from rightcall.providers.failures import FILTERED, refusal_error
from rightcall.records.trajectory import StopReason

CLIENTS = (
    "openai", "anthropic", "google.genai", "google.api_core", "google.adk.models", "litellm", "pydantic_ai.models",
    "pydantic_ai.exceptions", "cohere", "mistralai", "groq", "botocore", "huggingface_hub", "ollama", "together",
    "fireworks", "azure.core", "azure.ai", "xai_sdk", "vertexai", "langchain_openai", "langchain_anthropic",
    "langchain_google_genai", "langchain_aws", "llama_index.llms", "autogen_ext.models", "agent_framework_openai",
    "agent_framework_anthropic", "agent_framework.openai", "dspy.clients", "dspy.utils.exceptions",
    "crewai.llm", "crewai.llms", "smolagents.models", "instructor",
)  # fmt: skip
"""Packages and modules that speak to a model's server."""

UNREACHED = frozenset(
    ("APIConnectionError", "APITimeoutError", "RateLimitError", "InternalServerError", "ServiceUnavailableError",
     "OverloadedError", "ModelHTTPError", "ThrottlingException", "ModelTimeoutException", "EndpointConnectionError",
     "ReadTimeoutError", "ConnectTimeoutError", "ResourceExhausted", "ServiceUnavailable", "DeadlineExceeded",
     "InferenceTimeoutError", "LMServerError", "LMRateLimitError", "LMTimeoutError", "LMTransportError",
     "FailedRequestError")
)  # fmt: skip
"""What model clients raise when their server does not answer, after their own retries."""

LOST = frozenset(
    ("ConnectionError", "TimeoutError", "TransportError", "ClientConnectionError", "ClosedResourceError",
     "BrokenResourceError", "EndOfStream")
)  # fmt: skip
"""What Python, httpx, aiohttp, requests and anyio raise when a connection is lost or nothing comes over it."""

BROKEN_OFF = frozenset(
    (
        "RemoteProtocolError",
        "ServerDisconnectedError",
        "ClientPayloadError",
        "ChunkedEncodingError",
        "IncompleteRead",
    )
)
"""What httpx, aiohttp, requests and Python raise when a server ends the connection in the middle of its answer."""

DEFAULT_PORTS = {"https": 443, "http": 80}
TRY_AGAIN = frozenset((408, 409, 425, 429))


class FailedRequestError(RuntimeError):
    """A request to the model that a framework reports without an exception; the status is None if no answer came."""

    def __init__(self, text: str, status: int | None) -> None:
        super().__init__(text)
        self.status_code = status


OTHER_LOOP = ("Event loop is closed", "attached to a different loop", "bound to a different event loop")
"""What asyncio says of clients, locks and connections that were opened on another event loop."""

ADVICE = "what this agent keeps between calls belongs to another event loop: make its function `async def`"


def exception_text(error: BaseException) -> str:
    """The last line of a traceback, for people, with what to do where Python's own words do not say it."""
    text = f"{type(error).__name__}: {error}"[:500]
    return f"{text}; {ADVICE}" if _is_of_other_loop(error) else text


def stop_of_exception(error: BaseException) -> tuple[StopReason, str]:
    """How a trial ended that an exception ended, and its text."""
    words = str(error) if isinstance(error, InfrastructureError) else exception_text(error)
    if _is_of_other_loop(error):  # clients call it a lost connection
        return "agent_error", words
    own = next((link for link in chain(error) if isinstance(link, InfrastructureError)), None)
    if own is None and any(
        isinstance(link, ConnectionError)
        or names_of(link) & BROKEN_OFF
        or _is_unreached(link)
        or _is_lost(link)
        for link in chain(error)
    ):
        return "infra_error", words
    problem = own or refusal_of(error)
    return ("agent_error" if problem is None else stop_of_problem(problem)), words


def refusal_of(error: BaseException) -> ProviderError | None:
    """The response by which a model's server declined a request; None when there is none."""
    for link in chain(error):
        status = _status(link)
        if status is not None and 400 <= status < 500 and not _is_failure(status) and _is_of_client(link):
            return refusal_error(type(link).__module__, status, {}, _body(link))
    return None


def unreached_host(error: BaseException) -> str:
    """The host, with its port, that a lost connection was to; empty when nothing says it.

    Clients keep the request or the address; a plain socket has it in the frame that connects.
    """
    for link in chain(error):
        with suppress(Exception):  # attributes are code of clients: httpx raises where it has no request
            url = urlsplit(str(link.request.url))  # type: ignore[attr-defined]
            return f"{url.hostname}:{url.port or DEFAULT_PORTS[url.scheme]}"
        host = getattr(link, "host", None)
        port = getattr(link, "port", None)
        if isinstance(host, str) and isinstance(port, int):  # aiohttp
            return f"{host}:{port}"
        for frame, _ in walk_tb(link.__traceback__):
            match frame.f_locals.get("address"):
                case (str(host), int(port)):
                    return f"{host}:{port}"
    return ""


def is_broken_setup(error: BaseException) -> bool:
    """Whether a model's server declines every request of an agent: its key, its model or its address is wrong."""
    refusal = refusal_of(error)
    return refusal is not None and refusal.kind in ("auth", "rejected")


def _body(error: BaseException) -> bytes:
    """What the server said, as far as it tells a content filter from any other refusal."""
    codes = [getattr(error, "code", None), *names_of(error)]
    if any(code in FILTERED or code == "ContentPolicyViolationError" for code in codes):
        return encode({"error": {"code": "content_filter"}})
    body = getattr(error, "body", None) or getattr(error, "details", None)
    try:
        return encode(body) if isinstance(body, dict) else str(error).encode()
    except (TypeError, ValueError, msgspec.MsgspecError):
        return str(error).encode()


def chain(error: BaseException) -> Iterator[BaseException]:
    """The exception and what caused it, and what a group holds; each once."""
    waiting = [error]
    seen = set()
    while waiting:
        link = waiting.pop(0)
        if id(link) in seen:
            continue
        seen.add(id(link))
        yield link
        if isinstance(link, BaseExceptionGroup):
            waiting += link.exceptions
        waiting += [cause for cause in (link.__cause__, link.__context__) if cause is not None]


def names_of(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}


def _is_of_other_loop(error: BaseException) -> bool:
    return any(
        isinstance(link, RuntimeError) and any(words in str(link) for words in OTHER_LOOP)
        for link in chain(error)
    )


def _is_unreached(error: BaseException) -> bool:
    status = _status(error)
    if _is_of_client(error) and status is not None:
        return _is_failure(status)
    return bool(names_of(error) & UNREACHED) and (status is None or _is_failure(status))


def _is_of_client(error: BaseException) -> bool:
    return isinstance(error, FailedRequestError) or any(
        _of_client(kind.__module__) for kind in type(error).__mro__
    )


def _is_failure(status: int) -> bool:
    return status in TRY_AGAIN or status >= 500


def _status(error: BaseException) -> int | None:
    """The HTTP status that an exception carries, in any of the ways of the clients."""
    response: Any = getattr(error, "response", None)
    if isinstance(response, dict):  # botocore
        response = response.get("ResponseMetadata")
        codes = [response.get("HTTPStatusCode")] if isinstance(response, dict) else []
    else:
        codes = [getattr(response, "status_code", None), getattr(response, "status", None)]
    codes = [getattr(error, name, None) for name in ("status_code", "http_status", "code", "status")] + codes
    return next((n for n in codes if isinstance(n, int) and not isinstance(n, bool) and 100 <= n < 600), None)


def _is_lost(error: BaseException) -> bool:
    """Whether a lost connection passed through a client's module."""
    frames = walk_tb(error.__traceback__) if names_of(error) & LOST else ()
    return any(_of_client(str(frame.f_globals.get("__name__", ""))) for frame, _ in frames)


def _of_client(module: str) -> bool:
    return f"{module}.".startswith(tuple(f"{name}." for name in CLIENTS))
