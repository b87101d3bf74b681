"""The agent under simulation: a function of a turn, with any parameter names, an agent, or a model."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable
from typing import Any

from rightcall.errors import ConfigError
from rightcall.executor import Agent
from rightcall.executor.conversation import HISTORY, INPUT, WORDS, turn_parameters


def callback_agent(given: Callable[..., Any] | Agent | str | None) -> Agent:
    """The agent that talks to a simulated user."""
    if given is None:
        raise ConfigError(
            "simulate() requires an agent: model_callback=a function of (input, history), or an Agent"
        )
    if isinstance(given, Agent):
        return given
    if isinstance(given, str) or hasattr(given, "complete"):
        return Agent(given)
    return Agent(given if turn_parameters(given) else _by_words(given))


def _by_words(function: Callable[..., Any]) -> Callable[..., Any]:
    """A callback that takes the user's message and optionally the history, with any parameter names."""
    try:
        parameters = [
            p for p in inspect.signature(function).parameters.values() if p.kind is not p.VAR_KEYWORD
        ]
    except (TypeError, ValueError):
        parameters = []
    words = [p.name for p in parameters if p.name in WORDS]
    takes_history = len(parameters) > 1 and not words

    async def callback(input: str, history: list[dict[str, str]], thread_id: str) -> Any:
        known = {INPUT: input, "thread_id": thread_id} | dict.fromkeys(HISTORY[:2], history)
        if words:
            return await _awaited(function, **{name: known[name] for name in words})
        return await _awaited(function, *((input, history) if takes_history else (input,)))

    callback.__name__ = getattr(function, "__name__", "model_callback")
    return callback


async def _awaited(function: Callable[..., Any], *args: Any, **words: Any) -> Any:
    if inspect.iscoroutinefunction(function):
        return await function(*args, **words)
    made = await asyncio.to_thread(function, *args, **words)
    return await made if inspect.isawaitable(made) else made
