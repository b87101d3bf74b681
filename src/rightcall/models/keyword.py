"""`keyword:`: no model. Picks the tool that shares the most words with the request.

Arguments are extracted from the text.

Goldens that this baseline passes test very little.
"""

from __future__ import annotations

import math
from collections import Counter

from rightcall.model import Message, Tool, ToolCall, Usage
from rightcall.model.dialects.wire import output_text
from rightcall.models.base import ModelReply, ModelRequest, Provider
from rightcall.models.endpoint import ProviderOptions
from rightcall.models.extraction import extract, words

THRESHOLD = 2.0
"""Below this no tool is called: one word unique to a tool's name, or two of its description."""

_NAME, _TEXT = 2.0, 1.0


class KeywordProvider(Provider):
    """Lexical choice; the same request always has the same answer."""

    def __init__(self, threshold: float = THRESHOLD) -> None:
        self.name, self._threshold = "keyword:", threshold
        self._index = ToolIndex(())

    @classmethod
    def of(cls, model: str, options: ProviderOptions) -> KeywordProvider:
        return cls()

    async def complete(self, request: ModelRequest) -> ModelReply:
        """One call, or none; after a tool's result, that result as the answer."""
        last = request.messages[-1] if request.messages else Message("user")
        message = _report(last) if last.role == "tool" else self._answer(request)
        return ModelReply(message, Usage(cost_usd=0.0), model="keyword")

    def _answer(self, request: ModelRequest) -> Message:
        text = next((m.content for m in reversed(request.messages) if m.role == "user"), "")
        tools = request.prompt.tools
        if self._index.tools is not tools:  # those of a run stay the same
            self._index = ToolIndex(tools)
        tool = self._index.choose(text, self._threshold)
        if tool is None or request.prompt.settings.tool_choice == "none":
            return Message("assistant", "No tool fits this request.")
        return Message(
            "assistant", calls=(ToolCall(tool.name, extract(tool, text), f"call_{request.turn}_0"),)
        )


class ToolIndex:
    """The words of some tools."""

    def __init__(self, tools: tuple[Tool, ...]) -> None:
        self.tools = tools
        self._weights = [_weights(tool) for tool in tools]
        self._tools_with = Counter(word for weights in self._weights for word in weights)

    def choose(self, text: str, threshold: float = THRESHOLD) -> Tool | None:
        """The tool that shares the most words with the text, weighted by rarity; ties go to the first."""
        text_words = set(words(text))
        scores = [self._score(text_words, weights) for weights in self._weights]
        best = max(scores, default=0.0)
        return self.tools[scores.index(best)] if best >= threshold else None

    def _score(self, text_words: set[str], weights: dict[str, float]) -> float:
        shared, tools = text_words & weights.keys(), len(self.tools)
        return math.fsum(weights[w] * _rarity(self._tools_with[w], tools) for w in sorted(shared))


def _rarity(tools_with: int, tools: int) -> float:
    """1 for a word of a single tool, falling to 0.5 for a word that all tools have."""
    return 1.0 if tools == 1 else 1.0 - 0.5 * math.log(tools_with) / math.log(tools)


def _weights(tool: Tool) -> dict[str, float]:
    """The weight of each of the tool's words."""
    weights = dict.fromkeys(words(tool.description), _TEXT)
    for name, schema in tool.parameters.items():
        choices = schema.get("enum") if isinstance(schema, dict) else None
        texts = [name, *(str(choice) for choice in choices or [] if isinstance(choices, list))]
        weights |= dict.fromkeys((word for text in texts for word in words(text)), _TEXT)
    return weights | dict.fromkeys(words(tool.name), _NAME)


def _report(message: Message) -> Message:
    outputs = "\n".join(output_text(result.output) for result in message.results)
    return Message("assistant", outputs[:2000] or message.content)
