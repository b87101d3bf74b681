"""The adapter `langchain` with the real framework."""

from __future__ import annotations

from tests.adapters.contract import AdapterContract, MockableTools
from tests.adapters.kits.langchain import LangChainKit


class TestLangChain(AdapterContract, MockableTools):
    kit = LangChainKit()
