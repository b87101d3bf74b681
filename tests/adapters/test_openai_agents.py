"""The adapter `openai_agents` with the real framework."""

from __future__ import annotations

from tests.adapters.contract import AdapterContract, MockableTools
from tests.adapters.kits.openai_agents import OpenAIAgentsKit


class TestOpenAIAgents(AdapterContract, MockableTools):
    kit = OpenAIAgentsKit()
