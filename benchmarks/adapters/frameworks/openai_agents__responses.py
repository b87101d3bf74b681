"""OpenAI Agents SDK on the Responses API."""

from __future__ import annotations

from typing import Any, ClassVar

from agents import OpenAIResponsesModel
from benchmarks.adapters.frameworks.openai_agents import OpenAIAgents


class OpenAIAgentsOnResponses(OpenAIAgents):
    model: ClassVar[type[Any]] = OpenAIResponsesModel


FRAMEWORK = OpenAIAgentsOnResponses()
