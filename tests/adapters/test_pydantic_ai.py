"""The adapter `pydantic_ai` with the real framework."""

from __future__ import annotations

from tests.adapters.contract import AdapterContract, MockableTools
from tests.adapters.kits.pydantic_ai import PydanticAIKit


class TestPydanticAI(AdapterContract, MockableTools):
    kit = PydanticAIKit()
