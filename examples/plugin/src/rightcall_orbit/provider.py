"""A model `orbit:TOOL` that calls TOOL with the last word of the request as its only argument."""

from __future__ import annotations

from rightcall.providers.base import ModelReply, ModelRequest, Provider
from rightcall.providers.endpoint import ProviderOptions
from rightcall.records.call import ToolCall
from rightcall.records.message import Message
from rightcall.records.trajectory import Usage


class OrbitProvider(Provider):
    def __init__(self, tool: str) -> None:
        self.name = f"orbit:{tool}"
        self._tool = tool

    async def complete(self, request: ModelRequest) -> ModelReply:
        last = request.messages[-1]
        if last.role == "tool":
            message = Message("assistant", "Done.")
        else:
            tool = next(tool for tool in request.prompt.tools if tool.name == self._tool)
            parameter = next(iter(tool.input_schema["properties"]))
            word = last.content.rstrip("?.!").split()[-1]
            message = Message("assistant", calls=(ToolCall(self._tool, {parameter: word}, "call_0"),))
        return ModelReply(message, Usage(cost_usd=0.0), model="orbit")


def make(model: str, options: ProviderOptions) -> Provider:
    return OrbitProvider(model)
